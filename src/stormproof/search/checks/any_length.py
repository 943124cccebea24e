"""What holds up to some channel length, put to the methods without a bound: a proof lifts it to any length, a
run that they find is the verdict. The same for fewer faults than a violation has (definitions 10.11, 10.12).
"""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...kernel.model.ask import Ask
from ...kernel.model.goal import And, Named, Not
from ...kernel.model.message_tracking import longest_content
from ...kernel.model.survival import BlockSize, SurvivalModel
from ...trust.survival_certificate import MOST
from ..counterexample.storm_of_actions import storm_of_actions
from ..engine.survival import FoundRun, SurvivalAnswer, survey
from .request import Request
from .survival import AFTER_VIOLATION, INTERRUPTED, answer_at

if TYPE_CHECKING:
    from ..reachability.answer import Answer
    from .outcome import Proof

#: The methods that find runs and end soon: asked for a deadlock, which violates what must stay possible.
_FOR_DEADLOCKS = ("control states", "forward search", "backward search", "half-duplex")
_SECONDS_FOR_DEADLOCKS = 1.0


def for_any_length(request: Request, model: SurvivalModel, ask: Ask, found: SurvivalAnswer) -> SurvivalAnswer:
    """The answer with what the methods without a bound know better, within the effort."""
    if request.one_bound or found.stopped == INTERRUPTED:
        return found
    if found.holds is None or (found.holds and found.up_to is not None):
        answer = _asked(request, model, ask, request.within_effort)
        if answer is not None and answer.certificate is not None and not ask.always:
            proof = _kept(request, answer)
            return SurvivalAnswer(
                True, k=found.k, configurations=found.configurations, seconds=found.seconds, proof=proof
            )
        found = _with_run(request, model, ask, found, answer)
    # A run that was found may have more faults than the budget, which one without faults has not.
    if not found.fewest and (found.holds is False or (found.up_to is not None and model.budget.limited)):
        found = _without_faults(request, model, ask, found)
    return found


def _without_faults(
    request: Request, model: SurvivalModel, ask: Ask, found: SurvivalAnswer
) -> SurvivalAnswer:
    """A run without faults is better than any; a proof that there is none makes one fault the fewest."""
    answer = _asked(request, model, ask, request.within_effort / AFTER_VIOLATION, faults=False)
    one = found.run is not None and found.run.faults == 1
    if answer is not None and answer.certificate is not None and not ask.always and one:
        return replace(found, fewest=True, fewest_proof=_kept(request, answer))
    return _with_run(request, model, ask, found, answer)


def _asked(
    request: Request, model: SurvivalModel, ask: Ask, seconds: float, faults: bool = True
) -> Answer | None:
    """Of what must stay possible: is there a deadlock elsewhere? That there is none proves nothing."""
    from ..reachability.proofs import reached_at_any_length

    if not ask.always:
        return reached_at_any_length(model, ask.goal, request.limits, seconds, faults)
    # Where what must lead to the goal holds, it is pending.
    pending = () if ask.after is None else (ask.after,)
    stuck = And((Named("deadlock"), Not(ask.goal), *pending))
    most = min(seconds, _SECONDS_FOR_DEADLOCKS)
    return reached_at_any_length(model, stuck, request.limits, most, faults, _FOR_DEADLOCKS)


def _kept(request: Request, answer: Answer) -> Proof | None:
    return answer.certificate if request.options.certificates else None


def _with_run(
    request: Request, model: SurvivalModel, ask: Ask, found: SurvivalAnswer, answer: Answer | None
) -> SurvivalAnswer:
    """The run as the verdict: the best within its length, if there is time to search for it, or itself, if
    the budget allows it."""
    if answer is None or answer.run is None:
        return found
    run = storm_of_actions(model, answer.run, "deadlock" if ask.always else None)
    k = longest_content(answer.run.steps)
    most = answer.run.fault_count if run is None else run.faults
    best = _best(request, replace(model, budget=model.budget.at_most(most)), ask, k)
    if best is not None:
        return best
    if run is None and found.holds is not False:  # a violation all the same, but no run can be shown
        return replace(found, holds=None, k=k, up_to=None, doubt=None, stopped="states")
    if run is None or not _is_allowed(model, run):
        return found
    proof = BlockSize(k, k) if ask.always else None
    return SurvivalAnswer(False, k=k, run=replace(run, proof=proof), fewest=run.faults == 0)


def _is_allowed(model: SurvivalModel, run: FoundRun) -> bool:
    return model.budget.allows(run.faults, sum((step.faults for step in run.steps), start=Counter[str]()))


def _best(request: Request, model: SurvivalModel, ask: Ask, k: int) -> SurvivalAnswer | None:
    """The run with the fewest faults, and then the fewest actions, with at most k messages per channel."""
    seconds, options = request.within_effort, request.options
    if seconds <= 0:
        return None
    try:
        result = survey(
            model,
            {"": ask},
            k,
            options=options,
            seconds=seconds,
            certified=MOST if options.certificates else 0,
        )
    except UsageError:  # more than the engine's words hold
        return None
    answer = result.answers[""]
    return answer_at(result, "") if answer.holds is False and answer.run is not None else None
