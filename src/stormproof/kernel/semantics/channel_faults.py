"""What the faults of a channel do to its content: the definitions, executed literally.

Two readings. For the properties at a bound faults are silent steps between actions (definitions 2.2 to 2.6,
9.4); for survival they strike at a send or a reception and are counted (definitions 9.1).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import takewhile

from ..model.actions import Channel, Message, Send, Word, message_order
from ..model.failures import ChannelFailure
from ..model.fault_steps import Corrupt, Duplicate, Fault, Lose, Strike, Swap
from ..model.faults import DUPLICATION, LOSS
from ..model.storm_step import StormStep

# ---- silent faults, at a bound -------------------------------------------------------------------------


def interfere(word: Word, failure: ChannelFailure) -> Iterator[Word]:
    """What one silent step may make of a channel's content."""
    for i, message in enumerate(word):
        if failure.strikes(LOSS, message):
            yield word[:i] + word[i + 1 :]
        for other in _others(failure, message):
            yield (*word[:i], other, *word[i + 1 :])
        if i + 1 < len(word) and failure.exchanges(message, word[i + 1]):
            yield (*word[:i], word[i + 1], message, *word[i + 2 :])


def sent(word: Word, message: Message, failure: ChannelFailure, bound: int | None) -> Iterator[Word]:
    """What a send may leave; `bound` None means no bound.

    A send may end in any w' <= w.m, so a send into a full lossy channel is possible if a message is lost in
    the same step (definitions 2.6).
    """
    longer = (*word, message)
    if bound is None or len(word) < bound:
        yield longer
    else:
        for i, lost in enumerate(longer):
            if failure.strikes(LOSS, lost):
                yield longer[:i] + longer[i + 1 :]


def received(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Word]:
    """What a reception may leave. Where the channel duplicates, the message at the head may be delivered and
    stay; the copy that is delivered may be corrupted on its own (definitions 9.4)."""
    if not word:
        return
    if word[0] == message:
        yield word[1:]
    if failure.strikes(DUPLICATION, word[0]) and failure.may_become(word[0], message):
        yield word


def as_fault(channel: Channel, word: Word, after: Word) -> Fault:
    """The fault by which a content becomes another, as a step of a run."""
    at = next((i for i, (old, new) in enumerate(zip(word, after)) if old != new), min(len(word), len(after)))
    if len(after) < len(word):
        return Lose(channel, at, _name(word[at]))
    if len(after) > len(word):
        return Duplicate(channel, 0, _name(word[0]))
    if word[at + 1 :] == after[at + 1 :]:
        return Corrupt(channel, at, _name(word[at]), _name(after[at]))
    return Swap(channel, at)


def _name(message: Message) -> str:
    """The message as a fault names it, with its sender where it has one."""
    return message if isinstance(message, str) else str(message)


# ---- faults that strike at a send or a reception, for survival -----------------------------------------


def send_strikes(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Strike]:
    """What may go wrong at a send into this content."""
    if failure.strikes(LOSS, message):
        yield Strike(lost=True)
    for becomes in (None, *_others(failure, message)):
        for overtakes in range(_passes(failure, message, word[::-1]) + 1):
            if becomes is not None or overtakes:
                yield Strike(becomes=becomes, overtakes=overtakes)


def reception_strikes(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Strike]:
    """What may go wrong at a reception of the message from this content."""
    if not word or not failure.strikes(DUPLICATION, word[0]) or not failure.may_become(word[0], message):
        return
    head = None if message == word[0] else word[0]
    for kept in range(_passes(failure, word[0], word[1:]) + 1):
        for kept_as in (None, *_others(failure, word[0])):
            yield Strike(kept=kept, kept_as=kept_as, head=head)


def content_after(word: Word, step: StormStep) -> Word:
    """What a send or a reception leaves in a channel of any length."""
    action = step.transition.action
    if isinstance(action, Send):
        if step.lost:
            return word
        place = len(word) - step.overtakes
        return (*word[:place], step.becomes or action.message, *word[place:])
    rest = word[1:]
    if step.kept is None:
        return rest
    return (*rest[: step.kept], step.kept_as or word[0], *rest[step.kept :])


def _passes(failure: ChannelFailure, message: Message, others: Word) -> int:
    """How many of these messages it may be exchanged with, one after the other."""
    return sum(1 for _ in takewhile(lambda other: failure.exchanges(message, other), others))


def _others(failure: ChannelFailure, message: Message) -> tuple[str, ...]:
    found = failure.becomes.get(message, frozenset()) if isinstance(message, str) else ()
    return tuple(sorted(found, key=message_order))
