"""What the words of an answer say, for whoever reads it the first time."""

from __future__ import annotations

from ...kernel.model.requirement import ALWAYS_POSSIBLE, LEADS_TO, NEVER
from ...kernel.model.status import Status
from ...search.checks.headline import extent, number_of_faults
from ...search.checks.properties import PROPERTIES
from ...search.checks.report import Verdict

#: What the claims of requirements say.
CLAIMS = {
    NEVER: "no run, whatever faults it has, gets there",
    ALWAYS_POSSIBLE: "once the faults stop, it can still be reached, from wherever they have led",
    LEADS_TO: "wherever the first has held, and the second has not since, the second can still be reached "
    "once the faults stop",
}
#: What the signs say.
SIGNS = {
    Status.PROVED: "it holds for channels of any length",
    Status.BOUNDED: "it holds while no channel has more messages than that; beyond it nobody knows",
    Status.VIOLATED: "there is a run that breaks it, and it can be watched",
    Status.KNOWN_LIMIT: "the file expects that it is violated, and it is",
    Status.UNDECIDED: "a limit of time, memory or effort was reached before there was an answer",
}
LENGTHS = "faults were tried as long as no channel had more messages than that"


def meaning(verdict: Verdict) -> list[list[str]]:
    """Each word of the answer with what it says: the name, the sign, the faults, the length of channels."""
    said = [
        [verdict.property, _sentence(verdict)],
        [f"{verdict.status.sign} {verdict.status.value}", SIGNS[verdict.status]],
    ]
    if verdict.survival and verdict.holds is False and verdict.faults is not None:
        least = "no run with fewer faults breaks it" if verdict.fewest else "fewer may be enough"
        said.append([number_of_faults(verdict), f"the run that is shown has so many faults; {least}"])
    if verdict.survival and verdict.holds:
        length = (
            "a proof that does not depend on how many messages wait" if verdict.up_to is None else LENGTHS
        )
        said.append([extent(verdict), length])
    if verdict.k is not None:
        said.append(
            [f"k = {verdict.k}", "channels hold at most k messages; it is the least k for which it holds"]
        )
    return said


def _sentence(verdict: Verdict) -> str:
    requirement = verdict.requirement
    if requirement is None or requirement.claims_property:
        known = PROPERTIES.get(verdict.property)
        return known.sentence if known is not None else str(requirement and requirement.claim)
    what = requirement.claim.what
    return f"{requirement.claim}: {CLAIMS.get(what) or PROPERTIES[what].sentence}"
