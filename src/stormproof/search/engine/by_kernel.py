"""Survival at one bound, explored by the kernel's own steps: for what is small, where there is no engine.

The same answers as the engine's, as far as they are given (definitions 10.8 to 10.13): storms with at most k
messages per channel, the fewest faults first, and their calm futures with a few more. Nothing is left out and
nothing is abstracted, so what would need either is undecided; so are mailboxes, what one goal leads to, and
what has components beside roles and channels.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from ... import _engine
from ...kernel.model.actions import Channel, Configuration
from ...kernel.model.ask import Ask
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.explore import Explored, cheapest, explore
from ...kernel.semantics.faulty_steps import bounded_steps
from ...kernel.semantics.goal_meaning import at_rest, satisfies
from ...kernel.semantics.silent_steps import initial
from ...limits import is_over
from ...records import dataclass

if TYPE_CHECKING:
    from .survival import FoundRun, Survey, SurvivalAnswer, SurvivalSearch

#: Configurations of storms and of calm futures, at one bound, where the limits name no fewer.
MOST = 4_000

#: A configuration with what its run has spent of each kind that the budget limits.
SpentAt = tuple[Configuration, tuple[int, ...]]
StormCost = tuple[int, int]


def has_engine() -> bool:
    """Is there a native engine? In a browser there is none."""
    return bool(getattr(_engine, "NATIVE", True))


def survey_by_kernel(search: SurvivalSearch, asks: Mapping[str, Ask], k: int, slack: int) -> Survey:
    from .survival import Survey, SurvivalAnswer

    started, most = time.monotonic(), min(search.options.limits.states or MOST, MOST)
    model = search.model
    if search.pending is not None or model.system.mailboxes or model.extras:
        unknown = {name: SurvivalAnswer(None) for name in asks}
        return Survey(k, unknown, 0, 0, 0.0, 0, None, 0, stopped="states")
    storms = _Storms(search.model, k, search.observed, most)
    futures = _Futures(storms, k + slack, most)
    answers = {name: futures.answer(ask, k) for name, ask in asks.items()}
    complete = storms.complete and futures.complete
    return Survey(
        k,
        answers,
        configurations=storms.size + futures.size,
        stored=storms.size,
        seconds=time.monotonic() - started,
        memory=0,
        hit_faults=storms.hit,
        faults_explored=(storms.last + 1) if complete else storms.last,
        stopped="" if complete else "time" if is_over() else "states",
    )


class _Storms:
    """What storms reach, the fewest faults and then the fewest actions first. `hit`: the fewest faults with
    which a send hits the bound. `last`: the most faults of those that were looked at."""

    def __init__(self, model: SurvivalModel, k: int, observed: frozenset[Channel], most: int) -> None:
        self.model, self.observed, self.last = model, observed, 0
        self.hit: int | None = None
        self._k, self._kinds = k, tuple(model.budget.kinds)
        start = (initial(model.system), (0,) * len(self._kinds))
        self.faults: dict[SpentAt, int] = {start: 0}
        found: Explored[SpentAt, StormStep] = cheapest(
            start, (0, 0), self._leaving, goes_on=lambda seen: seen <= most and not is_over()
        )
        self.found, self.complete, self.size = found, found.complete, len(found.came)

    def _leaving(self, node: SpentAt, cost: StormCost) -> Iterator[tuple[StormCost, StormStep, SpentAt]]:
        faults, actions = cost
        self.faults[node], self.last = faults, faults
        for step, after in bounded_steps(self.model, node[0], self._k, self.observed):
            if after is None:
                self.hit = faults if self.hit is None else self.hit
                continue
            counts = Counter(dict(zip(self._kinds, node[1], strict=True))) + step.faults
            spent = faults + sum(step.faults.values())
            if self.model.budget.allows(spent, counts):
                yield (spent, actions + 1), step, (after, tuple(counts[kind] for kind in self._kinds))

    @property
    def places(self) -> dict[Configuration, SpentAt]:
        """Each configuration with the storm that has the fewest faults, in that order."""
        found: dict[Configuration, SpentAt] = {}
        for node in self.found.came:
            if node in self.faults:
                found.setdefault(node[0], node)
        return found

    def steps(self, node: SpentAt) -> tuple[StormStep, ...]:
        return tuple(step for step, _ in self.found.path(node))


@dataclass
class _Calm:
    """The calm steps of every configuration that was looked at, and where a send hits the bound."""

    steps: dict[Configuration, list[tuple[StormStep, Configuration]]] = field(default_factory=dict)
    hits: set[Configuration] = field(default_factory=set)

    def leading_to(self, targets: Iterable[Configuration]) -> set[Configuration]:
        before: dict[Configuration, list[Configuration]] = {}
        for source, steps in self.steps.items():
            for _, target in steps:
                before.setdefault(target, []).append(source)
        found = set(targets)
        queue = deque(found)
        while queue:
            for source in before.get(queue.popleft(), ()):
                if source not in found:
                    found.add(source)
                    queue.append(source)
        return found


class _Futures:
    """The calm futures of what storms reach, and the answers."""

    def __init__(self, storms: _Storms, bound: int, most: int) -> None:
        self._storms, self._model, self._places = storms, storms.model, storms.places
        self._calm = _Calm()
        found: Explored[Configuration, StormStep] = explore(
            self._places,
            lambda at: self._leaving(at, bound),
            goes_on=lambda seen: seen <= len(self._places) + most and not is_over(),
        )
        self.complete, self.size = found.complete, len(found.came)

    def _leaving(self, at: Configuration, bound: int) -> list[tuple[StormStep, Configuration]]:
        if at not in self._calm.steps:
            rows = self._calm.steps[at] = []
            for step, after in bounded_steps(self._model, at, bound, self._storms.observed):
                if after is None:
                    self._calm.hits.add(at)
                elif step.calm:
                    rows.append((step, after))
        return self._calm.steps[at]

    def answer(self, ask: Ask, k: int) -> SurvivalAnswer:
        from .survival import SurvivalAnswer

        if ask.after is not None:
            return SurvivalAnswer(None)
        found = self._out_of_reach(ask) if ask.always else self._reached(ask)
        if found is not None:
            return found
        if not self._storms.complete or (ask.always and not self.complete):
            return SurvivalAnswer(None)
        return SurvivalAnswer(True, None if self._storms.hit is None else k)

    def _reached(self, ask: Ask) -> SurvivalAnswer | None:
        """A storm to the goal, the best there is."""
        for at, node in self._places.items():
            if satisfies(self._model, at, ask.goal):
                return self._violated(node, (), None, (), self._storms.hit)
        return None

    def _out_of_reach(self, ask: Ask) -> SurvivalAnswer | None:
        """The best storm behind which no calm run leads to the goal, if that is certain; undecided, if it
        is possible."""
        from .survival import SurvivalAnswer

        calm = self._calm
        hopeful = calm.leading_to(at for at in calm.steps if satisfies(self._model, at, ask.goal))
        open_ends = {after for steps in calm.steps.values() for _, after in steps if after not in calm.steps}
        unclear = calm.leading_to({*calm.hits, *open_ends, *(self._places.keys() - calm.steps.keys())})
        doubt: int | None = None
        for at, node in self._places.items():
            if at in hopeful:
                continue
            if at not in unclear:
                steps, end, cycle = self._stuck(at)
                hits = [n for n in (self._storms.hit, doubt) if n is not None]
                return self._violated(node, steps, end, cycle, min(hits, default=None))
            doubt = self._storms.faults[node] if doubt is None else doubt
        return None if doubt is None else SurvivalAnswer(None)

    def _violated(
        self,
        node: SpentAt,
        calm: tuple[StormStep, ...],
        end: str | None,
        cycle: tuple[StormStep, ...],
        doubt: int | None,
    ) -> SurvivalAnswer:
        """`doubt`: with so many faults there may be another that was not looked at."""
        from .survival import FoundRun, SurvivalAnswer

        storm, faults = self._storms.steps(node), self._storms.faults[node]
        run: FoundRun = FoundRun((*storm, *calm), len(storm), faults, end, cycle)
        fewest = faults == 0 or doubt is None or doubt >= faults
        return SurvivalAnswer(False, fewest=fewest, run=run)

    def _stuck(self, at: Configuration) -> tuple[tuple[StormStep, ...], str, tuple[StormStep, ...]]:
        """The calm steps from here to where nothing happens any more, or to what goes round for ever."""
        steps = self._calm.steps
        found = explore([at], lambda place: steps[place], lambda place: not steps[place])
        if found.end is not None:
            end = "rest" if at_rest(self._model, found.end) else "deadlock"
            return tuple(step for step, _ in found.path(found.end)), end, ()
        for place in found.came:
            round_ = self._round(place)
            if round_:
                return tuple(step for step, _ in found.path(place)), "livelock", round_
        return (), "divergence", ()

    def _round(self, place: Configuration) -> tuple[StormStep, ...]:
        """The shortest way from a configuration back to it."""
        steps = self._calm.steps
        for step, after in steps[place]:
            back = explore([after], lambda at: steps[at], lambda at: at == place)
            if back.end is not None:
                return (step, *(s for s, _ in back.path(place)))
        return ()
