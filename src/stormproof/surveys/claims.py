"""What a survey asks under many failure models: survival with the file's requirements, or one property."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..kernel.model.failures import Failures
from ..kernel.model.requirement import Claim, Requirement
from ..kernel.model.system import System
from ..options import Options
from ..search.checks.api import check
from ..search.checks.properties import CLEAN, HALF_DUPLEX, RECOVERS, RSC, known_properties
from ..search.checks.report import Report, Verdict
from ..search.checks.request import requirements_named

#: `recovers`, and every requirement of the file that is about survival and names no failures of its own.
SURVIVAL = "survival"
_RECOVERS = Requirement(Claim(RECOVERS.name))


@dataclass(frozen=True)
class Asked:
    """`name` is what a user asks for; `properties` and the requirements of `system` are what is checked."""

    name: str
    system: System
    properties: tuple[str, ...]

    @property
    def survival(self) -> bool:
        """Is it about channels of any length, with a number of faults that breaks it?"""
        return not self.properties or self.properties[0] in (RECOVERS.name, CLEAN.name)

    @property
    def monotone(self) -> bool:
        """Does it only get worse with more faults, for the protocol as written (definitions 10.7)?"""
        return self.survival or self.properties[0] in (RSC.name, HALF_DUPLEX.name)

    def check(self, failures: Failures, k: int | None, options: Options) -> Report:
        return check(self.system, failures, k=k, properties=self.properties, options=options)


def asked_of(system: System, name: str) -> Asked:
    """What `survival`, a property or the name of a requirement asks of a system."""
    mine = tuple(r for r in system.requirements if r.under is None and not r.claims_property)
    if name == SURVIVAL:
        others = tuple(r for r in mine if r.claim != _RECOVERS.claim)
        return Asked(name, replace(system, requirements=(_RECOVERS, *others)), ())
    named = tuple(r for r in requirements_named(system, [name]) if r in mine)
    if named:
        return Asked(name, replace(system, requirements=named), ())
    (known,) = known_properties(name)
    return Asked(known, replace(system, requirements=()), (known,))


def decisive(report: Report) -> Verdict:
    """The verdict that answers for all: the violation with the fewest faults, else what is undecided, else
    what holds for the shortest channels."""
    return min(report, key=_weight)


def requirement_of(verdict: Verdict, asked: str) -> str:
    """The name of the requirement, where it is neither survival nor what was asked for."""
    return "" if verdict.property in (asked, RECOVERS.name) else verdict.property


def _weight(verdict: Verdict) -> tuple[int, float]:
    if verdict.holds is False:
        return 0, verdict.faults or 0
    if verdict.holds is None:
        return 1, verdict.tolerated if verdict.tolerated is not None else -1
    return 2, float("inf") if verdict.up_to is None else verdict.up_to
