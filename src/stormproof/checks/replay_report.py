"""A saved result put to the trusted kernels: which of its verdicts do its runs and certificates prove?"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..counterexample.fewest_faults import at_most
from ..errors import InputError, UsageError
from ..formats.json_requirements import requirement_to_json
from ..goals.asks import ask_of
from ..goals.cubes import cubes
from ..model.ask import RECOVERS, Ask, clean
from ..model.budget import Budget
from ..model.failures import NO_FAULTS, FailureModel
from ..model.phrases import plural
from ..model.requirement import Requirement
from ..model.rest import rest_states
from ..model.run import Replay, Witness
from ..model.survival import SurvivalModel
from ..model.system import System
from ..reachability.certificates import EquationCertificate
from ..reachability.check_certificates import check_certificate
from ..reachability.read_certificate import certificate_from_json, is_certificate_of_reachability
from ..reachability.state_equation import have_z3
from ..transform.added_states import as_written
from ..transform.crash_handling import crash_handling
from ..transform.prepare import prepare, with_process_faults
from ..transform.stop_restart import Transformed
from ..transform.under import system_under
from ..trust.check_out_of_reach import check_violated
from ..trust.check_survival import check_holds
from ..trust.replay import BUDGET, replay
from ..trust.replay_storm import replay_storm
from ..trust.survival_certificate import ClosedSet, OutOfReach, survival_certificate_from_json
from .saved_report import SavedResult, SavedVerdict

#: The verdict that claims no more than that its run is one of the system; the studio saves it.
RUN = "run"


@dataclass(frozen=True)
class ReplayedVerdict:
    """What the kernel says of one verdict: True it is proved, False its evidence is refused, None neither."""

    property: str
    k: int | None
    proved: bool | None
    message: str

    def __bool__(self) -> bool:
        return self.proved is True

    def to_json(self) -> dict[str, Any]:
        return {"property": self.property, "k": self.k, "proved": self.proved, "message": self.message}


def replay_result(result: SavedResult, budget: int = BUDGET) -> tuple[ReplayedVerdict, ...]:
    """Replay every verdict of a saved result that is violated, comes with a certificate, or is only a run."""
    evident = [v for v in result.verdicts if v.holds is False or v.certificate is not None or _is_run(v)]
    try:
        return tuple(_answer(result, verdict, budget) for verdict in evident)
    except UsageError as problem:  # what was asked cannot be asked of this system
        raise InputError(problem.message) from None


def _is_run(verdict: SavedVerdict) -> bool:
    return verdict.property == RUN and not verdict.required


def _answer(result: SavedResult, verdict: SavedVerdict, budget: int) -> ReplayedVerdict:
    if verdict.property == "crash-handling" and not verdict.required:
        return _crash_handling(result.given)
    question = _question(result, verdict)
    if question is None:
        return _open(verdict, "the system has no such requirement")
    if _is_run(verdict) and verdict.witness is not None:
        return _from_replay(verdict, replay_storm(question.model, None, verdict.witness))
    if question.ask is None:
        return _replayed(question, verdict, budget)
    if verdict.holds is True:
        return _certified(question, question.ask, verdict)
    if verdict.holds is None:
        return _open(verdict, "is undecided, so that its certificate claims nothing")
    return _violated(question, question.ask, verdict)


# ---- what was asked, and of which system ---------------------------------------------------------------


@dataclass(frozen=True)
class _Question:
    """The searched system and its failures; `ask` None: `name` is a property that is no survival."""

    name: str
    model: SurvivalModel
    ask: Ask | None


def _question(result: SavedResult, verdict: SavedVerdict) -> _Question | None:
    """Nothing of it is taken from the verdict: a requirement is looked up in the system."""
    if not verdict.required:
        searched = with_process_faults(result.system, result.model)
        model = _model(searched, result.model, result.budget)
        ask = {"recovers": RECOVERS, "clean": clean(model.system, model.rest)}.get(verdict.property)
        return _Question(verdict.property, model, ask)
    titled = [r for r in result.given.requirements if r.title == verdict.property]
    # Those without a name may have the same title, under different failures.
    titled.sort(key=lambda r: requirement_to_json(r) != verdict.requirement)
    return _of_requirement(result, titled[0]) if titled else None


def _of_requirement(result: SavedResult, required: Requirement) -> _Question:
    system, failures, budget = result.system, result.model, result.budget
    if required.under is not None:
        alone, asked = system_under(result.given, required.under, result.as_written)
        system, failures, _ = prepare(alone, asked, result.semantics)
        budget = asked.budget
    searched = with_process_faults(system, failures)
    model = _model(searched, failures, budget)
    meant = as_written(required, result.given, system)
    return _Question(required.claim.what, model, ask_of(model, searched.requirement(meant)))


def _model(searched: Transformed, failures: FailureModel, budget: Budget) -> SurvivalModel:
    return SurvivalModel(searched.system, failures, rest_states(searched.system), budget=budget)


# ---- what the kernels say ------------------------------------------------------------------------------


def _replayed(question: _Question, verdict: SavedVerdict, budget: int) -> ReplayedVerdict:
    if verdict.witness is None:
        return _open(verdict, NO_WITNESS)
    model = question.model
    found = replay(model.system, model.failures, question.name, verdict.k, verdict.witness, budget)
    return _from_replay(verdict, found)


def _violated(question: _Question, ask: Ask, verdict: SavedVerdict) -> ReplayedVerdict:
    if verdict.witness is None:
        return _open(verdict, NO_WITNESS)
    faults = verdict.witness.fault_count
    if verdict.faults != faults:
        return _refused(verdict, f"its run has {plural(faults, 'fault')}")
    found = _violation(question.model, ask, verdict, verdict.witness)
    if not found.proved or verdict.fewest_certificate is None:
        return found
    fewer = _without_faults if is_certificate_of_reachability(verdict.fewest_certificate) else _with_fewer
    proved = fewer(question.model, ask, faults, verdict.fewest_certificate)
    if proved is None:
        return replace(found, message=f"{found.message}; that no run has fewer faults needs z3 to be checked")
    if not proved:
        return _refused(verdict, "that no run has fewer faults is not what its certificate proves")
    return replace(found, message=f"{found.message}; no run has fewer faults")


def _with_fewer(model: SurvivalModel, ask: Ask, faults: int, saved: Any) -> bool | None:
    """Does the certificate prove that it holds with fewer faults?"""
    fewer = replace(model, budget=at_most(model.budget, faults - 1))
    certificate = survival_certificate_from_json(saved)
    return isinstance(certificate, ClosedSet) and check_holds(fewer, ask, certificate).covers(None)


def _without_faults(model: SurvivalModel, ask: Ask, faults: int, saved: Any) -> bool | None:
    """Does the certificate of `reach` prove that it holds without faults, which are all that are fewer? None:
    it cannot be checked here."""
    if ask.always or faults != 1:
        return False
    calm = model.without_faults()
    certificate = certificate_from_json(saved, calm)
    if isinstance(certificate, EquationCertificate) and not have_z3():
        return None
    where = cubes(ask.goal, model.system, model.failures)
    return not check_certificate(calm, NO_FAULTS, where, certificate)


def _violation(model: SurvivalModel, ask: Ask, verdict: SavedVerdict, witness: Witness) -> ReplayedVerdict:
    if verdict.certificate is None or not ask.always:
        return _from_replay(verdict, replay_storm(model, ask, witness))
    certificate = survival_certificate_from_json(verdict.certificate)
    if not isinstance(certificate, OutOfReach):
        return _refused(verdict, f"a {certificate.kind} does not prove a violation")
    found = check_violated(model, ask.goal, witness, certificate)
    return ReplayedVerdict(verdict.property, verdict.k, found.ok, found.message)


def _certified(question: _Question, ask: Ask, verdict: SavedVerdict) -> ReplayedVerdict:
    """The certificate of a verdict that holds, for as long channels as the verdict says."""
    if is_certificate_of_reachability(verdict.certificate):
        return _unreachable(question, ask, verdict)
    certificate = survival_certificate_from_json(verdict.certificate)
    if not isinstance(certificate, ClosedSet):
        return _refused(verdict, f"a set that is {certificate.kind} does not prove that something holds")
    found = check_holds(question.model, ask, certificate)
    if found.ok and not found.covers(verdict.up_to):
        return _refused(verdict, f"its certificate is one for channels of length {found.up_to} only")
    return ReplayedVerdict(verdict.property, None, found.ok, found.message)


def _unreachable(question: _Question, ask: Ask, verdict: SavedVerdict) -> ReplayedVerdict:
    """A certificate of `reach`: no run leads to the goal, whatever the faults and the length of channels."""
    system, failures = question.model.system, question.model.failures
    if ask.always:
        return _refused(verdict, "that a goal is unreachable does not prove that it remains possible")
    certificate = certificate_from_json(verdict.certificate, system)
    if isinstance(certificate, EquationCertificate) and not have_z3():
        return _open(verdict, "its state equation needs z3 (install stormproof[smt])")
    try:
        wrong = check_certificate(system, failures, cubes(ask.goal, system, failures), certificate)
    except UsageError as problem:
        wrong = str(problem)
    shown = f"the goal is unreachable: {certificate.describe()} (any channel length)"
    return ReplayedVerdict(verdict.property, None, not wrong, wrong or shown)


NO_WITNESS = "comes without a witness, so there is nothing to replay"


def _from_replay(verdict: SavedVerdict, found: Replay) -> ReplayedVerdict:
    proved = False if not found.ok else True if found.established else None
    return ReplayedVerdict(verdict.property, verdict.k, proved, found.message)


def _open(verdict: SavedVerdict, message: str) -> ReplayedVerdict:
    return ReplayedVerdict(verdict.property, verdict.k, None, message)


def _refused(verdict: SavedVerdict, message: str) -> ReplayedVerdict:
    return ReplayedVerdict(verdict.property, verdict.k, False, message)


def _crash_handling(given: System) -> ReplayedVerdict:
    """A property of the text: what is missing there is looked up again, by the definitions."""
    found = crash_handling(given)
    if found.holds:
        return ReplayedVerdict(
            "crash-handling", None, False, "the system handles every crash, nothing is missing"
        )
    return ReplayedVerdict("crash-handling", None, True, found.sentences[0])
