"""From what was decided, and the run that shows it, to the verdict: its reason and what it implies."""

from __future__ import annotations

from dataclasses import replace

from ...kernel.model.in_a_row import InARow, most_in_a_row
from ...kernel.model.part import in_part
from ...kernel.model.run import Witness, blamed
from ...kernel.transform.added_states import added_states, describe_added
from ..narrate.reason import why
from . import implications
from .evidence import Evidence, EvidenceFile
from .outcome import Outcome, Tried
from .report import OtherCulprit, Verdict
from .request import Request


def conclude(request: Request, outcome: Outcome, evidence: EvidenceFile) -> Verdict:
    outcome = _as_settled(request, outcome)
    verdict = Verdict(
        outcome.property,
        outcome.holds,
        k=outcome.k,
        reason=outcome.reason,
        states=outcome.states,
        transitions=outcome.transitions,
        seconds=outcome.seconds,
        tried=outcome.tried,
        notes=(*outcome.vacuous, *outcome.notes),
        vacuous=outcome.vacuous,
        stopped=outcome.stopped,
        up_to=outcome.up_to,
        fewest=outcome.fewest,
        tolerated=outcome.tolerated,
        counts=outcome.property in request.counted,
        certificate=outcome.certificate,
        fewest_certificate=outcome.fewest_certificate,
        on_time=outcome.on_time,
        unbounded=request.options.unbounded,
        in_a_row=_longer_rows(request, outcome),
    )
    if outcome.holds:
        return replace(verdict, notes=(*verdict.notes, *_on_holding(request, outcome)))
    if outcome.found:
        verdict = _violated(request, verdict, outcome, evidence)
    if outcome.holds is None:
        return replace(verdict, reason=outcome.reason or _undecided(request, outcome))
    return verdict


def _as_settled(request: Request, outcome: Outcome) -> Outcome:
    """Where it is not known whether runs come to a mark, only a violation is an answer."""
    if not request.unsettled or not outcome.holds:
        return outcome
    return Outcome(outcome.property, None, states=outcome.states, stopped=request.unsettled)


def _longer_rows(request: Request, outcome: Outcome) -> InARow | None:
    """Who sends more messages in a row than a bounded answer has looked at."""
    if not outcome.holds or outcome.up_to is None or in_part(request.system):
        return None
    row = most_in_a_row(request.system)
    return row if row is not None and row.exceeds(outcome.up_to) else None


def _on_holding(request: Request, outcome: Outcome) -> tuple[str, ...]:
    return implications.on_holding(request.system, request.model, outcome.property, outcome.exploration)


def _undecided(request: Request, outcome: Outcome) -> str:
    failed = [t.k for t in outcome.tried if t.holds is False]
    k = None if outcome.exploration is None else outcome.exploration.k
    return implications.undecided(outcome.stopped, request.limits, k, outcome.states, failed)


def _violated(request: Request, verdict: Verdict, outcome: Outcome, evidence: EvidenceFile) -> Verdict:
    shown = evidence.against(outcome)
    sentence = outcome.reason or why(shown.explain, request.system, request.model, shown.k, shown.witness)
    where = "" if request.one_bound else _where(shown.part, outcome.property, outcome.tried)
    stuck = _in_added_states(request, shown.witness)
    failing = implications.on_failing(request.system, request.model, outcome.property, outcome.exploration)
    return replace(
        verdict,
        k=shown.k if request.one_bound else None,
        reason=f"{where}{sentence}",
        witness=shown.witness,
        witness_k=shown.k,
        part=shown.part,
        replayed=shown.established,
        fewest=verdict.fewest or shown.fewest,
        certificate=verdict.certificate or shown.certificate,
        others=_others(request, shown),
        notes=(
            *outcome.notes,
            *stuck,
            *failing,
            *shown.notes,
            *((implications.LASTS,) if outcome.lasts else ()),
        ),
    )


def _in_added_states(request: Request, witness: Witness) -> tuple[str, ...]:
    """Who ends where its author has not written what to do, which completed crash handling then does."""
    if request.asked is request.prepared:
        return ()
    added = added_states(request.asked, request.prepared)
    at = {p: request.searched.user_state(p, state) for p, state in witness.states.items()}
    found = {p: (at[p],) for p in added if at[p] in added[p]}
    return (f"crash handling has added {describe_added(found)}",) if found else ()


def _others(request: Request, shown: Evidence) -> tuple[OtherCulprit, ...]:
    """Who else is to blame, each with its run."""
    return tuple(
        OtherCulprit(
            blamed(run.culprit), why(shown.explain, request.system, request.model, shown.k, run), run
        )
        for run in shown.others
    )


def _where(part: str, name: str, tried: tuple[Tried, ...]) -> str:
    """Which part of a conjunction fails, and for which bounds."""
    if name == part:
        return ""
    return f"{part} fails at every k ≤ {tried[-1].k}: " if len(tried) > 1 else f"{part} fails: "
