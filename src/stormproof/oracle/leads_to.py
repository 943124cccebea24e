"""`G leads to H`, executed literally and slowly (definitions 10.18).

It is pending in the initial configuration if G holds there and H does not; after each step it is pending if
it was or G holds, and H does not hold.
"""

from __future__ import annotations

import heapq
from collections import Counter

from ..kernel.model.actions import Channel, Configuration
from ..kernel.model.ask import Ask
from ..kernel.model.survival import SurvivalModel
from .bounded import TooLarge, initial
from .rest import satisfies
from .steps import bounded_steps


def pending_configurations(
    model: SurvivalModel, ask: Ask, k: int, observed: frozenset[Channel], most: int | None = None
) -> tuple[dict[Configuration, int], int | None]:
    """The configurations in which it is pending after some storm with at most k messages per channel, with
    the fewest faults of such a storm; and the fewest faults at which a send hits the bound."""
    limited = tuple(model.budget.kinds)
    start = initial(model.system)
    heap = [(0, 0)]
    found = [(start, (0,) * len(limited), is_pending(model, ask, start, False))]
    seen: set[tuple[Configuration, tuple[int, ...], bool]] = set()
    pending: dict[Configuration, int] = {}
    hit: int | None = None
    while heap:
        faults, number = heapq.heappop(heap)
        at, spent, waits = found[number]
        if found[number] in seen:
            continue
        seen.add(found[number])
        if waits:
            pending.setdefault(at, faults)
        if most is not None and len(seen) > most:
            raise TooLarge
        for step, after in bounded_steps(model, at, k, observed):
            if after is None:
                hit = faults if hit is None else hit
                continue
            counts = Counter(dict(zip(limited, spent))) + step.faults
            total = faults + sum(step.faults.values())
            if model.budget.allows(total, counts):
                heapq.heappush(heap, (total, len(found)))
                left = tuple(counts[kind] for kind in limited)
                found.append((after, left, is_pending(model, ask, after, waits)))
    return pending, hit


def is_pending(model: SurvivalModel, ask: Ask, at: Configuration, before: bool) -> bool:
    """Is it pending here, where it was pending `before` the step that led here, or was not?"""
    assert ask.after is not None
    return (before or satisfies(model, at, ask.after)) and not satisfies(model, at, ask.goal)
