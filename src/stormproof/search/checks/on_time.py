"""Timers on time beside timers at any time (definitions 16.7, 16.8): what a violation owes to slow messages,
and where answers with timers on time mean less than they say."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...kernel.model.ask import Ask
from ...kernel.model.clocks import has_timers
from ...kernel.model.goal import And, At, Or
from ...kernel.model.part import in_part
from ...kernel.model.phrases import plural
from ...kernel.model.survival import SLACK, SurvivalModel
from ...kernel.semantics.faulty_steps import effect
from ...kernel.semantics.silent_steps import initial
from ...kernel.semantics.standstill import Standstill, may_stand_still, standstill
from ...kernel.transform.extras import survival_model
from ...kernel.transform.prepare import with_process_faults
from ...records import dataclass
from ..engine.survival import SurvivalAnswer
from .request import Request
from .survival import AFTER_VIOLATION, GrowingBounds, decide_survival

#: Configurations that are searched for loops without time: after a violation, and for an answer that holds.
MOST_AFTER, MOST_OF_ALL = 2_000, 5_000
#: So many violations are looked at, until one is found that no such loop follows.
MOST_VIOLATIONS = 3

#: A tick with timers on time of which it is not known.
NOT_SEARCHED = (
    "whether time stands still somewhere is not decided: there are more than "
    f"{MOST_OF_ALL:,} configurations, or channels that grow"
)
#: The same of a violation.
NOT_FOLLOWED = "whether time stands still after it is not decided"
_ALSO = "also if everything is faster than every timer"
_ONLY = "only if a message, an action or a clock is slower than a timer that waits for it"


@dataclass(frozen=True)
class OnTime:
    """What a violation with timers at any time becomes with timers on time: `holds` None where that is not
    decided; up to so many messages per channel, None for any number. `faults`: how many the run has then,
    where it has another number of them."""

    holds: bool | None
    up_to: int | None = None
    faults: int | None = None

    def __str__(self) -> str:
        if self.holds is None:
            return "whether also if everything is faster than every timer is not decided"
        if not self.holds:
            return _ALSO if self.faults is None else f"{_ALSO}, then with {plural(self.faults, 'fault')}"
        return _ONLY if self.up_to is None else f"{_ONLY} (decided up to channels of length {self.up_to})"

    def to_json(self) -> dict[str, Any]:
        other = {} if self.faults is None else {"faults": self.faults}
        return {"holds": self.holds, "up_to": self.up_to, **other}


def asked_on_time(
    request: Request,
    asks_on: Callable[[Request, SurvivalModel], Mapping[str, Ask]],
    violated: Mapping[str, SurvivalAnswer],
) -> dict[str, OnTime]:
    """Each violation asked again; `asks_on` says what is asked of a model."""
    if (
        request.model.on_time
        or not violated
        or in_part(request.system)
        or not any(map(has_timers, request.prepared))
    ):
        return {}
    effort = request.effort.part(AFTER_VIOLATION)
    if effort.left <= 0:
        return dict.fromkeys(violated, OnTime(None))
    failures = replace(request.model, on_time=True)
    again = replace(request, model=failures, searched=with_process_faults(request.prepared, failures))
    again = replace(again, system=again.searched.system)
    model = survival_model(again.system, failures, request.budget)
    asks = {name: ask for name, ask in asks_on(again, model).items() if name in violated}
    bounds = request.survival_max_k, request.one_bound
    found = decide_survival(GrowingBounds(model, asks, effort, request.options, *bounds))
    return {name: _compared(model, asks[name], answer, violated[name]) for name, answer in found.items()}


def _compared(model: SurvivalModel, ask: Ask, now: SurvivalAnswer, before: SurvivalAnswer) -> OnTime:
    if now.holds is False:
        if loop_after(model, ask, now)[0]:
            return OnTime(None)
        same = now.run is None or before.run is None or now.run.faults == before.run.faults
        return OnTime(False, faults=None if same or now.run is None else now.run.faults)
    far = now.up_to is None or now.up_to >= before.k
    return OnTime(True if now.holds and far else None, now.up_to)


def loop_after(model: SurvivalModel, ask: Ask, found: SurvivalAnswer) -> tuple[Standstill | None, bool]:
    """A loop without time that follows a violation of what must stay possible; and whether that is known."""
    if model.extras.clocks is None or not ask.always or found.run is None or not may_stand_still(model):
        return None, True
    at = initial(model.system)
    for step in found.run.steps[: found.run.storm]:
        at = effect(model, at, step)
    return standstill(model, [at], found.k + SLACK, MOST_AFTER, calm=True)


def past_loops(search: GrowingBounds, name: str, found: SurvivalAnswer) -> tuple[SurvivalAnswer, str]:
    """The violation, if no loop without time follows it, or another one that none follows; else it is
    undecided, and why."""
    ask, reason = search.asks[name], ""
    for _ in range(MOST_VIOLATIONS):
        loop, known = loop_after(search.model, search.asks[name], found)
        if loop is None:
            return found, "" if known else NOT_FOLLOWED
        reason = reason or loop.sentence()
        ask = without_loop(ask, search.model, loop)
        effort = search.effort.part(AFTER_VIOLATION)
        again = decide_survival(replace(search, asks={name: ask}, effort=effort))[name]
        if again.holds is not False:
            break
        found = again
    return replace(found, holds=None, fewest=False, listed=None, proof=None), reason


def loop_anywhere(model: SurvivalModel, k: int) -> tuple[Standstill | None, bool]:
    """A loop without time that runs with at most so many messages per channel lead to."""
    if not may_stand_still(model):
        return None, True
    return standstill(model, [initial(model.system)], k, MOST_OF_ALL, calm=False)


def without_loop(ask: Ask, model: SurvivalModel, loop: Standstill) -> Ask:
    """The question whose violations do not lead to where these steps go round."""
    names = zip(model.system.names, loop.at.states, strict=True)
    hidden = set(model.extras.names)
    there = And(tuple(At(name, (state,)) for name, state in names if name not in hidden))
    return replace(ask, goal=Or((ask.goal, there)))
