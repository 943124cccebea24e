"""Expressions as read: what stands where."""

from __future__ import annotations

from ...records import dataclass
from .values import Value


class DataMistake(Exception):
    """Something that is wrong with `text[start:end]`; whoever has the text makes a located error of it."""

    def __init__(self, message: str, start: int, end: int, hint: str | None = None) -> None:
        super().__init__(message)
        self.message, self.start, self.end, self.hint = message, start, end, hint


@dataclass(frozen=True)
class Literal:
    """A number, `true`, `false` or `none`."""

    value: Value
    start: int
    end: int


@dataclass(frozen=True)
class Name:
    """A variable, a constant, a word, a family, or what a reception or a quantifier binds."""

    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Apply:
    """An operator or a function: `+`, `and`, `in`, `if`, `size`, `[]` (an index), `set`, `list`, `tuple`."""

    operator: str
    parts: tuple[Expression, ...]
    start: int
    end: int


@dataclass(frozen=True)
class Quantified:
    """`some x in S: E`, `all x in S: E`, `count(x in S: E)`; in goals the set may be left out."""

    kind: str
    names: tuple[Name, ...]
    over: Expression | None
    body: Expression
    start: int
    end: int


@dataclass(frozen=True)
class RoleName:
    """`A`, or `N[e]`; in goals."""

    name: str
    index: Expression | None
    start: int
    end: int


@dataclass(frozen=True)
class Field:
    """`A.x`: a variable of a role, in goals."""

    role: RoleName
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class InState:
    """`A@s`, `A@{s, t}`, `A@s{x=1}`; in goals, and in `rest` lines; in goals with `recorded` behind it."""

    role: RoleName
    states: tuple[Name, ...]
    values: tuple[tuple[Name, Expression], ...]
    start: int
    end: int
    recorded: bool = False


@dataclass(frozen=True)
class HeldByChannel:
    """`A->B=[m, n]` or `A->B contains m`; messages are names with fields."""

    sender: RoleName
    receiver: RoleName
    messages: tuple[tuple[Name, tuple[Expression, ...]], ...]
    contains: bool
    start: int
    end: int


@dataclass(frozen=True)
class Condition:
    """`at rest`, `deadlock` and the other goals that have names."""

    name: str
    start: int
    end: int


Expression = Literal | Name | Apply | Quantified | RoleName | Field | InState | HeldByChannel | Condition
