"""Survival and requirements: asked for k = 1, 2, ... until violated, proved for any length, or out of effort.

The bound is an instrument: channels are unbounded, and a larger one only makes the answer stronger. A
violation is one for channels of any length. What a smaller bound has answered is never withheld.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from ...kernel.model.ask import Ask
from ...kernel.model.survival import SurvivalModel
from ...limits import MAX_K, is_over
from ...options import Options
from ...records import dataclass
from ..counterexample.fewest_faults import Search, fewer_faults
from ..engine.effort import SPENT, Effort, bounds_from, worth_trying
from ..engine.survival import Survey, SurvivalAnswer, survey

#: After a violation, one part of so many of the effort is left, to search whether fewer faults suffice and to
#: ask the rest at larger bounds. What is known must not wait long for what only makes it stronger.
AFTER_VIOLATION = 4

#: After these bounds the methods without a bound are asked for a little more.
BESIDE = (1, 3, 6, 12)

#: A calm run that outgrows the slack may be stuck a little further on: what is tried instead, within limits.
_MORE_SLACK = (6, 14)
_WITHIN = 10_000

#: How a search that Ctrl-C has ended is marked.
INTERRUPTED = "interrupted"


def nothing_else(name: str) -> bool:
    """No method decides it beside the search."""
    return False


@dataclass(frozen=True)
class GrowingBounds:
    """What is asked of which model, and how far to search: `max_k` None is for as far as the effort goes.
    `certified`: list up to so many configurations for certificates. `decides`: whether another method has an
    answer to an ask, which is asked beside the search."""

    model: SurvivalModel
    asks: Mapping[str, Ask]
    effort: Effort
    options: Options
    max_k: int | None = None
    one_bound: bool = False
    certified: int = 0
    decides: Callable[[str], bool] = nothing_else

    def survey(self, pending: Mapping[str, Ask], k: int, most: int | None, known: str) -> Survey:
        options = self.options.knowing(known)
        result = survey(self.model, pending, k, options=options, most=most, certified=self.certified)
        self.effort.spend_on(result.stored, k)
        return result

    @property
    def bounds(self) -> Iterator[int]:
        last = self.max_k or MAX_K
        return bounds_from(last if self.one_bound else 1, last)


def decide_survival(search: GrowingBounds) -> dict[str, SurvivalAnswer]:
    """Every ask at growing bounds, in shared explorations."""
    found = _at_growing_bounds(search)
    if any(outcome.stopped == INTERRUPTED for outcome in found.values()):
        return found
    again = partial(survey, options=search.options.knowing(_known(found)), certified=search.certified)
    broken = any(outcome.holds is False for outcome in found.values())
    effort = search.effort.part(AFTER_VIOLATION) if broken else search.effort
    for name, outcome in found.items():
        try:
            if not search.one_bound:
                outcome = _with_fewest_faults(search, search.asks[name], outcome, effort, again)
            found[name] = _followed_to_its_end(search.model, search.asks[name], outcome, again)
        except KeyboardInterrupt:  # outside of a search
            found[name] = replace(outcome, stopped=INTERRUPTED)
    return found


def _at_growing_bounds(search: GrowingBounds) -> dict[str, SurvivalAnswer]:
    """The first bound is explored within the effort, and, where no other method decides, on without it."""
    found: dict[str, SurvivalAnswer] = {}
    pending, known, effort = dict(search.asks), 0, search.effort
    for k in search.bounds:
        first = not found
        if not pending or not (first or (worth_trying(effort, k, known) and not is_over())):
            break
        for most in _attempts(search, effort, k) if first else (effort.configurations(k),):
            result = search.survey(pending, k, most, _known(found))
            for name in pending:
                found[name] = _better(found.get(name), answer_at(result, name))
            broken = any(found[name].holds is False for name in pending)
            effort = effort.part(AFTER_VIOLATION) if broken else effort
            pending = {n: a for n, a in pending.items() if not _settled(found[n])}
            if result.stopped == INTERRUPTED:
                return found
            if k in BESIDE:
                pending = {n: a for n, a in pending.items() if not search.decides(n)}
            if result.stopped != SPENT or not pending:
                break
        known = result.stored
        if result.stopped:
            break
    return found


def _attempts(search: GrowingBounds, effort: Effort, k: int) -> tuple[int | None, ...]:
    """Where a disk is to be used, a search is expected to be large."""
    limits, most = search.options.limits, effort.configurations(k)
    large = limits.disk is not None
    small = limits.states is not None and limits.states <= most
    return (None,) if large or small or search.one_bound or most < 1 else (most, None)


def _known(found: Mapping[str, SurvivalAnswer]) -> str:
    """What smaller bounds have answered: `recovers up to channels of length 2 · clean is violated`."""
    parts = []
    for name, outcome in found.items():
        if outcome.holds:
            length = (
                "for any channel length"
                if outcome.up_to is None
                else f"up to channels of length {outcome.up_to}"
            )
            parts.append(f"{name} {length}")
        elif outcome.holds is False:
            parts.append(f"{name} is violated")
    return " · ".join(parts)


def answer_at(result: Survey, name: str) -> SurvivalAnswer:
    """The answer that one bound gives, with what was spent on it."""
    answer = result.answers[name]
    unfinished = answer.holds is None and answer.run is None and result.stopped
    return replace(
        answer,
        k=result.k,
        tolerated=result.faults_explored - 1 if unfinished and result.faults_explored else None,
        stopped=result.stopped if answer.holds is None else "",
        configurations=result.configurations,
        seconds=result.seconds,
    )


def _settled(outcome: SurvivalAnswer) -> bool:
    return outcome.holds is False or (outcome.holds is True and outcome.up_to is None)


def _better(before: SurvivalAnswer | None, now: SurvivalAnswer) -> SurvivalAnswer:
    """A larger bound that decides nothing leaves what a smaller one has answered."""
    if before is None or now.holds is not None or before.holds is None:
        return now
    if now.stopped == SPENT:
        return before
    interrupted = now.stopped if now.stopped == INTERRUPTED else ""
    return replace(
        before,
        doubt=now.k,
        doubt_limit=now.stopped,
        stopped=interrupted,
        configurations=now.configurations,
    )


def _with_fewest_faults(
    asked: GrowingBounds, ask: Ask, found: SurvivalAnswer, effort: Effort, search: Search
) -> SurvivalAnswer:
    """After a violation, storms with fewer faults are searched at larger bounds, within the effort."""
    if found.holds is not False or found.fewest or found.run is None:
        return found
    bounds = bounds_from(found.k + 1, asked.max_k or MAX_K)
    now = fewer_faults(asked.model, ask, found.run.faults, bounds, effort, search)
    stopped = now.stopped if now.stopped == INTERRUPTED else ""
    found = replace(found, fewest=now.proved, stopped=stopped)
    return found if now.run is None else replace(found, run=now.run, k=now.k or found.k, listed=now.listed)


def _followed_to_its_end(
    model: SurvivalModel, ask: Ask, found: SurvivalAnswer, search: Search
) -> SurvivalAnswer:
    """The run that ends in a deadlock or a livelock, where one seems to diverge because of the slack."""
    if found.holds is not False or found.run is None or found.run.end != "divergence":
        return found
    fewest = replace(model, budget=model.budget.at_most(found.run.faults))
    for slack in _MORE_SLACK:
        answer = search(fewest, {"": ask}, found.k, slack=slack, most=_WITHIN).answers[""]
        if answer.holds is not False or answer.run is None:
            return found
        if answer.run.end != "divergence":
            return replace(found, run=answer.run, listed=answer.listed)
    return found
