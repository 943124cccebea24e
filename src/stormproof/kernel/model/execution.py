"""Executions and their communications: the objects of the theory of RSC (definitions 4.1, 4.2).

An execution is a sequence of actions; positions count from 0 (the paper counts from 1). A *communication*
maps each reception to the send that it matches. `conflict_graph` builds on both; which communications a
failure model allows is defined in `oracle/communications`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .actions import Action

#: Who acts and how. `FiredAction` is such a pair.
Event = tuple[str, Action]
Execution = Sequence[Event]
#: A matched pair (send, reception), an unmatched send or an internal action, as positions in the execution.
Interaction = tuple[int, ...]
Communication = tuple[Interaction, ...]


def communication_of(execution: Execution, pairs: Iterable[Interaction]) -> Communication:
    """The communication with these matched pairs; every other action is alone."""
    chosen = list(pairs)
    taken = {j for pair in chosen for j in pair}
    alone = [(j,) for j in range(len(execution)) if j not in taken]
    return tuple(sorted([*chosen, *alone]))
