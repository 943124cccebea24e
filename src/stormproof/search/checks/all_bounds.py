"""Violations that no larger bound repairs, so that the search for the least k need not explore them all.

A configuration that k-bounded runs reach is reached by k'-bounded ones for every k' >= k, and what
k'-bounded runs can do from there is part of what runs without any bound can do. So if an *over-
approximation* of the unbounded runs from a violating configuration lacks the event that would be needed,
the property fails for every k' >= k:

- k-er, k-wer: the event is a reception; without a bound it never comes.
- k-pg: no run without a bound, in which the process does not crash, stop or restart, ends its waiting.
- k-exh: where the receiver will never again take anything from a channel, and some run, for each larger
  bound, fills the channel up to it, the sender's next send is held back for ever, whatever the bound.

The over-approximation keeps each channel's word as it is up to a length, and then only that more may
follow, which may be anything. It is finite, and it is exact where nobody sends. It follows the process that
has to act alone at first, which may receive anything from the others; then also those that send to it, and so
on. Mostly few of them matter, and all together have too many configurations. A failure to show persistence
says nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from ...kernel.model.actions import (
    Channel,
    Configuration,
    Internal,
    Message,
    Send,
    Word,
)
from ...kernel.model.channel_faults import interfere, received
from ...kernel.model.failures import FailureModel
from ...kernel.model.part import in_part
from ...kernel.model.process import StateKind
from ...kernel.model.system import System
from ...kernel.semantics.explore import cheapest, explore
from ...kernel.semantics.silent_steps import (
    FiredAction,
    communications_of,
    faults_of,
    is_receive_on,
    steps,
)
from ...limits import is_over
from ...records import dataclass
from .properties import K_ER, K_EXH, K_PG, K_WER

#: Abstract configurations of one attempt, and of all, before they are given up; most close within hundreds.
MOST_STATES, MOST_IN_ALL = 4_000, 16_000

#: Stands for the messages behind those that are known; no text names a message like this.
_UNKNOWN = "\0"


class Content(NamedTuple):
    """What a channel holds: a word, and whether anything may follow it."""

    word: Word
    more: bool


class Abstract(NamedTuple):
    states: tuple[str, ...]
    contents: tuple[Content, ...]


class Remedy(NamedTuple):
    """What would have to happen: an event of `process`, or local states of it to come to; and on the way,
    none of `without`."""

    process: str
    fires: Callable[[FiredAction], bool]
    ends: Callable[[tuple[str, ...]], bool] = lambda states: False
    without: frozenset[FiredAction] = frozenset()


@dataclass(frozen=True)
class Beyond:
    """The over-approximation of all runs of a system, of any bound; `room` is how far words are kept, on the
    channels between the processes that are `followed`. Whatever the others may send can be received."""

    system: System
    failures: FailureModel
    room: Mapping[Channel, int]
    followed: frozenset[str]

    def steps(self, at: Abstract) -> Iterator[tuple[FiredAction | None, Abstract]]:
        index = self.system.channel_index
        for i, process in enumerate(self.system):
            if process.name not in self.followed:
                continue
            for (_, action, target), channel in process.touching(at.states[i]):
                event = FiredAction(process.name, action)
                states = (*at.states[:i], target, *at.states[i + 1 :])
                if channel not in self.room:
                    yield event, Abstract(states, at.contents)
                    continue
                assert channel is not None and not isinstance(action, Internal)
                j = index[channel]
                follow = self._put if isinstance(action, Send) else self._take
                for content in follow(channel, at.contents[j], action.message):
                    yield event, Abstract(states, (*at.contents[:j], content, *at.contents[j + 1 :]))
        for channel in self.room:
            j = index[channel]
            word, more = at.contents[j]
            for other in interfere(word, self.failures.on(channel)):
                yield (
                    None,
                    Abstract(at.states, (*at.contents[:j], Content(other, more), *at.contents[j + 1 :])),
                )

    def _put(self, channel: Channel, content: Content, message: Message) -> Iterator[Content]:
        word, more = content
        if more or len(word) >= self.room[channel]:
            yield Content(word, True)
        else:
            yield Content((*word, message), False)

    def _take(self, channel: Channel, content: Content, message: Message) -> Iterator[Content]:
        word, more = content
        if not word and not more:
            return
        behind = (_UNKNOWN,) if more else ()
        for left in received((*word, *behind), message, self.failures.on(channel)):
            yield Content(left[: left.index(_UNKNOWN)] if more else left, more)
        if more and (not word or self.failures.on(channel).changes_order):
            yield content

    def never(self, start: Abstract, wanted: Remedy, most: int) -> tuple[bool, int]:
        """Is it certain that no run from `start` comes to what is wanted? And how many were looked at."""

        met: list[FiredAction | None] = []

        def leaving(at: Abstract) -> Iterator[tuple[FiredAction | None, Abstract]]:
            for event, after in self.steps(at):
                if event in wanted.without:
                    continue
                if wanted.ends(after.states) or (event is not None and wanted.fires(event)):
                    met.append(event)
                    return
                yield event, after

        def goes_on(seen: int) -> bool:
            return not met and seen <= most and not is_over()

        found = explore([start], leaving, goes_on=goes_on)
        return found.complete and not met, len(found.came)


def persists(
    system: System,
    failures: FailureModel,
    name: str,
    states: Mapping[str, str],
    channels: Mapping[Channel, Word],
    culprit: Mapping[str, str],
    k: int,
    max_k: int,
    most: int = MOST_STATES,
) -> bool:
    """Does this violation of `name`, found at k, prove one at every bound up to `max_k`?"""
    if system.mailboxes or in_part(system):  # shown for the channels of pairs and whole automata only
        return False
    left = MOST_IN_ALL
    words = {c: tuple(channels.get(c, ())) for c in system.channels}
    if any(len(word) > 64 for word in words.values()):
        return False
    start = Abstract(
        tuple(states[p] for p in system.names), tuple(Content(words[c], False) for c in system.channels)
    )

    def never(wanted: Remedy) -> bool:
        nonlocal left
        for followed in _cones(system, wanted.process):
            for slack in (0, 1):
                room = {c: len(words[c]) + slack for c in system.channels if followed.issuperset(c)}
                beyond = Beyond(system, failures, room, followed)
                is_certain, seen = beyond.never(start, wanted, min(most, left))
                left -= seen
                if is_certain or left <= 0:
                    return is_certain
        return False

    if name in (K_ER.name, K_WER.name):
        return _reception_never_comes(name, words, culprit, never)
    if name == K_PG.name:
        process = culprit.get("process")
        if process is None or system[process].kind(states[process]) is not StateKind.RECEIVING:
            return False
        return never(_proceeding(system, process))
    if name == K_EXH.name:
        at = Configuration(start.states, tuple(words.values()))
        return _channel_stays_full(system, failures, at, culprit, range(k + 1, max_k + 1), never)
    return False


def _cones(system: System, name: str) -> Iterator[frozenset[str]]:
    """A process, with those that send to it, with those that send to these, until nobody is added."""
    followed: frozenset[str] = frozenset()
    larger = frozenset([name])
    while larger != followed:
        followed = larger
        yield followed
        larger = followed | {c.sender for c in system.channels if c.receiver in followed}


def _proceeding(system: System, name: str) -> Remedy:
    """Definitions 3.5: what ends the waiting of a process."""
    process, i = system[name], system.names.index(name)
    final = {s for s in process.states if process.kind(s) is StateKind.FINAL}
    return Remedy(
        name, communications_of(process).__contains__, lambda states: states[i] in final, faults_of(process)
    )


def _reception_never_comes(
    name: str,
    words: Mapping[Channel, Word],
    culprit: Mapping[str, str],
    never: Callable[[Remedy], bool],
) -> bool:
    for channel, word in words.items():
        if str(channel) == culprit.get("channel") and word:
            message = word[0] if name == K_ER.name else None
            return never(Remedy(channel.receiver, is_receive_on(channel, message)))
    return False


def _channel_stays_full(
    system: System,
    failures: FailureModel,
    at: Configuration,
    culprit: Mapping[str, str],
    bounds: range,
    never: Callable[[Remedy], bool],
) -> bool:
    """Nobody drains the channel of the held-back send any more, and every larger bound can be filled."""
    name = culprit.get("process")
    if name is None:
        return False
    state = at.states[system.names.index(name)]
    for peer in dict.fromkeys(a.peer for a in system[name].sends(state)):
        channel = Channel(name, peer)
        vanish = any(() in interfere((m,), failures.on(channel)) for m in system.sent_on[channel])
        if vanish or not at.words[system.channels.index(channel)]:
            continue
        drained = Remedy(peer, is_receive_on(channel))
        if never(drained) and _can_fill(system, failures, at, channel, bounds):
            return True
    return False


def _can_fill(
    system: System, failures: FailureModel, at: Configuration, channel: Channel, bounds: range
) -> bool:
    """Does a run fill the channel up to each bound in turn, its sender wanting to send more?"""
    here: Configuration | None = at
    for bound in bounds:
        here = None if here is None else _filled(system, failures, here, channel, bound)
    return here is not None


def _filled(
    system: System, failures: FailureModel, start: Configuration, channel: Channel, bound: int
) -> Configuration | None:
    """Best first: the fuller the channel the better. A failure to find a run says nothing."""
    process = system[channel.sender]
    i, j = system.names.index(channel.sender), system.channels.index(channel)

    def is_filled(at: Configuration) -> bool:
        held = any(a.peer == channel.receiver for a in process.sends(at.states[i]))
        return len(at.words[j]) == bound and held and process.kind(at.states[i]) is StateKind.SENDING

    def following(at: Configuration, _: int) -> Iterator[tuple[int, None, Configuration]]:
        return ((-len(after.words[j]), None, after) for _, after in steps(system, failures, at, bound))

    start_cost = -len(start.words[j])
    return cheapest(start, start_cost, following, is_filled, lambda seen: seen < MOST_STATES).end
