"""Requirements that say nothing, and faults that change nothing, as far as the text shows it."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import StormproofError
from ...kernel.goals.vacuous import nothing_leads_to, out_of_reach, says_nothing
from ...kernel.model.failures import Failures
from ...kernel.model.goal import READABLE, Goal, show
from ...kernel.model.requirement import Requirement
from ...kernel.model.system import System
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.under import system_under
from ...languages.formats.storm_places import NoPlaces, Places
from ...search.checks.request import faults_without_effect
from .warning import Warning

#: Larger systems are left to a check: a text is looked at again after every change.
_MOST_STATES = 2_000


def vacuous_warnings(system: System, places: Places | NoPlaces) -> Iterator[Warning]:
    """Under the failures of the file, and of each requirement that has its own."""
    if sum(len(p.states) for p in system) > _MOST_STATES:
        return
    for said in _of_faults(system, Failures()):
        yield Warning(said, places.faults())
    for i, requirement in enumerate(system.requirements):
        for said in dict.fromkeys(_of_requirement(system, requirement)):
            yield Warning(f"{requirement.title}: {said}", places.requirement(i))


def _of_requirement(system: System, requirement: Requirement) -> Iterator[str]:
    asked = Failures()
    if requirement.under is not None:
        system, asked = system_under(system, requirement.under, as_written=False)
        yield from _of_faults(system, asked)
    if requirement.claim.goal is None:
        return
    try:
        marked, model, _ = prepare(system, asked)
        searched = with_process_faults(marked, model)
        nothing = says_nothing(searched.requirement(requirement).claim, searched.system, model)
    except StormproofError:  # a check says what is wrong
        return
    if nothing:
        yield nothing
    else:
        yield from (nothing_leads_to(part, _shown) for part in out_of_reach(requirement.claim, marked, model))


def _of_faults(system: System, asked: Failures) -> Iterator[str]:
    try:
        model = asked.on(system)
        yield from faults_without_effect(asked, system, model, with_process_faults(system, model))
    except StormproofError:
        return


def _shown(goal: Goal) -> str:
    return show(goal, READABLE)
