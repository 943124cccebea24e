"""The run that a violated verdict carries: built from what the engine found, then replayed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ...errors import InternalError, Refused
from ...kernel.model.run import Replay, Witness, blamed
from ...trust.replay import BUDGET, replay
from ...trust.replay_storm import replay_storm
from ..counterexample.build import rsc_witness, violation_witness
from ..counterexample.storm_run import storm_witness
from ..engine.effort import within
from ..engine.k_properties import Violation
from ..engine.rsc import RscViolation
from ..engine.survival import FoundRun
from ..narrate.reason import RunEnd
from .culprit_search import MOST_STATES, CulpritRuns, culprit_runs
from .outcome import FoundViolation, Outcome, Survived
from .properties import explanation
from .report import AS_A_RUN
from .request import Request

if TYPE_CHECKING:
    from ...trust.survival_certificate import OutOfReach

#: What follows the faults of a run is searched up to so many configurations before a certificate is made, of
#: at most so many abstract ones, that nobody asked for.
FEW_FUTURES, MOST_UNASKED = 500, 5_000

TOO_MANY_FUTURES = "what may happen after its faults is too much to prove unasked; --certificate proves it"


class Evidence(NamedTuple):
    """A witness against `part`, at the bound `k`; whether the replay kernel has established it. `fewest`: no
    run within the bound has fewer faults. `others`: runs against the other processes or channels to blame.
    `certificate`: what the kernel needed to establish it."""

    part: str
    k: int | None
    witness: Witness
    established: bool | None
    explain: Callable[[RunEnd], str]
    notes: tuple[str, ...] = ()
    fewest: bool = False
    others: tuple[Witness, ...] = ()
    certificate: OutOfReach | None = None


class EvidenceFile:
    """The evidence of one check; a violation of which several conjunctions fail is built once."""

    def __init__(self, request: Request) -> None:
        self.request = request
        self._made: dict[tuple[str, int | None], Evidence] = {}

    def against(self, outcome: Outcome) -> Evidence:
        """The first violation that the kernel establishes; if it establishes none, the last."""
        evidence = self._of(outcome.found[0])
        for found in outcome.found[1:]:
            if evidence.established or not self.request.options.replay:
                break
            evidence = self._of(found)
        return evidence

    def _of(self, found: FoundViolation) -> Evidence:
        key = (found.part, found.k)
        if key not in self._made:
            best = _culprits(self.request, found)
            witness = _witness(self.request, found, best)
            made = _replayed(self.request, found, witness)
            self._made[key] = made if best is None else _with_others(self.request, made, best)
        return self._made[key]


def _culprits(request: Request, found: FoundViolation) -> CulpritRuns | None:
    """The best runs against a k-property, where there is effort to look for them."""
    most = min(request.effort.configurations(found.k or 1), MOST_STATES)
    if not isinstance(found.violation, Violation) or found.k is None or most <= 0:
        return None
    if not request.options.polish:
        return None
    limits = within(request.limits, most)
    return culprit_runs(request.system, request.model, found.k, found.part, limits)


def _with_others(request: Request, made: Evidence, best: CulpritRuns) -> Evidence:
    shown = blamed(made.witness.culprit)
    others = tuple(run for run in best.runs if blamed(run.culprit) != shown)
    for run in others if request.options.replay else ():
        answer = replay(request.system, request.model, made.part, made.k, run, BUDGET // 5)
        if not answer.ok:
            raise InternalError(f"another run against {made.part} does not replay: {answer.message}")
    return made._replace(fewest=best.all_ends, others=others)


def _witness(request: Request, found: FoundViolation, best: CulpritRuns | None) -> Witness:
    violation = found.violation
    if isinstance(violation, Witness):
        return violation
    if isinstance(violation, FoundRun):
        assert found.survived is not None
        return storm_witness(found.survived.model, violation)
    if isinstance(violation, RscViolation):
        return rsc_witness(request.system, request.model, violation)
    return _against_k_property(request, found, violation, best)


def _against_k_property(
    request: Request, found: FoundViolation, violation: Violation, best: CulpritRuns | None
) -> Witness:
    """The best run of the search for culprits. The engine's own, explained, where there is none, or where the
    search did not consider everything and this one is better."""
    assert found.k is not None
    if best is not None:
        length = len(violation.firings)
        run = best.runs[0]
        run = replace(run, shortest=violation.shortest and len(run.acts) <= length)
        if best.all_ends:
            return run
    own = violation_witness(request.system, request.model, violation, found.k)
    return own if best is None else min(run, own, key=lambda w: (w.fault_count, len(w.acts)))


def _replayed_storm(
    found: FoundViolation, asked: Survived, witness: Witness
) -> tuple[Replay, OutOfReach | None]:
    """With a certificate, that no calm run leads to the goal is checked and not searched. Where a short
    search does not end, because channels grow, one is made if it is small."""
    if found.certificate is not None:
        return _checked(asked, witness, found.certificate)
    run = found.violation
    size = run.proof if isinstance(run, FoundRun) and found.claimed else None
    if size is None:
        return replay_storm(asked.model, asked.ask if found.claimed else None, witness), None
    answer = replay_storm(asked.model, asked.ask, witness, FEW_FUTURES)
    if answer.established or not answer.ok:
        return answer, None
    from ..certificates.survival import search_out_of_reach

    try:
        made = search_out_of_reach(asked.model, asked.ask, size, witness, MOST_UNASKED)
    except Refused as why:
        return Replay(False, False, str(why)), None
    if made is not None:
        return _checked(asked, witness, made)
    answer = replay_storm(asked.model, asked.ask, witness)
    return (answer if answer.established else Replay(answer.ok, False, TOO_MANY_FUTURES)), None


def _checked(asked: Survived, witness: Witness, certificate: OutOfReach) -> tuple[Replay, OutOfReach | None]:
    from ...trust.check_out_of_reach import check_violated

    checked = check_violated(asked.model, asked.ask, witness, certificate)
    return Replay(checked.ok, checked.ok, checked.message), certificate


def _replayed(request: Request, found: FoundViolation, witness: Witness) -> Evidence:
    """Ask the replay kernel before the verdict is shown; a mismatch is a defect, reported as one."""
    explain = found.explain or explanation(found.part)
    if not request.options.replay:
        return Evidence(found.part, found.k, witness, None, explain)
    # A run that was not searched for has another to fall back on, at a smaller bound.
    fallback = isinstance(found.violation, Violation) and not found.violation.shortest
    budget = BUDGET // 5 if fallback else BUDGET
    certificate = None
    if found.survived is not None:
        answer, certificate = _replayed_storm(found, found.survived, witness)
    else:
        answer = replay(request.system, request.model, found.part, found.k, witness, budget)
    if not answer.ok:
        from .bug_report import write_bug_report

        where = write_bug_report(request, found.part, found.k, witness, answer)
        raise InternalError(
            f"the witness against {found.part} does not replay: {answer.message}; "
            f"what is needed to reproduce this is in {where}"
        )
    if answer.established:
        return Evidence(found.part, found.k, witness, True, explain, certificate=certificate)
    return Evidence(found.part, found.k, witness, None, explain, (f"{AS_A_RUN}; {answer.message}",))
