"""The syntax of local types (definitions 5.8): the behaviour of one role, with crash branches.

    S, T ::= q?{m1; T1, ..., crash; T}   branching: wait for q          (`Branch`)
           | q!{m1; T1, ...}             selection: send to q           (`Select`)
           | mu t. T | t | end | stop    recursion, variable, success, crashed

A payload is part of the message: `price(int)` is one message name. The crash label is `model.CRASH`, a value
that no message can be equal to. Equality is syntactic, places and the order of branches aside, and needs no
stack however deep a type is.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

from ...errors import Place
from ...kernel.model.actions import Message

#: Words that a recursion variable cannot be.
RESERVED = frozenset(("end", "stop", "mu", "rec", "crash"))


class _Node:
    """Syntactic equality by numbering: two types are equal when they get the same number."""

    def __eq__(self, other: object) -> bool:
        if self is other:
            return True
        if not isinstance(other, _Node):
            return NotImplemented
        numbers = Numbering()
        return numbers.of(self) == numbers.of(other)  # type: ignore[arg-type]

    def __hash__(self) -> int:
        """Shallow, so that it needs no stack either."""
        return hash((type(self).__name__, getattr(self, "peer", None), getattr(self, "name", None)))

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {id(self):#x}>"


@dataclass(frozen=True, eq=False, repr=False)
class End(_Node):
    """Successful termination."""

    place: Place | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Stop(_Node):
    """Crashed: a run-time type."""

    place: Place | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Var(_Node):
    """A recursion variable."""

    name: str
    place: Place | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Rec(_Node):
    """`mu name. body`"""

    name: str
    body: LocalType
    place: Place | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Alternative:
    """One branch of a choice: a message, or the crash label, and what follows."""

    message: Message
    then: LocalType = field(default_factory=End)
    place: Place | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Branch(_Node):
    """External choice: receive one of the messages from `peer`."""

    peer: str
    branches: tuple[Alternative, ...]
    place: Place | None = None


@dataclass(frozen=True, eq=False, repr=False)
class Select(_Node):
    """Internal choice: send one of the messages to `peer`."""

    peer: str
    branches: tuple[Alternative, ...]
    place: Place | None = None


Choice = Branch | Select
LocalType = End | Stop | Var | Rec | Branch | Select


def children(node: LocalType) -> tuple[LocalType, ...]:
    """The types that stand directly below one."""
    if isinstance(node, Rec):
        return (node.body,)
    if isinstance(node, (Branch, Select)):
        return tuple(b.then for b in node.branches)
    return ()


def bottom_up(root: LocalType) -> Iterator[LocalType]:
    """Every type that occurs in `root`, what is below first; an object that is shared comes once."""
    seen: set[int] = set()
    stack: list[tuple[LocalType, bool]] = [(root, False)]
    while stack:
        node, ready = stack.pop()
        if ready:
            yield node
        elif id(node) not in seen:
            seen.add(id(node))
            stack.append((node, True))
            stack.extend((below, False) for below in reversed(children(node)))


class Numbering:
    """Gives syntactically equal types the same number, in time linear in their size."""

    def __init__(self) -> None:
        self._known: dict[Hashable, int] = {}
        self._number: dict[int, int] = {}
        self._alive: list[LocalType] = []

    def of(self, root: LocalType) -> int:
        if id(root) not in self._number:
            self._alive.append(root)
            for node in bottom_up(root):
                self._number[id(node)] = self._known.setdefault(self._key(node), len(self._known))
        return self._number[id(root)]

    def _key(self, node: LocalType) -> Hashable:
        if isinstance(node, Var):
            return ("var", node.name)
        if isinstance(node, Rec):
            return ("rec", node.name, self._number[id(node.body)])
        if isinstance(node, (Branch, Select)):
            branches = frozenset((b.message, self._number[id(b.then)]) for b in node.branches)
            return (type(node).__name__, node.peer, branches)
        return type(node).__name__
