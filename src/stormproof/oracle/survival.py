"""Survival, executed literally and slowly (definitions 10.4 to 10.11, 10.18).

A stormy run may have faults, a calm one has none. Storms are explored with at most k messages per
channel, calm futures with a few more; channels themselves are unbounded, so that the bound limits what is
explored and never what is claimed.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ..kernel.model.actions import Channel, Configuration
from ..kernel.model.ask import Ask
from ..kernel.model.goal import Goal
from ..kernel.model.goal_forms import observed_channels
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import LADDER, SLACK, BlockSize, SurvivalModel
from .bounded import TooLarge, initial
from .channel_blocks import proves_never
from .leads_to import is_pending, pending_configurations
from .rest import satisfies
from .steps import bounded_steps

#: A configuration with what its run has spent of each kind that the budget limits.
CountedConfiguration = tuple[Configuration, tuple[int, ...]]


@dataclass
class Storm:
    """All configurations that storms reach with at most k messages per channel, in the order of the
    fewest faults and then the fewest actions; `hit` is the fewest faults at which a send hits the
    bound."""

    best: dict[CountedConfiguration, tuple[int, int]]
    before: dict[CountedConfiguration, tuple[CountedConfiguration, StormStep]]
    hit: int | None

    @property
    def faults(self) -> dict[Configuration, int]:
        found: dict[Configuration, int] = {}
        for (at, _), (faults, _) in self.best.items():
            found.setdefault(at, faults)
        return found


def explore_storms(
    model: SurvivalModel, k: int, observed: frozenset[Channel] = frozenset(), most: int | None = None
) -> Storm:
    limited = tuple(model.budget.kinds)
    storm = Storm({}, {}, None)
    start: CountedConfiguration = (initial(model.system), (0,) * len(limited))
    found: list[tuple[CountedConfiguration, tuple[CountedConfiguration, StormStep] | None]] = [(start, None)]
    heap = [(0, 0, 0)]
    while heap:
        faults, actions, number = heapq.heappop(heap)
        node, came = found[number]
        if node in storm.best:
            continue
        storm.best[node] = (faults, actions)
        if came is not None:
            storm.before[node] = came
        if most is not None and len(storm.best) > most:
            raise TooLarge
        for step, after in bounded_steps(model, node[0], k, observed):
            if after is None:
                storm.hit = faults if storm.hit is None else storm.hit
                continue
            counts = Counter(dict(zip(limited, node[1]))) + step.faults
            spent = faults + sum(step.faults.values())
            if model.budget.allows(spent, counts):
                heapq.heappush(heap, (spent, actions + 1, len(found)))
                found.append(((after, tuple(counts[kind] for kind in limited)), (node, step)))
    return storm


@dataclass
class Calm:
    """The calm futures of some configurations, with at most `bound` messages per channel."""

    after: dict[Configuration, list[Configuration]]
    hits: set[Configuration]

    def can_reach(self, targets: Iterable[Configuration]) -> set[Configuration]:
        before: dict[Configuration, list[Configuration]] = {}
        for source, successors in self.after.items():
            for target in successors:
                before.setdefault(target, []).append(source)
        found = set(targets)
        queue = deque(found)
        while queue:
            for source in before.get(queue.popleft(), ()):
                if source not in found:
                    found.add(source)
                    queue.append(source)
        return found


def calm_futures(
    model: SurvivalModel,
    starts: Iterable[Configuration],
    bound: int,
    observed: frozenset[Channel] = frozenset(),
    most: int | None = None,
) -> Calm:
    calm = Calm({}, set())
    queue = deque(dict.fromkeys(starts))
    seen = set(queue)
    while queue:
        at = queue.popleft()
        calm.after[at] = []
        for step, after in bounded_steps(model, at, bound, observed):
            if not step.calm:
                continue
            if after is None:
                calm.hits.add(at)
                continue
            calm.after[at].append(after)
            if after not in seen:
                seen.add(after)
                queue.append(after)
        if most is not None and len(seen) > most:
            raise TooLarge
    return calm


# ---- answers -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class SlowVerdict:
    """`holds` False: violated, for channels of any length, with so many `faults`, by `violations`, those
    found with as few. True: it holds, for storms with at most `up_to` messages per channel, None for
    any length. None: undecided, with the fewest faults of a configuration from which no calm run
    within the slack was found."""

    holds: bool | None
    up_to: int | None = None
    faults: int | None = None
    violations: frozenset[Configuration] = frozenset()


def answer(
    model: SurvivalModel,
    ask: Ask,
    k: int,
    *,
    slack: int = SLACK,
    ladder: Iterable[BlockSize] = LADDER,
    most: int | None = None,
) -> SlowVerdict:
    """The answer at one bound. Raises TooLarge past `most` configurations of any kind."""
    observed = frozenset().union(*(observed_channels(goal, model.system) for goal in ask.goals))
    if ask.after is not None:
        pending, hit = pending_configurations(model, ask, k, observed, most)
        holds = SlowVerdict(True, None if hit is None else k)
        return _possible(model, ask, pending, holds, k + slack, observed, ladder, most)
    storm = explore_storms(model, k, observed, most)
    holds = SlowVerdict(True, None if storm.hit is None else k)
    if not ask.always:
        reached = {at: n for at, n in storm.faults.items() if satisfies(model, at, ask.goal)}
        return _violated(reached) if reached else holds
    return _possible(model, ask, storm.faults, holds, k + slack, observed, ladder, most)


def _possible(
    model: SurvivalModel,
    ask: Ask,
    starts: dict[Configuration, int],
    holds: SlowVerdict,
    bound: int,
    observed: frozenset[Channel],
    ladder: Iterable[BlockSize],
    most: int | None,
) -> SlowVerdict:
    """Does a calm run lead to the goal from each of these, which storms with so many faults reach?"""
    calm = calm_futures(model, starts, bound, observed, most)
    hopeful = calm.can_reach(at for at in calm.after if satisfies(model, at, ask.goal))
    hopeless = {at: n for at, n in starts.items() if at not in hopeful}
    if not hopeless:
        return holds
    unclear = calm.can_reach(calm.hits)
    return _judged(hopeless, lambda at: at not in unclear or is_never(model, at, ask.goal, ladder, most))


def _judged(hopeless: dict[Configuration, int], proved: Callable[[Configuration], bool]) -> SlowVerdict:
    """A violation with as few faults as any that is proved."""
    for least in sorted(set(hopeless.values())):
        found = {at: n for at, n in hopeless.items() if n == least and proved(at)}
        if found:
            return _violated(found)
    return SlowVerdict(None, faults=min(hopeless.values()))


def _violated(found: dict[Configuration, int]) -> SlowVerdict:
    least = min(found.values())
    return SlowVerdict(False, faults=least, violations=frozenset(at for at, n in found.items() if n == least))


def no_return(
    model: SurvivalModel, ask: Ask, steps: Sequence[StormStep], bound: int, most: int | None = None
) -> int | None:
    """The first moment of a run from which on it is calm and no calm run leads to the goal, which is pending
    if it must follow something (definitions 10.12, 10.18); None where that cannot be told with so many
    messages per channel, or there is none."""
    places, every = [initial(model.system)], frozenset(model.system.channels)
    for step in steps:
        after = dict(bounded_steps(model, places[-1], bound, every))[step]
        if after is None:
            return None
        places.append(after)
    calm = calm_futures(model, places, bound, every, most)
    hopeful = calm.can_reach(at for at in calm.after if satisfies(model, at, ask.goal))
    unclear = calm.can_reach(calm.hits)
    quiet = [i for i in range(len(places)) if all(step.calm for step in steps[i:])]
    hopeless = [i for i in quiet if places[i] not in hopeful]
    if ask.after is not None:
        pending = [is_pending(model, ask, places[0], False)]
        for at in places[1:]:
            pending.append(is_pending(model, ask, at, pending[-1]))
        hopeless = [i for i in hopeless if pending[i]]
    return None if not hopeless or places[hopeless[0]] in unclear else hopeless[0]


def is_never(
    model: SurvivalModel,
    at: Configuration,
    goal: Goal,
    ladder: Iterable[BlockSize] = LADDER,
    most: int | None = None,
) -> bool:
    """Does some abstraction prove that no calm run from here leads to the goal?"""
    return any(proves_never(model, at, goal, size, most) for size in ladder)
