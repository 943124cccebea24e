"""Reachability in half-duplex systems of two processes (Cécé and Finkel 2005; definitions 7.2).

When never both channels hold messages, every configuration is reached by rendezvous (a send and its
reception at once), internal actions and, on lossy channels, sends lost at once, and then by sends of one
process alone. So the pairs of states that rendezvous reach are finitely many, and what one process sends
from there is a regular language. The condition that makes this all: in no such pair can both processes
send. Channels must not reorder.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...kernel.goals.cubes import Cube, Demand, accepted
from ...kernel.model.actions import Channel, Firing, Internal, Message, Receive, Send, Transition
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.system import System
from ...kernel.semantics.explore import Explored, explore

Pair = tuple[str, str]


def applies(system: System, failures: FailureModel) -> bool:
    """Two processes, none of which sends to itself, no reordering, no crash message."""
    if len(system.processes) != 2 or system.self_channels:
        return False
    if any(failures.on(c).reorder for c in system.channels):
        return False
    return all(isinstance(m, str) for c in system.channels for m in system.alphabet(c))


@dataclass(frozen=True)
class Meeting:
    """All pairs that rendezvous reach, with the moves that lead to each."""

    explored: Explored[Pair, tuple[Firing, ...]]

    @property
    def pairs(self) -> Iterable[Pair]:
        return self.explored.came

    def moves_to(self, pair: Pair) -> tuple[Firing, ...]:
        return tuple(firing for moves, _ in self.explored.path(pair) for firing in moves)


def rendezvous(system: System, failures: FailureModel) -> Meeting:
    first, second = system.processes
    start = (first.initial, second.initial)
    found = explore([start], lambda at: ((moves, pair) for pair, moves in _moves(system, failures, at)))
    return Meeting(found)


def _moves(system: System, failures: FailureModel, at: Pair) -> Iterator[tuple[Pair, tuple[Firing, ...]]]:
    for me in (0, 1):
        mine, other = system.processes[me], system.processes[1 - me]
        failure = failures.on(Channel(mine.name, other.name))
        for step in mine.outgoing(at[me]):
            alone = _put(at, me, step.target)
            if isinstance(step.action, Internal) or (isinstance(step.action, Send) and failure.loss):
                yield alone, (Firing(mine.name, step),)
            if isinstance(step.action, Send):
                for taken in other.outgoing(at[1 - me]):
                    if isinstance(taken.action, Receive) and failure.may_become(
                        step.action.message, taken.action.message
                    ):
                        both = (Firing(mine.name, step), Firing(other.name, taken))
                        yield _put(alone, 1 - me, taken.target), both


def _put(at: Pair, me: int, state: str) -> Pair:
    return (state, at[1]) if me == 0 else (at[0], state)


def both_send(system: System, pairs: Sequence[Pair]) -> Pair | None:
    """A pair in which both can send, which breaks half-duplex."""
    first, second = system.processes
    return next((p for p in pairs if first.sends(p[0]) and second.sends(p[1])), None)


class Ended(NamedTuple):
    """Where sends of one process alone meet the goal: from which pair, by which moves, leaving which word."""

    pair: Pair
    cube: int
    moves: tuple[Firing, ...]
    channel: Channel
    word: tuple[Message, ...]


def meets(
    system: System, failures: FailureModel, cubes: Sequence[Cube], pairs: Sequence[Pair]
) -> Ended | None:
    for pair in pairs:
        for i, cube in enumerate(cubes):
            for me in (0, 1):
                found = _Sending(system, failures, cube, pair, me).search()
                if found is not None:
                    return Ended(pair, i, *found)
    return None


#: How much of a demand a sent word has met: of an exact word, or whether one is there and what lacks.
_Met = tuple[int, frozenset[str]]


class _Sending:
    """Process `me` alone sends its way from a pair to a cube; only what the demand looks at is kept."""

    def __init__(self, system: System, failures: FailureModel, cube: Cube, pair: Pair, me: int) -> None:
        self.system, self.cube = system, cube
        self.mine, self.other = system.processes[me], system.processes[1 - me]
        self.start, self.theirs = pair[me], pair[1 - me]
        self.channel = Channel(self.mine.name, self.other.name)
        self.back = Channel(self.other.name, self.mine.name)
        self.failure: ChannelFailure = failures.on(self.channel)
        self.demand = cube.channels.get(self.channel, Demand())
        received = [r for r in self.other.receives(self.theirs) if cube.deadlock]
        self.taken = frozenset(r.message for r in received)
        self.head_taken = frozenset(r.message for r in self.other.receives(self.theirs) if cube.stuck)

    def search(self) -> tuple[tuple[Firing, ...], Channel, tuple[Message, ...]] | None:
        if not self._possible():
            return None
        lacking = frozenset(m for m in self.demand.contains if isinstance(m, str))
        begin = (self.start, (0, lacking))
        found = explore(
            [begin],
            lambda at: ((step, after) for after, step in self._steps(*at)),
            lambda at: self._there(*at),
        )
        if found.end is None:
            return None
        steps = [step for step, _ in found.path(found.end)]
        word = tuple(s.action.message for s in steps if isinstance(s.action, Send))
        return tuple(Firing(self.mine.name, s) for s in steps), self.channel, word

    def _possible(self) -> bool:
        allowed = self.cube.states.get(self.other.name, frozenset(self.other.states))
        back = self.cube.channels.get(self.back, Demand())
        return self.theirs in allowed and back.holds(())

    def _there(self, state: str, met: _Met) -> bool:
        if state not in self.cube.states.get(self.mine.name, frozenset(self.mine.states)):
            return False
        if self.cube.deadlock:
            at = {self.mine.name: state, self.other.name: self.theirs}
            if accepted(self.system, at) is None:
                return False
        if self.demand.word is not None:
            return met[0] == len(self.demand.word)
        return not met[1] and (self.demand.head is None or met[0] > 0)

    def _steps(self, state: str, met: _Met) -> Iterator[tuple[tuple[str, _Met], Transition]]:
        for step in self.mine.outgoing(state):
            if isinstance(step.action, Internal):
                yield (step.target, met), step
            elif isinstance(step.action, Send):
                for after in self._after(str(step.action.message), met):
                    yield (step.target, after), step

    def _after(self, sent: str, met: _Met) -> Iterator[_Met]:
        """The message is lost, or stands behind the word as itself or as something that it may become."""
        if self.failure.loss:
            yield met
        for message in (sent, *self.failure.becomes.get(sent, ())):
            if not self._stays(message, met):
                continue
            if self.demand.word is not None:
                if met[0] < len(self.demand.word) and self.demand.word[met[0]] == message:
                    yield met[0] + 1, met[1]
            elif met[0] > 0 or self.demand.head in (None, message):
                yield 1, met[1] - {message}

    def _stays(self, message: str, met: _Met) -> bool:
        """Stuck: the head is not taken. In a deadlock: nor anything else that may come to the head."""
        if self.cube.stuck and met[0] == 0 and message in self.head_taken:
            return False
        if met[0] > 0 and not self.failure.loss:
            return True
        return not ({message, *self.failure.becomes.get(message, ())} & self.taken)
