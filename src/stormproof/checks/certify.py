"""The certificate of a verdict on survival or a requirement: made of what the search listed, and checked."""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import InternalError
from ..trust.check_survival import check_holds
from ..trust.make_survival_certificate import MOST, closed_set, out_of_reach
from ..trust.survival_certificate import ClosedSet
from .outcome import Proof, Survived
from .survival import SurvivalOutcome

TOO_LARGE = f"no certificate was made within the limits ({MOST:,} configurations)"


@dataclass(frozen=True)
class MadeCertificate:
    """A certificate, or a remark why there is none."""

    proof: Proof | None = None
    note: str = ""


def certify(name: str, asked: Survived, found: SurvivalOutcome, check: bool) -> MadeCertificate:
    """The certificate of an answer, if one was asked for; with `check`, accepted by the kernel. That of a
    violation is checked with its run."""
    if found.proof is not None:
        return MadeCertificate(found.proof)
    if found.listed is None or found.holds is None:
        return MadeCertificate()
    if found.listed.too_large:
        return MadeCertificate(note=TOO_LARGE)
    if found.holds:
        return MadeCertificate(_closed_set(name, asked, found, check))
    proof = None if found.run is None else found.run.proof
    return MadeCertificate(None if proof is None else out_of_reach(asked.model, proof, found.listed))


def _closed_set(name: str, asked: Survived, found: SurvivalOutcome, check: bool) -> ClosedSet:
    assert found.listed is not None
    certificate = closed_set(asked.model, found.k, found.listed)
    if check:
        answer = check_holds(asked.model, asked.ask, certificate)
        if not answer.covers(found.up_to):
            raise InternalError(f"the certificate that {name} holds is refused: {answer.message}")
    return certificate
