"""Once something is known to happen: does it happen with fewer faults? (definitions 10.12)"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from ...kernel.model.ask import Ask
from ...kernel.model.survival import SurvivalModel
from ...limits import is_over
from ..engine.effort import Effort, worth_trying
from ..engine.listed import Listed
from ..engine.survival import FoundRun, Survey, survey

#: `survey` with its limits.
Search = Callable[..., Survey]


class FewestFaults(NamedTuple):
    """The best run that was found, None if none has fewer faults than were known to suffice, and its bound.
    `proved`: no run has fewer, whatever the length of channels. `stopped`: the limit that was hit. `listed`:
    what a certificate of the run lists, if one was asked for."""

    run: FoundRun | None
    k: int | None
    proved: bool
    stopped: str = ""
    listed: Listed | None = None


def fewer_faults(
    model: SurvivalModel,
    ask: Ask,
    faults: int,
    bounds: Iterable[int],
    effort: Effort,
    search: Search = survey,
) -> FewestFaults:
    """Search for violations of the ask with fewer than so many faults, at each bound within the effort."""
    best, at, listed, known = None, None, None, 0
    for k in bounds:
        if faults == 0 or not worth_trying(effort, k, known) or is_over():
            break
        fewer = replace(model, budget=model.budget.at_most(faults - 1))
        found = search(fewer, {"": ask}, k, most=effort.configurations(k))
        effort.spend_on(found.stored, k)
        known = found.stored
        answer = found.answers[""]
        if answer.run is not None and answer.holds is False:
            best, at, faults, listed = answer.run, k, answer.run.faults, answer.listed
        if answer.fewest or (answer.holds and answer.up_to is None):
            return FewestFaults(best, at, True, listed=listed)
        if found.stopped:
            return FewestFaults(best, at, faults == 0, found.stopped, listed)
    return FewestFaults(best, at, faults == 0, listed=listed)
