"""The answer in a line: does it survive, how many faults does it take, for which channel lengths?"""

from __future__ import annotations

from ...kernel.model.budget import NO_BUDGET, Budget
from ...kernel.model.phrases import plural
from ...languages.formats.storm_requirements import write_under
from .properties import CLEAN, RECOVERS
from .report import Verdict


def headline(verdict: Verdict, faults_possible: bool, budget: Budget = NO_BUDGET) -> str:
    """The claim of a requirement, and what was found of it or of survival, without its extent; `budget`: what
    a run may have."""
    return " · ".join(part for part in (claim(verdict), finding(verdict, faults_possible, budget)) if part)


def claim(verdict: Verdict) -> str:
    """What a requirement with a name claims, and under which failures of its own."""
    if verdict.requirement is None:
        return ""
    named = [str(verdict.requirement.claim)] if verdict.requirement.name else []
    return " ".join(named + _under(verdict))


def finding(verdict: Verdict, faults_possible: bool, budget: Budget = NO_BUDGET) -> str:
    """What was found; an expected violation is a known limit."""
    if verdict.requirement is None:
        return _answer(verdict, faults_possible, budget)
    if verdict.requirement.violated and verdict.holds is False:
        return f"known limit: {number_of_faults(verdict)}"
    if verdict.requirement.violated and verdict.holds:
        return "expected to be violated, and holds"
    return "" if verdict.holds else _answer(verdict, faults_possible)


def _under(verdict: Verdict) -> list[str]:
    """The failures of a requirement that has its own."""
    if verdict.own is None or verdict.requirement is None or verdict.requirement.under is None:
        return []
    return [f"under {write_under(verdict.own.given or verdict.own.system, verdict.requirement.under)}"]


def _answer(verdict: Verdict, faults_possible: bool, budget: Budget = NO_BUDGET) -> str:
    if verdict.holds is False:
        return f"{number_of_faults(verdict)}: {verdict.reason}"
    if verdict.holds is None:
        return verdict.reason
    if verdict.property == RECOVERS.name:
        if not faults_possible:
            return "can always come to rest"
        return f"survives {f'every run with {budget}' if budget.limited else 'any number of faults'}"
    return "nothing is left behind when everybody has finished" if verdict.property == CLEAN.name else ""


def number_of_faults(verdict: Verdict) -> str:
    """`breaks with 2 faults`, `breaks with at most 2 faults`, `fails without any fault`; and what becomes of
    that with timers on time."""
    count = verdict.faults or 0
    most = "" if verdict.fewest else "at most "
    said = f"breaks with {most}{plural(count, 'fault')}" if count else "fails without any fault"
    return said if verdict.on_time is None else f"{said}, {verdict.on_time}"


def extent(verdict: Verdict) -> str:
    """For which channels the verdict speaks."""
    if verdict.holds is not True:
        return ""
    if verdict.up_to is None:
        return "any channel length"
    longer = "; undecided for longer ones" if verdict.unbounded else ""
    return f"up to channels of length {verdict.up_to}{longer}"


def with_extent(found: str, verdict: Verdict) -> tuple[str, ...]:
    """What was found and for which channels, as parts in the order in which they are read. A bound comes
    first: behind an answer it would be overlooked; and before it, what the protocol does beyond it."""
    if verdict.holds and verdict.up_to is not None:
        bound, semicolon, longer = extent(verdict).partition(";")
        rows = "" if verdict.in_a_row is None else str(verdict.in_a_row)
        return (" · ".join(filter(None, (rows, bound, found))) + semicolon + longer,)
    return tuple(part for part in (found, extent(verdict)) if part)


def proof(verdict: Verdict) -> str:
    """What proves the verdict, if that was asked for."""
    return "" if verdict.certificate is None else f"certificate: {verdict.certificate.describe()}"
