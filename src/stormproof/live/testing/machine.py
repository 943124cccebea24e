"""A Hypothesis state machine that plays the other roles and the faults: Hypothesis chooses and shrinks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from hypothesis import settings, strategies as st
from hypothesis.stateful import RuleBasedStateMachine, precondition, rule

from ...kernel.model.storm_step import StormStep
from .play import RolePlay, by_name, usual
from .role_test import RoleTest

SETTINGS = settings(max_examples=100, stateful_step_count=50, deadline=None)


class RoleMachine(RuleBasedStateMachine):
    """Subclasses say which role of which protocol is tested."""

    test: ClassVar[RoleTest]

    def __init__(self) -> None:
        super().__init__()
        self.play = RolePlay(self.test)

    @precondition(lambda self: any(self.play.elsewhere()))
    @rule(data=st.data(), steps=st.integers(1, 6))
    def the_others_act(self, data: Any, steps: int) -> None:
        for _ in range(steps):
            if any(self.play.elsewhere()):
                self.play.act(_drawn(data, self.play.elsewhere()))

    @precondition(lambda self: self.play.may_send)
    @rule(data=st.data())
    def it_sends(self, data: Any) -> None:
        self.play.send(lambda steps: _drawn(data, steps))

    @precondition(lambda self: any(self.play.receptions()))
    @rule(data=st.data())
    def it_receives(self, data: Any) -> None:
        self.play.receive(_drawn(data, self.play.receptions()))

    @precondition(lambda self: self.play.may_expire)
    @rule()
    def its_timer_expires(self) -> None:
        self.play.expire()

    @precondition(lambda self: self.play.may_restart)
    @rule()
    def it_restarts(self) -> None:
        self.play.restart()


def _drawn(data: Any, steps: Iterable[StormStep]) -> StormStep:
    """One of the steps, drawn by its description: that is what a failing test prints. Faults and timers are
    left to one draw of five where something else may happen."""
    possible = list(steps)
    calm = usual(possible)
    rare = len(calm) < len(possible) and (not calm or data.draw(st.integers(0, 4)) == 4)
    named = by_name(possible if rare else calm)
    return named[data.draw(st.sampled_from(list(named)))]
