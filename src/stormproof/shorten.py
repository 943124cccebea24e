"""The choice among equally short runs: fewest faults, then fewest changes of process.

The *length* of a run is its number of actions: sends, receptions and internal actions. Faults have no length.
A *change of process* is a pair of neighbouring actions of different processes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from heapq import heappop, heappush
from itertools import count, pairwise
from typing import NamedTuple

from .failures import ChannelFailure, FailureModel
from .model import CRASH, Channel, Internal, Message, Receive, Send, System, Transition, channel_of
from .takers import FAR, Choice
from .witness import Witness

Moves = tuple[tuple[str, Transition], ...]
Word = tuple[Message, ...]

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

    def __init__(self, moves: Moves, choices: Mapping[Channel, Choice], bound: int | None) -> None:
        self.moves, self.choices = moves, choices
        self.bound = FAR if bound is None else bound
        self.names = list(dict.fromkeys(process for process, _ in moves))
        self.own = [[i for i, (p, _) in enumerate(moves) if p == name] for name in self.names]
        self.rank = {i: (p, n) for p, own in enumerate(self.own) for n, i in enumerate(own)}
        self.kept = {c: sorted(choice.kept) for c, choice in choices.items()}

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
        kept = self.kept[channel]
        if move not in self.choices[channel].kept:
            return True
        taken = self.choices[channel].taken
        inside = sum(self.is_done(s, done) for s in kept) - sum(self.is_done(r, done) for r in taken)
        return inside < self.bound

    def next(self, at: _Position) -> Iterator[tuple[int, _Position]]:
        """The moves that may come next, in the order of the given run."""
        following = [(own[n], p) for p, (own, n) in enumerate(zip(self.own, at.done)) if n < len(own)]
        for move, p in sorted(following):
            if self.ready(move, at.done):
                yield move, _Position((*at.done[:p], at.done[p] + 1, *at.done[p + 1 :]), p)


def grouped(moves: Moves, choices: Mapping[Channel, Choice], bound: int | None) -> list[int]:
    """The order of the moves with the fewest changes of process.

    Exact within `POSITIONS`; beyond, the process that acted goes on for as long as it can.
    """
    order = _Order(moves, choices, bound)
    start = _Position((0,) * len(order.names), -1)
    ticket = count()
    heap: list[tuple[int, int, _Position, tuple[int, ...]]] = [(0, next(ticket), start, ())]
    seen: set[_Position] = set()
    while heap and len(seen) < POSITIONS:
        cost, _, at, path = heappop(heap)
        if at in seen:
            continue
        seen.add(at)
        if len(path) == len(moves):
            return list(path)
        for move, to in order.next(at):
            heappush(heap, (cost + (to.last != at.last), next(ticket), to, (*path, move)))
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


class _Node(NamedTuple):
    states: tuple[str, ...]
    words: tuple[Word, ...]


def fewer_faults(
    system: System, failures: FailureModel, witness: Witness, bound: int | None, budget: int
) -> Moves | None:
    """The moves of a run to the same end, no longer and with fewer faults, or shorter; None: none was found.

    Dijkstra by length and then by faults, over configurations with words and one fault a step.
    """
    index = {c: i for i, c in enumerate(system.channels)}
    end = _Node(
        tuple(witness.states[name] for name in system.names),
        tuple(tuple(witness.channels.get(c, ())) for c in system.channels),
    )
    start = _Node(tuple(p.initial for p in system), tuple(() for _ in system.channels))
    best = (len(witness.acts), len(witness.faults))
    ticket = count()
    heap: list[tuple[tuple[int, int], int, _Node, Moves]] = [((0, 0), next(ticket), start, ())]
    seen: set[_Node] = set()
    while heap and len(seen) < budget:
        cost, _, at, moves = heappop(heap)
        if at in seen:
            continue
        seen.add(at)
        if at == end:
            return moves
        for price, to, move in _steps(system, failures, index, at, bound):
            total = (cost[0] + (move is not None), cost[1] + price)
            if total < best and to not in seen:
                heappush(heap, (total, next(ticket), to, moves if move is None else (*moves, move)))
    return None


def _steps(
    system: System, failures: FailureModel, index: Mapping[Channel, int], at: _Node, bound: int | None
) -> Iterator[tuple[int, _Node, tuple[str, Transition] | None]]:
    """Def. irs, one step: the faults it costs, where it leads, and the move unless it is a fault."""
    for p, process in enumerate(system):
        for transition in process.outgoing(at.states[p]):
            action = transition.action
            states = (*at.states[:p], transition.target, *at.states[p + 1 :])
            channel = channel_of(process.name, action)
            if channel is None or isinstance(action, Internal):
                yield 0, _Node(states, at.words), (process.name, transition)
                continue
            c = index[channel]
            for price, word in _acted(at.words[c], action, failures.on(channel), bound):
                yield price, _Node(states, _put(at.words, c, word)), (process.name, transition)
    for channel, c in index.items():
        for word in _interfered(at.words[c], failures.on(channel)):
            yield 1, _Node(at.states, _put(at.words, c, word)), None


def _put(words: tuple[Word, ...], c: int, word: Word) -> tuple[Word, ...]:
    return (*words[:c], word, *words[c + 1 :])


def _acted(
    word: Word, action: Send | Receive, failure: ChannelFailure, bound: int | None
) -> Iterator[tuple[int, Word]]:
    if isinstance(action, Receive):
        if word and word[0] == action.message:
            yield 0, word[1:]
    elif bound is None or len(word) < bound:
        yield 0, (*word, action.message)
    elif failure.loss:
        longer = (*word, action.message)
        yield from ((1, longer[:i] + longer[i + 1 :]) for i, m in enumerate(longer) if m is not CRASH)


def _interfered(word: Word, failure: ChannelFailure) -> Iterator[Word]:
    for i, message in enumerate(word):
        if message is CRASH:
            continue
        if failure.loss:
            yield word[:i] + word[i + 1 :]
        for other in sorted(failure.becomes.get(str(message), ())):
            yield (*word[:i], other, *word[i + 1 :])
        if failure.reorder and i + 1 < len(word) and word[i + 1] is not CRASH:
            yield (*word[:i], word[i + 1], message, *word[i + 2 :])
