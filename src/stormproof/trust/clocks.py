"""Timers on time for the trusted kernels (definitions 16.2 to 16.4): a reading of its own.

A step may be an expiry only if nothing else is seen to be possible, and its timer is due.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..kernel.model.actions import Internal, Message, Receive, Transition, channel_of
from ..kernel.model.survival import SurvivalModel

#: The contents of the channels, or as much as their heads.
ChannelHeads = Sequence[tuple[Message, ...]]


class Time:
    """Which steps the clocks of a model allow, and what they show afterwards."""

    def __init__(self, model: SurvivalModel) -> None:
        self.model, self.clocks = model, model.extras.clocks
        names, of = model.system.names, self.clocks.of if self.clocks else ()
        self._place = {role: (names.index(role), names.index(clock)) for role, clock in of}
        self._channel = model.system.channel_index
        self._due = {role: {s: self._first(role, s) for s in model.system[role].states} for role, _ in of}
        self._active = {
            (process.name, s): tuple(t for t in process.outgoing(s) if self._is_at_once(process.name, t))
            for process in model.system
            for s in (process.states if self.clocks else ())
        }

    def _first(self, role: str, state: str) -> int:
        numbers = [number for t in self.model.system[role].outgoing(state) if (number := _number(t)) > 0]
        return min(numbers, default=0)

    def _is_at_once(self, name: str, taken: Transition) -> bool:
        """Does it take no time, when it is possible?"""
        action = taken.action
        if not isinstance(action, Internal):
            return True
        fault = action.is_fault or (name, action.name) in self.model.process_faults
        assert self.clocks is not None
        return not fault and not action.timeout and name != self.clocks.time

    def allows(self, states: Sequence[str], contents: ChannelHeads, name: str, taken: Transition) -> bool:
        """May this transition be taken in these states, whatever its message?"""
        if self.clocks is None or not self.looks_at(name, taken):
            return True
        number = _number(taken)
        if self._anything_else(states, contents):
            return False
        if name == self.clocks.time:
            waits = [
                self._due[r][states[i]] - int(states[c])
                for r, (i, c) in self._place.items()
                if self._due[r][states[i]]
            ]
            return bool(waits) and all(wait > 0 for wait in waits)
        return int(states[self._place[name][1]]) == number

    def _anything_else(self, states: Sequence[str], contents: ChannelHeads) -> bool:
        for process, state in zip(self.model.system, states):
            for taken in self._active[process.name, state]:
                action = taken.action
                if not isinstance(action, Receive):
                    return True
                channel = channel_of(process.name, action)
                assert channel is not None
                if contents[self._channel[channel]][:1] == (action.message,):
                    return True
        return False

    def looks_at(self, name: str, taken: Transition) -> bool:
        """Do clocks decide whether this transition can be taken?"""
        return self.clocks is not None and (self.is_time(name) or _number(taken) > 0)

    def is_time(self, name: str) -> bool:
        return self.clocks is not None and name == self.clocks.time

    def moves(self, name: str) -> Mapping[int, Mapping[str, str]]:
        """The clock of the role that acts, by its number, if it has one: from everywhere it begins anew."""
        if name not in self._place:
            return {}
        clock = self._place[name][1]
        return {clock: dict.fromkeys(self.model.system.processes[clock].states, "0")}

    def ticking(self, states: Sequence[str]) -> list[int]:
        """The clocks that show more after time has passed."""
        return [clock for role, (i, clock) in self._place.items() if self._due[role][states[i]]]

    def after(self, states: tuple[str, ...], name: str) -> tuple[str, ...]:
        """The states after a step of a role, or after a unit of time, given those of the roles."""
        if self.clocks is None:
            return states
        now = list(states)
        if name == self.clocks.time:
            for clock in self.ticking(states):
                now[clock] = str(int(states[clock]) + 1)
        elif name in self._place:
            now[self._place[name][1]] = "0"
        return tuple(now)


def _number(taken: Transition) -> int:
    """The number of a timer that has one; 0 for everything else."""
    action = taken.action
    return action.after if isinstance(action, Internal) and action.timeout else 0
