"""Runs that take the transitions of one role, as many as are found within a budget: breadth first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...kernel.model.actions import Configuration, Transition
from ...kernel.model.budget import Budget
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.faulty_steps import bounded_steps
from ...kernel.semantics.silent_steps import initial
from ..conformance.log import LogEvent, event_of, is_silent

#: Configurations that a search visits; there is one without faults, and one with them.
BUDGET = 10_000
#: Messages in a channel.
BOUND = 2


#: How many faults of each kind a run has had.
SpentFaults = frozenset[tuple[str, int]]


class _Trail(NamedTuple):
    """The transitions that the role has taken on the way, the last one first."""

    transition: Transition
    before: _Trail | None


def covering_runs(model: SurvivalModel, role: str) -> list[tuple[LogEvent, ...]]:
    """What the role does in runs that together take every transition of it that the searches found."""
    found = _first_trails(model, role, calm=True)
    if len(found) < len(model.system[role].transitions):
        found = _first_trails(model, role, calm=False) | found
    runs: list[tuple[LogEvent, ...]] = []
    covered: set[Transition] = set()
    for trail in sorted((list(_transitions(t))[::-1] for t in found.values()), key=len, reverse=True):
        if not covered.issuperset(trail):
            covered.update(trail)
            runs.append(tuple(_events(trail)))
    return runs


def _events(trail: Iterable[Transition]) -> Iterator[LogEvent]:
    """What is seen of the role, up to where it stops or crashes."""
    for event in (event_of(t.action) for t in trail if not is_silent(t.action)):
        if event.do in ("stop", "crash"):
            return
        yield LogEvent(event.do) if event.do == "timeout" else event


def _transitions(trail: _Trail | None) -> Iterator[Transition]:
    while trail is not None:
        yield trail.transition
        trail = trail.before


def _first_trails(model: SurvivalModel, role: str, calm: bool) -> dict[Transition, _Trail]:
    """For each transition of the role that is reached, how the role first came to take it."""
    start = initial(model.system)
    seen: set[tuple[Configuration, SpentFaults]] = {(start, frozenset())}
    queue: list[tuple[Configuration, SpentFaults, _Trail | None]] = [(start, frozenset(), None)]
    found: dict[Transition, _Trail] = {}
    for at, before, trail in queue:
        for step, after in bounded_steps(model, at, BOUND, frozenset()):
            if after is None or (calm and not step.calm):
                continue
            spent = _spent(model.budget, before, step)
            if spent is None:
                continue
            further = _Trail(step.transition, trail) if step.process == role else trail
            if further is not None and step.process == role:
                found.setdefault(step.transition, further)
            if (after, spent) not in seen and len(seen) < BUDGET:
                seen.add((after, spent))
                queue.append((after, spent, further))
    return found


def _spent(budget: Budget, before: SpentFaults, step: StormStep) -> SpentFaults | None:
    """The faults of a run after a step, where they matter; None if the budget does not allow them."""
    if step.calm or not budget.limited:
        return before
    counts = Counter(dict(before)) + step.faults
    return frozenset(counts.items()) if budget.allows(counts.total(), counts) else None
