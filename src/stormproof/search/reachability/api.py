"""The question as users put it."""

from __future__ import annotations

from ...errors import UsageError
from ...kernel.goals.cubes import cubes
from ...kernel.goals.parse import parse_goal
from ...kernel.model.failures import Failures
from ...kernel.model.failures_text import process_failures
from ...kernel.model.goal import Goal, mentioned, show
from ...kernel.model.goal_forms import stays_with_more_messages
from ...kernel.model.system import System
from ...kernel.transform.added_states import added_states, describe_added, outside_added_states
from ...kernel.transform.prepare import prepare, with_process_faults
from ...limits import EFFORT, Limits, as_a_whole, check_effort
from ...options import ProgressCallback
from .answer import UNDECIDED, Answer
from .fewest_faults import with_fewest_faults
from .portfolio import solve
from .within_budget import all_of_it, by_forward_search, within_budget


@as_a_whole
def reach(
    system: System,
    goal: str | Goal,
    failures: Failures | None = None,
    *,
    limits: Limits | None = None,
    progress: ProgressCallback | None = None,
    with_added_states: bool = False,
    effort: int = EFFORT,
) -> Answer:
    """Can the goal ever be reached, with channels of any length?

    The goal is a text in the language of `stormproof.kernel.goals`. The answer is *reachable* with a run,
    *unreachable* with a certificate, or *undecided*; runs and certificates have been checked. The run has the
    fewest faults that were found; `fewest` says whether no run has fewer. `effort`: how many configurations
    each method may explore, or as much of what it counts. A named goal does
    not match where somebody is in a state that crash handling added, unless `with_added_states`.
    """
    check_effort(effort)
    failures = failures or Failures()
    if not isinstance(goal, str | Goal):
        raise TypeError(f"expected a goal in words, such as 'deadlock', not {goal!r}")
    marked, model, notes = prepare(system, failures)
    if model.on_time:
        problem = "reach knows no clocks, so it does not decide what timers on time reach"
        raise UsageError(problem, hint="ask `check` for never GOAL, or reach with --timers any-time")
    parsed = parse_goal(goal, marked) if isinstance(goal, str) else goal
    meant = parsed if with_added_states else outside_added_states(parsed, system, marked)
    searched = with_process_faults(marked, model)
    mapped = searched.goal(meant)
    notes, most = (*notes, *process_failures(marked, model)), limits or Limits()
    if meant is not parsed:
        left = describe_added(added_states(system, marked))
        notes = (*notes, f"not looked for in states that crash handling added ({left})")
    watched = {observer.name for observer in searched.system.observers}
    cut = bool(model.cuts) and not stays_with_more_messages(mapped)  # definitions 15.6
    if searched.system.mailboxes or cut or not watched.isdisjoint(mentioned(mapped)):
        unknown = Answer(UNDECIDED, show(parsed), "", searched.system, model, (), notes=notes)
        answer = by_forward_search(unknown, mapped, failures.budget, most, progress, effort)
    else:
        asked = cubes(mapped, searched.system, model)
        answer = solve(searched.system, model, asked, show(parsed), most, progress, notes, effort=effort)
        if failures.budget.limited:
            answer = within_budget(answer, mapped, failures.budget, most, progress, effort)
        elif answer.answer == UNDECIDED and any(cube.excludes for cube in asked):
            answer = all_of_it(answer, mapped, most, progress, effort)
    return with_fewest_faults(answer, mapped, most, progress, failures.budget, effort)
