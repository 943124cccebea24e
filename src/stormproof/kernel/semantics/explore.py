"""One explorer for small graphs: everything that steps reach, breadth first."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Hashable, Iterable
from typing import TypeVar

Reached = TypeVar("Reached", bound=Hashable)
Leaving = TypeVar("Leaving")


class TooLarge(Exception):
    """There are more nodes than the caller wants to see."""


def explore(
    starts: Iterable[Reached],
    leaving: Callable[[Reached], Iterable[Leaving]],
    after: Callable[[Leaving], Reached],
    most: int | None = None,
) -> dict[Reached, list[Leaving]]:
    """Every node that is reached, in the order of the fewest edges, with the edges that leave it. Raises
    TooLarge past `most` nodes."""
    queue = deque(dict.fromkeys(starts))
    seen, found = set(queue), {}
    while queue:
        node = queue.popleft()
        found[node] = list(leaving(node))
        for edge in found[node]:
            if (reached := after(edge)) not in seen:
                seen.add(reached)
                queue.append(reached)
        if most is not None and len(seen) > most:
            raise TooLarge
    return found
