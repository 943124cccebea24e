"""How one logged event can come about from one configuration, whatever roles without logs do before it."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator

from ...kernel.model.actions import Channel, Configuration, Send, channel_of
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from .log import LogEvent, is_silent
from .search_run import FREE_LENGTH

#: Configurations that are kept after an event, and that are visited from one of them for one event.
MOST_PLACES = 500

StormSteps = tuple[StormStep, ...]


class EventSearch:
    """`roles` are those that log. `cut`: less was tried than there is."""

    def __init__(
        self, model: SurvivalModel, roles: frozenset[str], over: Callable[[], bool] = lambda: False
    ) -> None:
        self.model, self.roles = model, roles
        self.cut = False
        self._over = over

    def ways(
        self, place: Configuration, role: str, event: LogEvent
    ) -> Iterator[tuple[Configuration, int, StormSteps]]:
        """Where the event leads, with the fewest faults and the steps; by Dijkstra over faults."""
        queue: list[tuple[int, int, Configuration, StormSteps]] = [(0, 0, place, ())]
        best, done, count = {place: 0}, set[Configuration](), 0
        while queue:
            cost, _, at, steps = heapq.heappop(queue)
            if at in done:
                continue
            done.add(at)
            if len(done) > MOST_PLACES or self._over():
                self.cut = True
                return
            for step in stormy_steps(self.model, at):
                price, after = cost + sum(step.faults.values()), effect(self.model, at, step)
                if step.process in self.roles and not is_silent(step.transition.action):
                    if step.process == role and event.matches(step.transition.action):
                        yield after, price, (*steps, step)
                elif self._too_long(step, after):
                    self.cut = True
                elif best.get(after, price + 1) > price:
                    best[after] = price
                    count += 1
                    heapq.heappush(queue, (price, count, after, (*steps, step)))

    def _too_long(self, step: StormStep, after: Configuration) -> bool:
        channel = channel_of(step.process, step.transition.action)
        if channel is None or not isinstance(step.transition.action, Send):
            return False
        return len(self.model.word(after, Channel(*channel))) > FREE_LENGTH


def best_places(
    places: Iterable[Configuration], faults: Callable[[Configuration], int]
) -> list[Configuration]:
    """Not more than the most: those with the fewest faults, and then with the fewest messages."""
    found = list(places)
    if len(found) <= MOST_PLACES:
        return found
    return heapq.nsmallest(MOST_PLACES, found, key=lambda at: (faults(at), sum(map(len, at.words))))
