"""Further lines in a .storm text: where they go, and the text with them."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass

from ...kernel.model.actions import Transition
from .storm_parse import parse
from .storm_scan import Trace, quote
from .storm_syntax import RoleBody, RoleSyntax
from .text import Source

_REST_OF_LINE = re.compile(r"[ \t]*(?://[^\n]*)?(?=\n|\Z)")


@dataclass(frozen=True)
class Insertion:
    """A line of text, indented, that goes below line `below`; `offset` is where that line ends."""

    offset: int
    below: int
    text: str


@dataclass(frozen=True)
class OtherTarget:
    """A transition of line `line` leads elsewhere: `text` stands for what is between the two offsets."""

    offset: int
    end: int
    line: int
    text: str


class InsertionPoints:
    """Where a .storm text takes further alternatives of a state, and further statements.

    Ask once per set of lines: the first line of a state that is not listed names it, the others do not.
    """

    def __init__(self, text: str, name: str = "<input>") -> None:
        self._source = Source(text, name)
        self._trace = Trace()
        self._roles: dict[str, RoleSyntax] = parse(self._source, self._trace).roles
        self._starts = [start for start, _ in self._trace.words]
        self._labelled: set[tuple[str, str]] = set()

    @property
    def roles(self) -> tuple[str, ...]:
        """The roles that take further alternatives: those that are not written as session types."""
        return tuple(name for name, role in self._roles.items() if isinstance(role.body, RoleBody))

    def alternative(self, role: str, state: str, line: str) -> Insertion:
        """Below the other alternatives of the state; a state that is not listed gets its name in front."""
        body = self._roles[role].body
        assert isinstance(body, RoleBody), role
        if state not in body.states:
            return self._unlisted(role, self._column(next(iter(body.states.values()))), state, line)
        start = body.states[state]
        first = min((at for row, at in zip(body.rows, body.starts) if row.source == state), default=None)
        column = self._column(first) if first is not None else self._column(start) + len(quote(state)) + 2
        return self._below(self._block_end(start), " " * column + line)

    def other_target(self, role: str, transition: Transition, target: str) -> OtherTarget:
        """The last word of an alternative, which is its target."""
        body = self._roles[role].body
        assert isinstance(body, RoleBody), role
        start = body.starts[body.rows.index(transition)]
        index = bisect_left(self._starts, start) + 1
        while self._trace.marks.get(index) is None and index < len(self._trace.words):
            index += 1
        offset, end = self._trace.words[index - 1]
        return OtherTarget(offset, end, self._source.text.count("\n", 0, start) + 1, quote(target))

    def _unlisted(self, role: str, column: int, state: str, line: str) -> Insertion:
        label = f"{quote(state)}: "
        if (role, state) in self._labelled:
            label = " " * len(label)
        self._labelled.add((role, state))
        last = self._block_end(self._roles[role].start, ("close",))
        return self._below(last, f"{' ' * column}{label}{line}")

    def statement(self, line: str) -> Insertion:
        """At the end of the file."""
        return self._below(len(self._source.text.rstrip()), line)

    def _column(self, offset: int) -> int:
        return offset - (self._source.text.rfind("\n", 0, offset) + 1)

    def _block_end(self, start: int, closing: tuple[str, ...] = ("state", "close")) -> int:
        """Where the last word ends before the next mark of this kind."""
        index = bisect_left(self._starts, start) + 1
        marks, words = self._trace.marks, self._trace.words
        while index < len(words) and marks.get(index) not in closing:
            index += 1
        return words[index - 1][1]

    def _below(self, offset: int, line: str) -> Insertion:
        match = _REST_OF_LINE.match(self._source.text, offset)
        offset = match.end() if match else offset
        return Insertion(offset, self._source.text.count("\n", 0, offset) + 1, line)


def inserted(text: str, insertions: Iterable[Insertion | OtherTarget]) -> str:
    """The text with these lines and targets; of several at one place the first comes first."""
    in_order = sorted(insertions, key=lambda i: i.offset)
    for change in in_order[::-1]:
        new = f"\n{change.text}" if isinstance(change, Insertion) else change.text
        end = change.offset if isinstance(change, Insertion) else change.end
        text = f"{text[: change.offset]}{new}{text[end:]}"
    return text
