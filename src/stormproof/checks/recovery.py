"""Does it survive? The request's questions about recovery, put to the search and read back."""

from __future__ import annotations

from ..model.ask import RECOVERS as ALWAYS_AT_REST
from ..model.ask import Ask, clean
from ..model.phrases import plural
from ..model.rest import rest_states
from ..model.survival import SLACK, SurvivalModel
from .outcome import Found, Outcome, Survived
from .properties import CLEAN, PROPERTIES, RECOVERS, Decision
from .request import Request
from .survival import Effort, SurvivalOutcome, decide_survival


def decide_recovery(request: Request) -> dict[str, Outcome]:
    """`recovers` and `clean`, where they are asked."""
    wanted = [n for n in request.properties if PROPERTIES[n].decision is Decision.SURVIVAL]
    if not wanted:
        return {}
    model = survival_model(request)
    asks = {name: _ask(model, name) for name in wanted}
    found = decide_survival(
        model,
        asks,
        Effort(request.options.effort, request.limits, request.started),
        request.survival_max_k,
        request.one_bound,
        request.options.progress,
    )
    return {name: outcome_of(name, found[name], Survived(model, asks[name])) for name in wanted}


def survival_model(request: Request) -> SurvivalModel:
    rest = rest_states(request.system)
    return SurvivalModel(request.system, request.model, rest, budget=request.options.budget)


def _ask(model: SurvivalModel, name: str) -> Ask:
    return {RECOVERS.name: ALWAYS_AT_REST, CLEAN.name: clean(model.system, model.rest)}[name]


def outcome_of(name: str, found: SurvivalOutcome, asked: Survived) -> Outcome:
    notes, reason = [], ""
    if found.holds is None and found.run is not None:
        reason = (
            f"after {plural(found.run.faults, 'fault')} no calm run with at most {found.k + SLACK} messages "
            "per channel leads to the goal; longer ones are not excluded"
        )
    elif found.holds is None and found.tolerated is not None:
        more = found.tolerated + 1
        reason = f"survives any {plural(found.tolerated, 'fault')}; {more} not decided (k = {found.k})"
    if found.doubt is not None:
        notes.append(f"channels of length {found.doubt} are not decided within the effort")
    return Outcome(
        name,
        found.holds,
        states=found.configurations,
        seconds=found.seconds,
        found=() if found.run is None else (Found(name, None, found.run, asked, found.holds is False),),
        stopped=found.stopped,
        reason=reason,
        up_to=found.up_to,
        fewest=found.fewest,
        tolerated=found.tolerated,
        notes=tuple(notes),
    )
