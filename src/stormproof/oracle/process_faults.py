"""Processes that stop, restart and record, executed literally (definitions 9.1, 11.1, 11.2, 14.1 to 14.6).

A process is in one of its own states, or it has stopped; where it may restart it has a disk, and what it
entered last may not be recorded yet. The package `transform` turns such processes into ordinary ones, and is
compared with this.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..kernel.model.actions import Channel, Crash, Internal, Receive, Send, Transition, Word, channel_of
from ..kernel.model.process import Process
from ..kernel.model.rest import ended_states
from ..kernel.model.system import System

#: What a disk holds: a state, or the values of durable variables.
Disk = str | frozenset[tuple[str, str]]


class Whereabouts(NamedTuple):
    """Where a process is: None once it has stopped; what its disk holds; and whether its state is still to be
    recorded."""

    state: str | None
    disk: Disk
    to_record: bool = False


class FailingConfiguration(NamedTuple):
    """Each process in the order of the system, and the contents of the channels in theirs."""

    places: tuple[Whereabouts, ...]
    words: tuple[Word, ...]


class FailingStep(NamedTuple):
    """What happens to which process: its own transition, or `stop`, `restart` or `record`."""

    process: str
    what: Transition | str
    after: FailingConfiguration


@dataclass(frozen=True)
class FailingSystem:
    """A system of which some processes may stop and some may restart; the disks of `recording` are asked
    about."""

    system: System
    stop: frozenset[str]
    restart: frozenset[str]
    recording: frozenset[str] = frozenset()

    def start(self) -> FailingConfiguration:
        places = tuple(Whereabouts(p.initial, _first(p)) for p in self.system)
        return FailingConfiguration(places, tuple(() for _ in self.system.channels))

    def steps(self, at: FailingConfiguration, bound: int) -> Iterator[FailingStep]:
        """Every step on perfect channels that hold at most `bound` messages."""
        for i, process in enumerate(self.system):
            here = at.places[i]
            if here.state is None:
                continue
            if here.to_record:
                yield self._to(at, i, "record", Whereabouts(here.state, here.state), at.words)
            else:
                for row in process.outgoing(here.state):
                    for words in self._words(process.name, row, at.words, bound):
                        yield self._to(at, i, row, self._acted(process, here, row), words)
            yield from self._faults(at, i, process)

    def _faults(self, at: FailingConfiguration, i: int, process: Process) -> Iterator[FailingStep]:
        here = at.places[i]
        assert here.state is not None
        if process.name in self.stop and here.state not in process.crashed_states:
            yield self._to(at, i, "stop", Whereabouts(None, here.disk), at.words)
        if process.name in self.restart and (here.to_record or here.state not in ended_states(process)):
            again = self._entered(process, _again(process, here.disk), here.disk)
            if again != here:
                yield self._to(at, i, "restart", again, at.words)

    def _acted(self, process: Process, here: Whereabouts, row: Transition) -> Whereabouts:
        """Where its own action leads. What has ended never restarts, so that it records at once."""
        for saving, values in process.saves:
            if saving == row and self._has_disk(process):
                assert not isinstance(here.disk, str)
                written = {name for name, _ in values}
                kept = {(name, value) for name, value in here.disk if name not in written}
                return Whereabouts(row.target, frozenset({*kept, *values}))
        after = self._entered(process, row.target, here.disk)
        announced = isinstance(row.action, Send) and isinstance(row.action.message, Crash)
        if after.to_record and (announced or here.state in ended_states(process)):
            return Whereabouts(row.target, row.target)
        return after

    def _has_disk(self, process: Process) -> bool:
        return process.name in self.restart or process.name in self.recording

    def _entered(self, process: Process, state: str, disk: Disk) -> Whereabouts:
        """A durable state that the disk does not hold is recorded next, or now; a crash writes nothing."""
        if not self._has_disk(process) or state not in process.durable or state in process.crashed_states:
            return Whereabouts(state, disk)
        if state == disk:
            return Whereabouts(state, disk)
        if state in process.atomic:
            return Whereabouts(state, state)
        return Whereabouts(state, disk, to_record=True)

    def _to(
        self,
        at: FailingConfiguration,
        i: int,
        what: Transition | str,
        place: Whereabouts,
        words: tuple[Word, ...],
    ) -> FailingStep:
        places = (*at.places[:i], place, *at.places[i + 1 :])
        return FailingStep(self.system.names[i], what, FailingConfiguration(places, words))

    def _words(
        self, name: str, transition: Transition, words: tuple[Word, ...], bound: int
    ) -> Iterator[tuple[Word, ...]]:
        action = transition.action
        channel: Channel | None = channel_of(name, action)
        if channel is None or isinstance(action, Internal):
            yield words
            return
        n = self.system.channel_index[channel]
        if isinstance(action, Send) and len(words[n]) < bound:
            yield (*words[:n], (*words[n], action.message), *words[n + 1 :])
        elif isinstance(action, Receive) and words[n][:1] == (action.message,):
            yield (*words[:n], words[n][1:], *words[n + 1 :])


def _first(process: Process) -> Disk:
    """What the disk holds at first: the initial state; or the initial values of the variables."""
    return frozenset(process.disks[0][0]) if process.disks else process.initial


def _again(process: Process, disk: Disk) -> str:
    """Recovery code for what the disk holds, else for a restart at all, else what the disk holds."""
    if not isinstance(disk, str):
        return next(state for held, state in process.disks if frozenset(held) == disk)
    for wanted in (disk, ""):
        for held, state in process.recovery:
            if held == wanted:
                return state
    return disk
