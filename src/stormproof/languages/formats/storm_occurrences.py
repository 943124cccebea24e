"""What each word of a .storm text names, also where the text has mistakes: what editors need.

The parser says where each word stands and which word begins what; within a construct, the words beside a word
decide what it is.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from ...errors import InputError
from ...kernel.model.actions import CRASH, Channel
from ...kernel.model.observer import HAPPENINGS
from ...kernel.model.requirement import PROCESS_FAULTS
from .storm_faults import FAULTS
from .storm_parse import parse
from .storm_scan import Cursor, Trace
from .text import Source

KEYWORD, OPERATOR, NUMBER, FAULT = "keyword", "operator", "number", "fault"
PROTOCOL, ROLE, STATE, MESSAGE = "protocol", "role", "state", "message"
ACTION, VARIABLE, REQUIREMENT = "action", "variable", "requirement"

_ARROWS = ("->", "<->", "→")
_SIGNS = ("!", "?")


class Occurrence(NamedTuple):
    """A word and what it names. `role` is the role of a state or of a variable, `channel` that of a message;
    `sign` is `!` or `?` where a message is sent or received."""

    start: int
    end: int
    kind: str
    name: str = ""
    role: str = ""
    channel: Channel | None = None
    sign: str = ""
    defines: bool = False

    @property
    def key(self) -> tuple[str, str, str]:
        """Equal for two occurrences of the same thing: a message is the same on every channel, and a variable
        names a state of its role."""
        return STATE if self.kind == VARIABLE else self.kind, self.role, self.name

    @property
    def named(self) -> bool:
        return self.kind in (PROTOCOL, ROLE, STATE, MESSAGE, VARIABLE, REQUIREMENT)


@dataclass(frozen=True)
class StatementSpan:
    """A statement: a role with its states, or a line of another kind. `name` is what names it, if any."""

    kind: str
    start: int
    end: int
    name: Occurrence | None
    states: tuple[Occurrence, ...] = ()


@dataclass
class Outline:
    """The words of a text in their order, and its statements."""

    text: str
    words: list[Occurrence] = field(default_factory=list)
    blocks: list[StatementSpan] = field(default_factory=list)

    @cached_property
    def _starts(self) -> list[int]:
        return [word.start for word in self.words]

    def at(self, offset: int) -> Occurrence | None:
        """The name at an offset, or the one that ends there."""
        last = bisect_right(self._starts, offset)
        near = [w for w in self.words[max(0, last - 2) : last] if w.start <= offset <= w.end and w.named]
        return near[-1] if near else None

    def same(self, wanted: Occurrence) -> list[Occurrence]:
        """Every occurrence of the same thing."""
        return [word for word in self.words if word.named and word.key == wanted.key]

    def of_kind(self, kind: str, role: str | None = None) -> list[str]:
        """The names of a kind, each once, in the order of the text; of states those of one role, variables
        included."""
        kinds = (STATE, VARIABLE) if kind in (STATE, VARIABLE) else (kind,)
        chosen = (w for w in self.words if w.kind in kinds and role in (None, w.role))
        return list(dict.fromkeys(w.name for w in chosen))

    def block_at(self, offset: int) -> StatementSpan | None:
        """The last statement that begins at or before the offset."""
        return next((b for b in reversed(self.blocks) if b.start <= offset), None)


def outline(text: str) -> Outline:
    """The words of a text; those that the parser skips after a mistake are missing."""
    trace = Trace()
    with suppress(InputError):  # too large: what was read of it is kept
        parse(Source(text), trace)
    return _Classifier(text, trace).outline()


class _Classifier:
    def __init__(self, text: str, trace: Trace) -> None:
        self.trace = trace
        self.spelt = [text[start:end] for start, end in trace.words]
        self.found = [
            Occurrence(start, end, _plain_kind(text[start:end]), text[start:end])
            for start, end in trace.words
        ]
        self.result = Outline(text, self.found)

    def outline(self) -> Outline:
        marks = {i: m for i, m in self.trace.marks.items() if i < len(self.found)}
        heads = sorted(i for i, mark in marks.items() if mark in _STATEMENTS)
        for first, last in zip(heads, [*heads[1:], len(self.found)]):
            kind = marks[first]
            _STATEMENTS[kind](self, first, last)
            self.result.blocks.append(self.block(kind, first, last))
        return self.result

    def block(self, kind: str, first: int, last: int) -> StatementSpan:
        words = self.found[first:last]
        wanted = {"role": ROLE, "observer": ROLE, "protocol": PROTOCOL, "require": REQUIREMENT}.get(kind)
        name = next((w for w in words if w.kind == wanted and w.defines), None)
        states = tuple(w for w in words if w.kind == STATE and w.defines)
        return StatementSpan(kind, words[0].start, words[-1].end, name, states)

    # ---- words ----

    def word(self, at: int) -> str:
        return self.spelt[at] if 0 <= at < len(self.spelt) else ""

    def is_name(self, at: int) -> bool:
        return _plain_kind(self.word(at)) not in (OPERATOR, "")

    def call(self, at: int, kind: str, role: str = "", defines: bool = False) -> str:
        """Say what a word names; its name."""
        if not self.is_name(at):
            return ""
        old = self.found[at]
        name = self.unquoted(at)
        self.found[at] = Occurrence(old.start, old.end, kind, name, role, defines=defines)
        return name

    def unquoted(self, at: int) -> str:
        spelt = self.spelt[at]
        try:
            return Cursor(Source(spelt)).name("a name")[0] if spelt[0] == '"' else spelt
        except InputError:
            return spelt

    def message(self, at: int, channel: Channel | None = None, sign: str = "") -> None:
        if not self.is_name(at):
            return
        old = self.found[at]
        try:
            name, _ = Cursor(Source(self.spelt[at])).message()
        except InputError:
            return
        if name is not CRASH:
            self.found[at] = Occurrence(old.start, old.end, MESSAGE, str(name), "", channel, sign)

    def transfer(self, role: str, peer: int, message: int) -> None:
        """`Peer!message` or `Peer?message` within a role."""
        other, sign = self.call(peer, ROLE), self.word(peer + 1)
        self.message(message, Channel(role, other) if sign == "!" else Channel(other, role), sign)

    # ---- statements ----

    def protocol(self, first: int, last: int) -> None:
        self.call(first + 1, PROTOCOL, defines=True)

    def role(self, first: int, last: int) -> None:
        at = next((i for i in range(first, last) if self.spelt[i] == "role"), last)
        role = self.call(at + 1, ROLE, defines=True)
        for begin, end in self.trace.types:
            if first <= begin < last:
                self.type(role, begin, end)
        for i in range(at + 2, last):
            mark = self.trace.marks.get(i)
            if mark == "state":
                self.call(i, STATE, role, defines=True)
            elif mark == "alternative":
                self.alternative(role, i, last)
            elif mark == "recovery":
                self.recovery(role, i, last)

    def observer(self, first: int, last: int) -> None:
        """Its name and its own states; what it watches of others."""
        own = self.call(first + 1, ROLE, defines=True)
        for i in range(first + 2, last):
            mark = self.trace.marks.get(i)
            if mark == "state":
                self.call(i, STATE, own, defines=True)
            elif mark == "alternative":
                end = next((j for j in range(i + 1, last) if j in self.trace.marks), last)
                self.watched(own, i, end)

    def watched(self, own: str, first: int, last: int) -> None:
        """`A -> B!m -> next`, `A@s -> next`, `stop A -> next`."""
        signs = [i for i in range(first, last) if self.spelt[i] in (*_SIGNS, "->")]
        arrow = next((i for i in reversed(signs) if self.spelt[i] == "->"), last)
        if self.word(first) in HAPPENINGS and self.word(first + 1) not in ("->", "@"):
            self.call(first + 1, ROLE)
        elif self.word(first + 1) == "@":
            role = self.call(first, ROLE)
            for i in range(first + 2, arrow):
                self.call(i, STATE, role)
        else:
            sender = self.call(first, ROLE)
            at = next((i for i in signs if self.spelt[i] in _SIGNS), arrow)
            receiver = self.call(at - 1, ROLE) if self.word(at - 1) != "]" else ""
            channel = Channel(sender, receiver) if not self.trace.data else None
            self.message(at + 1, channel, self.word(at))
        if arrow + 1 < last:
            self.call(arrow + 1, STATE, own)

    def alternative(self, role: str, i: int, last: int) -> None:
        if self.trace.data:
            self.data_alternative(role, i, last)
            return
        arrow = next((j for j in range(i + 1, min(i + 6, last)) if self.spelt[j] == "->"), last)
        if self.word(i + 1) in _SIGNS:
            self.transfer(role, i, i + 2)
        elif arrow < last and self.has_name(i):
            self.call(i + 1, ACTION, role)
        if arrow + 1 < last:
            self.call(arrow + 1, STATE, role)

    def recovery(self, role: str, i: int, last: int) -> None:
        """`on restart -> s`, or `on restart x -> s`."""
        arrow = next((j for j in range(i + 2, min(i + 4, last)) if self.spelt[j] == "->"), last)
        for at in (*range(i + 2, min(arrow, last)), arrow + 1):
            if at < last:
                self.call(at, STATE, role)

    def data_alternative(self, role: str, i: int, last: int) -> None:
        """`N[j]?vote(t) if C -> next { x = t }`: values in it are not named apart."""
        marks = self.trace.marks
        last = next((j for j in range(i + 1, last) if j in marks), last)
        arrow = next((j for j in range(i, last) if self.spelt[j] == "->"), last)
        i += self.spelt[i] == "or"
        sign = next((j for j in range(i + 1, arrow) if self.spelt[j] in _SIGNS), arrow)
        if self.word(i) not in ("if", "else", "internal", "timeout", "save") or self.word(i + 1) in _SIGNS:
            self.call(i, ROLE)
            self.message(sign + 1, None, self.word(sign))
        elif self.word(i) in ("internal", "timeout") and self.has_name(i):
            self.call(i + 1, ACTION, role)
        if arrow + 1 < last:
            self.call(arrow + 1, STATE, role)

    def has_name(self, i: int) -> bool:
        """Is the name of the action or timer next, and not the arrow, a guard or when the timer expires?"""
        first, second = self.word(i + 1), self.word(i + 2)
        if first == "->" or (first == "if" and self.trace.data):
            return False
        due = (first == "after" and second.isdigit()) or (first, second) == ("at", "any")
        return not (due and self.word(i) == "timeout")

    def type(self, role: str, first: int, last: int) -> None:
        choices: list[int] = []
        for i in range(first, last):
            word = self.spelt[i]
            if self.word(i + 1) in _SIGNS and self.is_name(i):
                self.transfer(role, i, i + 2)
            elif word == "{":
                choices.append(i - 2)
                self.transfer(role, i - 2, i + 1)
            elif word == "}" and choices:
                choices.pop()
            elif word == "," and choices:
                self.transfer(role, choices[-1], i + 1)
            elif self.found[i].kind == KEYWORD and word not in ("mu", "end", "crash"):
                self.call(i, VARIABLE, role, defines=self.word(i - 1) == "mu")

    def places(self, first: int, last: int) -> None:
        """`A@idle`, `A@{idle, done}`, `A->B=[m]` and `A->B contains m`, in `rest` lines and in goals."""
        role, channel, opened = "", None, ""
        for i in () if self.trace.data else range(first, last):
            word, before, behind = self.spelt[i], self.word(i - 1), self.word(i + 1)
            opened = word if word in ("{", "[") else "" if word in ("}", "]") else opened
            if behind == "@" or behind in _ARROWS or before in _ARROWS:
                role = self.call(i, ROLE)
                if before in _ARROWS:
                    channel = Channel(self.found[i - 2].name, role)
            elif before == "@" or opened == "{":
                self.call(i, STATE, role)
            elif before == "contains" or opened == "[":
                self.message(i, channel)

    def faults(self, first: int, last: int) -> None:
        colon = next((i for i in range(first, last) if self.spelt[i] == ":"), last)
        parted = self.word(first + 1) == "partition" and self.word(first + 2) not in _ARROWS
        for i in range(first + 1 + parted, colon):
            stays = parted and self.word(i) == "stays" and self.word(i - 1) not in ("|", ",")
            if self.word(i - 1) != "[" and not stays:
                self.call(i, ROLE)
        self.fault_words(colon, last)

    def fault_words(self, first: int, last: int) -> None:
        for i in range(first, last):
            if "=>" in (self.word(i - 1), self.word(i + 1)):
                self.message(i)
            elif self.spelt[i] in (*FAULTS, *PROCESS_FAULTS) and self.found[i].kind == KEYWORD:
                self.call(i, FAULT)

    def require(self, first: int, last: int) -> None:
        label = first + (2 if self.word(first) == "expect" else 1)
        if self.word(label + 1) == ":":
            self.call(label, REQUIREMENT, defines=True)
        for begin, end in self.trace.goals:
            if first <= begin < last:
                self.places(begin, end)
                first = end
        under = next((i for i in range(first, last) if self.spelt[i] == "under"), last)
        for i in range(under + 1, last):
            if self.names_failing_role(i):
                self.call(i, ROLE)
        self.fault_words(under + 1, last)

    def names_failing_role(self, i: int) -> bool:
        """The end of a channel, what follows `crash`, or what `and` adds to either."""
        before, behind = self.word(i - 1), self.word(i + 1)
        if before in _ARROWS or behind in _ARROWS or before in PROCESS_FAULTS:
            return True
        return before == "and" and self.found[i - 2].kind == ROLE


_STATEMENTS = {
    "protocol": _Classifier.protocol,
    "role": _Classifier.role,
    "observer": _Classifier.observer,
    "communication": lambda self, first, last: None,
    "timers": lambda self, first, last: None,
    "const": lambda self, first, last: None,
    "rest": _Classifier.places,
    "durable": _Classifier.places,
    "faults": _Classifier.faults,
    "require": _Classifier.require,
}


def _plain_kind(spelt: str) -> str:
    """What a word is if nothing more is known."""
    if not spelt:
        return ""
    if spelt.isascii() and spelt.isdigit():
        return NUMBER
    return KEYWORD if spelt[0].isalnum() or spelt[0] in '_"' else OPERATOR


def comments(text: str, words: list[Occurrence]) -> Iterator[tuple[int, int]]:
    """Where the comments stand: what begins with // between two words."""
    ends = [0, *(word.end for word in words)]
    starts = [*(word.start for word in words), len(text)]
    for gap, behind in zip(ends, starts):
        at = text.find("//", gap, behind)
        while at >= 0:
            end = text.find("\n", at, behind)
            end = behind if end < 0 else end
            yield at, end
            at = text.find("//", end, behind)
