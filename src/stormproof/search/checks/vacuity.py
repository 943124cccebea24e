"""What holds and says nothing, because no run could violate it whatever the protocol did (definitions 10.6).

And answers that depend on a role that has ended not being restarted (definitions 11.2). What is looked at for
that counts as effort.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...kernel.goals.asks import spelt_out
from ...kernel.goals.vacuous import needed, nothing_leads_to, out_of_reach, says_nothing
from ...kernel.model.ask import Ask
from ...kernel.model.goal import READABLE, Goal, show
from ...kernel.model.phrases import listed
from ...kernel.model.requirement import Requirement
from ...kernel.model.rest import ended_states
from ...kernel.model.survival import SurvivalModel
from ...kernel.transform.prepare import with_process_faults
from ..engine.survival import Survey, SurvivalAnswer, survey
from .request import Request

#: Configurations that are looked at, at each bound.
_MOST = 100_000


def vacuity(
    request: Request, requirement: Requirement, model: SurvivalModel, found: SurvivalAnswer
) -> tuple[str, ...]:
    """What there is to say against a requirement that holds."""
    searched = request.searched.requirement(requirement)
    said = says_nothing(searched.claim, model.system, model.failures)
    if said:
        return (said,)
    absent = out_of_reach(requirement.claim, request.prepared, request.model)
    parts = {said: goal for said, goal in needed(requirement.claim, _shown).items() if goal not in absent}
    unreached = _unreached(request, parts, model, found)
    return (*(nothing_leads_to(part, _shown) for part in absent), *unreached)


def _shown(goal: Goal) -> str:
    return show(goal, READABLE)


def _unreached(
    request: Request, parts: Mapping[str, Goal], model: SurvivalModel, found: SurvivalAnswer
) -> list[str]:
    """What to say of the goals that no run reaches at the bound for which the requirement holds. Most are
    reached with one message per channel."""
    left = {said: Ask(False, spelt_out(model, request.searched.goal(goal))) for said, goal in parts.items()}
    last = found.up_to or max(found.k, 1)
    for k in (last,) if request.one_bound else dict.fromkeys((1, last)):
        result = _look(request, model, left, k) if left else None
        if result is None or result.stopped:
            return []
        left = {said: ask for said, ask in left.items() if result.answers[said].holds}
    return list(left)


def _look(request: Request, model: SurvivalModel, asks: Mapping[str, Ask], k: int) -> Survey | None:
    """None where the effort is spent."""
    most = min(_MOST, request.effort.configurations(k))
    if most <= 0:
        return None
    limits = replace(request.limits, disk=None)
    options = replace(request.options, limits=limits, cluster=None)
    result = survey(model, asks, k, options, most=most)
    request.effort.spend_on(result.stored, k)
    return result


def decided_by_an_end(request: Request, name: str, found: SurvivalAnswer) -> tuple[str, ...]:
    """That roles do not restart once they have ended, where what holds would be violated if they did. What is
    violated would be so all the more: a restart is a fault."""
    ending = [n for n in request.model.restart if _may_end(request, n)]
    otherwise = _answer_if_they_did(request, name, found) if ending and found.holds else True
    if otherwise:
        return ()
    do = "does" if len(ending) == 1 else "do"
    they = f"{listed(ending)} {do} not restart after the end (definitions 11.2)"
    if otherwise is None:
        return (f"{they}; whether that decides the answer is not known",)
    return (f"{they}; otherwise this would be violated",)


def _may_end(request: Request, name: str) -> bool:
    process = request.prepared[name]
    return not (ended_states(process) - process.crashed_states).isdisjoint(process.reachable())


def _answer_if_they_did(request: Request, name: str, found: SurvivalAnswer) -> bool | None:
    from .recovery import survival_asks, survival_model

    changed = with_process_faults(request.prepared, request.model, after_end=True)
    other = replace(request, searched=changed, system=changed.system)
    model = survival_model(other)
    asks = {name: survival_asks(other, model)[name]}
    result = _look(other, model, asks, max(found.up_to or found.k, 1))
    return None if result is None or result.stopped else result.answers[name].holds
