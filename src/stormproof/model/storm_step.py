"""One step of a run in which faults strike at the send or the reception (definitions 9.1)."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from .actions import Message, Transition
from .faults import KINDS

#: Every kind of fault that is counted, in the order in which answers list them.
FAULT_KINDS = (*(kind.noun for kind in KINDS), "stop", "restart", "crash")


@dataclass(frozen=True)
class StormStep:
    """A transition of a process, and what went wrong while it was taken; nothing for a calm step.

    A send: it is `lost`, it `becomes` another message, it `overtakes` so many messages at the end of the
    channel. A reception with duplication: the message is `kept` at this position of the channel that is
    left, perhaps as another message (`kept_as`), and `head` is what stood in the channel if something
    else was delivered. An internal action: the kind of `process_fault` that it is.
    """

    process: str
    transition: Transition
    lost: bool = False
    becomes: Message | None = None
    overtakes: int = 0
    kept: int | None = None
    kept_as: Message | None = None
    head: Message | None = None
    process_fault: str | None = None

    @property
    def faults(self) -> Counter[str]:
        """How many faults of each kind the step counts."""
        found: Counter[str] = Counter()
        found["loss"] = int(self.lost)
        found["corruption"] = sum(m is not None for m in (self.becomes, self.kept_as, self.head))
        found["reordering"] = int(self.overtakes > 0)
        found["duplication"] = int(self.kept is not None)
        if self.process_fault is not None:
            found[self.process_fault] += 1
        return +found

    @property
    def calm(self) -> bool:
        return not self.faults
