"""Going on after a mistake, so that all mistakes of a .storm text are reported and not only the first."""

from __future__ import annotations

import re
from dataclasses import field

from ...errors import MOST_MISTAKES, InputError, ParseError
from ...records import dataclass
from .storm_scan import BLANK, NAME, Cursor
from .text import Source, TextTooLarge

#: A statement of the top level. Within a role no word but `internal` and `timeout` is followed by another, so
#: that this is never the beginning of a state or an alternative, however they are named.
STATEMENT = re.compile(
    r'(?:(?:(?:reliable|unreliable|service)[ \t]+)*role(?=[ \t]+[\w"{=])'
    r'|observer(?=[ \t]+(?:\w|")[^\n]*\{)'
    r'|(?:protocol|communication|rest|durable|require|expect)(?=[ \t]+[\w"])'
    r'|timers(?=[ \t]+(?:on|at)\b)|faults(?=[ \t]+[\w"*]))'
)
#: The head of a role, told from a state of that name by its brace or type.
_ROLE = re.compile(rf"(?:(?:reliable|unreliable|service){BLANK})*role{BLANK}(?:{NAME}){BLANK}(?:\{{|=(?!>))")
#: Also two words at the very beginning of a line, of which the first may be misspelt.
_NEXT_STATEMENT = rf"(?m)^(?:[ \t]*(?={STATEMENT.pattern})|(?=(?!internal\b|timeout\b|mu\b)\w+[ \t]+[\w\"]))"

_BRACE_OR_END = r"[{}]|\n[ \t]*"


def begins_role(text: str, at: int) -> bool:
    """Does a role begin here, where the name of a state is expected?"""
    return _ROLE.match(text, at) is not None


class TooMany(Exception):
    """There are so many mistakes that reading on is of no use."""


@dataclass
class Mistakes:
    """The mistakes found so far."""

    errors: list[InputError] = field(default_factory=list)

    def add(self, problem: InputError) -> None:
        if isinstance(problem, TextTooLarge):
            raise problem
        self.errors.append(problem)
        if len(self.errors) >= MOST_MISTAKES:
            raise TooMany

    def fail(
        self,
        source: Source,
        message: str,
        start: int,
        end: int | None = None,
        hint: str | None = None,
        kind: type[InputError] = ParseError,
    ) -> None:
        """Note a mistake after which reading goes on where it is."""
        self.add(source.error(message, start, end, hint, kind))


def next_line(cursor: Cursor, start: int) -> int:
    """Where the next line begins, or the role ends before that; a word that was not expected may begin a line
    of its own. Braces that open here are passed with what is in them."""
    at = cursor.skip()
    head = cursor.text.rfind("\n", 0, at) + 1
    if head > start and not cursor.text[head:at].strip():
        return at
    depth = 0
    for match in re.compile(_BRACE_OR_END).finditer(cursor.text, at, cursor.end):
        if match.group()[0] == "\n" and (not depth or STATEMENT.match(cursor.text, match.end())):
            return match.end()
        if match.group() == "}" and not depth:
            return match.start()
        depth += {"{": 1, "}": -1}.get(match.group(), 0)
    return cursor.end


def next_statement(cursor: Cursor, start: int) -> int:
    """Where the next statement begins that begins a line."""
    match = re.compile(_NEXT_STATEMENT).search(cursor.text, start + 1, cursor.end)
    return cursor.end if match is None else match.start()
