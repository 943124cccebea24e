"""Goals with negation."""

from __future__ import annotations

from stormproof.kernel.model.actions import Channel, Send
from stormproof.kernel.model.goal import And, At, Contains, Goal, Head, Holds, Named, Not, Or
from stormproof.kernel.model.goal_forms import normal_form, observed_channels
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System

SYSTEM = System([Process("A", "s", [("s", Send("B", "m"), "t")]), Process("B", "s")])


def test_normal_form_and_observed_channels() -> None:
    ab, at = Channel("A", "B"), At("A", ("s",))
    goal = Not(And((at, Or((Not(Holds(ab, ())), Contains(ab, "m"))))))
    expected: Goal = Or((Not(at), And((Holds(ab, ()), Not(Contains(ab, "m"))))))
    assert normal_form(goal) == expected
    assert observed_channels(goal, SYSTEM) == {ab}
    assert observed_channels(And((Holds(ab, ()), Named("at rest"))), SYSTEM) == frozenset()
    assert observed_channels(Not(Head(ab, "m")), SYSTEM) == {ab}
