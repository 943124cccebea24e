"""A saved result put to the trusted kernels: which of its verdicts do its runs and certificates prove?

Whoever saved it is not trusted. The searched system is made again of the given one (`given_system`), what
contradicts itself is refused (`contradictions`), and what comes without evidence is *not proved*.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ...errors import InputError, UsageError
from ...kernel.goals.cubes import cubes
from ...kernel.model.ask import Ask
from ...kernel.model.conflict_graph import conflict_of, conflict_to_json
from ...kernel.model.failures import NO_FAULTS
from ...kernel.model.in_a_row import most_in_a_row
from ...kernel.model.properties import (
    CRASH_HANDLING,
    PROPERTIES,
    RECOVERS,
    SURVIVAL_PROPERTIES,
    Decision,
    known_properties,
    undefined_under,
)
from ...kernel.model.requirement import Requirement
from ...kernel.model.run import Replay, Witness
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.transform.crash_handling import crash_handling
from ...languages.formats.json_values import same_json
from ..check_out_of_reach import check_violated
from ..check_survival import check_holds
from ..reachability.certificates import Certificate, EquationCertificate
from ..reachability.check_certificate import check_certificate
from ..reachability.check_equation import have_z3
from ..reachability.read_certificate import certificate_from_json, is_certificate_of_reachability
from ..replay import BUDGET, replay
from ..replay_storm import replay_storm, wrong_ending
from ..survival_certificate import (
    ClosedSet,
    OutOfReach,
    SurvivalCertificate,
    survival_certificate_from_json,
)
from .contradictions import contradiction
from .given_system import SavedQuestion, not_following, question_of, required_question
from .saved_report import SavedResult, SavedVerdict

#: The verdict that claims no more than that its run is one of the system; the studio saves it.
RUN = "run"

AnyCertificate = TypeVar("AnyCertificate", bound=SurvivalCertificate | Certificate)


@dataclass(frozen=True)
class ReplayedVerdict:
    """What the kernel says of one verdict: True it is proved, False it is refused, None neither. `holds` is
    the answer that this is about; without a property it is about the result as a whole."""

    property: str
    k: int | None
    proved: bool | None
    message: str
    holds: bool | None = None

    def __bool__(self) -> bool:
        return self.proved is True

    def to_json(self) -> dict[str, Any]:
        answer = {"property": self.property, "holds": self.holds, "k": self.k}
        return {**answer, "proved": self.proved, "message": self.message}


def replay_result(result: SavedResult, budget: int = BUDGET) -> tuple[ReplayedVerdict, ...]:
    """Replay every verdict of a saved result, and say what in it nothing proves."""
    wrong = not_following(result)
    if wrong:
        return (ReplayedVerdict("", None, False, wrong),)
    try:
        answers = [answer for verdict in result.verdicts for answer in _answers(result, verdict, budget)]
        return (*answers, *_of_all(result))
    except UsageError as problem:  # what was asked cannot be asked of this system
        raise InputError(problem.message) from None


# ---- whether these are the verdicts that were asked ----------------------------------------------------


def _of_all(result: SavedResult) -> Iterator[ReplayedVerdict]:
    """What is missing, or is there twice, or is not known."""
    for key in result.unknown:
        yield _whole(f"'{key}' is a key that this version does not know")
    if not result.verdicts:
        yield _whole("there is no verdict in it")
    elif result.unasked and not any(map(_is_run, result.verdicts)):
        yield _whole("it does not say what was asked, so that verdicts may be missing")
    elif not any(map(_is_run, result.verdicts)):
        yield from _missing(result)
    for number, verdict in enumerate(result.verdicts):
        others = result.verdicts[:number]
        if any((o.property, o.requirement) == (verdict.property, verdict.requirement) for o in others):
            yield _whole(f"there is more than one verdict on {verdict.property}")


def _whole(message: str) -> ReplayedVerdict:
    return ReplayedVerdict("", None, None, message)


def _missing(result: SavedResult) -> Iterator[ReplayedVerdict]:
    there = [(verdict.property, verdict.requirement) for verdict in result.verdicts]
    for name, required in _expected(result):
        if (name, required) not in there:
            if name != RECOVERS.name or required is not None or not _known_limit(result):
                yield ReplayedVerdict(name, None, None, "was asked, and has no verdict")


def _expected(result: SavedResult) -> Iterator[tuple[str, Requirement | None]]:
    """The properties and requirements that the result has to answer."""
    names = SURVIVAL_PROPERTIES if result.asked is None else result.asked
    required = [r for r in result.given.requirements if not result.asked or _named(r, names)]
    yield from ((r.title, r) for r in required)
    titles = {r.title for r in required} if result.asked else set()
    yield from ((name, None) for name in known_properties(n for n in names if n not in titles))


def _named(required: Requirement, names: tuple[str, ...]) -> bool:
    return required.title in names and required.title not in PROPERTIES


def _known_limit(result: SavedResult) -> bool:
    """Does the file say that it breaks under failures that are contained in those asked for? Then `recovers`
    is not asked."""
    for required in (r for _, r in _expected(result) if r is not None):
        if required.violated and required.claim.what == RECOVERS.name:
            small = required_question(result, required).model
            if result.model.contains(small.failures, small.system.channels) and small.budget.within(
                result.failures.budget
            ):
                return True
    return False


# ---- one verdict ---------------------------------------------------------------------------------------


def _is_run(verdict: SavedVerdict) -> bool:
    return verdict.property == RUN and not verdict.required


def _answers(result: SavedResult, verdict: SavedVerdict, budget: int) -> Iterator[ReplayedVerdict]:
    if not (_is_run(verdict) or verdict.required or verdict.property in PROPERTIES):
        yield _refused(verdict, "there is no such property")
        return
    question = question_of(result, verdict)
    if question is None:
        yield _refused(verdict, "the system has no such requirement")
        return
    try:
        alone = _is_run(verdict)
        answer = _run_alone(question, verdict) if alone else _judged(result, question, verdict, budget)
    except InputError as problem:  # a certificate that is none of this system
        answer = _refused(verdict, problem.message)
    yield replace(answer, holds=verdict.holds)
    for key in verdict.unknown:
        yield replace(_open(verdict, f"'{key}' of it is not known to this version"), holds=verdict.holds)
    if answer.proved and verdict.fewest and verdict.faults and verdict.fewest_certificate is None:
        fewest = "that no run has fewer faults comes without a certificate"
        yield replace(_open(verdict, fewest), holds=verdict.holds)


def _run_alone(question: SavedQuestion, verdict: SavedVerdict) -> ReplayedVerdict:
    if verdict.holds is not None or {*verdict.row} - {"property", "holds", "witness"}:
        return _refused(verdict, "a run by itself has no answer")
    if verdict.witness is None:
        return _open(verdict, NO_WITNESS)
    return _from_replay(verdict, replay_storm(question.model, None, verdict.witness))


def _judged(
    result: SavedResult, question: SavedQuestion, verdict: SavedVerdict, budget: int
) -> ReplayedVerdict:
    """By the kernels, once nothing contradicts itself."""
    decision = Decision.SURVIVAL if question.ask is not None else PROPERTIES[question.name].decision
    wrong = contradiction(verdict, decision, result.unbounded) or _not_asked(result, question, verdict)
    wrong = wrong or _not_in_a_row(question.model.system, verdict)
    if wrong:
        return _refused(verdict, wrong)
    if verdict.holds is None:
        return _undecided(question, verdict)
    if question.name == CRASH_HANDLING.name:
        return _crash_handling(question.given, verdict)
    if question.ask is None:
        return _replayed(question, verdict, budget)
    return (_certified if verdict.holds else _violated)(question, question.ask, verdict)


def _not_asked(result: SavedResult, question: SavedQuestion, verdict: SavedVerdict) -> str:
    """What the verdict cannot say of this question."""
    name, model = question.name, question.model
    counts = verdict.required or result.asked is not None or verdict.property == RECOVERS.name
    if not result.unasked and verdict.row.get("counts", counts) is not counts:
        return "whether the exit code depends on it is not as it was asked"
    if result.asked is not None and not verdict.required and name not in dict(_expected(result)):
        return "it was not asked"
    mailboxes = model.system.mailboxes
    undefined = "" if question.ask else undefined_under(name, model.failures, model.budget, mailboxes)
    if undefined and verdict.holds is not None:
        return undefined
    bound = None if verdict.requirement is None else verdict.requirement.claim.k
    if bound is not None and question.ask is None and verdict.row.get("k") not in (None, bound):
        return f"it is required at {bound}, and the verdict is one at {verdict.row['k']}"
    return ""


def _not_in_a_row(system: System, verdict: SavedVerdict) -> str:
    """What is said wrongly of who sends more messages in a row than it covers; earlier versions do not
    say."""
    row, covered = most_in_a_row(system), verdict.up_to
    said = verdict.row.get("in_a_row")
    if said is None:
        return ""
    known = verdict.holds and covered is not None and row is not None and row.exceeds(covered)
    right = known and row is not None and same_json(said, row.to_json())
    return "" if right else "who sends more messages in a row than it covers is not what the system says"


def _undecided(question: SavedQuestion, verdict: SavedVerdict) -> ReplayedVerdict:
    """It claims nothing; a run that could not be judged has to be one all the same."""
    if verdict.witness is not None and question.ask is not None:
        found = replay_storm(question.model, None, verdict.witness)
        if not found.ok:
            return _refused(verdict, found.message)
    return _open(verdict, "is undecided, so that it claims nothing")


# ---- what the kernels say ------------------------------------------------------------------------------


def _replayed(question: SavedQuestion, verdict: SavedVerdict, budget: int) -> ReplayedVerdict:
    if verdict.holds:
        return _open(verdict, NO_CERTIFICATE)
    if verdict.witness is None:
        return _open(verdict, NO_WITNESS)
    model = question.model
    if verdict.witness.bags not in ((), model.failures.bags):
        return _refused(verdict, "it says of other mailboxes that messages overtake each other there")
    found = replay(model.system, model.failures, question.name, verdict.k, verdict.witness, budget)
    if found.ok and not _drawn(verdict.row.get("conflict"), verdict.witness):
        return _refused(verdict, "its conflict graph is not the one of its run")
    for culprit, run in verdict.others if found.established else ():
        other = replay(model.system, model.failures, question.name, verdict.k, run, budget)
        if not other.established:
            found = other._replace(message=f"the run against {culprit}: {other.message}")
            break
    return _from_replay(verdict, found)


def _drawn(saved: Any, run: Witness) -> bool:
    """Is the conflict graph, where one is saved, that of the run?"""
    conflict = None if saved is None else conflict_of(run)
    return conflict is None or same_json(saved, conflict_to_json(conflict))


def _violated(question: SavedQuestion, ask: Ask, verdict: SavedVerdict) -> ReplayedVerdict:
    if verdict.witness is None:
        return _open(verdict, NO_WITNESS)
    faults = verdict.witness.fault_count
    found = _violation(question.model, ask, verdict, verdict.witness)
    stuck = wrong_ending(question.model, verdict.witness) if found.proved is not False else ""
    if stuck:
        return _refused(verdict, stuck)
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
    fewer = replace(model, budget=model.budget.at_most(faults - 1))
    certificate = _read(saved)
    return isinstance(certificate, ClosedSet) and check_holds(fewer, ask, certificate).covers(None)


def _without_faults(model: SurvivalModel, ask: Ask, faults: int, saved: Any) -> bool | None:
    """Does the certificate of `reach` prove that it holds without faults, which are all that are fewer? None:
    it cannot be checked here."""
    if ask.always or faults != 1:
        return False
    calm = model.without_faults()
    certificate = _read_unreachable(saved, calm)
    if isinstance(certificate, EquationCertificate) and not have_z3():
        return None
    where = cubes(ask.goal, model.system, model.failures)
    return not check_certificate(calm, NO_FAULTS, where, certificate)


def _violation(model: SurvivalModel, ask: Ask, verdict: SavedVerdict, witness: Witness) -> ReplayedVerdict:
    if verdict.certificate is None:
        return _from_replay(verdict, replay_storm(model, ask, witness))
    if not ask.always or is_certificate_of_reachability(verdict.certificate):
        return _refused(verdict, "its certificate is not one of a violation of this claim")
    certificate = _read(verdict.certificate)
    if not isinstance(certificate, OutOfReach):
        return _refused(verdict, f"a {certificate.kind} does not prove a violation")
    found = check_violated(model, ask, witness, certificate)
    return ReplayedVerdict(verdict.property, verdict.k, found.ok, found.message)


def _certified(question: SavedQuestion, ask: Ask, verdict: SavedVerdict) -> ReplayedVerdict:
    """The certificate of a verdict that holds, for as long channels as the verdict says."""
    if verdict.certificate is None:
        return _open(verdict, NO_CERTIFICATE)
    if is_certificate_of_reachability(verdict.certificate):
        return _unreachable(question, ask, verdict)
    certificate = _read(verdict.certificate)
    if not isinstance(certificate, ClosedSet):
        return _refused(verdict, f"a set that is {certificate.kind} does not prove that something holds")
    found = check_holds(question.model, ask, certificate)
    if found.ok and not found.covers(verdict.up_to):
        return _refused(verdict, f"its certificate is one for channels of length {found.up_to} only")
    return ReplayedVerdict(verdict.property, None, found.ok, found.message)


def _unreachable(question: SavedQuestion, ask: Ask, verdict: SavedVerdict) -> ReplayedVerdict:
    """A certificate of `reach`: no run leads to the goal, whatever the faults and the length of channels."""
    system, failures = question.model.without_impossible_crashes(), question.model.failures
    if ask.always:
        return _refused(verdict, "that a goal is unreachable does not prove that it remains possible")
    certificate = _read_unreachable(verdict.certificate, system)
    if isinstance(certificate, EquationCertificate) and not have_z3():
        return _open(verdict, "its state equation needs z3 (install stormproof[smt])")
    try:
        wrong = check_certificate(system, failures, cubes(ask.goal, system, failures), certificate)
    except UsageError as problem:
        wrong = str(problem)
    shown = f"the goal is unreachable: {certificate.describe()} (any channel length)"
    return ReplayedVerdict(verdict.property, None, not wrong, wrong or shown)


def _read(saved: Any) -> SurvivalCertificate:
    return _all_of(survival_certificate_from_json(saved), saved)


def _read_unreachable(saved: Any, system: System) -> Certificate:
    return _all_of(certificate_from_json(saved, system), saved)


def _all_of(certificate: AnyCertificate, saved: Any) -> AnyCertificate:
    """A certificate says nothing else than what was read of it."""
    if not same_json(certificate.to_json(), saved):
        raise InputError(f"a certificate of the kind {certificate.kind!r} is not written as it should be")
    return certificate


NO_CERTIFICATE = "comes without a certificate, so there is nothing to check"
NO_WITNESS = "comes without a witness, so there is nothing to replay"


def _from_replay(verdict: SavedVerdict, found: Replay) -> ReplayedVerdict:
    proved = False if not found.ok else True if found.established else None
    return ReplayedVerdict(verdict.property, verdict.k, proved, found.message)


def _open(verdict: SavedVerdict, message: str) -> ReplayedVerdict:
    return ReplayedVerdict(verdict.property, verdict.k, None, message)


def _refused(verdict: SavedVerdict, message: str) -> ReplayedVerdict:
    return ReplayedVerdict(verdict.property, verdict.k, False, message)


def _crash_handling(given: System, verdict: SavedVerdict) -> ReplayedVerdict:
    """A property of the text: what is missing there is looked up again, by the definitions."""
    found = crash_handling(given)
    shown = found.sentences[0] if found.sentences else "the system handles every crash, nothing is missing"
    return ReplayedVerdict(verdict.property, None, found.holds is verdict.holds, shown)
