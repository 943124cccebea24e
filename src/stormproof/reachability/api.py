"""The question as users put it."""

from __future__ import annotations

from ..engine.watch import ProgressCallback
from ..goals.cubes import cubes
from ..goals.parse import parse_goal
from ..limits import Limits
from ..model.failures import FailureModel, Failures
from ..model.goal import Goal, show
from ..model.system import System
from .answer import Answer
from .portfolio import solve


def reach(
    system: System,
    goal: str | Goal,
    failures: Failures | None = None,
    *,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
) -> Answer:
    """Can the goal ever be reached, with channels of any length?

    The goal is a text in the language of `stormproof.goals`. The answer is *reachable* with a run,
    *unreachable* with a certificate, or *undecided*; runs and certificates have been checked.
    """
    prepared, model, notes = prepare(system, failures or Failures())
    parsed = parse_goal(goal, prepared) if isinstance(goal, str) else goal
    asked = cubes(parsed, prepared, model)
    return solve(prepared, model, asked, show(parsed), limits or Limits(), progress, notes)


def prepare(system: System, failures: Failures) -> tuple[System, FailureModel, tuple[str, ...]]:
    """The system as it is searched: where somebody may crash, crash handling is completed as `check` does."""
    model = failures.on(system)
    if not model.unreliable:
        return system, model, ()
    from ..transform.prepare import prepare as complete

    return complete(system, failures)
