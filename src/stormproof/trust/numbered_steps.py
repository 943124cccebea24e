"""What steps add to the number of a configuration of a certificate (definitions 10.14)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..kernel.model.actions import Message, Transition


class NumberedChange(NamedTuple):
    """What a step adds to the number of a configuration (None: it leads to a content that is not listed), the
    faults that it takes from the budget in all, and those of limited kinds: (digit, faults)."""

    change: int | None
    spends: int = 0
    counts: tuple[tuple[int, int], ...] = ()


@dataclass
class NumberedStep:
    """A transition of one process: what it adds for its state, and for each observer, (digit, what in which
    state); and what it may make of each content of its channel, as far as known: for calm steps in channels
    of any length, and for all within the bound, with whether it is full. `timed`: it is possible only where
    clocks allow it, as this transition of this process."""

    change: int
    observed: tuple[tuple[int, tuple[int, ...]], ...] = ()
    internal: NumberedChange | None = None
    is_fault: bool = False
    message: Message = ""
    sends: bool = False
    channel: int = -1
    receiver: int = -1
    timed: tuple[str, Transition] | None = None
    calm: dict[tuple[int, bool], int | None] = field(default_factory=dict)
    stormy: dict[tuple[int, bool], tuple[tuple[NumberedChange, ...], bool]] = field(default_factory=dict)

    def moved(self, digits: Sequence[int]) -> int:
        """What it adds without its channel."""
        return self.change + sum(changes[digits[i]] for i, changes in self.observed)
