"""The engine asked about RSC, with limits by name."""

from __future__ import annotations

from typing import Any

from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.system import System
from stormproof.limits import Limits
from stormproof.search.engine.rsc import RscResult, RscViolation, rsc


def ask(system: System, failures: FailureModel | None = None, **limits: Any) -> RscResult:
    return rsc(system, failures or FailureModel({}), limits=Limits(**limits))


def ask_wide(system: System, failures: FailureModel, threads: int, **how: Any) -> RscResult:
    """However small the system is, with the search that large ones get, in so many threads from the start."""
    how = {"limits": Limits(), **how}
    return rsc(system, failures, threads=threads, wide_from=0, parallel_from=1, **how)


def violation_of(result: RscResult) -> RscViolation:
    assert result.violation is not None
    return result.violation
