"""Which files a command is about: those that are named, and those in folders that are named."""

from __future__ import annotations

from pathlib import Path

from ...errors import InputError, UsageError
from ...languages.formats import read_text
from ...languages.formats.registry import all_formats, readable

#: Suffixes of many files that are no protocols; in a folder those are read that look like one.
_COMMON = (".json", ".txt")


def files_of(sources: tuple[str, ...]) -> list[str]:
    """The sources, a folder replaced by the files in it whose suffix some language has."""
    found: list[str] = []
    for source in sources:
        found += _inside(Path(source)) if source and _is_folder(source) else [source]
    return list(dict.fromkeys(found))


def _is_folder(source: str) -> bool:
    try:
        return Path(source).is_dir()
    except OSError:  # a name that is too long, which reading the file reports
        return False


def _inside(folder: Path) -> list[str]:
    """The files of a folder, hidden ones aside, that are in a language that is read."""
    languages = all_formats().values()
    suffixes = {suffix for language in languages if language.read for suffix in language.suffixes}
    visible = (p for p in folder.rglob("*") if not any(n[0] == "." for n in p.relative_to(folder).parts))
    found = sorted(p for p in visible if p.suffix.lower() in suffixes and p.is_file() and _is_protocol(p))
    if not found:
        raise UsageError(f"the folder {folder} has no file in a language that is read")
    return [str(path) for path in found]


def _is_protocol(path: Path) -> bool:
    suffix = path.suffix.lower()
    if suffix not in _COMMON:
        return True
    try:
        text = read_text(path)
    except InputError:
        return False
    if suffix == ".json":  # neither a package's settings nor a saved result
        return '"processes"' in text and '"verdicts"' not in text
    return any(language.sniff(text) for language in readable() if suffix in language.suffixes)
