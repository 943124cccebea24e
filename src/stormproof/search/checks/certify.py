"""The certificate of a verdict on survival or a requirement: made of what the search listed, and checked."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import InternalError
from ...records import dataclass
from ...trust.survival_certificate import MOST, ClosedSet
from ..counterexample.storm_run import storm_witness
from ..engine.effort import bounds_from
from ..engine.survival import SurvivalAnswer, survey
from .outcome import Survived
from .request import Request

if TYPE_CHECKING:
    from .outcome import Proof

#: At so large bounds it is tried to certify that a run has the fewest faults.
_LARGEST = 6

TOO_LARGE = f"no certificate was made within the limits ({MOST:,} configurations)"


@dataclass(frozen=True)
class MadeCertificate:
    """A certificate, or a remark why there is none. `fewest`: with fewer faults than the run has it holds,
    for channels of any length."""

    proof: Proof | None = None
    fewest: Proof | None = None
    note: str = ""


def certify(name: str, asked: Survived, found: SurvivalAnswer, request: Request) -> MadeCertificate:
    """The certificate of an answer, if one was asked for, accepted by the kernel unless the request says
    otherwise. That of a violation is checked with its run."""
    if found.proof is not None:
        return MadeCertificate(found.proof)
    if found.listed is None or found.holds is None:
        return MadeCertificate(_of_a_run(asked, found) if request.options.certificates else None)
    if found.listed.too_large:
        return MadeCertificate(note=TOO_LARGE)
    if found.holds:
        return MadeCertificate(_closed_set(name, asked, found, request))
    from ..certificates.survival import out_of_reach

    proof = None if found.run is None else found.run.proof
    made = None if proof is None else out_of_reach(asked.model, proof, found.listed)
    return MadeCertificate(made, _fewest(name, asked, found, request))


def _of_a_run(asked: Survived, found: SurvivalAnswer) -> Proof | None:
    """That nothing leads from the end of a run to the goal, where a method without a bound has found it."""
    if found.holds is not False or found.run is None or found.run.proof is None:
        return None
    from ..certificates.survival import search_out_of_reach

    run = storm_witness(asked.model, found.run)
    return search_out_of_reach(asked.model, asked.ask, found.run.proof, run, MOST)


def _fewest(name: str, asked: Survived, found: SurvivalAnswer, request: Request) -> Proof | None:
    """The search has seen it at one of these bounds, unless another method has proved it."""
    if found.fewest_proof is not None:
        return found.fewest_proof
    if not found.fewest or not found.run or not found.run.faults:
        return None
    model = replace(asked.model, budget=asked.model.budget.at_most(found.run.faults - 1))
    fewer = Survived(model, asked.ask)
    for k in bounds_from(found.k, max(found.k, request.survival_max_k or _LARGEST)):
        answers = survey(model, {name: asked.ask}, k, options=request.options, certified=MOST).answers
        answer = answers[name]
        if answer.holds and answer.up_to is None and answer.listed and not answer.listed.too_large:
            return _closed_set(name, fewer, replace(answer, k=k), request)
    return None


def _closed_set(name: str, asked: Survived, found: SurvivalAnswer, request: Request) -> ClosedSet:
    from ...trust.check_survival import check_holds
    from ..certificates.survival import closed_set

    assert found.listed is not None
    certificate = closed_set(asked.model, asked.ask, found.k, found.listed)
    if request.options.replay:
        answer = check_holds(asked.model, asked.ask, certificate)
        if not answer.covers(found.up_to):
            raise InternalError(f"the certificate that {name} holds is refused: {answer.message}")
    return certificate
