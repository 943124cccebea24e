"""Conflict graphs of executions with a communication, as runs have them (definitions 4.3).

`conflict_graph` is the definition. A run of the library is read as an execution with a communication by
`matched_execution`, and every sentence and picture about a conflict graph starts from that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .actions import Send, channel_of
from .execution import Communication, Event, Execution, Interaction, communication_of
from .message_tracking import flights
from .run import Act, Witness

#: What one node of a conflict graph is called: the actions of the interaction with their processes.
InteractionLabel = tuple[Event, ...]


def commute(
    execution: Execution, communication: Communication, i: int, j: int, bags: Collection[str] = ()
) -> bool:
    """Two actions commute when they have different processes, are no matched pair, and do not put into one
    queue (definitions 4.3, 12.5). `bags`: whose mailboxes let messages overtake each other."""
    (one, first), (other, second) = execution[i], execution[j]
    if one == other or (min(i, j), max(i, j)) in communication:
        return False
    if not isinstance(first, Send) or not isinstance(second, Send) or first.peer in bags:
        return True
    return channel_of(one, first) != channel_of(other, second)


def precedes(
    execution: Execution, communication: Communication, i: int, j: int, bags: Collection[str] = ()
) -> bool:
    """The causal order: earlier, and not commuting."""
    return i < j and not commute(execution, communication, i, j, bags)


@dataclass(frozen=True)
class ConflictGraph:
    """Interactions, with an edge when an action of one precedes an action of another."""

    nodes: tuple[Interaction, ...]
    edges: frozenset[tuple[Interaction, Interaction]]
    labels: Mapping[Interaction, InteractionLabel]

    @cached_property
    def successors(self) -> Mapping[Interaction, tuple[Interaction, ...]]:
        table: dict[Interaction, list[Interaction]] = {node: [] for node in self.nodes}
        for source, target in sorted(self.edges):
            table[source].append(target)
        return {node: tuple(targets) for node, targets in table.items()}

    @cached_property
    def order(self) -> tuple[Interaction, ...] | None:
        """The nodes such that every edge leads onwards, earliest first, or None in a cyclic graph."""
        waiting = Counter(target for _, target in self.edges)
        placed: list[Interaction] = []
        ready = [node for node in self.nodes if not waiting[node]]
        while ready:
            node = min(ready)
            ready.remove(node)
            placed.append(node)
            for target in self.successors[node]:
                waiting[target] -= 1
                if not waiting[target]:
                    ready.append(target)
        return tuple(placed) if len(placed) == len(self.nodes) else None

    @property
    def acyclic(self) -> bool:
        return self.order is not None

    def cycle(self) -> tuple[Interaction, ...] | None:
        """A shortest cycle, from its first interaction on, or None."""
        if self.acyclic:
            return None
        found = [path for node in self.nodes if (path := self._round(node)) is not None]
        return min(found, key=lambda path: (len(path), path))

    def _round(self, start: Interaction) -> tuple[Interaction, ...] | None:
        """A shortest way from a node back to itself."""
        before: dict[Interaction, Interaction | None] = {start: None}
        queue = [start]
        for node in queue:
            for target in self.successors[node]:
                if target == start:
                    return tuple(reversed(list(_back(before, node))))
                if target not in before:
                    before[target] = node
                    queue.append(target)
        return None


def _back(before: Mapping[Interaction, Interaction | None], node: Interaction) -> Iterator[Interaction]:
    at: Interaction | None = node
    while at is not None:
        yield at
        at = before[at]


def conflict_graph(
    execution: Execution, communication: Communication, bags: Collection[str] = ()
) -> ConflictGraph:
    """cgraph(e, C). The edges are between different interactions; a matched pair has none to itself.

    The two actions of a matched pair are in one interaction, so edges come from actions of one process, or
    from two that put into one mailbox.
    """
    edges = {
        (first, second)
        for first in communication
        for second in communication
        if first != second
        and any(precedes(execution, communication, i, j, bags) for i in first for j in second)
    }
    labels = {x: tuple(tuple_of(execution[j]) for j in x) for x in communication}
    return ConflictGraph(tuple(sorted(communication)), frozenset(edges), labels)


def tuple_of(event: Event) -> Event:
    """A bare pair, so that events of any make compare equal."""
    process, action = event
    return (process, action)


def matched_execution(witness: Witness) -> tuple[tuple[Event, ...], Communication]:
    """The actions of a run, and its own communication or, if it has none, the one that its faults imply."""
    acting = [i for i, step in enumerate(witness.steps) if isinstance(step, Act)]
    position = {step: i for i, step in enumerate(acting)}
    pairs = witness.communication
    if pairs is None:
        pairs = tuple((f.received, f.sent) for f in flights(witness.steps) if f.received is not None)
    execution = tuple((act.process, act.action) for act in witness.acts)
    return execution, communication_of(execution, [(position[s], position[r]) for r, s in pairs])


def conflict_of(witness: Witness) -> ConflictGraph | None:
    """The graph of a witness with a communication; the nodes are indices of its steps. Otherwise None."""
    if witness.communication is None:
        return None
    acting = [i for i, step in enumerate(witness.steps) if isinstance(step, Act)]
    graph = conflict_graph(*matched_execution(witness), witness.bags)

    def steps(node: Interaction) -> Interaction:
        return tuple(acting[j] for j in node)

    return ConflictGraph(
        tuple(steps(node) for node in graph.nodes),
        frozenset((steps(a), steps(b)) for a, b in graph.edges),
        {steps(node): label for node, label in graph.labels.items()},
    )


def conflict_to_json(graph: ConflictGraph) -> dict[str, Any]:
    """Interactions as indices of steps; edges and the cycle as indices of interactions."""
    index = {node: i for i, node in enumerate(graph.nodes)}
    return {
        "interactions": [list(node) for node in graph.nodes],
        "edges": sorted([index[a], index[b]] for a, b in graph.edges),
        "cycle": [index[node] for node in graph.cycle() or ()],
    }
