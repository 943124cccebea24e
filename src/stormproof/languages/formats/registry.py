"""The languages that are read and written, and how a text's language is found: by suffix, then by content."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath

from ...errors import FormatError, InputError, Place, UsageError, did_you_mean
from ...kernel.model.system import System
from ...records import dataclass


@dataclass(frozen=True)
class Format:
    """A language. `sniff` says whether a text looks like it; `read` gets the text and its name for errors;
    `write` is None for a language that is only read, `read` for one that is only written."""

    name: str
    suffixes: tuple[str, ...]
    sniff: Callable[[str], bool]
    read: Callable[[str, str], System] | None
    write: Callable[..., str] | None
    about: str
    #: Can it say everything, rest states and requirements included?
    complete: bool = False
    #: Can it say that processes communicate by mailboxes?
    mailboxes: bool = False
    #: Can it say that processes stop and restart, and what is durable?
    process_faults: bool = False


FORMATS: dict[str, Format] = {}


def register(format: Format) -> None:
    """Add a language; it takes part in detection at once."""
    FORMATS[format.name] = format


def all_formats() -> dict[str, Format]:
    """Our languages and those of other packages, which are looked for at the first call."""
    from .installed import add_installed

    add_installed()
    return FORMATS


def format_named(name: str) -> Format:
    found = FORMATS.get(name) or all_formats().get(name)
    if found is None:
        raise UsageError(
            f"unknown language '{name}'; there are {', '.join(FORMATS)}", hint=did_you_mean(name, FORMATS)
        )
    return found


def readable() -> list[Format]:
    return [f for f in FORMATS.values() if f.read is not None]


def of_suffix(suffix: str) -> list[Format]:
    """The languages of files with this suffix; other packages are asked only if it is none of ours."""
    for known in (FORMATS.values, lambda: all_formats().values()):
        if found := [f for f in known() if suffix and suffix in f.suffixes]:
            return found
    return []


def detect(text: str, name: str) -> Format:
    """The language of a text: that of its suffix, and among several that share it, the one its content
    fits."""
    suffix = PurePath(name).suffix.lower()
    by_suffix = [f for f in of_suffix(suffix) if f.read is not None] if suffix else []
    if len(by_suffix) == 1:
        return by_suffix[0]
    fitting = [f for f in by_suffix if f.sniff(text)] or [f for f in readable() if f.sniff(text)]
    if not fitting:
        all_formats()
        fitting = [f for f in readable() if f.sniff(text)]
    if len(fitting) > 1:
        fitting = [f for f in fitting if _reads(f, text, name)] or fitting
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        names = " and ".join(f.name for f in fitting)
        raise FormatError(
            f"the text fits more than one language: {names}",
            place=Place(name),
            hint=f"say which: --format {fitting[0].name} or --format {fitting[1].name}",
        )
    raise FormatError(
        f"the text is in none of the languages {', '.join(f.name for f in readable())}",
        place=Place(name),
        hint="say which language it is with --format, for an error that says more",
    )


def _reads(format: Format, text: str, name: str) -> bool:
    assert format.read is not None
    try:
        format.read(text, name)
    except InputError:
        return False
    return True


def other_language(text: str, tried: Format) -> Format | None:
    """The one other language that a text looks like, for a hint when it could not be read."""
    fitting = [f for f in readable() if f is not tried and f.sniff(text)]
    return fitting[0] if len(fitting) == 1 and not tried.sniff(text) else None
