"""What the faults of a channel do to its content: the definitions, executed literally.

Two readings. For the properties at a bound faults are silent steps between actions (definitions 2.2 to 2.6,
9.4); for survival they strike at a send or a reception and are counted (definitions 9.1).
"""

from __future__ import annotations

from collections.abc import Iterator

from ..model.actions import CRASH, Message, Send, Word
from ..model.failures import ChannelFailure
from ..model.fault_steps import Strike
from ..model.storm_step import StormStep

# ---- silent faults, at a bound -------------------------------------------------------------------------


def interfere(word: Word, failure: ChannelFailure) -> Iterator[Word]:
    """What one silent step may make of a channel's content; the crash message is left alone."""
    for i, message in enumerate(word):
        if message is CRASH:
            continue
        if failure.loss:
            yield word[:i] + word[i + 1 :]
        for other in sorted(failure.becomes.get(str(message), ())):
            yield (*word[:i], other, *word[i + 1 :])
        if failure.reorder and i + 1 < len(word) and word[i + 1] is not CRASH:
            yield (*word[:i], word[i + 1], message, *word[i + 2 :])


def sent(word: Word, message: Message, failure: ChannelFailure, bound: int | None) -> Iterator[Word]:
    """What a send may leave; `bound` None means no bound.

    A send may end in any w' <= w.m, so a send into a full lossy channel is possible if a message is lost in
    the same step (definitions 2.6).
    """
    longer = (*word, message)
    if bound is None or len(word) < bound:
        yield longer
    elif failure.loss:
        for i, lost in enumerate(longer):
            if lost is not CRASH:
                yield longer[:i] + longer[i + 1 :]


def received(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Word]:
    """What a reception may leave. Where the channel duplicates, the message at the head may be delivered and
    stay; the copy that is delivered may be corrupted on its own (definitions 9.4)."""
    if not word:
        return
    if word[0] == message:
        yield word[1:]
    if failure.duplicate and word[0] is not CRASH and failure.may_become(word[0], message):
        yield word


# ---- faults that strike at a send or a reception, for survival -----------------------------------------


def send_strikes(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Strike]:
    """What may go wrong at a send into this content."""
    if message is CRASH:
        return
    if failure.loss:
        yield Strike(lost=True)
    places = range(len(word) + 1) if failure.reorder else (0,)
    for becomes in (None, *_others(failure, message)):
        for overtakes in places:
            if becomes is not None or overtakes:
                yield Strike(becomes=becomes, overtakes=overtakes)


def reception_strikes(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Strike]:
    """What may go wrong at a reception of the message from this content."""
    if not word or word[0] is CRASH or not failure.duplicate or not failure.may_become(word[0], message):
        return
    head = None if message == word[0] else word[0]
    last = len(word) - 1 - (word[-1] is CRASH)
    for kept in range(last + 1) if failure.reorder else (0,):
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


def _others(failure: ChannelFailure, message: Message) -> tuple[str, ...]:
    return tuple(sorted(failure.becomes.get(str(message), ())))
