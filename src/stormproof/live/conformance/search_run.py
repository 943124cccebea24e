"""A run with the logged events, by the definitions: best first over configurations, fewest faults first.

It needs no log of every role: roles without one do as they may. Where the messages of a channel, or of a
mailbox, stand in another order than the log of their receiver takes them in, only a fault can mend that: such
configurations are visited as if they had one fault more. The search is exact and slow, and ends at a limit.
"""

from __future__ import annotations

import heapq
import math
import time
from bisect import bisect_left
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from ...kernel.model.actions import Channel, Configuration, Message, Send, channel_of, pair_of
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from ...kernel.semantics.silent_steps import initial
from ...search.counterexample.storm_run import storm_witness
from ...search.engine.survival import FoundRun
from .log import RoleLog, is_silent, logged

#: Messages that a role without a log may have waiting in a channel.
FREE_LENGTH = 4


class LogPoint(NamedTuple):
    """How much of each log has happened, and where the system is."""

    done: tuple[int, ...]
    at: Configuration


class _Trail(NamedTuple):
    step: StormStep
    before: _Trail | None


@dataclass(frozen=True)
class SearchedRun:
    """`complete`: the run has all events; `exhausted`: there is no other that has more, or as many with fewer
    faults. `lengths`: how many events of each log the run has."""

    run: Witness
    lengths: Mapping[str, int]
    faults: int
    complete: bool
    exhausted: bool


def search_run(
    model: SurvivalModel,
    logs: Mapping[str, RoleLog],
    limit: int,
    goes_on: bool = False,
    seconds: float | None = None,
) -> SearchedRun:
    """The best run; with `goes_on`, a role may do more than its log says, after the log has ended."""
    return _Search(model, logs, goes_on).run(limit, math.inf if seconds is None else seconds)


def _receptions(log: RoleLog, channel: Channel) -> list[tuple[int, str, str]]:
    """What the log takes from the channel, or from the mailbox: where in the log, from whom, and what."""
    return [
        (i, event.peer, event.message)
        for i, event in enumerate(log)
        if event.do == "receive" and channel.sender in ("", event.peer)
    ]


def _as_taken(channel: Channel, message: Message) -> tuple[str, str]:
    return pair_of(channel, message).sender, logged(message)


class _Search:
    def __init__(self, model: SurvivalModel, logs: Mapping[str, RoleLog], goes_on: bool) -> None:
        self.model, self.logs, self.goes_on = model, logs, goes_on
        self.roles = list(logs)
        self.whole = tuple(len(log) for log in logs.values())
        self.cut = False
        self.taken = {
            c: _receptions(logs[c.receiver], c) for c in model.system.channels if c.receiver in logs
        }

    def run(self, limit: int, seconds: float) -> SearchedRun:
        until = time.monotonic() + seconds
        start = LogPoint((0,) * len(self.roles), initial(self.model.system))
        queue: list[tuple[int, int, int, LogPoint, _Trail | None]] = [(0, 0, 0, start, None)]
        cost, closed, count = {start: 0}, set[LogPoint](), 0
        best: tuple[int, int, LogPoint, _Trail | None] = (0, 0, start, None)
        while queue and len(closed) < limit and time.monotonic() < until:
            _, _, _, point, trail = heapq.heappop(queue)
            if point in closed:
                continue
            closed.add(point)
            faults = cost[point]
            best = max(best, (sum(point.done), -faults, point, trail), key=lambda found: found[:2])
            if point.done == self.whole:
                return self._answer(best, exhausted=True)
            for step, after in self._steps(point):
                price = faults + sum(step.faults.values())
                if cost.get(after, price + 1) > price:
                    cost[after] = price
                    count += 1
                    left = sum(self.whole) - sum(after.done)
                    least = price + self._out_of_order(after)
                    heapq.heappush(queue, (least, left, count, after, _Trail(step, trail)))
        return self._answer(best, exhausted=not queue and not self.cut)

    def _steps(self, point: LogPoint) -> Iterator[tuple[StormStep, LogPoint]]:
        for step in stormy_steps(self.model, point.at):
            done = self._done(point, step)
            if done is None:
                continue
            after = effect(self.model, point.at, step)
            if self._too_long(step, after):
                self.cut = True
            else:
                yield step, LogPoint(done, after)

    def _done(self, point: LogPoint, step: StormStep) -> tuple[int, ...] | None:
        """How much of the logs has happened after a step; None where the log of its role says otherwise."""
        if step.process not in self.logs or is_silent(step.transition.action):
            return point.done
        i = self.roles.index(step.process)
        log, at = self.logs[step.process], point.done[i]
        if at == len(log):
            return point.done if self.goes_on else None
        if not log[at].matches(step.transition.action):
            return None
        return (*point.done[:i], at + 1, *point.done[i + 1 :])

    def _out_of_order(self, point: LogPoint) -> bool:
        """Does a queue hold something in the place of what the log of its receiver takes next from it?"""
        for channel, taken in self.taken.items():
            word = self.model.word(point.at, channel)
            if word:
                done = point.done[self.roles.index(channel.receiver)]
                following = taken[bisect_left(taken, (done,)) :]
                if any(_as_taken(channel, m) != t[1:] for m, t in zip(word, following)):
                    return True
        return False

    def _too_long(self, step: StormStep, after: Configuration) -> bool:
        action = step.transition.action
        free = step.process not in self.logs or self.goes_on
        if not free or not isinstance(action, Send):
            return False
        channel = channel_of(step.process, action)
        assert channel is not None
        return len(self.model.word(after, channel)) > FREE_LENGTH

    def _answer(self, best: tuple[int, int, LogPoint, _Trail | None], exhausted: bool) -> SearchedRun:
        _, faults, point, trail = best
        steps: list[StormStep] = []
        while trail is not None:
            steps.append(trail.step)
            trail = trail.before
        found = FoundRun(tuple(reversed(steps)), len(steps), -faults)
        lengths = dict(zip(self.roles, point.done))
        run = storm_witness(self.model, found)
        return SearchedRun(run, lengths, -faults, point.done == self.whole, exhausted)
