"""The failures of one requirement, which replace those of the file and of the check."""

from __future__ import annotations

from dataclasses import replace

from ..model.budget import budget_of
from ..model.failures import Failures
from ..model.requirement import Under
from ..model.system import System


def system_under(system: System, under: Under, as_written: bool) -> tuple[System, Failures]:
    """The system with these failures alone, and what is asked beside it."""
    steady = tuple(replace(p, stop=False, restart=False) for p in system.with_unreliable(under.crash))
    budget = budget_of({kind or "total": number for kind, number in under.at_most})
    asked = Failures(
        stop=under.stop,
        restart=under.restart,
        budget=budget,
        as_written=as_written,
        timers=under.timers,
    )
    return replace(system, processes=steady, faults=under.faults, cuts=under.cuts), asked
