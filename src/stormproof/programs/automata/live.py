"""Which values are still read: two local states that differ in others only are one."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any

from ...records import dataclass


@dataclass(frozen=True)
class ProgramEdge:
    """A way on: what is read on it, and what is assigned then, before anything of `to` is read."""

    to: Hashable
    reads: frozenset[str] = frozenset()
    writes: frozenset[str] = frozenset()


def live_variables(leaving: Mapping[Any, Sequence[ProgramEdge]]) -> dict[Hashable, frozenset[str]]:
    """For each node the variables that may be read from there on before they are assigned."""
    live = {node: frozenset[str]() for node in leaving}
    backwards = list(reversed([*leaving]))
    changed = True
    while changed:
        changed = False
        for node in backwards:
            before = frozenset[str]().union(
                *(edge.reads | (live.get(edge.to, frozenset()) - edge.writes) for edge in leaving[node])
            )
            changed, live[node] = changed or before != live[node], before
    return live
