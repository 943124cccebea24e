"""A Hypothesis state machine: an implementation of one role among the other roles, with faults.

The other roles and the channels do what the definitions let them do; Hypothesis chooses. What the
implementation does must be allowed by the protocol at every step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from ...kernel.model.actions import Configuration, Internal, Receive, Send, channel_of
from ...kernel.model.phrases import listed
from ...kernel.model.storm_step import StormStep
from ...kernel.semantics.faulty_steps import effect
from ...kernel.semantics.silent_steps import initial
from ..conformance.log import event_of
from .role_states import RoleStates
from .role_test import RoleTest, restarts, timer

#: The others send only while fewer messages than this wait in the channel.
LONGEST = 4

SETTINGS = settings(max_examples=100, stateful_step_count=50, deadline=None)


class RoleMachine(RuleBasedStateMachine):
    """Subclasses say which role of which protocol is tested."""

    test: ClassVar[RoleTest]

    def __init__(self) -> None:
        super().__init__()
        self.model = self.test.model
        self.role = self.test.start()
        self.at = initial(self.model.system)
        self.waits = False
        self.faults: Counter[str] = Counter()

    @precondition(lambda self: any(self._elsewhere()))
    @rule(data=st.data(), steps=st.integers(1, 6))
    def the_others_act(self, data: Any, steps: int) -> None:
        for _ in range(steps):
            if any(self._elsewhere()):
                self._do(_drawn(data, self._elsewhere()))

    @precondition(lambda self: not self.waits or self.role.states.may_send or not self._goes_on())
    @rule(data=st.data())
    def it_sends(self, data: Any) -> None:
        before = self.role.states
        sent = self.role.send()
        self.waits = sent is None
        if sent is not None:
            self._do(_drawn(data, (s for s in self._own(before) if event_of(s.transition.action) == sent)))

    @precondition(lambda self: self.waits and any(self._receptions()))
    @rule(data=st.data())
    def it_receives(self, data: Any) -> None:
        step = _drawn(data, self._receptions())
        event = event_of(step.transition.action)
        if self.role.receive(event.peer, event.message):
            self._do(step)
            self.waits = False

    @precondition(lambda self: self.waits and self.role.states.can(timer()))
    @rule()
    def its_timer_expires(self) -> None:
        self.waits = not self.role.timer()

    @precondition(
        lambda self: (
            self.role.can_restart and self.role.states.can(restarts()) and self._allows(Counter(restart=1))
        )
    )
    @rule()
    def it_restarts(self) -> None:
        self.role.restart()
        self.faults["restart"] += 1
        self.waits = False

    def _goes_on(self) -> bool:
        """May anything happen, besides that it sends?"""
        timed = self.role.states.can(timer())
        return timed or any(self._elsewhere()) or any(self._receptions())

    def _do(self, step: StormStep) -> None:
        self.at = effect(self.model.system, self.at, step)
        self.faults += step.faults

    def _allows(self, more: Counter[str]) -> bool:
        """May these faults still happen?"""
        counts = self.faults + more
        return not more or self.model.budget.allows(counts.total(), counts)

    def _elsewhere(self) -> Iterator[StormStep]:
        """What others may do now."""
        for step in self.test.steps(self.at):
            action = step.transition.action
            channel = channel_of(step.process, action)
            full = channel is not None and len(self.model.word(self.at, channel)) >= LONGEST
            waits = full and isinstance(action, Send)
            if step.process != self.test.role and not waits and self._allows(step.faults):
                yield step

    def _own(self, states: RoleStates) -> Iterator[StormStep]:
        """What the role may do in some of these states, with every fault that may occur."""
        place, at = self.model.system.names.index(self.test.role), self.at
        for state in sorted(states.states):
            here = Configuration((*at.states[:place], state, *at.states[place + 1 :]), at.words)
            mine = (s for s in self.test.steps(here) if s.process == self.test.role)
            yield from (s for s in mine if self._allows(s.faults))

    def _receptions(self) -> Iterator[StormStep]:
        return (s for s in self._own(self.role.states) if isinstance(s.transition.action, Receive))


def _drawn(data: Any, steps: Iterable[StormStep]) -> StormStep:
    """One of the steps, drawn by its description: that is what a failing test prints. Faults and timers are
    left to one draw of five where something else may happen, else few runs would get far."""
    possible = list(steps)
    usual = [step for step in possible if step.calm and not isinstance(step.transition.action, Internal)]
    rare = len(usual) < len(possible) and (not usual or data.draw(st.integers(0, 4)) == 4)
    named: dict[str, StormStep] = {}
    for step in possible if rare else usual:
        faults = listed(step.faults)
        name = f"{step.process} {event_of(step.transition.action)}{' with ' + faults if faults else ''}"
        same = sum(other == name or other.startswith(f"{name} (") for other in named)
        named[f"{name} ({same + 1})" if same else name] = step
    return named[data.draw(st.sampled_from(list(named)))]
