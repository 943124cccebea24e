"""A system and its failure model as integers, and the way back to names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ... import _engine
from ...kernel.model.actions import (
    CRASH,
    Channel,
    Crash,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
    channel_of,
    crash_from,
    sender_in,
)
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.faults import FaultKind
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...records import dataclass


@dataclass(frozen=True)
class Lowered:
    """The engine's system with the names that its numbers stand for.

    `transitions[p][t]` is the transition that the engine calls number `t` of process `p`: the engine keeps
    the transitions of a process sorted by source state, and so does this table.
    """

    system: System
    failures: FailureModel
    native: _engine.System
    messages: tuple[Message, ...]
    channels: tuple[Channel, ...]
    transitions: tuple[tuple[Transition, ...], ...]

    def state_name(self, process: int, state: int) -> str:
        return self.system.processes[process].states[state]

    def word(self, numbers: list[int]) -> tuple[Message, ...]:
        return tuple(self.messages[n] for n in numbers)


def lower(system: System, failures: FailureModel) -> Lowered:
    """Number everything. The searches of a check ask for the same numbers again and again, so the last are
    kept."""
    global _last
    kept = _last
    if kept is not None and kept.system is system and kept.failures.channels is failures.channels:
        return kept if kept.failures is failures else replace(kept, failures=failures)
    _last = _numbered(system, failures)
    return _last


_last: Lowered | None = None


def _numbered(system: System, failures: FailureModel) -> Lowered:
    """Message 0 is the crash message, those after it the crash messages of senders into mailboxes; channels
    are `System.channels` in that order."""
    pools = [m for c in system.channels for m in failures.on(c).pool]
    crashes = (CRASH, *(crash_from(name) for name in system.names if system.mailboxes))
    messages: tuple[Message, ...] = (*crashes, *dict.fromkeys([*system.messages, *pools]))
    number = {m: i for i, m in enumerate(messages)}
    senders = [_sender(system, m) for m in messages] if system.mailboxes else []
    native = _engine.System(len(messages), len(crashes), senders)
    channels = system.channels
    index = {c: i for i, c in enumerate(channels)}
    for channel in channels:
        _add_channel(native, system, failures, channel, number)
    transitions = tuple(_add_process(native, p, index, number) for p in system)
    return Lowered(system, failures, native, messages, channels, transitions)


def _sender(system: System, message: Message) -> int:
    """The process that a message in a mailbox comes from; nobody's number for one that is in none."""
    name = sender_in(message)
    return system.names.index(name) if name else len(system.names)


def _add_channel(
    native: _engine.System,
    system: System,
    failures: FailureModel,
    channel: Channel,
    number: Mapping[Message, int],
) -> None:
    failure = failures.on(channel)
    becomes: list[list[int]] = [[] for _ in number]
    for message, others in failure.becomes.items():
        if message in number:
            becomes[number[message]] = sorted(number[m] for m in others)
    pool = failure.pool or tuple(m for m in system.alphabet(channel) if not isinstance(m, Crash))
    native.add_channel(
        sender=None if channel.is_mailbox else system.names.index(channel.sender),
        receiver=system.names.index(channel.receiver),
        faults=[(kind.keyword, _spared(failure, channel, kind, number)) for kind in failure.kinds],
        pool=[number[m] for m in pool],
        becomes=becomes,
    )


def _spared(
    failure: ChannelFailure, channel: Channel, kind: FaultKind, number: Mapping[Message, int]
) -> list[int]:
    """The messages of a mailbox that a kind of fault never happens to."""
    return [i for m, i in number.items() if not failure.affects(kind, m)] if channel.is_mailbox else []


def _add_process(
    native: _engine.System, process: Process, channels: Mapping[Channel, int], number: Mapping[Message, int]
) -> tuple[Transition, ...]:
    state = {s: i for i, s in enumerate(process.states)}
    ordered = sorted(process.transitions, key=lambda t: state[t.source])
    internal = {action: i for i, action in enumerate(dict.fromkeys(t.action for t in ordered))}
    rows: list[tuple[int, _engine.ActionKind, int | None, int, int, bool]] = []
    for transition in ordered:
        source, action, target = state[transition.source], transition.action, state[transition.target]
        if isinstance(action, Internal):
            rows.append(
                (source, _engine.ActionKind.INTERNAL, None, internal[action], target, action.is_fault)
            )
            continue
        kind = _engine.ActionKind.SEND if isinstance(action, Send) else _engine.ActionKind.RECEIVE
        where = channel_of(process.name, action)
        assert where is not None and isinstance(action, (Send, Receive))
        rows.append((source, kind, channels[where], number[action.message], target, False))
    native.add_process(
        states=len(process.states),
        initial=state[process.initial],
        transitions=rows,
        crashed=sorted(state[s] for s in process.crashed_states),
    )
    return tuple(ordered)
