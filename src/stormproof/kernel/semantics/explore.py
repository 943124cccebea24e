"""One explorer for small graphs: what steps reach, the nearest or the cheapest first, and the way there.

Large searches are the engine's. A node is whatever can be hashed; `leaving` gives the edges of a node with
the nodes they lead to. Nodes are seen once, edges in the order in which they are given.
"""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

from ...records import dataclass

Node = TypeVar("Node", bound=Hashable)
Leaving = TypeVar("Leaving")
Cost = TypeVar("Cost")


class TooLarge(Exception):
    """There are more nodes than the caller wants to see."""


@dataclass(frozen=True)
class Explored(Generic[Node, Leaving]):
    """`came` says for each node, in the order in which they were met, where it was met from and by which
    edge; None for a start. `end` is the node that stopped the search; `complete`: nothing was left to see."""

    came: Mapping[Node, tuple[Node, Leaving] | None]
    end: Node | None = None
    complete: bool = False

    def path(self, node: Node) -> list[tuple[Leaving, Node]]:
        """The edges from a start to the node, each with where it leads."""
        found = []
        while (before := self.came[node]) is not None:
            found.append((before[1], node))
            node = before[0]
        return found[::-1]


def reached(
    starts: Iterable[Node], following: Callable[[Node], Iterable[Node]], most: int | None = None
) -> list[Node]:
    """Every node that is reached, the nearest first. Raises TooLarge past `most` nodes."""
    found = list(dict.fromkeys(starts))
    seen = set(found)
    for node in found:
        for other in following(node):
            if other not in seen:
                seen.add(other)
                found.append(other)
        if most is not None and len(seen) > most:
            raise TooLarge
    return found


def _never(node: Hashable) -> bool:
    return False


def _always(seen: int) -> bool:
    return True


def explore(
    starts: Iterable[Node],
    leaving: Callable[[Node], Iterable[tuple[Leaving, Node]]],
    stop: Callable[[Node], bool] = _never,
    goes_on: Callable[[int], bool] = _always,
) -> Explored[Node, Leaving]:
    """Breadth first, to the nearest node where it may stop, while it `goes_on` with so many nodes seen."""
    came: dict[Node, tuple[Node, Leaving] | None] = dict.fromkeys(starts)
    queue = deque(came)
    while queue and goes_on(len(came)):
        node = queue.popleft()
        if stop(node):
            return Explored(came, node)
        for edge, other in leaving(node):
            if other not in came:
                came[other] = (node, edge)
                queue.append(other)
    return Explored(came, complete=not queue)


def cheapest(
    start: Node,
    first: Cost,
    leaving: Callable[[Node, Cost], Iterable[tuple[Cost, Leaving, Node]]],
    stop: Callable[[Node], bool] = _never,
    goes_on: Callable[[int], bool] = _always,
) -> Explored[Node, Leaving]:
    """The cheapest first (Dijkstra; best first, where costs may fall). `leaving` gives what the whole way
    costs after each edge; of equal costs the one that was met first is taken."""
    came: dict[Node, tuple[Node, Leaving] | None] = {}
    queue: list[tuple[Cost, int, Node, tuple[Node, Leaving] | None]] = [(first, 0, start, None)]
    made = 0
    while queue and goes_on(len(came) + len(queue)):
        cost, _, node, before = heapq.heappop(queue)
        if node in came:
            continue
        came[node] = before
        if stop(node):
            return Explored(came, node)
        for price, edge, other in leaving(node, cost):
            if other not in came:
                made += 1
                heapq.heappush(queue, (price, made, other, (node, edge)))
    return Explored(came, complete=not queue)
