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
from .fewest_faults import with_fewest_faults
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
    *unreachable* with a certificate, or *undecided*; runs and certificates have been checked. The run has the
    fewest faults that were found within an effort; `fewest` says whether no run has fewer.
    """
    marked, model, notes = prepare(system, failures or Failures())
    parsed = parse_goal(goal, marked) if isinstance(goal, str) else goal
    searched = with_process_faults(marked, model)
    mapped = searched.goal(parsed)
    asked = cubes(mapped, searched.system, model)
    notes, most = (*notes, *process_failures(marked, model)), limits or Limits()
    answer = solve(searched.system, model, asked, show(parsed), most, progress, notes)
    return with_fewest_faults(answer, mapped, most, progress)
