"""Every error that stormproof raises on purpose.

    Exception
    ├── StormproofError          something a user can cause: printed without a traceback, exit code 2
    │   ├── InputError           the text or the system is wrong (also a ValueError)
    │   │   ├── ParseError       the text does not follow its language
    │   │   ├── ModelError       the text is fine, the system it describes is not
    │   │   └── FormatError      no language, or more than one, fits the text
    │   ├── UsageError           the question is wrong: a flag, a property, a channel (also a ValueError)
    │   │   └── UnknownName      an answer has nothing of that name (also a KeyError)
    │   ├── OutputError          a file cannot be written (also an OSError)
    │   └── MissingDependency    an optional package is not installed (also an ImportError)
    └── InternalError            a defect of stormproof; it says so and asks for a report

This module imports nothing of the project, so every package may use it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .records import dataclass


@dataclass(frozen=True)
class Place:
    """Where in a text something is wrong; line and column count from 1."""

    file: str | None = None
    line: int | None = None
    column: int | None = None
    text: str | None = None
    width: int = 1

    def __str__(self) -> str:
        parts = [printable(clipped(self.file or "<input>"))]
        if self.line is not None:
            parts.append(str(self.line))
            if self.column is not None:
                parts.append(str(self.column))
        return ":".join(parts)


class StormproofError(Exception):
    """Something that a user can cause and mend."""

    def __init__(self, message: str, *, place: Place | None = None, hint: str | None = None) -> None:
        message = clipped(message)
        super().__init__(message)
        self.message = message
        self.place = place
        self.hint = None if hint is None else clipped(hint)
        #: What else is wrong with the same text.
        self.others: tuple[StormproofError, ...] = ()

    def __str__(self) -> str:
        return "\n".join(problem.drawn() for problem in (self, *self.others))

    def report(self) -> str:
        """As a command prints it beside warnings: what has a line is called an error."""
        return "\n".join(problem.drawn("error: ") for problem in (self, *self.others))

    def drawn(self, severity: str = "") -> str:
        """This error alone: what is wrong, the line with a caret, and the hint."""
        severity = severity if self.place is not None and self.place.line is not None else ""
        head = f"{self.place}: {severity}{self.message}" if self.place else self.message
        drawn = _draw(self.place, self.hint)
        return visible(f"{head}\n{drawn}" if drawn else head)


class InputError(StormproofError, ValueError):
    """The text or the system is wrong."""


class ParseError(InputError):
    """The text does not follow its language."""


class ModelError(InputError):
    """The text is fine, the system that it describes is not."""


class FormatError(InputError):
    """No language, or more than one, fits the text."""


class UsageError(StormproofError, ValueError):
    """The question is wrong: a flag, a property, a channel."""


class UnknownName(UsageError, KeyError):
    """An answer has nothing of that name."""

    def __init__(self, what: str, name: str, known: Iterable[str]) -> None:
        names = list(known)
        hint = did_you_mean(name, names)
        super().__init__(f"there is no {what} '{name}'; there are {', '.join(names)}", hint=hint)


class OutputError(StormproofError, OSError):
    """A file cannot be written."""


class MissingDependency(StormproofError, ImportError):
    """An optional package is not installed."""


class InternalError(Exception):
    """A defect of stormproof itself, never the user's fault."""


#: How many mistakes of one text are reported; what follows so many is rarely read, and often a consequence.
MOST_MISTAKES = 20


def raise_all(problems: Sequence[StormproofError]) -> None:
    """Raise the first of several errors, which carries the others; nothing happens where there is none."""
    if not problems:
        return
    ordered = sorted(problems, key=lambda p: (p.place.line or 0, p.place.column or 0) if p.place else (0, 0))
    first, *others = ordered[:MOST_MISTAKES]
    if len(problems) >= MOST_MISTAKES:
        end = others[-1].place
        place = Place(end.file, end.line, end.column) if end is not None else None
        others.append(
            InputError(f"these are the first {MOST_MISTAKES} mistakes; no more are shown", place=place)
        )
    first.others = tuple(others)
    raise first


#: So much of what a file says is shown at once; JSON has all of it.
MOST_SHOWN = 2_000


def clipped(text: str, most: int = MOST_SHOWN) -> str:
    """A text that may hold a name of any length: of one that is too long, the beginning and the end."""
    if len(text) <= most:
        return text
    tail = most // 4
    return f"{text[: most - tail]}… ({len(text) - most:,} characters) …{text[-tail:]}"


def printable(text: object, kept: str = "") -> str:
    """With escapes for what does not show on a terminal or may command it: control characters, those that set
    the direction of writing, halves of surrogate pairs, private and unassigned ones. What is `kept` stays."""
    shown = str(text)
    if shown.isprintable():
        return shown
    escaped = (c if c.isprintable() or c in kept else c.encode("unicode_escape").decode() for c in shown)
    return "".join(escaped)


def visible(text: str) -> str:
    """Lines as a terminal shows them, whoever wrote the names in them."""
    return "\n".join(printable(line, "\t") for line in text.split("\n"))


def did_you_mean(word: str, known: Iterable[str]) -> str | None:
    """The hint for a misspelt name, or None when nothing is near."""
    names = list(known)
    alike = [name for name in names if name.casefold() == word.casefold() and name != word]
    import difflib

    close = alike[:1] or difflib.get_close_matches(word, names, n=1, cutoff=0.6)
    return f"did you mean '{close[0]}'?" if close else None


def meant_name(hint: str | None) -> str | None:
    """The name in a hint that begins with what `did_you_mean` says."""
    if hint is None or not hint.startswith("did you mean '"):
        return None
    return hint.removeprefix("did you mean '").partition("'?")[0]


_WINDOW = 100


def _draw(place: Place | None, hint: str | None) -> str:
    """The offending line with a caret under it, and the hint behind the caret."""
    if place is None or place.text is None or place.line is None:
        return f"    {hint}" if hint else ""
    column = max(place.column or 1, 1)
    text, column = _window(place.text.rstrip("\r\n"), column)
    before = printable(text[: column - 1])
    text, column = before + printable(text[column - 1 :]), len(before) + 1
    gutter = f"{place.line:>5} | "
    under = " " * (len(gutter) - 2) + "| " + " " * (column - 1) + "^" * min(max(place.width, 1), _WINDOW)
    return f"{gutter}{text}\n{under}{' ' + hint if hint else ''}"


def _window(text: str, column: int) -> tuple[str, int]:
    """The part of a long line around the caret, tabs made blanks so that the caret stands right."""
    text = text.replace("\t", " ")
    if len(text) <= _WINDOW:
        return text, column
    start = max(0, min(column - 1 - _WINDOW // 2, len(text) - _WINDOW))
    lead = "…" if start else ""
    tail = "…" if start + _WINDOW < len(text) else ""
    return lead + text[start : start + _WINDOW] + tail, column - start + len(lead)


class Refused(Exception):
    """A witness or a certificate proves nothing, and this is why; raised and caught within `trust`."""
