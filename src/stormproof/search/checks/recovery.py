"""Does it survive? The request's questions about recovery, put to the search and read back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, partial

from ...kernel.model.ask import RECOVERS as ALWAYS_AT_REST, Ask, clean
from ...kernel.model.goal import mentioned
from ...kernel.model.part import in_part
from ...kernel.model.phrases import any_of, plural
from ...kernel.model.requirement import Requirement
from ...kernel.model.survival import SLACK, SurvivalModel
from ...kernel.semantics.standstill import Standstill
from ...kernel.transform.extras import looking_at, survival_model as with_components_of
from ...limits import Limits, why_interrupted
from ...trust.survival_certificate import MOST, OutOfReach
from ..counterexample.no_return import from_no_return, sooner
from ..engine.survival import SurvivalAnswer
from ..narrate import survival as sentences
from ..narrate.reason import RunEnd
from ..narrate.unanswered import unanswered
from . import implications
from .any_length import MethodsForAnyLength
from .as_reached import or_at_a_mark
from .certify import certify
from .on_time import NOT_SEARCHED, OnTime, asked_on_time, loop_anywhere, past_loops
from .outcome import FoundViolation, Outcome, Survived
from .properties import CLEAN, PROPERTIES, RECOVERS, Decision
from .request import Asks, Request
from .survival import AFTER_VIOLATION, INTERRUPTED, GrowingBounds, decide_survival
from .vacuity import decided_by_an_end, vacuity


def decide_recovery(request: Request) -> dict[str, Outcome]:
    """`recovers` and `clean`, where they are asked, and what the file requires under the same failures."""
    if not request.requirements and not any(_asks_survival(name) for name in request.properties):
        return {}
    model = survival_model(request)
    asks = {n: or_at_a_mark(a, model.system) for n, a in survival_asks(request, model).items()}
    if not asks:
        return {}
    outcomes: dict[str, Outcome] = {}
    groups = _by_what_they_see(model, asks)
    for n, (seen, group) in enumerate(groups):
        # The last has what the others have left.
        own = request if n + 1 == len(groups) else request.sharing_effort(len(groups) - n)
        outcomes |= _decided(own, seen, group)
    return {name: outcomes[name] for name in asks}


def _by_what_they_see(
    model: SurvivalModel, asks: Mapping[str, Ask]
) -> list[tuple[SurvivalModel, dict[str, Ask]]]:
    """Asks that look at the same observers, with a model of no others: what asks for none is not weaker for
    them."""
    groups: dict[tuple[str, ...], tuple[SurvivalModel, dict[str, Ask]]] = {}
    for name, ask in asks.items():
        seen = looking_at(model, ask)
        groups.setdefault(seen.extras.names, (seen, {}))[1][name] = ask
    return [*groups.values()]


def _decided(request: Request, model: SurvivalModel, asks: Mapping[str, Ask]) -> dict[str, Outcome]:
    methods = MethodsForAnyLength(request, model, asks)
    search = GrowingBounds(
        model,
        asks,
        request.effort,
        request.options,
        request.survival_max_k,
        request.one_bound,
        MOST if request.options.certificates else 0,
        methods.decide,
    )
    found = decide_survival(search)
    beside = _BesideTime(request, search, found)
    return {
        n: beside.added(n, _looked_at(request, methods, n, beside.found[n], Survived(model, asks[n])))
        for n in asks
    }


class _BesideTime:
    """What there is to say of timers beside the answers (definitions 16.7, 16.8)."""

    def __init__(self, request: Request, search: GrowingBounds, found: Mapping[str, SurvivalAnswer]) -> None:
        self.search, self.found, self.reasons = search, dict(found), dict[str, str]()
        self.again: Mapping[str, OnTime] = {}
        if not request.options.polish or any(a.stopped == INTERRUPTED for a in found.values()):
            return
        broken = {name: answer for name, answer in found.items() if answer.holds is False}
        try:
            self.again = asked_on_time(request, survival_asks, broken)
            for name in broken if search.model.extras.clocks else ():
                self.found[name], self.reasons[name] = past_loops(search, name, broken[name])
        except KeyboardInterrupt:  # what was found stands
            pass

    def added(self, name: str, outcome: Outcome) -> Outcome:
        """The outcome, with what is known of it on time."""
        reason = self.reasons.get(name, "")
        if outcome.holds is False:
            notes = (*outcome.notes, *([reason] if reason else []))
            return replace(outcome, on_time=self.again.get(name), notes=notes)
        if outcome.holds is None:
            return replace(outcome, reason=reason) if reason else outcome
        loop, known = self._anywhere
        said = (loop.sentence(),) if loop is not None else ()
        notes = outcome.notes if known or loop is not None else (*outcome.notes, NOT_SEARCHED)
        return replace(outcome, vacuous=(*outcome.vacuous, *said), notes=notes)

    @cached_property
    def _anywhere(self) -> tuple[Standstill | None, bool]:
        if self.search.model.extras.clocks is None or not self.search.options.polish:
            return None, True
        return loop_anywhere(self.search.model, 1 if self.search.max_k is None else min(self.search.max_k, 2))


def _looked_at(
    request: Request, methods: MethodsForAnyLength, name: str, found: SurvivalAnswer, asked: Survived
) -> Outcome:
    """The outcome, and what there is to say of it: that it says nothing, or depends on an end."""
    outcome = _outcome(request, methods, name, found, asked)
    if outcome.holds is None or outcome.stopped or not request.options.polish or in_part(request.system):
        return outcome
    try:
        required = next((r for r in request.requirements if name_of(r) == name), None)
        holds = outcome.holds and required is not None
        said = vacuity(request, required, asked.model, found) if holds and required else ()
        return replace(
            outcome, vacuous=said, notes=(*outcome.notes, *decided_by_an_end(request, name, found))
        )
    except KeyboardInterrupt:
        return replace(outcome, stopped=INTERRUPTED)


def _outcome(
    request: Request, methods: MethodsForAnyLength, name: str, found: SurvivalAnswer, asked: Survived
) -> Outcome:
    """Ctrl-C and the deadline withhold nothing that was found: only what makes it stronger."""
    try:
        found = methods.improve(name, found)
        return outcome_of(name, found, asked, request)
    except KeyboardInterrupt:
        known = outcome_of(name, replace(found, stopped=INTERRUPTED, listed=None), asked, request)
        lacking = f"no certificate was made: {why_interrupted()}"
        return replace(known, notes=(*known.notes, lacking)) if found.listed else known


def asked_of(request: Request) -> Asks:
    """The model of survival, and everything that is asked of it."""
    model = survival_model(request)
    return model, survival_asks(request, model)


def survival_asks(request: Request, model: SurvivalModel) -> dict[str, Ask]:
    """What is asked of survival under the failures of the request, by name."""
    asks = {n: _ask(model, n) for n in request.properties if _asks_survival(n)}
    for requirement in request.requirements:
        ask = required_ask(request, model, requirement)
        if ask is not None:
            asks[name_of(requirement)] = ask
    return asks


def required_ask(request: Request, model: SurvivalModel, requirement: Requirement) -> Ask | None:
    """What a requirement asks of survival under the failures of the request; None if it asks of a class."""
    from ...kernel.goals.asks import ask_of

    return ask_of(model, request.searched.requirement(requirement))


def name_of(requirement: Requirement) -> str:
    """The name under which a requirement is asked: its title, unless a property of that name asks something
    else."""
    title = requirement.title
    return title if title not in PROPERTIES or title == requirement.claim.what else f"require {title}"


def _asks_survival(property: str) -> bool:
    return PROPERTIES[property].decision is Decision.SURVIVAL


def survival_model(request: Request) -> SurvivalModel:
    return with_components_of(request.system, request.model, request.budget)


def _ask(model: SurvivalModel, name: str) -> Ask:
    return {RECOVERS.name: ALWAYS_AT_REST, CLEAN.name: clean(model.system, model.rest)}[name]


def outcome_of(name: str, found: SurvivalAnswer, asked: Survived, request: Request) -> Outcome:
    found = _marked(asked, found, request)
    made = certify(name, asked, found, request)
    proof = made.proof if isinstance(made.proof, OutOfReach) else None
    claimed = found.holds is False
    explain = _sentence(asked)
    violation = found.run and FoundViolation(name, None, found.run, asked, claimed, proof, explain)
    return Outcome(
        name,
        found.holds,
        states=found.configurations,
        seconds=found.seconds,
        found=(violation,) if violation else (),
        stopped=found.stopped,
        reason=_reason(found, request.limits),
        up_to=found.up_to,
        fewest=found.fewest,
        tolerated=found.tolerated,
        notes=(*_doubts(found), *((made.note,) if made.note else ())),
        certificate=made.proof,
        fewest_certificate=made.fewest,
    )


def _sentence(asked: Survived) -> Callable[[RunEnd], str]:
    """What says how a run against it ends."""
    if asked.ask == clean(asked.model.system, asked.model.rest):
        return sentences.left_behind
    if asked.ask.after is not None:
        return partial(unanswered, asked.model, asked.ask)
    reached = partial(sentences.reached, about=mentioned(asked.ask.goal))
    return sentences.stuck if asked.ask.always else reached


def _marked(asked: Survived, found: SurvivalAnswer, request: Request) -> SurvivalAnswer:
    """With the run that is shortest up to the point of no return, and on from there. A certificate of what
    follows the storm, as the search has listed it, begins where the storm ends."""
    if found.holds is not False or found.run is None or not asked.ask.always:
        return found
    if asked.model.extras.clocks is not None:  # before it may be a loop without time (definitions 16.7)
        return found
    options, certified = request.options, MOST if request.options.certificates else 0
    if not certified:
        found = replace(found, run=from_no_return(asked.model, asked.ask, found.run))
    if not options.polish or found.stopped:
        return found
    return sooner(asked.model, asked.ask, found, options, request.effort.part(AFTER_VIOLATION), certified)


#: Which limit left a larger bound undecided.
_LIMITS = {
    "time": " within the time limit",
    "states": " within the limit on configurations",
    "memory": " within the memory limit",
}


def _doubts(found: SurvivalAnswer) -> tuple[str, ...]:
    """What is left open beyond the answer, and why."""
    if found.doubt is None:
        return ()
    if found.stopped != INTERRUPTED:
        limit = _LIMITS.get(found.doubt_limit, "")
        return (f"channels of length {found.doubt} are not decided{limit}",)
    known = f"holds up to channels of length {found.up_to}"
    return (f"interrupted at k = {found.doubt} after {found.configurations:,} configurations: {known}",)


def _reason(found: SurvivalAnswer, limits: Limits) -> str:
    """Why it is undecided."""
    if found.holds is not None:
        return ""
    if found.run is not None:
        return (
            f"after {plural(found.run.faults, 'fault')} no calm run with at most {found.k + SLACK} messages "
            "per channel leads to the goal; longer ones are not excluded"
        )
    if found.tolerated is None and not found.stopped:
        return ""
    limit = implications.undecided(found.stopped, limits, found.k, found.configurations, ())
    if found.tolerated is None:
        return limit
    survived = f"survives {any_of(found.tolerated, 'fault')}; " if found.tolerated else ""
    return f"{survived}{plural(found.tolerated + 1, 'fault')} not decided: {limit}"
