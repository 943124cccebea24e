"""The starred rows of the paper's table, read from a folder with ReSCu's models that the user names.

Those models are GPL-3.0 and stay where they are: they are read, and never become part of the library.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from stormproof.errors import InputError

from .published import Published, published


def peer_rows(directory: str) -> dict[str, Published]:
    """Each row whose file is somewhere in the folder, by the path of that file, in the order of the table."""
    folder = Path(directory)
    if not folder.is_dir():
        raise InputError(f"there is no folder at {directory}", hint="name a checkout of ReSCu")
    found = {str(path): row for row in published() if row.file and (path := _find(folder, row.file))}
    if not found:
        raise InputError(
            f"no model of ReSCu is in {directory}", hint="its files are called 11_ftp.scm and so on"
        )
    return found


def _find(folder: Path, name: str) -> Path | None:
    """ReSCu has some models twice: the table's are those with one channel per ordered pair (`stabc-p2p`)."""
    matches = sorted(folder.rglob(name), key=lambda p: ("p2p" not in str(p.parent), str(p)))
    return matches[0] if matches else None


def missing_rows(rows: Mapping[str, Published]) -> tuple[Published, ...]:
    """The rows of the table that are not compared."""
    here = set(map(id, rows.values()))
    return tuple(row for row in published() if id(row) not in here)
