"""The order of the actions of a run with the fewest changes of process, the faults being what they are.

A *change of process* is a pair of neighbouring actions of different processes. What is independent commutes.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import NamedTuple

from ...kernel.model.actions import Channel, Firing, Internal, Receive
from .match_sends import FAR, Matching

#: Positions that the search for the fewest changes of process may see.
POSITIONS = 5_000


def changes(processes: list[str]) -> int:
    """How often the process changes in a sequence of actions."""
    return sum(a != b for a, b in pairwise(processes))


class _Position(NamedTuple):
    """How many actions of each process are done, and who acted last."""

    done: tuple[int, ...]
    last: int


class _Order:
    """What must come before what, when each reception takes the send that it takes.

    Actions of one process keep their order, so a channel's sends keep theirs and its receptions theirs, and
    the same faults do; a reception follows its send; a message that is kept needs room.
    """

    def __init__(
        self, moves: tuple[Firing, ...], choices: Mapping[Channel, Matching], bound: int | None
    ) -> None:
        self.moves, self.choices = moves, choices
        self.bound = FAR if bound is None else bound
        self.names = list(dict.fromkeys(process for process, _ in moves))
        self.own = [[i for i, (p, _) in enumerate(moves) if p == name] for name in self.names]
        self.rank = {i: (p, n) for p, own in enumerate(self.own) for n, i in enumerate(own)}
        self.kept = {c: choice.kept for c, choice in choices.items()}
        self.entering = {c: self._ranks(kept) for c, kept in self.kept.items()}
        self.leaving = {
            c: self._ranks(set(choice.taken) - set(choice.stays)) for c, choice in choices.items()
        }

    def _ranks(self, moves: Iterable[int]) -> tuple[int, list[int]]:
        """Moves of one process, all of which act on one channel: whose, and their places among its moves."""
        ranks = sorted(self.rank[move] for move in moves)
        return (ranks[0][0] if ranks else 0), [n for _, n in ranks]

    def _how_many(self, ranks: tuple[int, list[int]], done: tuple[int, ...]) -> int:
        process, places = ranks
        return bisect_left(places, done[process])

    def is_done(self, move: int, done: tuple[int, ...]) -> bool:
        process, n = self.rank[move]
        return n < done[process]

    def ready(self, move: int, done: tuple[int, ...]) -> bool:
        process, (_, action, _) = self.moves[move]
        if isinstance(action, Receive):
            return self.is_done(self.choices[Channel(action.peer, process)].taken[move], done)
        if isinstance(action, Internal):
            return True
        channel = Channel(process, action.peer)
        if move not in self.kept[channel]:
            return True
        inside = self._how_many(self.entering[channel], done) - self._how_many(self.leaving[channel], done)
        return inside < self.bound

    def least(self, at: _Position) -> int:
        """At least so many changes are still to come: to every other process that has something to do."""
        rest = zip(self.own, at.done)
        return sum(n < len(own) and p != at.last for p, (own, n) in enumerate(rest))

    def next(self, at: _Position) -> Iterator[tuple[int, _Position]]:
        """The moves that may come next, in the order of the given run."""
        following = [(own[n], p) for p, (own, n) in enumerate(zip(self.own, at.done)) if n < len(own)]
        for move, p in sorted(following):
            if self.ready(move, at.done):
                yield move, _Position((*at.done[:p], at.done[p] + 1, *at.done[p + 1 :]), p)


def grouped(moves: tuple[Firing, ...], choices: Mapping[Channel, Matching], bound: int | None) -> list[int]:
    """The order of the moves with the fewest changes of process.

    Exact within `POSITIONS`; beyond, the process that acted goes on for as long as it can.
    """
    order = _Order(moves, choices, bound)
    start = _Position((0,) * len(order.names), -1)
    ticket = count()
    heap: list[tuple[int, int, int, _Position, tuple[int, ...]]] = [(0, 0, next(ticket), start, ())]
    seen: set[_Position] = set()
    while heap and len(seen) < POSITIONS:
        _, cost, _, at, path = heappop(heap)
        if at in seen:
            continue
        seen.add(at)
        if len(path) == len(moves):
            return list(path)
        for move, to in order.next(at):
            after = cost + (to.last != at.last)
            heappush(heap, (after + order.least(to), after, next(ticket), to, (*path, move)))
    return _greedy(order, start, len(moves))


def _greedy(order: _Order, at: _Position, length: int) -> list[int]:
    """Some order; a dead end is not possible, since the given order is always open for the earliest move."""
    path: list[int] = []
    while len(path) < length:
        options = list(order.next(at))
        same = [o for o in options if o[1].last == at.last]
        move, at = (same or options)[0]
        path.append(move)
    return path
