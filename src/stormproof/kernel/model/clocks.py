"""Clocks of roles whose timers are on time (definitions 16.2), as components of configurations.

Each role with timers has a clock: a process without transitions, whose state is how long the role's present
state has lasted. Time passes by a step of one process more, which no role takes.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

from ...records import dataclass
from .actions import PASSES, Internal, Transition
from .process import Process

#: What the process is called by whose step time passes, and its only state.
TIME, PASSING = "time", "passing"


@dataclass(frozen=True)
class Clocks:
    """`time`: the process by whose step time passes; `of`: the clock of each role that has timers."""

    time: str
    of: tuple[tuple[str, str], ...]

    @cached_property
    def by_role(self) -> Mapping[str, str]:
        return dict(self.of)

    @property
    def names(self) -> tuple[str, ...]:
        return (*(clock for _, clock in self.of), self.time)


def is_timer(transition: Transition) -> bool:
    """A timer with a number; one that may expire at any time is none (definitions 16.1)."""
    return isinstance(transition.action, Internal) and transition.action.is_timer


def due_after(process: Process, state: str) -> int | None:
    """After how many units of time the first timer of a state is due; None where none runs."""
    found = (
        t.action.after for t in process.outgoing(state) if isinstance(t.action, Internal) and is_timer(t)
    )
    return min(found, default=None)


def runs_timer(process: Process, state: str) -> bool:
    return due_after(process, state) is not None


def clock_of(process: Process, name: str) -> Process:
    """A clock counts as far as a state of its role may last before time stops for a timer."""
    longest = max(due_after(process, s) or 0 for s in process.states)
    return Process(name, "0", states=tuple(map(str, range(longest + 1))))


def time_process(name: str) -> Process:
    return Process(name, PASSING, (Transition(PASSING, PASSES, PASSING),))


def has_timers(process: Process) -> bool:
    return any(is_timer(t) for t in process.transitions)


def new_name(wanted: str, taken: Iterable[str]) -> str:
    known = set(taken)
    while wanted in known:
        wanted += "'"
    return wanted
