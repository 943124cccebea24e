"""Survival and requirements: asked for k = 1, 2, ... until violated, proved for any length, or out of effort.

The bound is an instrument: channels are unbounded, and a larger one only makes the answer stronger. A
violation is one for channels of any length. What a smaller bound has answered is never withheld.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import replace
from functools import partial

from ...kernel.model.ask import Ask
from ...kernel.model.survival import SurvivalModel
from ...limits import Limits, is_over, time_left
from ...options import Options
from ...records import dataclass
from ..counterexample.fewest_faults import Search, fewer_faults
from ..engine.survival import Survey, SurvivalAnswer, survey

#: The largest bound that is tried, unless another is asked for.
MAX_K = 6

#: After a violation, one part of so many of the effort is left, to search whether fewer faults suffice and to
#: ask the rest at larger bounds. What is known must not wait long for what only makes it stronger.
AFTER_VIOLATION = 4

#: A calm run that outgrows the slack may be stuck a little further on: what is tried instead, within limits.
_MORE_SLACK = (6, 14)
_WITHIN = Limits(seconds=1, states=10_000)

#: How a search that Ctrl-C has ended is marked.
INTERRUPTED = "interrupted"


@dataclass(frozen=True)
class Effort:
    """How far to search: k = 1 until the time limit, larger bounds only until the effort `ends`."""

    ends: float
    options: Options

    def part(self, of: int) -> Effort:
        """The same, which ends after one part of so many of what is left."""
        now = time.monotonic()
        return replace(self, ends=now + max(self.ends - now, 0.0) / of)

    def left(self, k: int) -> float | None:
        """The seconds that a search at this bound may take; None: no limit, 0: it is not begun."""
        effort = max(self.ends - time.monotonic(), 0.0)
        return time_left() if k == 1 else 0.0 if is_over() else min(effort, time_left() or effort)


def decide_survival(
    model: SurvivalModel,
    asks: Mapping[str, Ask],
    effort: Effort,
    max_k: int = MAX_K,
    one_bound: bool = False,
    certified: int = 0,
) -> dict[str, SurvivalAnswer]:
    """Every ask at growing bounds, in shared explorations. `certified`: list up to so many configurations for
    certificates."""
    options = effort.options
    found: dict[str, SurvivalAnswer] = {}
    pending = dict(asks)
    for k in (max_k,) if one_bound else range(1, max_k + 1):
        seconds = effort.left(1 if one_bound else k)
        if not pending or (seconds is not None and seconds <= 0):
            break
        known = options.knowing(_known(found))
        result = survey(model, pending, k, options=known, seconds=seconds, certified=certified)
        for name in pending:
            found[name] = _better(found.get(name), answer_at(result, name))
        broken = any(found[name].holds is False for name in pending)
        effort = effort.part(AFTER_VIOLATION) if broken else effort
        pending = {n: a for n, a in pending.items() if not _settled(found[n])}
        if result.stopped:
            break
    if any(outcome.stopped == INTERRUPTED for outcome in found.values()):
        return found
    search = partial(survey, options=options.knowing(_known(found)), certified=certified)
    for name, outcome in found.items():
        try:
            if not one_bound:
                outcome = _with_fewest_faults(model, asks[name], outcome, effort, max_k, search)
            found[name] = _followed_to_its_end(model, asks[name], outcome, search)
        except KeyboardInterrupt:  # outside of a search
            found[name] = replace(outcome, stopped=INTERRUPTED)
    return found


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
    interrupted = now.stopped if now.stopped == INTERRUPTED else ""
    return replace(
        before,
        doubt=now.k,
        doubt_limit=now.stopped,
        stopped=interrupted,
        configurations=now.configurations,
    )


def _with_fewest_faults(
    model: SurvivalModel,
    ask: Ask,
    found: SurvivalAnswer,
    effort: Effort,
    max_k: int,
    search: Search,
) -> SurvivalAnswer:
    """After a violation, storms with fewer faults are searched at larger bounds, within the effort."""
    if found.holds is not False or found.fewest or found.run is None:
        return found
    bounds = range(found.k + 1, max_k + 1)
    now = fewer_faults(model, ask, found.run.faults, bounds, effort.left, search)
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
        answer = search(fewest, {"": ask}, found.k, slack=slack, limits=_WITHIN).answers[""]
        if answer.holds is not False or answer.run is None:
            return found
        if answer.run.end != "divergence":
            return replace(found, run=answer.run, listed=answer.listed)
    return found
