"""The point of no return of a run against survival (definition 10.12): after it nothing comes to rest.

A run is marked there, and one that comes to such a point sooner is searched for.
"""

from __future__ import annotations

from collections import deque
from dataclasses import replace

from ...kernel.model.actions import Configuration
from ...kernel.model.ask import Ask
from ...kernel.model.goal import Goal
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from ...kernel.semantics.goal_meaning import satisfies
from ...kernel.semantics.silent_steps import initial
from ...options import Options
from ..engine.effort import Effort
from ..engine.survival import FoundRun, SurvivalAnswer, survey

#: So many configurations of calm runs are looked at. With more, the run is marked where its storm ends.
MOST = 500


#: So many configurations are explored for a run that comes to its point of no return sooner.
MOST_FOR_SOONER = 1_000_000


def sooner(
    model: SurvivalModel, ask: Ask, found: SurvivalAnswer, options: Options, effort: Effort, certified: int
) -> SurvivalAnswer:
    """The answer with the run that, with as few faults, comes to a point of no return after the fewest
    actions, and from there to where it is stuck; as it is, where no run does that sooner or too much would
    have to be explored."""
    run, most = found.run, min(MOST_FOR_SOONER, effort.configurations(found.k))
    if run is None or run.storm == 0 or most < 1:
        return found
    limits = replace(options.limits, disk=None)
    result = survey(
        replace(model, budget=model.budget.at_most(run.faults)),
        {"": ask},
        found.k,
        options.but(limits=limits, reduction=False),
        most=most,
        certified=certified,
        most_actions=run.storm - 1,
    )
    effort.spend_on(result.stored, found.k)
    answer = result.answers[""]
    if answer.holds is not False or answer.run is None:
        return found
    return replace(found, run=answer.run, listed=answer.listed)


def from_no_return(model: SurvivalModel, ask: Ask, found: FoundRun) -> FoundRun:
    """The same run, whose storm ends at the point of no return. What must follow something is pending
    there."""
    places = [initial(model.system)]
    for step in found.steps[: found.storm]:
        places.append(effect(model, places[-1], step))
    lost: set[Configuration] = set()
    since, asked = found.storm, _asked(model, ask, places)
    if not _never_again(model, ask.goal, places[since], lost):
        return found
    while since > 0 and found.steps[since - 1].calm and asked[since - 1]:
        if not _never_again(model, ask.goal, places[since - 1], lost):
            break
        since -= 1
    return replace(found, storm=since)


def _asked(model: SurvivalModel, ask: Ask, places: list[Configuration]) -> list[bool]:
    """At which moments a calm run to the goal is asked for (definitions 10.18)."""
    found, pending = [], False
    for at in places:
        begins = ask.after is None or satisfies(model, at, ask.after)
        pending = (pending or begins) and not satisfies(model, at, ask.goal)
        found.append(pending)
    return found


def _never_again(model: SurvivalModel, goal: Goal, start: Configuration, lost: set[Configuration]) -> bool:
    """Does no calm run from here lead to the goal? Then what they reach joins the `lost`. Where that is more
    than may be looked at, it is not known."""
    seen, queue = {start}, deque([start])
    while queue:
        at = queue.popleft()
        if at in lost:
            continue
        if satisfies(model, at, goal) or len(seen) > MOST:
            return False
        for step in stormy_steps(model, at):
            after = effect(model, at, step) if step.calm else at
            if after not in seen:
                seen.add(after)
                queue.append(after)
    lost |= seen
    return True
