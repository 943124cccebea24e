"""The certificate of a cell that holds, made from the definitions."""

from __future__ import annotations

from ...errors import InternalError
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.system import System
from ...kernel.semantics.explore import TooLarge
from ...kernel.transform.paper_encodings import encode, resolve
from ...search.certificates.bounded import MOST, make_certificate
from ...trust.check_certificate import BoundedCertificate
from ..campaign.jobs import NAMED_FAILURES, load_source
from .matrix import Cell


def asked(cell: Cell) -> tuple[System, FailureModel]:
    """The system and the failure model that a cell speaks of."""
    system = load_source(cell.protocol)
    failures = Failures(**NAMED_FAILURES[cell.failures])
    if cell.semantics == "definition":
        return system, failures.on(system)
    return encode(system, resolve(system, failures), as_run=cell.semantics == "as-run")


def certificate_of(cell: Cell, most: int = MOST) -> BoundedCertificate | None:
    """Why a cell holds at its k, for anybody to check; None where there is no k or more than `most`
    configurations. It is made from the definitions alone, so the engine is contradicted if there is none."""
    if not cell.holds or cell.k is None:
        return None
    try:
        found = make_certificate(*asked(cell), cell.property, cell.k, most)
    except TooLarge:
        return None
    if found is None:
        raise InternalError(f"{cell.property} of {cell.protocol} holds, and the definitions say otherwise")
    return found
