"""A layered drawing of a directed graph (Sugiyama, Tagawa, Toda 1981), in plain Python.

Cycles are broken by a depth-first search, nodes are ranked, every edge gets a point on each rank that it
passes and, on the middle one, a box beside it for its label (so labels cover nothing),
crossings are reduced by medians and exchanges, and each rank is placed by isotonic regression: the positions
nearest to the neighbours' that keep the order and the distances. Past the time limit a plain layout in
rows takes its place.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ....limits import time_left
from ..svg import Point
from .ordering import order_ranks
from .placing import place_ranks

#: Space between boxes of one rank, and between ranks.
GAP_X, GAP_Y = 22.0, 26.0
#: How far the label of an edge is from its line.
BESIDE = 6.0
#: Edges with more bends than this in all are not worth the memory: nobody could follow them.
_MOST_BENDS = 20_000


class LayoutTimeout(Exception):
    """The layout takes longer than it may."""


@dataclass(frozen=True)
class Box:
    """What stands at a node: half its width to the left and to the right, and its height.

    `body` is the height of the node itself, which edges touch, where something beside it is higher.
    """

    left: float
    right: float
    height: float
    body: float | None = None

    @property
    def half(self) -> float:
        return (self.height if self.body is None else self.body) / 2


@dataclass
class RoutedEdge:
    """An edge with its label's box; the layout fills in its `points`, from source to target, and the middle
    of the left side of its label."""

    source: Hashable
    target: Hashable
    width: float = 0.0
    height: float = 0.0
    points: list[Point] = field(default_factory=list)
    label: Point = (0.0, 0.0)


@dataclass
class Drawing:
    """Centres of the nodes and the size of it all; `plain` says that the time ran out."""

    nodes: dict[Hashable, Point]
    width: float
    height: float
    plain: bool = False


@dataclass(frozen=True)
class _Bend:
    """A point of an edge on a rank that it passes."""

    edge: int
    rank: int


def lay_out(
    boxes: dict[Hashable, Box],
    edges: Sequence[RoutedEdge],
    seconds: float = 2.0,
    before: Mapping[Any, float] | None = None,
) -> Drawing:
    """Place the nodes and route the edges; edges from a node to itself are left to the caller.

    The first node of `boxes` is the root, drawn at the top. `before` has the positions, from left to right,
    that nodes had in an earlier drawing, whose order is kept where that is reasonable.
    """
    deadline = time.monotonic() + (time_left(seconds) or 0.0)

    def tick() -> None:
        if time.monotonic() > deadline:
            raise LayoutTimeout

    try:
        return _layered(boxes, edges, tick, before)
    except (LayoutTimeout, RecursionError):
        return plain(boxes, edges)


def _layered(
    boxes: dict[Hashable, Box],
    edges: Sequence[RoutedEdge],
    tick: Callable[[], None],
    before: Mapping[Any, float] | None,
) -> Drawing:
    tick()
    root = next(iter(boxes))
    flipped = _back_edges(list(boxes), edges) | {i for i, e in enumerate(edges) if e.target == root}
    arcs = [(e.target, e.source) if i in flipped else (e.source, e.target) for i, e in enumerate(edges)]
    rank = _ranks(list(boxes), arcs, tick)
    if sum(rank[b] - rank[a] for a, b in arcs) > _MOST_BENDS:
        raise LayoutTimeout
    ranks, links, sizes = _with_bends(boxes, edges, arcs, rank)
    tick()
    ordered = order_ranks(ranks, links, tick, before)
    x = place_ranks(ordered, links, lambda n: (sizes[n].left, sizes[n].right), GAP_X, tick)
    y, height = _heights(ordered, sizes)
    spots = {n: (x[n], y[i]) for i, row in enumerate(ordered) for n in row}
    _route(edges, arcs, flipped, rank, spots, boxes)
    width = _shift(spots, sizes, edges)
    return Drawing({n: spots[n] for n in boxes}, width, height)


def _back_edges(nodes: list[Hashable], edges: Sequence[RoutedEdge]) -> set[int]:
    """Edges that lead to a node on the search stack; turning them round leaves no cycle."""
    leaving: dict[Hashable, list[tuple[int, Hashable]]] = defaultdict(list)
    for i, edge in enumerate(edges):
        leaving[edge.source].append((i, edge.target))
    flipped: set[int] = set()
    state: dict[Hashable, int] = {}
    for root in nodes:
        if root in state:
            continue
        state[root] = 1
        stack = [(root, iter(leaving[root]))]
        while stack:
            node, rest = stack[-1]
            for i, target in rest:
                if state.get(target) == 1:
                    flipped.add(i)
                elif target not in state:
                    state[target] = 1
                    stack.append((target, iter(leaving[target])))
                    break
            else:
                state[node] = 2
                stack.pop()
    return flipped


def _ranks(
    nodes: list[Hashable], arcs: list[tuple[Hashable, Hashable]], tick: Callable[[], None]
) -> dict[Hashable, int]:
    """Longest paths first, then nodes move within their slack to where their edges are shortest.

    Every edge spans at least two ranks, so that there is one in the middle for its label.
    """
    before: dict[Hashable, list[Hashable]] = defaultdict(list)
    after: dict[Hashable, list[Hashable]] = defaultdict(list)
    for a, b in arcs:
        after[a].append(b)
        before[b].append(a)
    rank: dict[Hashable, int] = {}
    missing = {n: len(before[n]) for n in nodes}
    queue = [n for n in nodes if not missing[n]]
    for node in queue:
        rank[node] = max((rank[p] + 2 for p in before[node]), default=0)
        for target in after[node]:
            missing[target] -= 1
            if not missing[target]:
                queue.append(target)
    for _ in range(8):
        tick()
        if not _tighten(queue, before, after, rank):
            break
    least = min(rank.values())
    return {n: r - least for n, r in rank.items()}


def _tighten(
    nodes: list[Hashable],
    before: dict[Hashable, list[Hashable]],
    after: dict[Hashable, list[Hashable]],
    rank: dict[Hashable, int],
) -> bool:
    """Move each node to the end of its slack that has more edges; roots go down to their successors."""
    moved = False
    for node in reversed(nodes):
        if not after[node] or len(after[node]) <= len(before[node]):
            continue
        best = min(rank[t] for t in after[node]) - 2
        if best > rank[node] and before[node]:
            rank[node], moved = best, True
    return moved


def _with_bends(
    boxes: dict[Hashable, Box],
    edges: Sequence[RoutedEdge],
    arcs: list[tuple[Hashable, Hashable]],
    rank: dict[Hashable, int],
) -> tuple[list[list[Hashable]], list[tuple[Hashable, Hashable]], dict[Hashable, Box]]:
    """Ranks with the bends of long edges, the short links between neighbouring ranks, and all sizes."""
    ranks: list[list[Hashable]] = [[] for _ in range(max(rank.values()) + 1)]
    for node in boxes:
        ranks[rank[node]].append(node)
    sizes = dict(boxes)
    links: list[tuple[Hashable, Hashable]] = []
    for i, (a, b) in enumerate(arcs):
        middle = (rank[a] + rank[b]) // 2
        previous = a
        for r in range(rank[a] + 1, rank[b]):
            bend = _Bend(i, r)
            # The line passes left of its label, which is part of the rank and so keeps clear of the rest.
            wide, high = (edges[i].width + BESIDE, edges[i].height) if r == middle else (0.0, 0.0)
            sizes[bend] = Box(0.0, wide, high)
            ranks[r].append(bend)
            links.append((previous, bend))
            previous = bend
        links.append((previous, b))
    return ranks, links, sizes


def _heights(ranks: list[list[Hashable]], sizes: dict[Hashable, Box]) -> tuple[list[float], float]:
    """The middle of each rank, and the bottom of the last."""
    middles, y = [], 0.0
    for row in ranks:
        high = max((sizes[n].height for n in row), default=0.0)
        middles.append(y + high / 2)
        y += high + (GAP_Y if high else GAP_Y / 2)
    return middles, y - GAP_Y


def _route(
    edges: Sequence[RoutedEdge],
    arcs: list[tuple[Hashable, Hashable]],
    flipped: set[int],
    rank: dict[Hashable, int],
    spots: dict[Hashable, Point],
    boxes: dict[Hashable, Box],
) -> None:
    """From port to port through the bends; a turned edge is turned back."""
    inner = [[spots[_Bend(i, r)] for r in range(rank[a] + 1, rank[b])] for i, (a, b) in enumerate(arcs)]
    ports = _ports(arcs, inner, spots, boxes)
    for i, (edge, (a, b)) in enumerate(zip(edges, arcs)):
        half_a, half_b = boxes[a].half, boxes[b].half
        start = (ports[i, 0], spots[a][1] + half_a)
        end = (ports[i, 1], spots[b][1] - half_b)
        middle = (rank[a] + rank[b]) // 2 - rank[a] - 1
        x, y = inner[i][middle]
        edge.label = (x + BESIDE, y)
        # Straight along the label, so that no bend of the line runs into it.
        along = [(x, y - edge.height / 2), (x, y + edge.height / 2)] if edge.height > 4 else [(x, y)]
        points = [start, *inner[i][:middle], *along, *inner[i][middle + 1 :], end]
        edge.points = points[::-1] if i in flipped else points


def _ports(
    arcs: list[tuple[Hashable, Hashable]],
    inner: list[list[Point]],
    spots: dict[Hashable, Point],
    boxes: dict[Hashable, Box],
) -> dict[tuple[int, int], float]:
    """Where edges touch their nodes: spread along the side, in the order in which they arrive."""
    sides: dict[tuple[Hashable, int], list[tuple[float, int]]] = defaultdict(list)
    for i, (a, b) in enumerate(arcs):
        sides[a, 0].append((inner[i][0][0], i))
        sides[b, 1].append((inner[i][-1][0], i))
    ports = {}
    for (node, side), arriving in sides.items():
        room = boxes[node].left * 1.3
        step = min(26.0, room / len(arriving))
        for place, (_, i) in enumerate(sorted(arriving)):
            ports[i, side] = spots[node][0] + (place - (len(arriving) - 1) / 2) * step
    return ports


def _shift(spots: dict[Hashable, Point], sizes: dict[Hashable, Box], edges: Sequence[RoutedEdge]) -> float:
    """Move everything so that the leftmost edge is at 0; returns the width."""
    left = min(spots[n][0] - sizes[n].left for n in spots)
    right = max(spots[n][0] + sizes[n].right for n in spots)
    for node, (x, y) in spots.items():
        spots[node] = (x - left, y)
    for edge in edges:
        edge.points = [(x - left, y) for x, y in edge.points]
        edge.label = (edge.label[0] - left, edge.label[1])
    return right - left


def plain(boxes: dict[Hashable, Box], edges: Sequence[RoutedEdge]) -> Drawing:
    """Rows as in a table, in the order given, with straight edges: linear in the size of the graph."""
    columns = max(1, round(len(boxes) ** 0.5))
    wide = max(b.left + b.right for b in boxes.values()) + 3 * GAP_X
    high = max(b.height for b in boxes.values()) + 2 * GAP_Y
    spots: dict[Hashable, Point] = {}
    for i, (node, box) in enumerate(boxes.items()):
        spots[node] = ((i % columns) * wide + box.left, (i // columns) * high + box.height / 2)
    for edge in edges:
        edge.points, edge.label = _straight(spots, boxes, edge)
    rows = (len(boxes) - 1) // columns + 1
    return Drawing(spots, columns * wide, rows * high, plain=True)


def _straight(
    spots: dict[Hashable, Point], boxes: dict[Hashable, Box], edge: RoutedEdge
) -> tuple[list[Point], Point]:
    """From the bottom of the upper node to the top of the lower; two of one row are joined from below."""
    (x1, y1), (x2, y2) = spots[edge.source], spots[edge.target]
    half_a, half_b = boxes[edge.source].half, boxes[edge.target].half
    if y1 == y2:
        low = (x1 * 0.6 + x2 * 0.4, y1 + half_a + GAP_Y * 0.8)
        return [(x1, y1 + half_a), low, (x2, y2 + half_b)], (low[0] + BESIDE, low[1] + edge.height / 2 + 4)
    side = 1 if y2 > y1 else -1
    label = (x1 * 0.6 + x2 * 0.4 + BESIDE, y1 * 0.6 + y2 * 0.4)
    return [(x1, y1 + side * half_a), (x2, y2 - side * half_b)], label
