"""One move at a time, with every fault a step of its own: what sample runs are searched with.

At most one fault or crash is allowed for: a reader then sees what the protocol does about it, and the search
stays small. Nothing has to be made explicit afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.model.actions import (
    CRASH_ACTION,
    Channel,
    Configuration,
    Crash,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
    Word,
    channel_of,
)
from ...kernel.model.failures import FailureModel
from ...kernel.model.fault_steps import Corrupt, Lose
from ...kernel.model.faults import LOSS
from ...kernel.model.process import Process
from ...kernel.model.run import Act, Step
from ...kernel.model.system import System
from ...trust.channel_faults import faults

#: One or more steps that are taken together.
Move = tuple[Step, ...]
NextMoves = Iterator[tuple[Move, Configuration]]


def act(process: Process, t: Transition) -> Act:
    return Act(process.name, t.action, t.target)


def has_fault(move: Move) -> bool:
    """Is a fault or a crash among the steps?"""
    return any(not isinstance(s, Act) or s.action == Internal(CRASH_ACTION) for s in move)


def rests(process: Process, state: str) -> bool:
    """Is there nothing left to do? Taking a crash notice that still comes, or crashing, does not count."""
    return all(
        t.action == Internal(CRASH_ACTION)
        or (isinstance(t.action, Receive) and isinstance(t.action.message, Crash) and t.target == state)
        for t in process.outgoing(state)
    )


class BoundedMoves:
    """The moves of a system within the bound k. In *rendezvous* order a message is received (or lost) at once
    or, if that is not "pairs" only, never, and then blocks its channel."""

    def __init__(self, system: System, model: FailureModel, k: int, rendezvous: str = "") -> None:
        self.system, self.model, self.k, self.rendezvous = system, model, k, rendezvous
        self.index = system.channel_index
        self.start = Configuration(tuple(p.initial for p in system), tuple(() for _ in system.channels))

    def moves(self, at: Configuration, spent: bool) -> NextMoves:
        """What may happen next; faults and crashes only while none was `spent`."""
        for i, process in enumerate(self.system):
            for t in process.outgoing(at.states[i]):
                if isinstance(t.action, Internal):
                    if not (spent and t.action.crashes):
                        yield (act(process, t),), _to(at, i, t.target)
                elif isinstance(t.action, Send):
                    yield from self._sends(at, i, t, spent)
                elif not self.rendezvous:
                    yield from self._receives(at, i, t)
        if not spent and not self.rendezvous:
            yield from self._faults(at)

    def over(self, at: Configuration) -> bool:
        """Has everybody ended, with nothing in flight except what nobody will receive?"""
        ended = all(rests(p, s) for p, s in zip(self.system, at.states))
        return ended and all(not w or self._gone(at, c.receiver) for c, w in zip(self.index, at.words))

    def stuck(self, at: Configuration) -> bool:
        """Can nothing happen, in no order?"""
        free = BoundedMoves(self.system, self.model, self.k) if self.rendezvous else self
        return next(free.moves(at, True), None) is None

    def _gone(self, at: Configuration, name: str) -> bool:
        i = self.system.names.index(name)
        return at.states[i] in self.system.processes[i].crashed_states

    def _sends(self, at: Configuration, i: int, t: Transition, spent: bool) -> NextMoves:
        assert isinstance(t.action, Send)
        process, message = self.system.processes[i], t.action.message
        channel = channel_of(process.name, t.action)
        assert channel is not None
        n = self.index[channel]
        word = at.words[n]
        if self.rendezvous and not word:
            yield from self._pairs(at, i, t, channel, spent)
        if len(word) < self.k and self.rendezvous != "pairs":
            yield (act(process, t),), _to(at, i, t.target, n, (*word, message))
        lossy = self.model.on(channel).strikes(LOSS, message) and not spent
        if lossy and (self.rendezvous or len(word) >= self.k):
            yield (act(process, t), Lose(channel, len(word), _name(message))), _to(at, i, t.target)

    def _pairs(self, at: Configuration, i: int, t: Transition, channel: Channel, spent: bool) -> NextMoves:
        """A send and at once a reception of it, or of what it has become."""
        assert isinstance(t.action, Send)
        j, sent = self.system.names.index(channel.receiver), t.action.message
        sender, receiver = self.system.processes[i], self.system.processes[j]
        failure, then = self.model.on(channel), t.target if i == j else at.states[j]
        for taken in receiver.outgoing(then):
            if not isinstance(taken.action, Receive) or taken.action.peer != sender.name:
                continue
            message = taken.action.message
            change = () if message == sent else (Corrupt(channel, 0, _name(sent), _name(message)),)
            if message == sent or (not spent and failure.may_become(sent, message)):
                yield (
                    (act(sender, t), *change, act(receiver, taken)),
                    _to(_to(at, i, t.target), j, taken.target),
                )

    def _receives(self, at: Configuration, i: int, t: Transition) -> NextMoves:
        assert isinstance(t.action, Receive)
        process = self.system.processes[i]
        channel = channel_of(process.name, t.action)
        assert channel is not None
        n = self.index[channel]
        if at.words[n][:1] == (t.action.message,):
            yield (act(process, t),), _to(at, i, t.target, n, at.words[n][1:])

    def _faults(self, at: Configuration) -> NextMoves:
        for channel, n in self.index.items():
            tagged = tuple((m, j) for j, m in enumerate(at.words[n]))
            for fault, word in faults(self.model.on(channel), channel, tagged):
                words = (*at.words[:n], tuple(m for m, _ in word), *at.words[n + 1 :])
                yield (fault,), Configuration(at.states, words)


def _name(message: Message) -> str:
    return message if isinstance(message, str) else str(message)


def _to(at: Configuration, i: int, state: str, n: int = -1, word: Word = ()) -> Configuration:
    """Process i in another state, and channel n, if one is meant, with another content."""
    words = at.words if n < 0 else (*at.words[:n], word, *at.words[n + 1 :])
    return Configuration((*at.states[:i], state, *at.states[i + 1 :]), words)
