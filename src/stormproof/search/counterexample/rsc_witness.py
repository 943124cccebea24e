"""The run that is shown against RSC: of the shortest violations the one with the fewest faults."""

from __future__ import annotations

from dataclasses import replace
from itertools import islice

from ...kernel.model.failures import FailureModel
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ..engine.rsc import RscViolation
from .build import build_witness, quality
from .minimise_rsc import STATES, fewest_violations

#: Of equally good violations, how many are compared by their changes of process.
COMPARED = 100

#: How many states the native search sees while one prefix is walked here.
SLOWER = 30


def rsc_witness(system: System, failures: FailureModel, violation: RscViolation) -> Witness:
    """The run with every fault explicit that has this communication."""
    made = build_witness(
        system,
        failures,
        violation.firings,
        None,
        bound=None,
        communication=violation.communication,
        culprit=violation.culprit,
        shortest=violation.shortest,
    )
    return replace(made, bags=failures.bags) if system.mailboxes else made


def best_rsc_witness(
    system: System, failures: FailureModel, found: RscViolation, states: int | None = None
) -> Witness:
    """Of the shortest violations the one with the fewest faults, then the fewest changes of process.

    `states`: that the search for the violation saw. A run with as many faults is only in a better order, for
    which no more is spent than for finding the first.
    """
    chosen = rsc_witness(system, failures, found)
    if (
        not found.shortest or system.mailboxes
    ):  # those of definitions 4.7 are searched, which is that of pairs
        return chosen
    least = quality(chosen)
    as_many = STATES if states is None else min(STATES, states // SLOWER)
    others = fewest_violations(system, failures, len(found.firings), least[1], as_many)
    for firings, pairs in islice(others, COMPARED):
        other = rsc_witness(system, failures, RscViolation(firings, pairs, True))
        if quality(other) < least:
            chosen, least = other, quality(other)
    return chosen
