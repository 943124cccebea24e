"""The longest rows of sends, executed literally and slowly (definitions 10.11)."""

from __future__ import annotations

from ..kernel.model.actions import Internal, Receive, Send, Transition
from ..kernel.model.process import Process


def in_a_row(process: Process, receiver: str) -> int | None:
    """The most messages that the process sends to the receiver on a path of its automaton on which it does
    not wait; None: any number. With more sends than states one is left twice, so that it goes round."""
    most = dict.fromkeys(process.reachable(), 0)
    changed = True
    while changed and max(most.values()) <= len(process.states):
        changed = False
        for taken in (t for s in most for t in process.outgoing(s) if not _waits(process, t)):
            sent = isinstance(taken.action, Send) and taken.action.peer == receiver
            longer = most[taken.target] + sent
            changed = changed or longer > most[taken.source]
            most[taken.source] = max(most[taken.source], longer)
    longest = max(most.values())
    return None if longest > len(process.states) else longest


def _waits(process: Process, taken: Transition) -> bool:
    action = taken.action
    if isinstance(action, Internal):
        listens = any(isinstance(t.action, Receive) for t in process.outgoing(taken.source))
        return action.timeout or bool(action.fault) or action.crashes or listens
    return isinstance(action, Receive)
