"""Timers on time as the engine takes them (definitions 16.2 to 16.4): what runs when, as numbers."""

from __future__ import annotations

from ... import _engine
from ...kernel.model.actions import PASSES, Internal, Transition
from ...kernel.model.clocks import due_after, is_timer
from ...kernel.model.process import Process
from ...kernel.model.survival import SurvivalModel
from .lowering import Lowered

#: The process by whose step time passes; of each process its clock or None, when the first timer of each
#: state is due or 0, and the pace of each transition.
PlainClocks = tuple[int, list[int | None], list[list[int]], list[list[_engine.Pace]]]


def plain_clocks(model: SurvivalModel, lowered: Lowered) -> PlainClocks | None:
    """None where timers expire at any time, or nobody has one."""
    clocks = model.extras.clocks
    if clocks is None:
        return None
    index = {name: i for i, name in enumerate(model.system.names)}
    of = [index[clocks.by_role[n]] if n in clocks.by_role else None for n in model.system.names]
    due = [[due_after(p, s) or 0 for s in p.states] for p in model.system]
    rows = zip(model.system, lowered.transitions, strict=True)
    return index[clocks.time], of, due, [[_pace(t) for t in transitions] for _, transitions in rows]


def never_due(model: SurvivalModel, process: Process, transition: Transition) -> bool:
    """Is another timer of the same state always due before this one?"""
    if model.extras.clocks is None or not is_timer(transition):
        return False
    assert isinstance(transition.action, Internal)
    return transition.action.after != due_after(process, transition.source)


def _pace(transition: Transition) -> _engine.Pace:
    action = transition.action
    if action == PASSES:
        return _engine.Pace.PASSES
    if not isinstance(action, Internal) or not action.timeout:
        return _engine.Pace.AT_ONCE
    return _engine.Pace.TIMER if action.is_timer else _engine.Pace.ANY_TIME
