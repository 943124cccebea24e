"""The conflict graph of a witness against RSC, and its JSON form: what makes the run a violation."""

from __future__ import annotations

from typing import Any

from .execution import ConflictGraph, Interaction, communication_of, conflict_graph
from .run import Act, Witness


def conflict_of(witness: Witness) -> ConflictGraph | None:
    """The graph of a witness with a communication; the nodes are indices of its steps. Otherwise None."""
    if witness.communication is None:
        return None
    acting = [i for i, step in enumerate(witness.steps) if isinstance(step, Act)]
    position = {step: i for i, step in enumerate(acting)}
    execution = [(act.process, act.action) for act in witness.acts]
    pairs = [(position[s], position[r]) for r, s in witness.communication]
    graph = conflict_graph(execution, communication_of(execution, pairs))

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
