"""Can a goal be reached by a run with so many faults at most? (definitions 10.13)

The methods of the portfolio do not count faults. What they prove to be out of reach stays so under a budget;
otherwise the runs within the budget are searched, as for the requirement `never G`, at growing bounds.
"""

from __future__ import annotations

from dataclasses import replace

from ...errors import InternalError, UsageError
from ...kernel.goals.asks import spelt_out
from ...kernel.model.ask import Ask
from ...kernel.model.budget import NO_BUDGET, Budget
from ...kernel.model.goal import Goal
from ...kernel.model.phrases import plural
from ...kernel.model.survival import SurvivalModel
from ...kernel.transform.extras import looking_at, survival_model
from ...limits import EFFORT, MAX_K, Limits, is_over
from ...options import ProgressCallback
from ...trust.check_survival import check_holds
from ...trust.replay_storm import replay_storm
from ..certificates.survival import closed_set
from ..counterexample.storm_run import storm_witness
from ..engine.effort import Effort, bounds_from, worth_trying
from ..engine.survival import FoundRun, survey
from .answer import REACHABLE, UNDECIDED, UNREACHABLE, Answer
from .fewest_faults import is_askable

#: The most configurations of a certificate: they are checked in ten seconds.
LISTED = 100_000


def within_budget(
    answer: Answer,
    goal: Goal,
    budget: Budget,
    limits: Limits,
    progress: ProgressCallback | None = None,
    effort: int = EFFORT,
) -> Answer:
    """The answer for runs that the budget allows, from the one for runs with any number of faults."""
    if answer.answer == UNREACHABLE:
        return answer
    if answer.run is not None and budget.allows(answer.run.fault_count, answer.run.fault_counts):
        return answer
    if not is_askable(goal):
        raise UsageError("deadlock-for-good cannot be asked within a budget", hint="ask for deadlock")
    return by_forward_search(answer, goal, budget, limits, progress, effort)


def all_of_it(
    answer: Answer,
    goal: Goal,
    limits: Limits,
    progress: ProgressCallback | None = None,
    effort: int = EFFORT,
) -> Answer:
    """The answer to a goal of which the portfolio left out a part: the runs are searched for all of it."""
    if is_over() or not is_askable(goal):
        return answer
    found = by_forward_search(answer, goal, NO_BUDGET, limits, progress, effort, most=effort)
    return answer if found.answer == UNDECIDED else found


def by_forward_search(
    answer: Answer,
    goal: Goal,
    budget: Budget,
    limits: Limits,
    progress: ProgressCallback | None = None,
    effort: int = EFFORT,
    most: int | None = None,
) -> Answer:
    """The answer that a search of the runs alone gives; the only one with mailboxes, for which nothing of
    chapter 6 is proved (definitions 12.4). `most`: configurations at the first bound; larger bounds are
    tried within the effort."""
    if not is_askable(goal):
        where = "with mailboxes" if answer.system.mailboxes else "where links may be cut for good"
        raise UsageError(f"deadlock-for-good is not decided {where}", hint="ask for deadlock")
    model = survival_model(answer.system, answer.model, budget)
    ask = Ask(False, spelt_out(model, goal))
    model = looking_at(model, ask)
    found = replace(answer, run=None, checked=False)
    return _search(found, model, ask, limits, progress, Effort(effort), most)


def _search(
    answer: Answer,
    model: SurvivalModel,
    ask: Ask,
    limits: Limits,
    progress: ProgressCallback | None,
    effort: Effort,
    most: int | None,
) -> Answer:
    known, size = 0, 0
    for k in bounds_from(1, MAX_K):
        if is_over() or (k > 1 and not worth_trying(effort, k, size)):
            break
        allowed = most if k == 1 else effort.configurations(k)
        found = survey(model, {"": ask}, k, limits=limits, most=allowed, progress=progress)
        size = found.stored
        effort.spend_on(size, k)
        result = found.answers[""]
        if result.run is not None and result.holds is False:
            return _reached(answer, model, ask, result.run)
        if result.holds and result.up_to is None:
            return _unreachable(answer, model, ask, k, limits)
        if found.stopped:
            break
        known = k
    return replace(answer, answer=UNDECIDED, because=_undecided(model.budget, known))


def _reached(answer: Answer, model: SurvivalModel, ask: Ask, found: FoundRun) -> Answer:
    run = storm_witness(model, found)
    replayed = replay_storm(model, ask, run)
    if not replayed.established:
        raise InternalError(f"the run within the budget does not replay: {replayed.message}")
    because = f"found by a search of the runs{_allowed(model.budget)}"
    return replace(answer, answer=REACHABLE, because=because, run=run, checked=True)


def _unreachable(answer: Answer, model: SurvivalModel, ask: Ask, k: int, limits: Limits) -> Answer:
    """With the configurations that were explored as its certificate, unless they are too many to list."""
    allowed, queue = _allowed(model.budget), "mailbox" if model.system.mailboxes else "channel"
    because = f"every run{allowed} was explored, and none needs more than {plural(k, 'message')} per {queue}"
    found = replace(answer, answer=UNREACHABLE, because=because)
    listed = survey(model, {"": ask}, k, limits=limits, certified=LISTED).answers[""].listed
    if listed is None or listed.too_large:
        return found
    certificate = closed_set(model, ask, k, listed)
    checked = check_holds(model, ask, certificate)
    if not checked.covers(None):
        raise InternalError(f"the certificate that the goal is unreachable is refused: {checked.message}")
    return replace(found, certificate=certificate, checked=True)


def _undecided(budget: Budget, k: int) -> str:
    if k == 0:
        return f"a limit ended the search of the runs{_allowed(budget)}"
    most = f"{'and' if budget.limited else 'with'} at most {plural(k, 'message')} per channel"
    return f"no run{_allowed(budget)} {most} reaches it; longer channels are not excluded"


def _allowed(budget: Budget) -> str:
    return f" with {budget}" if budget.limited else ""
