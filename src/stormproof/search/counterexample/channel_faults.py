"""What the faults of a channel mean for the run that is shown: which choices they allow, how many fault steps
each takes, and which steps those are.

In a run with a bound a message is lost right after it is sent, and overtaken and corrupted right before it
leaves; while a run is being searched, a loss may be delayed until a later message is received. In a storm
faults strike at a send or a reception.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from itertools import chain, combinations
from typing import NamedTuple, TypeVar

from ...kernel.model.actions import Channel, Crash, Message, Receive, Word
from ...kernel.model.failures import ChannelFailure
from ...kernel.model.fault_steps import Corrupt, Duplicate, Fault, Lose, Overtake, Swap
from ...kernel.model.faults import DUPLICATION, LOSS, FaultKind
from ...kernel.model.storm_step import StormStep

Held = TypeVar("Held")

# ---- which send a reception takes ------------------------------------------------------------------------


def keeps_order(failure: ChannelFailure) -> bool:
    """Do messages leave in the order in which they were sent, each once?"""
    return failure.matches_once and not failure.reorder


def may_lose(failure: ChannelFailure, message: Message) -> bool:
    return failure.strikes(LOSS, message)


def within_reach(failure: ChannelFailure, content: tuple[Held, ...]) -> tuple[Held, ...]:
    """The messages that may leave next; one that overtakes n others takes n fault steps more."""
    return content if failure.reorder else content[:1]


class Stay(NamedTuple):
    """A message that is received and stays in the channel, as `message`, by a fault of this kind."""

    kind: FaultKind
    message: Message


def stays(failure: ChannelFailure, taken: Message, received: Message) -> Iterator[Stay]:
    """How a message that is received may also stay in the channel, each for one fault step more."""
    if failure.strikes(DUPLICATION, taken):
        yield from (Stay(DUPLICATION, message) for message in dict.fromkeys((taken, received)))


def with_stayed(stay: Stay, item: Held, rest: tuple[Held, ...]) -> tuple[Held, ...]:
    """The content with the message that stays."""
    return (item, *rest)


def same_messages(failure: ChannelFailure, a: Iterable[Message], b: Iterable[Message]) -> bool:
    """Do the two contents differ at most in an order that the channel changes anyway?"""
    return Counter(a) == Counter(b) if failure.reorder else tuple(a) == tuple(b)


# ---- the fewest faults in a shortest run -----------------------------------------------------------------


def received(failure: ChannelFailure, word: Word, wanted: Message) -> Iterator[tuple[int, Word]]:
    """All ways to receive a message: how many faults they take, and what they leave. Those before it may be
    lost or overtaken, the message itself may be corrupted, and it may stay."""
    for i, message in enumerate(word):
        price = i + (message != wanted)
        if not failure.may_become(message, wanted):
            continue
        for before in _passed(failure, word[:i], message):
            left = (*before, *word[i + 1 :])
            yield price, left
            for stay in stays(failure, message, wanted):
                yield price + 1, with_stayed(stay, stay.message, left)


def _passed(failure: ChannelFailure, before: Word, message: Message) -> Iterator[Word]:
    """What is left of the messages before one that is received."""
    if not before:
        yield ()
    elif failure.reorder and not isinstance(message, Crash):
        fewest = 0 if failure.loss else len(before)
        yield from chain.from_iterable(combinations(before, n) for n in range(len(before), fewest - 1, -1))
    elif failure.loss:
        yield ()


def sent_when_full(failure: ChannelFailure, word: Word, message: Message) -> Iterator[tuple[int, Word]]:
    """What a send into a full channel may leave, for one fault."""
    longer = (*word, message)
    yield from ((1, longer[:i] + longer[i + 1 :]) for i, m in enumerate(longer) if may_lose(failure, m))


# ---- the steps of a run with a bound ---------------------------------------------------------------------


def loss_step(channel: Channel, position: int, message: Message) -> Fault:
    """A message that nobody takes, right after its send."""
    assert isinstance(message, str)
    return Lose(channel, position, message)


def leading_steps(channel: Channel, at: int, to: int, message: Message, wanted: Message) -> Iterator[Fault]:
    """Bring a message forward from a position to another, and make it the wanted one."""
    for position in range(at - 1, to - 1, -1):
        yield Swap(channel, position)
    if message != wanted:
        assert isinstance(message, str) and isinstance(wanted, str)
        yield Corrupt(channel, to, message, wanted)


def staying_steps(channel: Channel, stay: Stay, delivered: Message) -> Iterator[Fault]:
    """The message at the head stays as it is; before the reception the copy may be corrupted."""
    head = str(stay.message)
    yield Duplicate(channel, 0, head)
    if head != delivered:
        yield Corrupt(channel, 0, head, str(delivered))


# ---- the steps of a storm --------------------------------------------------------------------------------


def steps_after_send(channel: Channel, word: list[Message], step: StormStep) -> Iterator[Fault]:
    """The message has been put at the end of `word`, which is changed: it is lost, or becomes another, or
    overtakes."""
    at = len(word) - 1
    if step.lost:
        yield Lose(channel, at, _name(word.pop()))
        return
    yield from _corrupted(channel, word, at, step.becomes)
    if step.overtakes:
        yield Overtake(channel, at, _name(word[at]), step.overtakes)
        word.insert(at - step.overtakes, word.pop())


def steps_before_reception(channel: Channel, word: list[Message], step: StormStep) -> Iterator[Fault]:
    """The copy that stays is made first, and moves where it stays; then both may be corrupted."""
    if step.kept is None:
        return
    yield Duplicate(channel, 0, _name(word[0]), step.kept)
    word.insert(step.kept + 1, word[0])
    yield from _corrupted(channel, word, step.kept + 1, step.kept_as)
    if step.head is not None:
        assert isinstance(step.transition.action, Receive)
        yield from _corrupted(channel, word, 0, step.transition.action.message)


def _name(message: Message) -> str:
    """The message as a fault names it, with its sender where it has one."""
    return message if isinstance(message, str) else str(message)


def _corrupted(channel: Channel, word: list[Message], at: int, becomes: Message | None) -> Iterator[Fault]:
    if becomes is not None and becomes != word[at]:
        yield Corrupt(channel, at, _name(word[at]), _name(becomes))
        word[at] = becomes
