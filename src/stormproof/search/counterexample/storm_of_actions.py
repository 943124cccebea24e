"""From one run to another by the same actions, in which faults occur at a send or a reception (definitions
9.1): what the methods without a bound find, as requirements speak of it.
"""

from __future__ import annotations

from ...kernel.model.actions import Channel, Internal, Transition
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ..engine.survival import FoundRun
from .end_contents import exactly
from .explain_firings import explain


def storm_of_actions(model: SurvivalModel, run: Witness, ending: str | None = None) -> FoundRun | None:
    """The run with the same actions and the same end, each channel with as few faults as possible; None where
    that takes too many contents to find. The budget is not looked at."""
    steps = explain(model.failures, _actions(model, run), exactly(run.channels))
    if isinstance(steps, Channel):
        return None
    faults = sum(step.faults.total() for step in steps)
    return FoundRun(steps, len(steps), faults, ending, shortest=False)


def _actions(model: SurvivalModel, run: Witness) -> list[StormStep]:
    at = {p.name: p.initial for p in model.system}
    steps = []
    for act in run.acts:
        taken = Transition(at[act.process], act.action, act.state)
        fault = model.process_fault(act.process, act.action) if isinstance(act.action, Internal) else None
        steps.append(StormStep(act.process, taken, fault))
        at[act.process] = act.state
    return steps
