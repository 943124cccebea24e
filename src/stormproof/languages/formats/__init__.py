"""Text to systems and back: one module a language, found by suffix and content.

    load(path) -> System                 any language; `-` is standard input; several files: DOT, one per role
    loads(text, format=None) -> System
    dumps(system, "json") -> str
    save(path, text, overwrite=False)    whole or not at all
    save_over(path, text, instead_of)    the same file with a new text, unless it has changed since
    fmt(text) -> str                     the canonical layout of a .storm text, comments kept

Languages are entries of `FORMATS`. Whatever goes wrong is a `StormproofError` with its place.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import replace
from importlib import import_module
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any

from ...errors import FormatError, InputError, ParseError, Place, UsageError
from ...kernel.model.part import whole
from ...kernel.model.system import System
from .files import MAX_BYTES, STDIN, check_free, clean, display_name, is_stream, read_text, save, save_over
from .languages import FORMATS
from .plain import plain
from .registry import Format, all_formats, detect, format_named, of_suffix, other_language, register

if TYPE_CHECKING:
    from .json_ import from_json as system_from_json, to_json as system_to_json
    from .storm_fmt import fmt

__all__ = [
    "FORMATS",
    "MAX_BYTES",
    "Format",
    "all_formats",
    "check_free",
    "detect",
    "display_name",
    "dumps",
    "fmt",
    "format_named",
    "is_stream",
    "language_of",
    "load",
    "loads",
    "of_suffix",
    "read_text",
    "register",
    "save",
    "save_over",
    "split_part",
    "system_from_json",
    "system_to_json",
]

#: What is imported when it is first used: module and name.
_HOMES = {
    "fmt": ("storm_fmt", "fmt"),
    "system_from_json": ("json_", "from_json"),
    "system_to_json": ("json_", "to_json"),
}
_Path = str | os.PathLike[str]
#: Values of constants, as they are written or as Python has them.
Constants = Mapping[str, str | int]
_NO_CONSTANTS = "constants are those of .storm files; {} has none"


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'stormproof.languages.formats' has no attribute '{name}'")
    module, function = _HOMES[name]
    globals()[name] = found = getattr(import_module(f".{module}", __name__), function)
    return found


def load(
    path: _Path | Iterable[_Path], format: str | None = None, constants: Constants | None = None
) -> System:
    """The system in a file; in a language without names it is called after the file. `constants` are values
    in place of those that a .storm file gives its constants.

    A DOT file that holds one role of several brings in its companions, the files beside it whose names
    differ only
    in the role's (`auth_C.dot`, `auth_S.dot`); or give all the files.
    """
    if not isinstance(path, (str, os.PathLike)):
        several = list(path)
        if len(several) > 1 and constants:
            raise UsageError(_NO_CONSTANTS.format("several files"))
        return _load_several(several, format) if len(several) != 1 else load(several[0], format, constants)
    path, part = split_part(path)
    name = display_name(path)
    text = read_text(path)
    chosen = _choose(text, name, format)
    if part:
        if chosen.name != "scribble":
            raise UsageError(f"{name} holds one system, in {chosen.name}; '#{part}' chooses among several")
        return _read(chosen, text, f"{name}#{part}", constants)
    if chosen.name == "dot" and os.fspath(path) != STDIN and not constants:
        from .dot import companions, read_several

        return _named(read_several([(text, name), *companions(text, Path(path))]), name)
    return _named(_read(chosen, text, name, constants), name)


def split_part(path: _Path) -> tuple[_Path, str]:
    """`file.nuscr#Name` is the protocol Name of a file that holds several, unless there is such a file."""
    text = os.fspath(path)
    before, _, part = text.rpartition("#")
    if before and part and not os.path.lexists(text) and Path(before).is_file():
        return before, part
    return path, ""


def _load_several(paths: list[_Path], format: str | None) -> System:
    if not paths:
        raise UsageError("no file is given")
    from .dot import read_several

    texts = [(read_text(p), display_name(p)) for p in paths]
    for text, name in texts:
        found = _choose(text, name, format).name
        if found != "dot":
            raise UsageError(
                f"several files make one system only in DOT, one file per role; {name} is {found}"
            )
    return read_several(texts)


def loads(
    text: str, format: str | None = None, name: str = "<input>", constants: Constants | None = None
) -> System:
    """The system that a text describes; its language is found from the content unless `format` names it."""
    text = clean(text)
    if len(text) > MAX_BYTES:
        raise InputError(f"larger than {MAX_BYTES // 2**20} MiB; refused", place=Place(name))
    return _read(_choose(text, name, format), text, name, constants)


def language_of(text: str, name: str = "<input>", format: str | None = None) -> str:
    """The name of the language that a text is read in."""
    return _choose(text, name, format).name


def _choose(text: str, name: str, format: str | None) -> Format:
    if not text.strip():
        raise InputError("it is empty", place=Place(name))
    if format is None:
        return detect(text, name)
    chosen = format_named(format)
    if chosen.read is None:
        raise UsageError(f"{chosen.name} can be written but not read")
    return chosen


def _read(format: Format, text: str, name: str, constants: Constants | None = None) -> System:
    assert format.read is not None
    try:
        if not constants:
            return format.read(text, name)
        if format.name != "storm":
            raise UsageError(_NO_CONSTANTS.format(format.name))
        from .storm import read

        return read(text, name, {key: _spelt(value) for key, value in constants.items()})
    except ParseError as problem:
        if problem.hint is not None:
            raise
        other = other_language(text, format)
        if other is None:
            raise
        hint = f"this looks like {other.name}: try --format {other.name}"
        raise ParseError(problem.message, place=problem.place, hint=hint) from None


def _spelt(value: str | int) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _named(system: System, name: str) -> System:
    """Called after its file, where the language or its author gave no name."""
    if system.name or name == "<stdin>":
        return system
    return replace(system, name=PurePath(name).stem)


def dumps(system: System, format: str, **options: Any) -> str:
    """The system as a text; FormatError says what the language cannot express."""
    chosen = format_named(format)
    if chosen.write is None:
        raise UsageError(f"{chosen.name} can be read but not written")
    system = whole(system)
    if not chosen.complete:
        system, dropped = plain(system, chosen.mailboxes, chosen.process_faults)
        if dropped:
            _warn(chosen.name, dropped)
    text = chosen.write(system, **options)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        raise FormatError("a name holds half of a surrogate pair, which UTF-8 cannot express") from None
    return text


def _warn(language: str, dropped: Iterable[str]) -> None:
    import logging

    for what in dropped:
        logging.getLogger("stormproof").warning("%s has no %s", language, what)
