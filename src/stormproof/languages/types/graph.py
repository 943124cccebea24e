"""A local type as a graph: its states are the types that occur in it, with recursion and variables resolved.

These are the states of the translation to automata (definitions 5.11, item 1): syntactically equal types are
one state, `mu t. T` is the state of `T`, and a variable is the state of the recursion that binds it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from ...errors import ModelError, Place
from ...kernel.model.actions import Message
from .stackless import Task, run
from .syntax import (
    RESERVED,
    Alternative,
    Branch,
    End,
    LocalType,
    Numbering,
    Rec,
    Select,
    Stop,
    Var,
    bottom_up,
)

END, STOP, WAIT, SEND = "end", "stop", "wait", "send"


@dataclass(frozen=True)
class Edge:
    """One branch of a choice."""

    message: Message
    target: int
    place: Place | None = None


@dataclass(frozen=True)
class TypeState:
    """`end`, `stop`, or a choice: `wait` for or `send` to `peer`. `name` is what a reader may call it."""

    kind: str
    peer: str = ""
    edges: tuple[Edge, ...] = ()
    name: str = ""
    place: Place | None = None


@dataclass
class LocalGraph:
    """The states that are reached from `initial`, numbered in the order in which they are found."""

    states: list[TypeState] = field(default_factory=list)
    initial: int = 0


def graph_of(root: LocalType) -> LocalGraph:
    """The graph of a type whose variables are bound, guarded and unique."""
    numbers = Numbering()
    numbers.of(root)
    binders = {node.name: node for node in bottom_up(root) if isinstance(node, Rec)}
    graph = LocalGraph()
    index: dict[int, int] = {}
    queue: list[LocalType] = []

    def state(node: LocalType) -> int:
        found, name = _strip(node, binders)
        number = numbers.of(found)
        if number not in index:
            index[number] = len(queue)
            queue.append(found)
            names.append(name)
        return index[number]

    names: list[str] = []
    state(root)
    for node in queue:
        graph.states.append(_state(node, state, names[len(graph.states)]))
    return graph


def _strip(node: LocalType, binders: Mapping[str, Rec]) -> tuple[LocalType, str]:
    """The type without its outer binders, variables looked up; and the outermost variable's name."""
    name = ""
    seen: set[int] = set()
    while isinstance(node, (Rec, Var)):
        if id(node) in seen:
            raise ModelError(f"the recursion of variable '{node.name}' is not guarded by any message")
        seen.add(id(node))
        if isinstance(node, Rec):
            name = name or node.name
            node = node.body
        else:
            if node.name not in binders:
                raise ModelError(
                    f"the variable '{node.name}' is not bound by any recursion", place=node.place
                )
            node = binders[node.name]
    return node, name


def _state(node: LocalType, state: object, name: str) -> TypeState:
    assert callable(state)
    if isinstance(node, (Branch, Select)):
        edges = tuple(Edge(b.message, state(b.then), b.place) for b in node.branches)
        return TypeState(WAIT if isinstance(node, Branch) else SEND, node.peer, edges, name, node.place)
    return TypeState(STOP if isinstance(node, Stop) else END, place=getattr(node, "place", None))


def share(graph: LocalGraph) -> LocalGraph:
    """Make states one that have the same branches, again and again: syntactic equality, on a graph.

    The least such congruence; when two states become one, those before them are looked at again.
    """
    states = graph.states
    same = list(range(len(states)))
    before: list[list[int]] = [[] for _ in states]
    for number, state in enumerate(states):
        for edge in state.edges:
            before[edge.target].append(number)

    def find(number: int) -> int:
        while same[number] != number:
            same[number] = same[same[number]]
            number = same[number]
        return number

    known: dict[object, int] = {}
    queue = list(range(len(states)))
    while queue:
        number = find(queue.pop())
        state = states[number]
        edges = frozenset((e.message, find(e.target)) for e in state.edges)
        twin = find(known.setdefault((state.kind, state.peer, edges), number))
        if twin != number:
            first, second = min(twin, number), max(twin, number)
            same[second] = first
            before[first] += before[second]
            queue += before[second]
    return _renumber(graph, find)


def _renumber(graph: LocalGraph, find: Callable[[int], int]) -> LocalGraph:
    result = LocalGraph()
    order = [find(graph.initial)]
    index = {order[0]: 0}
    for number in order:
        state = graph.states[number]
        edges = []
        for edge in state.edges:
            target = find(edge.target)
            if target not in index:
                index[target] = len(order)
                order.append(target)
            edges.append(replace(edge, target=index[target]))
        result.states.append(replace(state, edges=tuple(edges)))
    return result


_MOST_TYPES = 500_000


def type_of(graph: LocalGraph) -> LocalType:
    """The graph as a type: a tree, in which a state that loops back is a recursion.

    A state that several paths share is written out once a path, so that every variable stays unique.
    """
    return run(_Unfolding(graph).type(graph.initial))


class _Unfolding:
    def __init__(self, graph: LocalGraph) -> None:
        self.graph = graph
        self.names: dict[int, str | None] = {}
        self.taken: set[str] = set()
        self.closed: dict[int, LocalType] = {}
        self.binders = 0
        self.count = 0

    def type(self, number: int) -> Task[LocalType]:
        if number in self.names:
            return Var(self._variable(number))
        if number in self.closed:
            return self.closed[number]
        self.count += 1
        if self.count > _MOST_TYPES:
            raise ModelError(f"as a session type this has more than {_MOST_TYPES:,} parts, too many to write")
        self.names[number] = None
        before = self.binders
        node: LocalType = yield self._choice(self.graph.states[number])
        name = self.names.pop(number)
        if name is not None:
            return Rec(name, node)
        if before == self.binders:
            self.closed[number] = node
        return node

    def _choice(self, state: TypeState) -> Task[LocalType]:
        if state.kind in (END, STOP):
            return End() if state.kind == END else Stop()
        branches = []
        for edge in state.edges:
            branches.append(Alternative(edge.message, (yield self.type(edge.target)), edge.place))
        return (Branch if state.kind == WAIT else Select)(state.peer, tuple(branches), state.place)

    def _variable(self, number: int) -> str:
        """The name of a recursion, given when it is first used."""
        self.binders += 1
        name = self.names[number]
        if name is None:
            wanted = self.graph.states[number].name or "t"
            wanted = f"t{wanted}" if wanted[0].isdigit() else wanted
            name = wanted
            while name in self.taken or name in RESERVED:
                name = f"{wanted}{len(self.taken)}" if name == wanted else name + "_"
            self.taken.add(name)
            self.names[number] = name
        return name


def state_names(graph: LocalGraph, taken: Iterable[str] = ()) -> list[str]:
    """Short, distinct names: `end`, `stop`, the recursion variable where there is one, else a number."""
    used = set(taken)
    names: list[str] = []
    for i, state in enumerate(graph.states):
        wanted = state.kind if state.kind in (END, STOP) else state.name
        name = wanted if wanted and wanted not in used and len(wanted) <= 24 else f"s{i}"
        while name in used:
            name += "_"
        used.add(name)
        names.append(name)
    return names
