"""What steps add to the number of a configuration of a certificate (definitions 10.14)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..kernel.model.actions import Message, Transition
from ..kernel.model.cuts import Cut
from ..kernel.model.system import System


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
    clocks allow it, as this transition of this process. `cut`: the channels that it takes down; `says`: the
    digit that says whether its channel is cut."""

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
    cut: Cut | None = None
    says: int | None = None

    def goes_nowhere(self, digits: Sequence[int]) -> bool:
        """Is it a send on a channel that is cut (definitions 15.4)? Its component is in its second state."""
        return self.says is not None and digits[self.says] != 0

    def moved(self, digits: Sequence[int]) -> int:
        """What it adds without its channel."""
        return self.change + sum(changes[digits[i]] for i, changes in self.observed)


def observed_changes(
    moves: Mapping[int, Mapping[str, str]], system: System, weights: Sequence[int]
) -> tuple[tuple[int, tuple[int, ...]], ...]:
    """What a step adds to the digit of each observer that sees it, in each of its states."""
    found = []
    for i, after in moves.items():
        states = system.processes[i].states
        changes = (states.index(after.get(s, s)) - n for n, s in enumerate(states))
        found.append((i, tuple(change * weights[i] for change in changes)))
    return tuple(found)


def digits_of(number: int, bases: Sequence[int]) -> list[int]:
    """The digits of a number, the lowest first."""
    found = []
    for base in bases:
        number, digit = divmod(number, base)
        found.append(digit)
    return found


def number_change(before: Sequence[int], after: Sequence[int], weights: Sequence[int]) -> int | None:
    """What other digits add to a number; None where one of them, -1, is none."""
    rows = zip(before, after, weights)
    return None if -1 in after else sum((new - old) * weight for old, new, weight in rows)


def least_ranks(storms: Sequence[Sequence[int]], beyond: Sequence[Sequence[int]], top: int) -> dict[int, int]:
    """The least rank of each configuration, a number below `top`, whatever storms have spent to reach it."""
    found: dict[int, int] = {}
    for ranks in (storms, beyond):
        for rank, numbers in enumerate(ranks):
            for number in numbers:
                found[number % top] = min(rank, found.get(number % top, rank))
    return found
