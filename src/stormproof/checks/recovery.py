"""Does it survive? The request's questions about recovery, put to the search and read back."""

from __future__ import annotations

from dataclasses import replace

from ..goals.asks import ask_of
from ..model.ask import RECOVERS as ALWAYS_AT_REST
from ..model.ask import Ask, clean
from ..model.phrases import plural
from ..model.rest import rest_states
from ..model.survival import SLACK, SurvivalModel
from ..narrate import survival as sentences
from .outcome import FoundViolation, Outcome, Survived
from .properties import CLEAN, PROPERTIES, RECOVERS, Decision
from .request import Request
from .requirements import proved_never
from .survival import Effort, SurvivalOutcome, decide_survival


def decide_recovery(request: Request) -> dict[str, Outcome]:
    """`recovers` and `clean`, where they are asked, and what the file requires under the same failures."""
    model = survival_model(request)
    asks = survival_asks(request, model)
    if not asks:
        return {}
    found = decide_survival(
        model,
        asks,
        Effort(request.options.effort, request.limits, request.started),
        request.survival_max_k,
        request.one_bound,
        request.options.progress,
    )
    found = {name: _for_any_length(request, asks[name], outcome) for name, outcome in found.items()}
    return {name: outcome_of(name, found[name], Survived(model, asks[name])) for name in asks}


def survival_asks(request: Request, model: SurvivalModel) -> dict[str, Ask]:
    """What is asked of survival under the failures of the request, by name."""
    asks = {n: _ask(model, n) for n in request.properties if PROPERTIES[n].decision is Decision.SURVIVAL}
    for requirement in request.requirements:
        ask = ask_of(model, request.on_searched_states(requirement))
        if ask is not None:
            asks[requirement.title] = ask
    return asks


def survival_model(request: Request) -> SurvivalModel:
    rest = rest_states(request.system)
    return SurvivalModel(request.system, request.model, rest, budget=request.options.budget)


def _ask(model: SurvivalModel, name: str) -> Ask:
    return {RECOVERS.name: ALWAYS_AT_REST, CLEAN.name: clean(model.system, model.rest)}[name]


def _for_any_length(request: Request, ask: Ask, found: SurvivalOutcome) -> SurvivalOutcome:
    """What must never happen, and does not up to some length, may be proved to be out of reach for any."""
    if ask.always or not found.holds or found.up_to is None or request.one_bound:
        return found
    if proved_never(request.system, request.model, ask.goal, request):
        return replace(found, up_to=None, doubt=None)
    return found


def outcome_of(name: str, found: SurvivalOutcome, asked: Survived) -> Outcome:
    claimed = found.holds is False
    explain = sentences.stuck if asked.ask.always else sentences.reached
    explain = sentences.left_behind if name == CLEAN.name else explain
    runs = () if found.run is None else (FoundViolation(name, None, found.run, asked, claimed, explain),)
    doubt = f"channels of length {found.doubt} are not decided within the effort"
    return Outcome(
        name,
        found.holds,
        states=found.configurations,
        seconds=found.seconds,
        found=runs,
        stopped=found.stopped,
        reason=_reason(found),
        up_to=found.up_to,
        fewest=found.fewest,
        tolerated=found.tolerated,
        notes=() if found.doubt is None else (doubt,),
    )


def _reason(found: SurvivalOutcome) -> str:
    """Why it is undecided."""
    if found.holds is not None:
        return ""
    if found.run is not None:
        return (
            f"after {plural(found.run.faults, 'fault')} no calm run with at most {found.k + SLACK} messages "
            "per channel leads to the goal; longer ones are not excluded"
        )
    if found.tolerated is None:
        return ""
    return (
        f"survives any {plural(found.tolerated, 'fault')}; {found.tolerated + 1} not decided (k = {found.k})"
    )
