"""The methods without a bound, asked whether a goal that some bound does not reach is ever reached."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import UsageError
from ...kernel.goals.cubes import cubes
from ...kernel.model.failures import NO_FAULTS
from ...kernel.model.goal import Goal, show
from ...kernel.model.goal_forms import stays_with_more_messages
from ...kernel.model.survival import SurvivalModel
from ...limits import Limits
from ..engine.by_kernel import has_engine
from .answer import Answer
from .portfolio import Portfolio

#: The size of a proof without a bound beyond which checking it would take longer than the effort allows.
LARGEST_PROOF = 5_000


def reached_at_any_length(
    model: SurvivalModel,
    goal: Goal,
    limits: Limits,
    effort: int,
    faults: bool = True,
    only: Iterable[str] | None = None,
) -> Answer | None:
    """A run to the goal, a certificate that there is none, or neither within the effort; without `faults` for
    runs that have none. None where the methods are not defined. The budget is left out: a proof stands under
    it, a run may have too many faults."""
    answer, asked = None, portfolio(model, goal, limits, faults, only) if effort > 0 else None
    while asked is not None and answer is None:
        answer = asked.round(effort)
    return answer


def portfolio(
    model: SurvivalModel,
    goal: Goal,
    limits: Limits,
    faults: bool = True,
    only: Iterable[str] | None = None,
) -> Portfolio | None:
    """The methods, ready to be asked in rounds; None where they are not defined, or there is no engine."""
    if model.system.mailboxes or not has_engine():  # definitions 12.4
        return None
    if faults and model.extras.links is not None and not stays_with_more_messages(goal):  # definitions 15.6
        return None
    system = model.without_impossible_crashes() if faults else model.without_faults()
    failures = model.failures if faults else NO_FAULTS
    try:
        asked = cubes(goal, system, failures)
        return Portfolio(system, failures, asked, show(goal), limits, only=only, largest=LARGEST_PROOF)
    except UsageError:  # too many cases
        return None
