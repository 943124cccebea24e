"""The run that is shown of a reachable goal: fewest faults, then fewest actions.

The methods of the portfolio look for any run. Once there is one, storms are searched in the order of (faults,
actions), as for the requirement `never G` (definitions 10.11, 10.12), at growing bounds and within an effort.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from ...errors import InternalError
from ...kernel.goals.asks import spelt_out
from ...kernel.model.ask import Ask
from ...kernel.model.budget import NO_BUDGET, Budget
from ...kernel.model.goal import And, Goal, Named, Not, Or
from ...kernel.model.run import Witness
from ...kernel.model.survival import SurvivalModel
from ...kernel.transform.extras import looking_at, survival_model
from ...limits import EFFORT, MAX_K, Limits
from ...options import ProgressCallback
from ...trust.replay_storm import replay_storm
from ..counterexample.fewest_faults import fewer_faults
from ..counterexample.storm_run import storm_witness
from ..engine.effort import Effort, bounds_from
from ..engine.survival import FoundRun, survey
from .answer import Answer
from .proofs import reached_at_any_length

#: One part of so many of the effort is for the question whether there is a run without faults.
_WITHOUT_FAULTS = 20


def with_fewest_faults(
    answer: Answer,
    goal: Goal,
    limits: Limits,
    progress: ProgressCallback | None = None,
    budget: Budget = NO_BUDGET,
    effort: int = EFFORT,
) -> Answer:
    """The answer with the best run that is found within the effort; whether its faults are the fewest."""
    if answer.run is None:
        return answer
    if answer.run.fault_count == 0 or not is_askable(goal):
        return replace(answer, fewest=answer.run.fault_count == 0)
    model = survival_model(answer.system, answer.model, budget)
    ask = Ask(False, spelt_out(model, goal))
    model = looking_at(model, ask)
    known, bounds = answer.run.fault_count, bounds_from(1, MAX_K)
    search = partial(survey, limits=limits, progress=progress)
    found = fewer_faults(model, ask, known + 1, bounds, Effort(effort), search)
    best = answer.run if found.run is None else min(_replayed(model, ask, found.run), answer.run, key=_cost)
    if found.proved or best.fault_count == 0:
        return replace(answer, run=best, fewest=True)
    calm = reached_at_any_length(model, ask.goal, limits, effort // _WITHOUT_FAULTS, faults=False)
    if calm is not None and calm.run is not None:
        return replace(answer, run=calm.run, fewest=True)
    proved = best.fault_count == 1 and calm is not None and calm.certificate is not None
    return replace(answer, run=best, fewest=proved)


def _replayed(model: SurvivalModel, ask: Ask, found: FoundRun) -> Witness:
    run = storm_witness(model, found)
    replayed = replay_storm(model, ask, run)
    if not replayed.established:
        raise InternalError(f"the run with the fewest faults does not replay: {replayed.message}")
    return run


def _cost(run: Witness) -> tuple[int, int]:
    return run.fault_count, len(run.acts)


def is_askable(goal: Goal) -> bool:
    """Is the goal one of configurations alone? `deadlock-for-good` speaks of their futures."""
    if isinstance(goal, And | Or):
        return all(map(is_askable, goal.parts))
    return is_askable(goal.part) if isinstance(goal, Not) else goal != Named("deadlock-for-good")
