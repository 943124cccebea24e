"""The encoding of corruption, asked by way of the definitions where they settle it and are much smaller.

In the paper's encoding a send may send any message of its sender, and channels are perfect; so channels
hold words. Under the definitions, with corruption among all that the sender sends, a channel is a length.
The encoding reaches the same configurations, since a corrupted message can be sent as what it becomes;
and from there it can do nothing that the definitions cannot, since they may corrupt again. So what is
violated there at some k is violated in the encoding at that k. (The converse fails: under the definitions
a message that nobody takes may still change.)

The pools must be equal: a reception of a message that its sender sends to nobody never fires in the
encoding, but would name a message to corrupt into. Such receptions are dropped, where the state stays a
receiving one.
"""

from __future__ import annotations

from dataclasses import replace

from ...kernel.model.actions import Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System


def twin(system: System) -> System | None:
    """The system to ask under corruption of scope `sender`, or None where that does not answer the question.

    That is so where the pools cannot be made equal, or where the file declares faults of its own: the
    encoding of loss is no refinement of the definition.
    """
    if system.faults:
        return None
    sent = {p.name: {t.action.message for t in p.transitions if isinstance(t.action, Send)} for p in system}

    def fires(row: Transition) -> bool:
        return not isinstance(row.action, Receive) or row.action.message in sent.get(row.action.peer, set())

    def pruned(process: Process) -> Process | None:
        kept = tuple(row for row in process.transitions if fires(row))
        same = replace(process, transitions=kept)
        return same if all(same.kind(s) is process.kind(s) for s in process.states) else None

    processes = [pruned(p) for p in system]
    if any(p is None for p in processes):
        return None
    return replace(system, processes=tuple(p for p in processes if p is not None))
