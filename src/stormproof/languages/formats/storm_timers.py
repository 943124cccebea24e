"""Timers in a .storm text: `timeout retry after 3 -> ask`, `timeout at any time -> ask`, `timers on time`."""

from __future__ import annotations

import re

from ...kernel.model.actions import ANY_TIME, TIMEOUT, Internal
from ...kernel.model.timers import ANY, LATEST, ON_TIME
from .storm_hints import TIMER
from .storm_scan import BLANK, Cursor, quote

_MODE = "write: timers on time, or: timers at any time"
_AT_ANY_TIME = "write: timeout at any time -> next"
#: When a timer expires. A timer of these names is quoted where this would match.
_DUE = re.compile(rf"{BLANK}(?:after{BLANK}[0-9]|at{BLANK}any\b)")


def parse_timer(cursor: Cursor) -> Internal:
    """What follows the word `timeout`, up to the arrow or the guard."""
    name = TIMEOUT
    if not _ends(cursor) and not _DUE.match(cursor.text, cursor.at):
        name, _ = cursor.name("the name of the timer", TIMER)
    return Internal(name, timeout=True, after=_due(cursor))


def _ends(cursor: Cursor) -> bool:
    guarded = cursor.data and cursor.peek_word() == "if"
    return guarded or cursor.text.startswith("->", cursor.ahead())


def _due(cursor: Cursor) -> int:
    if cursor.keyword("after"):
        return _number(cursor)
    if cursor.keyword("at"):
        _words(cursor, ("any", "time"), _AT_ANY_TIME)
        return ANY_TIME
    return 1


def _words(cursor: Cursor, words: tuple[str, ...], hint: str) -> None:
    for word in words:
        if cursor.keyword(word) is None:
            cursor.fail(f"'{word}'", hint)


def _number(cursor: Cursor) -> int:
    word, start = cursor.peek_word(), cursor.ahead()
    if word is None or not (word.isascii() and word.isdigit()):
        cursor.fail("a number", "write: timeout after 3 -> next")
    cursor.keyword(word)
    if len(word) > 9 or not 1 <= int(word) <= LATEST:
        said = f"a timer expires after 1 to {LATEST:,} units of time"
        cursor.source.fail(said, start, cursor.at, "only the proportions of the numbers of a file matter")
    return int(word)


def parse_mode(cursor: Cursor) -> str:
    """What follows the word `timers`: `on time` or `at any time`."""
    if cursor.keyword("on"):
        _words(cursor, ("time",), _MODE)
        return ON_TIME
    if cursor.keyword("at") is None:
        cursor.fail("'on time' or 'at any time'", _MODE)
    _words(cursor, ("any", "time"), _MODE)
    return ANY


def write_timer(action: Internal) -> str:
    name = "" if action.name == TIMEOUT else f" {quote(action.name)}"
    return f"{TIMEOUT}{name}{action.due}"
