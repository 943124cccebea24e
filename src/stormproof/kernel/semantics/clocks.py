"""When timers expire that are on time, and when time passes (definitions 16.2 to 16.4)."""

from __future__ import annotations

from ..model.actions import PASSES, Configuration, Internal, Receive, Send, Transition, channel_of
from ..model.clocks import due_after, is_timer
from ..model.process import Process
from ..model.survival import SurvivalModel


class Moment:
    """A configuration in which timers are on time; whether somebody is busy is looked up once."""

    def __init__(self, model: SurvivalModel, at: Configuration) -> None:
        assert model.extras.clocks is not None
        self.model, self.at, self.clocks = model, at, model.extras.clocks
        self._busy: bool | None = None

    def allows(self, process: Process, transition: Transition) -> bool:
        """May a role, or time, take this transition now, as far as clocks decide it?"""
        if transition.action == PASSES:
            left = [*self._left()]
            return bool(left) and min(left) > 0 and not self.busy
        if not is_timer(transition):
            return True
        assert isinstance(transition.action, Internal)
        return transition.action.after == self._runs(process.name) and not self.busy

    @property
    def busy(self) -> bool:
        """Is a step possible that takes no time? A send is, whatever its channel holds."""
        if self._busy is None:
            rows = zip(self.model.system, self.at.states)
            self._busy = any(self._at_once(p.name, t) for p, state in rows for t in p.outgoing(state))
        return self._busy

    def _at_once(self, process: str, transition: Transition) -> bool:
        action = transition.action
        if isinstance(action, Send):
            return True
        if isinstance(action, Receive):
            channel = channel_of(process, action)
            assert channel is not None
            return self.model.word(self.at, channel)[:1] == (action.message,)
        ordinary = not action.timeout and action != PASSES and self.model.can_happen(process, transition)
        return ordinary and self.model.process_fault(process, action) is None

    def _runs(self, role: str) -> int:
        """How long the present state of a role has lasted."""
        return int(self.model.state(self.at, self.clocks.by_role[role]))

    def _left(self) -> list[int]:
        """After how much more time the timers that run are due, of each role the first."""
        found = []
        for role, _ in self.clocks.of:
            due = due_after(self.model.system[role], self.model.state(self.at, role))
            if due is not None:
                found.append(due - self._runs(role))
        return found


def clocks_after(
    model: SurvivalModel, states: tuple[str, ...], process: str, transition: Transition
) -> tuple[str, ...]:
    """The states after a step, given those of the roles: a clock counts the time that passes while a timer
    of its role runs, and begins anew when its role acts or is hit by a fault."""
    clocks, names = model.extras.clocks, model.system.names
    assert clocks is not None
    after = list(states)
    if transition.action == PASSES:
        for role, clock in clocks.of:
            if due_after(model.system[role], states[names.index(role)]) is not None:
                after[names.index(clock)] = str(int(states[names.index(clock)]) + 1)
    elif process in clocks.by_role:
        after[names.index(clocks.by_role[process])] = "0"
    return tuple(after)
