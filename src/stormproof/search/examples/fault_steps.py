"""One move at a time, with every fault a step of its own: what sample runs are searched with.

At most one fault or crash is allowed for: a reader then sees what the protocol does about it, and the search
stays small. Nothing has to be made explicit afterwards.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...kernel.model.actions import (
    CRASH_ACTION,
    Channel,
    Configuration,
    Internal,
    Message,
    Receive,
    Transition,
    Word,
    channel_of,
)
from ...kernel.model.channel_faults import as_fault, interfere, received, sent
from ...kernel.model.failures import FailureModel
from ...kernel.model.process import Process
from ...kernel.model.rest import RestStates, rest_states
from ...kernel.model.run import Act, Step
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.goal_meaning import at_rest
from ...kernel.semantics.silent_steps import initial

#: One or more steps that are taken together.
Move = tuple[Step, ...]
NextMoves = Iterator[tuple[Move, Configuration]]


def act(process: Process, t: Transition) -> Act:
    return Act(process.name, t.action, t.target)


def has_fault(move: Move) -> bool:
    """Is a fault or a crash among the steps?"""
    return any(not isinstance(s, Act) or s.action == Internal(CRASH_ACTION) for s in move)


def where_runs_end(system: System) -> RestStates:
    """A role ends where its `rest` lines say, or where it has nothing more to do. By default it also rests
    where it began (definitions 10.1), which is no end: a run that comes back there goes round."""
    found = rest_states(system)
    rest = {p.name: (found.ended if p.rest is None else found.rest)[p.name] for p in system}
    return replace(found, rest=rest)


class BoundedMoves:
    """The moves of a system within the bound k. In *rendezvous* order a message is received (or lost) at once
    or, if that is not "pairs" only, never, and then blocks its channel."""

    def __init__(self, system: System, model: FailureModel, k: int, rendezvous: str = "") -> None:
        self.system, self.model, self.k, self.rendezvous = system, model, k, rendezvous
        self.index, self.start = system.channel_index, initial(system)
        self.ends = SurvivalModel(system, model, where_runs_end(system))

    def moves(self, at: Configuration, spent: bool) -> NextMoves:
        """What may happen next; faults and crashes only while none was `spent`."""
        for i, process in enumerate(self.system):
            for t in process.outgoing(at.states[i]):
                if isinstance(t.action, Internal):
                    if not (spent and t.action.crashes):
                        yield (act(process, t),), _to(at, i, t.target)
                    continue
                channel = channel_of(process.name, t.action)
                assert channel is not None
                if isinstance(t.action, Receive):
                    if not self.rendezvous:
                        yield from self._receives(at, i, t, channel, t.action.message, spent)
                elif self.rendezvous:
                    yield from self._sends_at_once(at, i, t, channel, t.action.message, spent)
                else:
                    yield from self._sends(at, i, t, channel, t.action.message, spent)
        if not spent and not self.rendezvous:
            yield from self._faults(at)

    def over(self, at: Configuration) -> bool:
        """Has everybody ended, with nothing in flight except what nobody will receive?"""
        return at_rest(self.ends, at)

    def stuck(self, at: Configuration) -> bool:
        """Can nothing happen, in no order?"""
        free = BoundedMoves(self.system, self.model, self.k) if self.rendezvous else self
        return next(free.moves(at, True), None) is None

    def _sends(
        self, at: Configuration, i: int, t: Transition, channel: Channel, message: Message, spent: bool
    ) -> NextMoves:
        """Into a full channel only with a loss (definitions 2.6)."""
        n = self.index[channel]
        longer = (*at.words[n], message)
        for left in sent(at.words[n], message, self.model.on(channel), self.k):
            fault = () if left == longer else (as_fault(channel, longer, left),)
            if not (fault and spent):
                yield (act(self.system.processes[i], t), *fault), _to(at, i, t.target, n, left)

    def _sends_at_once(
        self, at: Configuration, i: int, t: Transition, channel: Channel, message: Message, spent: bool
    ) -> NextMoves:
        """A send and at once a reception of it, or of what it has become, or its loss; or nothing more."""
        n, sending = self.index[channel], act(self.system.processes[i], t)
        after, word = _to(at, i, t.target), at.words[n]
        changed = () if spent else interfere((message,), self.model.on(channel))
        contents = [((message,), ()), *((w, (as_fault(channel, (message,), w),)) for w in changed)]
        for content, fault in contents if not word else ():
            for receiving, there in self._taken(after, channel, content):
                yield (sending, *fault, receiving), there
        if len(word) < self.k and self.rendezvous != "pairs":
            yield (sending,), _to(at, i, t.target, n, (*word, message))
        if any(not content for content, _ in contents):
            yield (sending, as_fault(channel, (*word, message), word)), after

    def _taken(
        self, at: Configuration, channel: Channel, content: Word
    ) -> Iterator[tuple[Act, Configuration]]:
        """The receptions of what is in a channel that is empty else."""
        j = self.system.names.index(channel.receiver)
        receiver = self.system.processes[j]
        for t in receiver.outgoing(at.states[j]):
            if isinstance(t.action, Receive) and channel_of(receiver.name, t.action) == channel:
                if content == (t.action.message,):
                    yield act(receiver, t), _to(at, j, t.target)

    def _receives(
        self, at: Configuration, i: int, t: Transition, channel: Channel, message: Message, spent: bool
    ) -> NextMoves:
        """A copy that stays is made right before; where it is corrupted too, that is two faults."""
        n = self.index[channel]
        word = at.words[n]
        for left in received(word, message, self.model.on(channel)) if word[:1] == (message,) else ():
            copied = () if left == word[1:] else (as_fault(channel, word, (message, *word)),)
            if not (copied and spent):
                yield (*copied, act(self.system.processes[i], t)), _to(at, i, t.target, n, left)

    def _faults(self, at: Configuration) -> NextMoves:
        for channel, n in self.index.items():
            word = at.words[n]
            for left in interfere(word, self.model.on(channel)):
                if left != word:
                    words = (*at.words[:n], left, *at.words[n + 1 :])
                    yield (as_fault(channel, word, left),), Configuration(at.states, words)


def _to(at: Configuration, i: int, state: str, n: int = -1, word: Word = ()) -> Configuration:
    """Process i in another state, and channel n, if one is meant, with another content."""
    words = at.words if n < 0 else (*at.words[:n], word, *at.words[n + 1 :])
    return Configuration((*at.states[:i], state, *at.states[i + 1 :]), words)
