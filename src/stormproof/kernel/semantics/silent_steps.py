"""Steps with silent faults (definitions 2.5): channels hold words, a fault happens between actions."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from ..model.actions import (
    Action,
    Channel,
    Configuration,
    Crash,
    Internal,
    Message,
    Receive,
    Word,
    channel_of,
)
from ..model.channel_faults import interfere, received, sent
from ..model.failures import FailureModel
from ..model.process import Process
from ..model.system import System


class FiredAction(NamedTuple):
    """An action of a process; interference has no event, it is silent."""

    process: str
    action: Action


class Successor(NamedTuple):
    event: FiredAction | None
    after: Configuration


def initial(system: System) -> Configuration:
    return Configuration(tuple(p.initial for p in system), tuple(() for _ in system.channels))


def steps(
    system: System, failures: FailureModel, at: Configuration, bound: int | None
) -> Iterator[Successor]:
    """One step (definitions 2.5): an action, or a silent interference; `bound` None means no bound."""
    index = system.channel_index

    def put(channel: Channel, word: Word, states: tuple[str, ...]) -> Configuration:
        i = index[channel]
        return Configuration(states, (*at.words[:i], word, *at.words[i + 1 :]))

    for i, process in enumerate(system):
        for _, action, target in process.outgoing(at.states[i]):
            states = (*at.states[:i], target, *at.states[i + 1 :])
            event = FiredAction(process.name, action)
            if isinstance(action, Internal):
                yield Successor(event, Configuration(states, at.words))
                continue
            channel = channel_of(process.name, action)
            assert channel is not None
            word, failure = at.words[index[channel]], failures.on(channel)
            if isinstance(action, Receive):
                left = received(word, action.message, failure)
            else:
                left = sent(word, action.message, failure, bound)
            yield from (Successor(event, put(channel, after, states)) for after in left)
    for channel, i in index.items():
        for word in interfere(at.words[i], failures.on(channel)):
            yield Successor(None, put(channel, word, at.states))


# ---- events ---------------------------------------------------------------------------------------------


def events_of(process: Process) -> frozenset[FiredAction]:
    """All that the process may do or suffer."""
    return frozenset(FiredAction(process.name, t.action) for t in process.transitions)


def faults_of(process: Process) -> frozenset[FiredAction]:
    """Its crash, its stop and its restart."""
    return frozenset(e for e in events_of(process) if isinstance(e.action, Internal) and e.action.is_fault)


def communications_of(process: Process) -> frozenset[FiredAction]:
    """Its sends, those of its crash broadcast excepted, and its receptions."""
    found = ((e, e.action) for e in events_of(process) if not isinstance(e.action, Internal))
    return frozenset(e for e, a in found if isinstance(a, Receive) or not isinstance(a.message, Crash))


def is_receive_on(channel: Channel, message: Message | None = None) -> Callable[[FiredAction], bool]:
    """Receptions from a channel, of one message or of any."""

    def test(event: FiredAction) -> bool:
        action = event.action
        return (
            isinstance(action, Receive)
            and channel_of(event.process, action) == channel
            and (message is None or action.message == message)
        )

    return test
