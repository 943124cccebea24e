"""Proofs without a bound that something never happens, for answers that were found at some bound."""

from __future__ import annotations

from dataclasses import replace

from ..errors import UsageError
from ..goals.cubes import cubes
from ..limits import Limits
from ..model.failures import NO_FAULTS
from ..model.goal import Goal, show
from ..model.survival import SurvivalModel
from ..trust.survival_certificate import ClosedSet
from .certificates import Certificate
from .portfolio import solve

#: The size of a proof without a bound beyond which checking it would take longer than the effort allows.
LARGEST_PROOF = 5_000


def proof_of_never(
    model: SurvivalModel, goal: Goal, limits: Limits, seconds: float, faults: bool = True
) -> Certificate | ClosedSet | None:
    """A certificate of the methods without a bound that the goal is unreachable, or that it is `faults`
    aside. They need it upward closed."""
    if seconds <= 0 or model.system.mailboxes:  # definitions 12.4
        return None
    system, failures = model.system, model.failures
    try:
        answer = solve(
            system if faults else model.without_faults(),
            failures if faults else NO_FAULTS,
            cubes(goal, system, failures),
            show(goal),
            replace(limits, seconds=seconds),
            largest=LARGEST_PROOF,
        )
    except UsageError:
        return None
    return answer.certificate
