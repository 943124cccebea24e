"""Logs of ShiViz: texts that a regular expression with the groups `host`, `clock` and `event` divides.

The expression is given, or is the first line of the file, as in files that ShiViz itself loads, or is the
first of the usual ones that fits the beginning. Clocks are not needed here and are skipped. What a file
brings along is matched in linear time, or refused; what a user gives may be any expression.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import InputError, ParseError, Place
from ...languages.formats.read_data import read_json
from .linear_expression import LONGEST, Found, LinearExpression, TooFree

#: Matches one entry of a text from a place on.
_Match = Callable[[int], "re.Match[str] | Found | None"]

_CLOCK = r"(?<host>\S+) (?<clock>\{[^{}\n]*\})"
#: The usual forms, each from the beginning of a line, so that none is tried at every character: of GoVector,
#: that of ShiViz by default, and those with one line per event.
USUAL = (
    rf"^[ \t]*{_CLOCK}[ \t]*\n(?<event>.*)",
    rf"^(?<event>.*)\n{_CLOCK}[ \t]*$",
    rf"^[ \t]*{_CLOCK} (?<event>.+)",
    r"^[ \t]*(?<host>\S+) (?<event>.+) (?<clock>\{[^{}\n]*\})[ \t]*$",
)
#: How ShiViz names a group; Python writes `(?P<host>`.
_GROUP = re.compile(r"\(\?<(?=[A-Za-z_])")

_WORD = re.compile(r"\w")
_BLANKS = re.compile(r"\s*")
_DO = re.compile(r"\W*([A-Za-z]+)(.*)", re.DOTALL)


def shiviz_rows(path: str, text: str, given: str | None) -> Iterator[tuple[int, dict[str, Any]]]:
    """The events of a log, each with its line. What the expression does not fit is an error, except at the
    end, where a line may be torn."""
    match, at = _expression(path, text, given)
    line, counted, height = 1, 0, 1
    while found := _next_entry(match, text, at):
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        yield line + _before_event(found, text), _row(found)
        at, height = found.end(), text.count("\n", found.start(), found.end()) + 1
    left = text[at:]
    lines = left.strip().count("\n") + 1
    torn = lines < height or (lines == height and not text.endswith("\n"))
    if left.strip() and not torn:
        place = Place(path, text.count("\n", 0, at + len(left) - len(left.lstrip())) + 1)
        raise ParseError("the expression for logs of ShiViz does not fit here", place=place)


def _next_entry(match: _Match, text: str, at: int) -> re.Match[str] | Found | None:
    """Only blanks are skipped, so that an expression is not tried at every character."""
    blanks = _BLANKS.match(text, at)
    last = blanks.end() if blanks else at
    found = next((entry for start in range(at, last + 1) if (entry := match(start))), None)
    return found if found and found.end() > found.start() else None


def is_shiviz(text: str) -> bool:
    """Does the text begin as a log of ShiViz?"""
    return _is_header(text) or any(_compiled(usual).match(text.lstrip()) for usual in USUAL)


def _is_header(text: str) -> bool:
    first = text.partition("\n")[0]
    return all(f"(?<{group}>" in first for group in ("host", "event"))


def _expression(path: str, text: str, given: str | None) -> tuple[_Match, int]:
    """What divides the text, and where the events begin."""
    lines = text.split("\n", 2)
    at = sum(len(line) + 1 for line in lines[:2]) if _is_header(text) else 0
    if given is not None:
        return _on(_with_groups(path, given), text), at
    if _is_header(text):
        return _of_the_file(path, text, lines[0].strip()), at
    return next(_on(e, text) for usual in USUAL if (e := _compiled(usual)).match(text.lstrip())), 0


def _on(expression: re.Pattern[str], text: str) -> _Match:
    return lambda at: expression.match(text, at)


def _of_the_file(path: str, text: str, expression: str) -> _Match:
    """Whoever reads a file has not agreed to an expression that takes for ever."""
    try:
        if len(expression) > LONGEST:
            raise TooFree(f"more than {LONGEST} characters")
        _with_groups(path, expression)
        return LinearExpression(expression).on(text)
    except TooFree as problem:
        raise InputError(
            f"the expression for logs of ShiViz may take for ever: it has {problem}",
            place=Place(path, 1),
            hint="an expression in a file repeats single characters and classes of them and has no choices; "
            "if you trust it, give it with --shiviz (in Python shiviz=...), under your time limit",
        ) from None


def _with_groups(path: str, expression: str) -> re.Pattern[str]:
    try:
        found = _compiled(expression)
    except (re.error, RecursionError, OverflowError) as problem:
        raise InputError(
            f"the expression for logs of ShiViz is wrong: {problem}", place=Place(path)
        ) from None
    missing = {"host", "event"} - found.groupindex.keys()
    if missing and not {"role", "do"} <= found.groupindex.keys():
        hint = r"for example (?<host>\S+) (?<clock>{.*})\n(?<event>.*)"
        what = f"the expression for logs of ShiViz has no group '{sorted(missing)[0]}'"
        raise InputError(what, place=Place(path), hint=hint)
    return found


def _compiled(expression: str) -> re.Pattern[str]:
    return re.compile(_GROUP.sub("(?P<", expression), re.MULTILINE)


def _before_event(found: re.Match[str] | Found, text: str) -> int:
    """How many lines after its beginning an entry names its event."""
    if "event" not in found.groupdict():
        return 0
    return text.count("\n", found.start(), found.start("event"))


def _row(found: re.Match[str] | Found) -> dict[str, Any]:
    """The groups; what the event says, as JSON or in words, is added, and `role` is the host."""
    groups: dict[str, Any] = {k: v for k, v in found.groupdict().items() if v is not None}
    return {**_said(str(groups.get("event", ""))), "role": groups.get("host"), **groups}


def _said(event: str) -> dict[str, Any]:
    """`send m to B`, `receive m from B`, `timeout`, or a JSON object."""
    try:
        row = read_json(event)
    except InputError:
        row = None
    if isinstance(row, dict):
        return row
    return _in_words(event) or {"do": event.strip()}


def _in_words(event: str) -> dict[str, str] | None:
    """`send m to B`, with signs around it; a message may have blanks in it, a peer may not."""
    found = _DO.fullmatch(event.strip())
    if found is None:
        return None
    said = {"do": found[1].lower().removesuffix("s")}
    last = next((i for i in range(len(found[2]) - 1, -1, -1) if _WORD.match(found[2], i)), None)
    if last is None:
        return said
    rest = found[2][: last + 1]
    message, *ends = rest.rsplit(None, 2)
    if len(ends) != 2 or ends[0] not in ("to", "from") or not rest[0].isspace() or not message.strip():
        return None
    return {**said, "message": message.strip(), "peer": ends[1]}
