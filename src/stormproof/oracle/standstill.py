"""Where time stands still though a timer waits, read literally (definitions 16.7)."""

from __future__ import annotations

from collections.abc import Collection

from ..kernel.model.actions import Configuration, Internal
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import SurvivalModel
from .steps import faulty_steps


def stands_still(model: SurvivalModel, explored: Collection[Configuration]) -> frozenset[str]:
    """The roles of which a timer waits while steps without time go round within these configurations."""
    clocks = model.extras.clocks
    assert clocks is not None
    return frozenset(role for role, _ in clocks.of if _goes_round(model, set(explored), role))


def _goes_round(model: SurvivalModel, explored: set[Configuration], role: str) -> bool:
    waiting = {at for at in explored if _waits(model, at, role)}
    return any(start in _later(model, start, waiting, role) for start in waiting)


def _later(
    model: SurvivalModel, start: Configuration, waiting: set[Configuration], role: str
) -> set[Configuration]:
    found: set[Configuration] = set()
    queue = [start]
    while queue:
        for step, after in faulty_steps(model, queue.pop()):
            if _takes_no_time(model, step) and step.process != role and after in waiting - found:
                found.add(after)
                queue.append(after)
    return found


def _waits(model: SurvivalModel, at: Configuration, role: str) -> bool:
    state = at.states[model.system.names.index(role)]
    actions = [t.action for t in model.system[role].outgoing(state)]
    return any(isinstance(a, Internal) and a.timeout and a.after > 0 for a in actions)


def _takes_no_time(model: SurvivalModel, step: StormStep) -> bool:
    assert model.extras.clocks is not None
    action = step.transition.action
    timer = isinstance(action, Internal) and action.timeout
    return step.calm and not timer and step.process != model.extras.clocks.time
