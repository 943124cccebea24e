"""Conflict graphs (definitions 4.3): the interactions of an execution, and which must come before which.

Drawn are the edges between successive actions of a process, whose closure is the whole relation, as the
paper's own figure does; the edges of a shortest cycle, which is what makes a run a violation of RSC, are
added and thick.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass

from ...errors import printable
from ...kernel.model.actions import Send
from ...kernel.model.conflict_graph import conflict_graph, matched_execution
from ...kernel.model.execution import Communication, Execution, Interaction
from ...kernel.model.run import Witness
from .automaton import draw_edge
from .layout.layered import Box, RoutedEdge, lay_out
from .svg import document, number, tag, text
from .text_metrics import clip, text_width

_LONGEST = 220.0


@dataclass(frozen=True)
class ConflictPicture:
    """Nodes as lines of text, edges and the cycle among them as pairs of indices."""

    nodes: tuple[tuple[str, ...], ...]
    edges: tuple[tuple[int, int], ...]
    cycle: frozenset[tuple[int, int]]


def conflict_picture(witness: Witness) -> ConflictPicture:
    """From the communication of the witness, or the one that its steps show."""
    execution, communication = matched_execution(witness)
    graph = conflict_graph(execution, communication, witness.bags)
    index = {node: i for i, node in enumerate(graph.nodes)}
    found = graph.cycle() or ()
    cycle = frozenset((index[a], index[b]) for a, b in zip(found, (*found[1:], *found[:1])))
    edges = dict.fromkeys((index[a], index[b]) for a, b in _successive(execution, communication))
    nodes = tuple(_words(execution, node) for node in graph.nodes)
    return ConflictPicture(nodes, tuple(dict.fromkeys([*edges, *sorted(cycle)])), cycle)


def _successive(execution: Execution, communication: Communication) -> list[tuple[Interaction, Interaction]]:
    """Interactions with neighbouring actions on one process."""
    home = {j: interaction for interaction in communication for j in interaction}
    last: dict[str, int] = {}
    found = []
    for j, (process, _) in enumerate(execution):
        if process in last and home[last[process]] != home[j]:
            found.append((home[last[process]], home[j]))
        last[process] = j
    return found


def _words(execution: Execution, node: Interaction) -> tuple[str, ...]:
    """`S → R: data` above the positions, counted from 1 as the paper does."""
    process, action = execution[node[0]]
    places = "{" + ", ".join(str(j + 1) for j in node) + "}"
    if not isinstance(action, Send):
        return (f"{printable(process)}: {printable(action)}", places)
    names = [printable(action.message)]
    if len(node) > 1:
        received = execution[node[1]][1]
        if getattr(received, "message", action.message) != action.message:
            names.append(printable(getattr(received, "message", "")))
    return (f"{printable(process)} → {printable(action.peer)}: {' ⇝ '.join(names)}", places)


def conflict_svg(picture: ConflictPicture, *, seconds: float = 2.0, style: bool = True) -> str:
    """The graph in layers, the cycle thick and in colour."""
    if not picture.nodes:
        return document(160, 40, [text(80, 25, "no interaction", "sp-label")], "empty conflict graph", style)
    halves = [max(min(text_width(line, 11), _LONGEST) for line in node) / 2 + 10 for node in picture.nodes]
    boxes: dict[Hashable, Box] = {i: Box(half, half, 34) for i, half in enumerate(halves)}
    routes = [RoutedEdge(a, b, 4, 4) for a, b in picture.edges]
    drawing = lay_out(boxes, routes, seconds)
    body: list[str] = []
    for route, ends in zip(routes, picture.edges):
        kind = "sp-edge sp-cycle" if ends in picture.cycle else "sp-edge"
        body += draw_edge(route, [], f"0:{ends[0]}:{ends[1]}", kind)
    for i, node in enumerate(picture.nodes):
        x, y = drawing.nodes[i]
        box = {"x": x - halves[i], "y": y - 17, "width": 2 * halves[i], "height": 34, "rx": 5}
        body.append(tag("rect", **box, class_="sp-node"))
        body.append(text(x, y - 3, clip(node[0], 11, _LONGEST), "sp-label sp-edge-label", node[0]))
        body.append(text(x, y + 10.5, node[1], "sp-small"))
    margin = 14.0
    inside = tag("g", *body, transform=f"translate({number(margin)} {number(margin)})")
    height = drawing.height + 2 * margin + (26 if drawing.plain else 0)
    return document(drawing.width + 2 * margin, height, [inside], "conflict graph", style)
