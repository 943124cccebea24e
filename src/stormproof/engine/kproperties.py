"""The k-properties decided by the native engine, all from one exploration (semantics, section 3)."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from .. import _engine
from ..errors import InternalError, UsageError, did_you_mean
from ..failures import FailureModel
from ..fewest import End, alike
from ..limits import Limits, check_bound
from ..model import CRASH, Channel, Message, Send, System, channel_of
from .lowering import Lowered, lower
from .monitor import STOPS, ProgressCallback, watch
from .moves import Move

#: The engine's numbers for the properties: the places in this list.
PROPERTIES = (
    "k-exh",
    "k-exh-literal",
    "k-exh-up-to-crash",
    "k-er",
    "k-wer",
    "k-er-up-to-crash",
    "k-pg",
    "k-obi",
    "k-sibi",
)

#: Asked on perfect channels only (semantics, section 3).
_PERFECT_ONLY = ("k-obi", "k-sibi")

_NOBODY = 2**32 - 1

#: Their culprit is a message that stands at the head of a channel; for k-wer any that may stand there.
_AT_HEAD = ("k-er", "k-er-up-to-crash", "k-wer")


@dataclass(frozen=True)
class Violation:
    """A run to a configuration that breaks a property. `moves` are actions, faults are implicit.

    `channels` is one content that the engine's form of each channel stands for; for k-er its head is the
    message that is never received. `shortest` is False when no budget was left to search for a shortest run.
    `ends` and `controls` describe all shortest runs, where there are not too many (`fewest`).
    """

    property: str
    moves: tuple[Move, ...]
    states: Mapping[str, str]
    channels: Mapping[Channel, tuple[Message, ...]]
    culprit: Mapping[str, str]
    shortest: bool = True
    ends: tuple[End, ...] = ()
    controls: tuple[frozenset[tuple[str, ...]], ...] = ()


@dataclass(frozen=True)
class Exploration:
    """What one exploration decided. `holds` is None for what it could not; `stopped` says which limit."""

    k: int
    states: int
    transitions: int
    seconds: float
    memory: int
    threads: int
    reduced: bool
    stopped: str
    holds: Mapping[str, bool | None]
    violations: Mapping[str, Violation] = field(default_factory=dict)


def explore(
    system: System,
    failures: FailureModel,
    k: int,
    *,
    properties: Iterable[str],
    limits: Limits | None = None,
    reduction: bool = True,
    threads: int | None = None,
    progress: ProgressCallback | None = None,
    seconds: float | None = None,
) -> Exploration:
    """Explore the k-bounded transition system and decide properties, base names of `semantics.VIOLATIONS`.

    Reduction is used on perfect channels, where it gives the same verdicts; `threads` is for full exploration
    and None means what the machine has, at most two.
    """
    started = time.monotonic()
    names = _checked(properties, k)
    asked = tuple(n for n in names if failures.perfect or n not in _PERFECT_ONLY)
    lowered = lower(system, failures)
    workers = _threads(threads)
    answer = _decide(lowered, k, asked, workers, reduction, limits or Limits(), progress, seconds)
    stopped = STOPS[answer.stop]
    return Exploration(
        k=k,
        states=answer.states,
        transitions=answer.transitions,
        seconds=time.monotonic() - started,
        memory=answer.memory,
        threads=1 if answer.reduced else workers,
        reduced=answer.reduced,
        stopped=stopped,
        holds={n: _holds(answer, n) if n in asked else None for n in names},
        violations={PROPERTIES[v.which]: _violation(lowered, v) for v in answer.violations},
    )


def _checked(properties: Iterable[str], k: int) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(properties))
    for name in names:
        if name not in PROPERTIES:
            raise UsageError(
                f"'{name}' is no property of a bound; there are {', '.join(PROPERTIES)}",
                hint=did_you_mean(name, PROPERTIES),
            )
    check_bound(k)
    return names


def _threads(asked: int | None) -> int:
    """The search is written for one or two threads."""
    if asked is not None and asked < 1:
        raise UsageError(f"a search needs at least one thread, not {asked}")
    return min(2, _cores() if asked is None else asked)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def _decide(
    lowered: Lowered,
    k: int,
    asked: Sequence[str],
    threads: int,
    reduction: bool,
    limits: Limits,
    progress: ProgressCallback | None,
    seconds: float | None,
) -> _engine.Answer:
    bits = sum(1 << PROPERTIES.index(name) for name in asked)

    def search(monitor: _engine.Monitor) -> _engine.Answer:
        return _engine.decide(lowered.native, monitor, k, bits, threads, reduction)

    try:
        return watch(search, limits, f"k = {k}", progress, seconds)
    except ValueError as problem:
        raise UsageError(
            f"at k = {k} a configuration of this system takes more than 4096 bits",
            hint="ask for a smaller k",
        ) from problem


def _holds(answer: _engine.Answer, name: str) -> bool | None:
    bit = 1 << PROPERTIES.index(name)
    if not answer.decided & bit:
        return None
    return not answer.violated & bit


# ---- back to names ------------------------------------------------------------------------------------


def _violation(lowered: Lowered, found: _engine.Violation) -> Violation:
    system = lowered.system
    moves = tuple(Move(system.names[p], lowered.transitions[p][t]) for p, t in found.moves)
    end, property = found.end, PROPERTIES[found.which]
    states = dict(zip(system.names, _states(lowered, end.states)))
    ends = {p.name: p.initial for p in system} | {m.process: m.transition.target for m in moves}
    if ends != states:
        raise InternalError(f"the run to a violation of {property} ends elsewhere")
    head = lowered.messages[end.message] if property in _AT_HEAD else None
    channels = {}
    for number, channel in enumerate(lowered.channels):
        wanted = head if number == end.channel else None
        channels[channel] = _content(lowered, channel, end.words[number], moves, wanted)
    return Violation(
        property=property,
        moves=moves,
        states=states,
        channels=channels,
        culprit=_culprit(lowered, end),
        shortest=found.shortest,
        ends=tuple(sorted((_end(lowered, property, e) for e in found.ends), key=str)),
        controls=tuple(frozenset(_states(lowered, s) for s in level) for level in found.controls),
    )


def _states(lowered: Lowered, numbers: Sequence[int]) -> tuple[str, ...]:
    return tuple(lowered.state_name(i, s) for i, s in enumerate(numbers))


def _end(lowered: Lowered, property: str, end: _engine.End) -> End:
    return End(
        states=_states(lowered, end.states),
        words=tuple(lowered.word(numbers) for numbers in end.words),
        culprit=_culprit(lowered, end),
        head=(end.channel, lowered.messages[end.message]) if property in _AT_HEAD[:2] else None,
    )


def _culprit(lowered: Lowered, end: _engine.End) -> dict[str, str]:
    culprit: dict[str, str] = {}
    if end.process != _NOBODY:
        name = lowered.system.names[end.process]
        culprit |= {"process": name, "state": lowered.state_name(end.process, end.states[end.process])}
    if end.channel != _NOBODY:
        culprit["channel"] = str(lowered.channels[end.channel])
    if end.message != _NOBODY:
        culprit["message"] = str(lowered.messages[end.message])
    if end.transition != _NOBODY:
        culprit["action"] = str(lowered.transitions[end.process][end.transition].action)
    return culprit


def _content(
    lowered: Lowered, channel: Channel, numbers: list[int], moves: Sequence[Move], head: Message | None
) -> tuple[Message, ...]:
    """A word that the engine's form of the channel stands for, near to what was sent.

    Where only a length is known, the last messages sent stand for it: they need no corruption. A message that
    must be the head replaces the first (length) or is moved to the front (multiset).
    """
    failure = lowered.failures.on(channel)
    word = list(lowered.word(numbers))
    crash = word[-1:] == [CRASH]
    users = word[:-1] if crash else word
    sent = _sent(channel, moves)
    if len(set(users)) <= 1 and alike(lowered.system, lowered.failures, channel):
        users = sent[len(sent) - len(users) :]
        if head is not None and head is not CRASH:
            users[0] = head
    elif failure.reorder:
        users = _by_sending(users, sent)
        if head is not None and head is not CRASH:
            users.remove(head)
            users.insert(0, head)
    return (*users, CRASH) if crash else tuple(users)


def _sent(channel: Channel, moves: Iterable[Move]) -> list[Message]:
    """What is put into a channel, the crash message aside."""
    found: list[Message] = []
    for process, transition in moves:
        action = transition.action
        if (
            isinstance(action, Send)
            and channel_of(process, action) == channel
            and action.message is not CRASH
        ):
            found.append(action.message)
    return [m for m in found if m is not CRASH]


def _by_sending(users: list[Message], sent: list[Message]) -> list[Message]:
    """A multiset in the order in which its messages were last sent, as far as they were sent at all."""
    left = list(users)
    ordered: list[Message] = []
    for message in reversed(sent):
        if message in left:
            left.remove(message)
            ordered.insert(0, message)
    return left + ordered
