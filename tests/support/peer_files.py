"""Other tools' files lie beside the repository; tests that need them skip, visibly, where they are absent."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.paths import ROOT

SHARED = Path(os.environ.get("STORMPROOF_SHARED", ROOT.parent / "shared"))


def peers(*parts: str) -> Path:
    """The path of a peer's file or folder; skips the test where it is absent."""
    path = SHARED.joinpath("peers", *parts)
    if not path.exists():
        pytest.skip(f"the peers' files are not beside the repository: {path}")
    return path


def peer_files(folder: str, pattern: str = "*") -> list[object]:
    """Parameters for a test over every file of a folder: one that skips where the folder is absent."""
    where = SHARED / "peers" / folder
    if not where.is_dir():
        return [pytest.param(None, marks=pytest.mark.skip(reason=f"the peers' files are absent: {where}"))]
    return [pytest.param(p, id=p.name) for p in sorted(where.glob(pattern))]


#: The peers' protocols that are refused, each with the reason: no finite system of processes expresses them,
#: or nuScr refuses them too.
REFUSED_PROTOCOLS = {
    "ClockAnnot.nuscr": "Lock calls itself and then goes on",
    "DuplicateRole.nuscr": "one role plays two parts of P1",
    "NestedExample.nuscr": "creates participants each time it is reached, without bound",
}


def readable_protocols() -> list[object]:
    """Parameters for a test over the nuScr and Teatrino files that are read."""
    if not (SHARED / "peers" / "nuscr").is_dir():
        return peer_files("nuscr")
    found = [*(SHARED / "peers" / "nuscr").glob("*"), *(SHARED / "peers" / "teatrino").glob("*")]
    return [pytest.param(p, id=p.name) for p in sorted(found) if p.name not in REFUSED_PROTOCOLS]
