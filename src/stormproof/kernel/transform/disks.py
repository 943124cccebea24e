"""A process with what its disk holds, as an ordinary automaton (definitions 14.1 to 14.4).

Its states are those of the process, each with the content of the disk, and once more where the state is
entered and not yet recorded: from there the internal action `record` leads on.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import NamedTuple

from ..model.actions import RECORD, Crash, Internal, Send, Transition
from ..model.faults import RESTART
from ..model.process import Process
from ..model.rest import ended_states

#: What marks the name of a state that is entered and not yet recorded.
UNRECORDED = "°"


class OnDisk(NamedTuple):
    """A state of the product: the user's state, what the disk holds, and whether it is still to record."""

    state: str
    disk: str
    unrecorded: bool = False


class DiskProduct:
    """The product of a process with its disk; `restarts`: may it restart; `after_end`: also where it has
    ended."""

    def __init__(self, process: Process, restarts: bool, after_end: bool = False) -> None:
        self.process, self.restarts = process, restarts
        self.crashed = process.crashed_states
        self.ended = self.crashed if after_end else ended_states(process)
        self.saves = dict(process.saves)
        taken = internal_names(process)
        self.restart = Internal(fresh(RESTART.keyword, taken), fault=RESTART.keyword)
        self.record = Internal(fresh(RECORD, taken), record=True)
        self.rows = self._explored()

    def _explored(self) -> Mapping[OnDisk, list[tuple[Transition, OnDisk]]]:
        """States that the automaton does not reach stay too: alphabets are read off the system as given."""
        rows: dict[OnDisk, list[tuple[Transition, OnDisk]]] = {}
        queue = [OnDisk(s, self.process.first_disk) for s in self.process.states]
        seen = set(queue)
        for at in queue:
            rows[at] = list(self._leaving(at))
            fresh_ones = dict.fromkeys(after for _, after in rows[at] if after not in seen)
            seen.update(fresh_ones)
            queue.extend(fresh_ones)
        return rows

    def _leaving(self, at: OnDisk) -> Iterator[tuple[Transition, OnDisk]]:
        if at.unrecorded:
            yield Transition(at.state, self.record, at.state), OnDisk(at.state, at.state)
        else:
            for row in self.process.outgoing(at.state):
                yield row, self._after(at, row)
        if self.restarts and (at.unrecorded or at.state not in self.ended):
            target = self.process.recovers_in(at.disk)
            again = self._entered(target, at.disk, at_once=target in self.process.atomic)
            if again != at:
                yield Transition(at.state, self.restart, target), again

    def _after(self, at: OnDisk, row: Transition) -> OnDisk:
        if row in self.saves:
            return OnDisk(row.target, self.process.saved(at.disk, self.saves[row]))
        at_once = row.target in self.process.atomic or at.state in self.ended or announces(row)
        return self._entered(row.target, at.disk, at_once)

    def _entered(self, state: str, disk: str, at_once: bool) -> OnDisk:
        """A crash writes nothing. Where a role has ended, nothing tells a record from the action."""
        if state not in self.process.durable or state == disk or state in self.crashed:
            return OnDisk(state, disk)
        return OnDisk(state, state) if at_once else OnDisk(state, disk, unrecorded=True)

    @cached_property
    def names(self) -> Mapping[OnDisk, str]:
        """A state keeps its name where the disk holds what it holds at first."""
        taken, names, first = set(self.process.states), dict[OnDisk, str](), self.process.first_disk
        for at in self.rows:
            mark = UNRECORDED if at.unrecorded else ""
            behind = "" if at.disk == first else f"/{at.disk}"
            plain = not mark and not behind
            names[at] = at.state if plain else fresh(f"{at.state}{mark}{behind}", taken)
            taken.add(names[at])
        return names

    def as_process(self) -> Process:
        names, unmade = self.names, frozenset(self.process.unmade)
        rows = (
            Transition(names[at], row.action, names[to])
            for at, found in self.rows.items()
            for row, to in found
        )
        return replace(
            self.process,
            initial=names[OnDisk(self.process.initial, self.process.first_disk)],
            transitions=tuple(rows),
            states=tuple(names.values()),
            unmade=tuple(n for at, n in names.items() if at.state in unmade and not at.unrecorded),
            durable=(),
            atomic=(),
            recovery=(),
            saves=(),
            disks=(),
        )


def announces(row: Transition) -> bool:
    """Does this send the crash message? Who has sent it has crashed, for whoever hears of it."""
    return isinstance(row.action, Send) and isinstance(row.action.message, Crash)


def without_disk(process: Process) -> Process:
    """The process without what is said of its disk."""
    said = process.durable or process.recovery or process.disks
    return replace(process, durable=(), atomic=(), recovery=(), saves=(), disks=()) if said else process


def internal_names(process: Process) -> set[str]:
    """What the internal actions of a process are called."""
    return {t.action.name for t in process.transitions if isinstance(t.action, Internal)}


def fresh(name: str, taken: Iterable[str]) -> str:
    """The name, with as many primes as it takes to be new."""
    used = set(taken)
    while name in used:
        name += "'"
    return name
