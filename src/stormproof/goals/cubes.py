"""The meaning of goals: a disjunction of cubes, each a conjunction of demands on states and channels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from ..errors import UsageError
from ..model.actions import CRASH, Channel, Message, Receive, Word
from ..model.failures import ChannelFailure, FailureModel
from ..model.process import Process, StateKind
from ..model.system import System
from .expression import At, Contains, Goal, Head, Holds, Named, Not, Or


@dataclass(frozen=True)
class Demand:
    """What a cube asks of one channel: the whole word, or a head and messages contained."""

    word: Word | None = None
    head: str | None = None
    contains: frozenset[Message] = frozenset()

    def holds(self, word: Word) -> bool:
        if self.word is not None and word != self.word:
            return False
        if self.head is not None and word[:1] != (self.head,):
            return False
        return all(m in word for m in self.contains)

    def meet(self, other: Demand) -> Demand | None:
        """Both at once; None when they contradict each other."""
        words = {d.word for d in (self, other) if d.word is not None}
        heads = {d.head for d in (self, other) if d.head is not None}
        if len(words) > 1 or len(heads) > 1:
            return None
        word, head = next(iter(words), None), next(iter(heads), None)
        both = Demand(word, head, self.contains | other.contains)
        if word is None:
            return both
        return Demand(word) if both.holds(word) else None


@dataclass(frozen=True)
class Cube:
    """A conjunction: allowed states a process, a demand a channel, perhaps a deadlock."""

    states: Mapping[str, frozenset[str]] = field(default_factory=dict)
    channels: Mapping[Channel, Demand] = field(default_factory=dict)
    deadlock: bool = False

    def meet(self, other: Cube) -> Cube | None:
        states = dict(self.states)
        for process, allowed in other.states.items():
            states[process] = states.get(process, allowed) & allowed
            if not states[process]:
                return None
        channels = dict(self.channels)
        for channel, demand in other.channels.items():
            both = channels.get(channel, Demand()).meet(demand)
            if both is None:
                return None
            channels[channel] = both
        return Cube(states, channels, self.deadlock or other.deadlock)

    def holds(
        self,
        system: System,
        failures: FailureModel,
        states: Mapping[str, str],
        words: Mapping[Channel, Word],
    ) -> bool:
        """Is this configuration, as it stands, one that the cube asks for?"""
        if any(states[p] not in allowed for p, allowed in self.states.items()):
            return False
        if any(not demand.holds(words.get(c, ())) for c, demand in self.channels.items()):
            return False
        return not self.deadlock or is_deadlock(system, failures, states, words)


def holds(
    cubes: Iterable[Cube],
    system: System,
    failures: FailureModel,
    states: Mapping[str, str],
    words: Mapping[Channel, Word],
) -> bool:
    return any(cube.holds(system, failures, states, words) for cube in cubes)


def accepted(system: System, states: Mapping[str, str]) -> dict[Channel, frozenset[Message]] | None:
    """What each channel's receiver takes now; None when somebody can send or act, or nobody waits."""
    table: dict[Channel, set[Message]] = {}
    for process in system:
        for _, action, _ in process.outgoing(states[process.name]):
            if not isinstance(action, Receive):
                return None
            table.setdefault(Channel(action.peer, process.name), set()).add(action.message)
    return {c: frozenset(messages) for c, messages in table.items()} or None


def is_deadlock(
    system: System, failures: FailureModel, states: Mapping[str, str], words: Mapping[Channel, Word]
) -> bool:
    """Nobody can send or act internally, somebody waits, and whatever channels do, nobody ever receives."""
    taken = accepted(system, states)
    if taken is None:
        return False
    return all(not (heads(words.get(c, ()), failures.on(c)) & messages) for c, messages in taken.items())


def heads(word: Word, failure: ChannelFailure) -> frozenset[Message]:
    """What faults may bring to the head of the channel; the crash message is last and does not move."""
    first = word if failure.loss else word[:1]
    if failure.reorder and word and word[0] is not CRASH:
        first = word if failure.loss else tuple(m for m in word if m is not CRASH)
    found: set[Message] = set(first)
    for message in first:
        if isinstance(message, str):
            found |= failure.becomes.get(message, frozenset())
    return frozenset(found)


def letters(system: System, failures: FailureModel, channel: Channel) -> tuple[str, ...]:
    """Every message, the crash message aside, that can ever stand in the channel or is named on it."""
    pool = [*system.alphabet(channel), *failures.on(channel).pool]
    return tuple(dict.fromkeys(m for m in pool if isinstance(m, str)))


def cubes(goal: Goal, system: System, failures: FailureModel) -> tuple[Cube, ...]:
    """The goal as a disjunction of cubes; contradictory ones are left out."""
    return tuple(_cubes(goal, system, failures))


def _cubes(goal: Goal, system: System, failures: FailureModel) -> Iterator[Cube]:
    if isinstance(goal, At):
        yield Cube(states={goal.process: frozenset(goal.states)})
    elif isinstance(goal, Holds):
        yield Cube(channels={goal.channel: Demand(word=goal.word)})
    elif isinstance(goal, Contains):
        yield Cube(channels={goal.channel: Demand(contains=frozenset({goal.message}))})
    elif isinstance(goal, Head):
        crash = goal.message is CRASH
        yield Cube(
            channels={goal.channel: Demand(word=(CRASH,)) if crash else Demand(head=str(goal.message))}
        )
    elif isinstance(goal, Not):
        raise UsageError("reachability of a goal with a negation is not decided", hint="ask without '!'")
    elif isinstance(goal, Named):
        yield from _named(goal.name, system, failures)
    elif isinstance(goal, Or):
        for part in goal.parts:
            yield from _cubes(part, system, failures)
    else:
        found = [Cube()]
        for part in goal.parts:
            options = cubes(part, system, failures)
            found = [both for a in found for b in options if (both := a.meet(b)) is not None]
        yield from found


def _named(name: str, system: System, failures: FailureModel) -> Iterator[Cube]:
    if name == "deadlock":
        yield Cube(deadlock=True)
        return
    for channel in system.channels:
        receiver = system[channel.receiver]
        for message in letters(system, failures, channel):
            if name == "unspecified":
                states = _surprised(receiver, channel, message)
            else:
                states = resting(receiver)
                if name == "orphan-up-to-crash":
                    states -= receiver.crashed_states
            if states:
                yield Cube({receiver.name: states}, {channel: Demand(head=message)})
        if name == "unspecified" and CRASH in system.alphabet(channel):
            states = _surprised(receiver, channel, CRASH)
            if states:
                yield Cube({receiver.name: states}, {channel: Demand(word=(CRASH,))})


def resting(process: Process) -> frozenset[str]:
    """Final for good: whatever it does from there, it sends nothing and takes at most crash messages."""

    def silent(state: str) -> bool:
        return not process.sends(state) and all(r.message is CRASH for r in process.receives(state))

    return frozenset(s for s in process.states if all(silent(t) for t in process.reachable(s)))


def _surprised(process: Process, channel: Channel, message: Message) -> frozenset[str]:
    """The receiving states that read this channel and do not take the message there."""
    found = set()
    for state in process.states:
        taken = {r.message for r in process.receives(state) if r.peer == channel.sender}
        if process.kind(state) is StateKind.RECEIVING and taken and message not in taken:
            found.add(state)
    return frozenset(found)
