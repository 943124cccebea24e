"""Goals over data: `N[2]@leader`, `Sender.base = 1`, `two i, j: ...`, `count(i: N[i]@leader) >= 2`.

They are expressions of the language of values, with places in it; what they mean is said in the goals that
every system has (`data_meaning`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from ...errors import InputError
from ..data.evaluate import Failed
from ..data.parse import ExpressionParser
from ..data.syntax import (
    Apply,
    Condition,
    DataMistake,
    Expression,
    Field,
    HeldByChannel,
    InState,
    Name,
    Quantified,
    RoleName,
)
from ..data.system import DataSystem
from ..data.tokens import WORD, GoalToken, Text, TokenSource
from ..model.goal import NAMED, And, At, Goal, Not, Or
from ..model.system import System
from .data_meaning import meaning

_ARROWS = ("->", "→")


def parse_data_goal(text: str, system: DataSystem) -> Goal:
    """The goal that a text describes, of a system whose roles have variables."""
    tokens = Text(text, WORD)
    if tokens.peek() is None:
        raise tokens.error("the goal is empty", None, "write it like Sender@open & Sender.base = 1")
    parser = DataGoalParser(tokens)
    parser.goal()
    rest = tokens.peek()
    if rest is not None:
        raise tokens.error(f"unexpected '{rest.text}'", rest, "join two goals with & or |")
    for problem in parser.unknown_names(system):
        raise problem
    parser.written = text
    return parser.with_groups(Or(()), system)


class DataGoalParser(ExpressionParser):
    """Reads one goal; what it means is known when the automata are made."""

    def __init__(self, tokens: TokenSource) -> None:
        super().__init__(tokens)
        self.expression: Expression | None = None
        #: How the author writes it, for people.
        self.written = ""

    def parse(self) -> Expression:
        found = super().parse()
        if self.depth == 0:
            self.expression = found
        return found

    def goal(self) -> Goal:
        """Read the goal; what it stands for is asked later."""
        try:
            self.parse()
        except DataMistake as problem:
            raise self._located(problem) from None
        return Or(())

    def unknown_names(
        self, system: System, excused: Callable[[str, str], bool] = lambda what, role: False
    ) -> Iterator[InputError]:
        """What is wrong with the goal, unless it may be in what could not be read."""
        system = system.observed
        assert self.expression is not None and isinstance(system, DataSystem)
        if excused("role", ""):
            return
        try:
            meaning(self.expression, system, excused("message", ""))
        except DataMistake as problem:
            yield self._located(problem)
        except Failed as problem:
            yield self._located(DataMistake(problem.message, problem.start, problem.start + 1))

    def _located(self, problem: DataMistake) -> InputError:
        token = GoalToken("", problem.start, problem.end)
        return self.tokens.error(problem.message, token, problem.hint)

    def with_groups(self, goal: Goal, system: System) -> Goal:
        """The goal in terms of the automata."""
        system = system.observed
        assert self.expression is not None and isinstance(system, DataSystem)
        found = meaning(self.expression, system)
        if isinstance(found, At | And | Or | Not):
            return replace(found, written=" ".join(self.written.split()))
        return found

    def reads(self) -> Iterator[tuple[str, str]]:
        """The roles or families and their variables that the goal looks at."""
        assert self.expression is not None
        return _reads(self.expression)

    # ---- tokens ----

    def took_or(self) -> bool:
        return (self.took("|", "∨") or self.took_word("or")) is not None

    def took_and(self) -> bool:
        return (self.took("&", "∧") or self.took_word("and")) is not None

    def took_not(self) -> GoalToken | None:
        return self.took("!", "¬") or self.took_word("not")

    def no_set(self, kind: GoalToken) -> Expression | None:
        return None

    # ---- places ----

    def primary(self) -> Expression:
        token = self.peek()
        named = token is not None and not token.sign
        if named and self.is_word("at") and self.is_word("rest", ahead=1):
            start = self.take().start
            return Condition("at rest", start, self.take().end)
        if named and token is not None and token.text in NAMED and not token.quoted:
            self.take()
            return Condition(token.text, token.start, token.end)
        if named and self._is_role():
            return self._about(self._role())
        return super().primary()

    def _is_role(self) -> bool:
        """A name, perhaps with an index, and then `@`, an arrow or a point."""
        at = 1
        if self.is_sign("[", ahead=1):
            depth = 1
            at = 2
            while depth and self.peek(at) is not None:
                depth += self.is_sign("[", ahead=at) - self.is_sign("]", ahead=at)
                at += 1
        return self.is_sign("@", ".", *_ARROWS, ahead=at)

    def _role(self) -> RoleName:
        name = self.name("a role")
        if not self.took("["):
            return RoleName(name.name, None, name.start, name.end)
        index = self.sum()
        self.expect("]", "behind the index")
        return RoleName(name.name, index, name.start, self.end)

    def _about(self, role: RoleName) -> Expression:
        if self.took("."):
            name = self.name("a variable")
            return Field(role, name.name, role.start, name.end)
        if self.took("@"):
            return self._states(role)
        self.take()
        return self._channel(role, self._role())

    def _states(self, role: RoleName) -> Expression:
        if self.took("{"):
            states = [self.name("a state")]
            while self.took(","):
                states.append(self.name("a state"))
            self.expect("}", "to close the set of states")
            recorded = self.took_word("recorded") is not None
            return InState(role, tuple(states), (), role.start, self.end, recorded)
        state = self.name("a state")
        values: list[tuple[Name, Expression]] = []
        following = self.peek()
        if self.is_sign("{") and following is not None and following.start == state.end:
            self.take()
            while not self.took("}"):
                if values:
                    self.expect(",", "or '}'")
                name = self.name("a variable")
                self.expect("=", "write: A@waiting{bit=0}")
                values.append((name, self.sum()))
        recorded = self.took_word("recorded") is not None
        return InState(role, (state,), tuple(values), role.start, self.end, recorded)

    def _channel(self, sender: RoleName, receiver: RoleName) -> Expression:
        if self.took_word("contains"):
            return HeldByChannel(sender, receiver, (self._message(),), True, sender.start, self.end)
        self.expect("=", "or 'contains': A->B=[m, n], A->B=[], A->B contains m")
        self.expect("[", "before the channel's content")
        held: list[tuple[Name, tuple[Expression, ...]]] = []
        while not self.took("]"):
            if held:
                self.expect(",", "between two messages")
            held.append(self._message())
        return HeldByChannel(sender, receiver, tuple(held), False, sender.start, self.end)

    def _message(self) -> tuple[Name, tuple[Expression, ...]]:
        token = self.peek()
        if token is None or token.sign:
            self.fail("a message")
        assert token is not None
        self.take()
        name = Name(
            "⚡" if token.text == "crash" and not token.quoted else token.text, token.start, token.end
        )
        fields: list[Expression] = []
        if self.took("("):
            fields.append(self.sum())
            while self.took(","):
                fields.append(self.sum())
            self.expect(")", "to close the values of the message")
        return name, tuple(fields)


def _reads(node: Expression) -> Iterator[tuple[str, str]]:
    if isinstance(node, Field):
        yield node.role.name, node.name
    elif isinstance(node, InState):
        yield from ((node.role.name, name.name) for name, _ in node.values)
    elif isinstance(node, Quantified):
        yield from _reads(node.body)
    elif isinstance(node, Apply):
        for part in node.parts:
            yield from _reads(part)
