"""Executions that are equal up to commuting actions, and RSC in these terms (definitions 4.4, 4.6)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from ..kernel.model.actions import Receive
from ..kernel.model.conflict_graph import ConflictGraph, InteractionLabel, conflict_graph, tuple_of
from ..kernel.model.execution import Communication, Event, Execution, Interaction
from ..kernel.model.failures import FailureModel
from .communications import communications


def isomorphic(first: ConflictGraph, second: ConflictGraph) -> bool:
    """Is there a bijection of the nodes that keeps labels and edges?"""
    if len(first.edges) != len(second.edges) or Counter(_shades(first)) != Counter(_shades(second)):
        return False
    left = dict(zip(first.nodes, _shades(first), strict=True))
    right = dict(zip(second.nodes, _shades(second), strict=True))

    def extend(mapping: dict[Interaction, Interaction], rest: Sequence[Interaction]) -> bool:
        if not rest:
            return True
        node, used = rest[0], set(mapping.values())
        for image in second.nodes:
            if image in used or left[node] != right[image] or not _fits(first, second, mapping, node, image):
                continue
            if extend({**mapping, node: image}, rest[1:]):
                return True
        return False

    return extend({}, first.nodes)


def _shades(graph: ConflictGraph) -> list[tuple[InteractionLabel, int, int]]:
    """What an isomorphism keeps of each node: its label and its degrees."""
    out = Counter(source for source, _ in graph.edges)
    into = Counter(target for _, target in graph.edges)
    return [(graph.labels[node], out[node], into[node]) for node in graph.nodes]


def _fits(
    first: ConflictGraph,
    second: ConflictGraph,
    mapping: Mapping[Interaction, Interaction],
    node: Interaction,
    image: Interaction,
) -> bool:
    return all(
        ((node, other) in first.edges) == ((image, partner) in second.edges)
        and ((other, node) in first.edges) == ((partner, image) in second.edges)
        for other, partner in mapping.items()
    )


def causally_equivalent(
    first: tuple[Execution, Communication], second: tuple[Execution, Communication]
) -> bool:
    """(e, C) ~ (e', C'): their conflict graphs are isomorphic, labels included."""
    return isomorphic(conflict_graph(*first), conflict_graph(*second))


def is_rsc_execution(communication: Communication) -> bool:
    """Is every matched pair of the form {j, j+1}?"""
    return all(x[1] == x[0] + 1 for x in communication if len(x) == 2)


def is_equivalent_to_rsc(execution: Execution, communication: Communication) -> bool:
    """Definitions 4.4: equivalent to an RSC execution exactly if the conflict graph is acyclic."""
    return conflict_graph(execution, communication).acyclic


def synchronised(
    execution: Execution, communication: Communication
) -> tuple[tuple[Event, ...], Communication] | None:
    """The RSC execution that (e, C) is equivalent to, with its communication, or None (definitions 4.4)."""
    order = conflict_graph(execution, communication).order
    if order is None:
        return None
    place = {j: new for new, j in enumerate(j for interaction in order for j in interaction)}
    moved = sorted(place, key=lambda j: place[j])
    renamed = tuple(sorted(tuple(place[j] for j in interaction) for interaction in communication))
    return tuple(tuple_of(execution[j]) for j in moved), renamed


def is_borderline_violation(
    execution: Execution, communication: Communication, failures: FailureModel
) -> bool:
    """Definitions 4.6: not equivalent to an RSC execution, but without its last reception it is."""
    if not execution or not isinstance(execution[-1][1], Receive):
        return False
    if is_equivalent_to_rsc(execution, communication):
        return False
    shorter = execution[:-1]
    every = list(communications(shorter, failures))
    return all(is_equivalent_to_rsc(shorter, c) for c in every) and any(is_rsc_execution(c) for c in every)
