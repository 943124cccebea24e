"""One step of a run in which faults occur at the send or the reception (definitions 9.1)."""

from __future__ import annotations

from collections import Counter

from ...records import dataclass
from .actions import Transition
from .channel_faults import ActionFaults
from .faults import CUT, KINDS

#: Every kind of fault that is counted, in the order in which answers list them.
FAULT_KINDS = (*(kind.noun for kind in KINDS), CUT.noun, "stop", "restart", "crash")


@dataclass(frozen=True)
class StormStep(ActionFaults):
    """A transition of a process, and what went wrong while it was taken; nothing for a calm step.

    `process_fault`: the kind of fault that an internal action is.
    """

    process: str
    transition: Transition
    process_fault: str | None = None

    @property
    def faults(self) -> Counter[str]:
        """How many faults of each kind the step counts."""
        found = self.counts()
        if self.process_fault is not None:
            found[self.process_fault] += 1
        return found

    @property
    def calm(self) -> bool:
        return not self.faults
