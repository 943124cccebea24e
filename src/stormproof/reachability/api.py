"""The question as users put it."""

from __future__ import annotations

from ..engine.watch import ProgressCallback
from ..goals.cubes import cubes
from ..goals.parse import parse_goal
from ..limits import Limits
from ..model.failures import Failures
from ..model.failures_text import process_failures
from ..model.goal import Goal, show
from ..model.system import System
from ..transform.prepare import prepare, with_process_faults
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
    marked, model, notes = prepare(system, failures or Failures())
    parsed = parse_goal(goal, marked) if isinstance(goal, str) else goal
    searched = with_process_faults(marked, model)
    asked = cubes(searched.goal(parsed), searched.system, model)
    notes = (*notes, *process_failures(marked, model))
    return solve(searched.system, model, asked, show(parsed), limits or Limits(), progress, notes)
