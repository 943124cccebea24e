"""Role bodies that are session types: `role A = mu t. B!{m; t, done; end}`, read into `languages.types`.

The reader keeps its own stack, so that a type may be nested as deeply as memory allows.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ...errors import ModelError, Place
from ...kernel.model.actions import Message
from ...kernel.model.process import Process
from ..types.syntax import Alternative, Branch, End, LocalType, Rec, Select, Var
from ..types.text import TypeSource
from ..types.translate import automaton
from ..types.wellformed import problems, variable_problems
from .storm_scan import Cursor
from .text import SizeCount

if TYPE_CHECKING:
    from .storm_syntax import File, RoleSyntax


@dataclass(frozen=True)
class TypeBody:
    """A session type as read."""

    type: LocalType

    def flaws(self, file: File, role: RoleSyntax) -> list[ModelError]:
        """What is wrong with the type; of what depends on other roles nothing, unless all are known."""
        if file.roles_unread:
            found = tuple(variable_problems(role.name, self.type))
        else:
            found = problems(role.name, self.type, list(file.roles), _unreliable(file))
        return [flaw.error() for flaw in found if not flaw.warning]

    def process(self, file: File, role: RoleSyntax) -> Process:
        """The paper's automaton of the type, which has no flaws, once all roles are known."""
        return automaton(role.name, self.type, list(file.roles), _unreliable(file), warn=True)


def _unreliable(file: File) -> list[str]:
    return [r.name for r in file.roles.values() if not r.reliable]


@dataclass
class _Open:
    """What is not finished yet: a bracket, a recursion, an action or a choice (`closed` by its brace)."""

    kind: str
    place: Place
    name: str = ""
    sign: str = ""
    message: Message = ""
    at: Place | None = None
    branches: list[Alternative] = field(default_factory=list)

    def choice(self) -> LocalType:
        made = Select if self.sign == "!" else Branch
        return made(self.name, tuple(self.branches), self.place)


def parse_type(cursor: Cursor, places: TypeSource, budget: SizeCount) -> TypeBody:
    """The type at the cursor; `places` is the same text, with its lines counted once."""
    first = len(cursor.trace.words) if cursor.trace else 0
    found = _Parser(cursor, places, budget).type()
    if cursor.trace:
        cursor.trace.types.append((first, len(cursor.trace.words)))
    return TypeBody(found)


class _Parser:
    def __init__(self, cursor: Cursor, places: TypeSource, budget: SizeCount) -> None:
        self.budget = budget
        self.cursor = cursor
        self.places = places
        self.stack: list[_Open] = []

    def type(self) -> LocalType:
        while True:
            leaf = self.open()
            if leaf is None:
                continue
            done = self.close(leaf)
            if done is not None:
                return done

    def open(self) -> LocalType | None:
        """Read one word's worth downwards: None, or the leaf that was reached."""
        cursor = self.cursor
        start = cursor.skip()
        self.budget.action(start)
        if cursor.symbol("("):
            self.stack.append(_Open("(", self.places.place(start)))
            return None
        spelt = cursor.peek_word()
        name, _ = cursor.name(
            "a type", "a type is end, a variable, mu t. T, Role!message; T or Role?message; T"
        )
        place = self.places.place(start, cursor.at)
        for sign in "!?":
            if cursor.symbol(sign):
                self.action(name, sign, place)
                return None
        if spelt == "mu":
            variable, _ = cursor.name("a variable", "write  mu t. T")
            cursor.expect(".", "write  mu t. T")
            self.stack.append(_Open("mu", place, variable))
            return None
        return End(place) if spelt == "end" else Var(name, place)

    def action(self, peer: str, sign: str, place: Place) -> None:
        choice = self.cursor.symbol("{")
        self.stack.append(_Open("{" if choice else ";", place, peer, sign))
        self.label(self.stack[-1])

    def label(self, frame: _Open) -> None:
        message, start = self.cursor.message()
        frame.message, frame.at = message, self.places.place(start, self.cursor.at)
        self.cursor.expect(";", "a message is followed by ; and what comes then, if only end")

    def close(self, value: LocalType) -> LocalType | None:
        """Finish what the value completes; the whole type, or None where more is to be read."""
        cursor = self.cursor
        while self.stack:
            frame = self.stack[-1]
            if frame.kind in "{;":
                frame.branches.append(Alternative(frame.message, value, frame.at))
                if frame.kind == "{" and not self.closed(frame):
                    return None
                value = frame.choice()
            elif frame.kind == "mu":
                value = Rec(frame.name, value, frame.place)
            else:
                cursor.expect(")")
            self.stack.pop()
        return value

    def closed(self, frame: _Open) -> bool:
        """Is the choice over? If not, the label of its next branch has been read."""
        cursor = self.cursor
        comma = cursor.symbol(",")
        if cursor.symbol("}"):
            return True
        if not comma:
            cursor.fail("',' or '}'")
        self.label(frame)
        return False
