"""What faults do to the content of a channel, read literally (definitions 2.2 to 2.6, 9.1, 9.4, 12.2).

This is the oracle's own reading: production code has others, which are compared with it. Each outcome of a
send or a reception is written down as what goes wrong together with the content that it leaves.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kernel.model.actions import Crash, Message, Word, sender_in
from ..kernel.model.channel_faults import ActionFaults
from ..kernel.model.failures import ChannelFailure

FaultyOutcome = tuple[ActionFaults, Word]
CALM = ActionFaults()


def may_affect(failure: ChannelFailure, fault: str, message: Message) -> bool:
    """Crash messages are exempt; in a mailbox only the messages of certain senders may be affected."""
    if isinstance(message, Crash) or not getattr(failure, fault):
        return False
    return fault not in failure.only_from or sender_in(message) in failure.only_from[fault]


def changed(failure: ChannelFailure, message: Message) -> list[str]:
    """What the message may turn into, other than itself."""
    return [] if isinstance(message, Crash) else sorted(set(failure.becomes.get(message, ())) - {message})


def may_swap(failure: ChannelFailure, first: Message, second: Message) -> bool:
    """Neighbours may be exchanged, except that nothing gets behind a crash message of its own sender."""
    if not failure.reorder:
        return False
    crash = isinstance(first, Crash) or isinstance(second, Crash)
    return not crash or sender_in(first) != sender_in(second)


# ---- silent steps (definitions 2.5) --------------------------------------------------------------------


def silently(word: Word, failure: ChannelFailure) -> Iterator[Word]:
    """One message is dropped, one is replaced, or two neighbours are exchanged."""
    for i, message in enumerate(word):
        before, behind = word[:i], word[i + 1 :]
        if may_affect(failure, "loss", message):
            yield before + behind
        for other in changed(failure, message):
            yield (*before, other, *behind)
        if behind and may_swap(failure, message, behind[0]):
            yield (*before, behind[0], message, *behind[1:])


def sent(word: Word, message: Message, failure: ChannelFailure, bound: int | None) -> Iterator[Word]:
    """Definitions 2.6: past the bound a message is lost in the same step, or the send is not possible."""
    longer = (*word, message)
    if bound is None or len(longer) <= bound:
        yield longer
    else:
        yield from (shorter for shorter in silently(longer, failure) if len(shorter) <= bound)


def received(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Word]:
    """The head is taken; or it is delivered, perhaps corrupted, and stays (definitions 9.4)."""
    if word and word[0] == message:
        yield word[1:]
    if (
        word
        and may_affect(failure, "duplicate", word[0])
        and message in (word[0], *changed(failure, word[0]))
    ):
        yield word


# ---- faults at a send or a reception (definitions 9.1) -------------------------------------------------


def send_outcomes(word: Word, message: Message, failure: ChannelFailure) -> Iterator[FaultyOutcome]:
    """A send puts the message at the end; or it is lost; or it is another message, or put before others."""
    yield CALM, (*word, message)
    if may_affect(failure, "loss", message):
        yield ActionFaults(lost=True), word
    for becomes in (None, *changed(failure, message)):
        for overtaken in range(len(word) + 1):
            passed, place = word[len(word) - overtaken :], len(word) - overtaken
            if not all(may_swap(failure, other, message) for other in passed):
                break
            if becomes is not None or overtaken:
                put = message if becomes is None else becomes
                yield ActionFaults(becomes=becomes, overtakes=overtaken), (*word[:place], put, *passed)


def reception_outcomes(word: Word, message: Message, failure: ChannelFailure) -> Iterator[FaultyOutcome]:
    """A reception takes the head; or the head is delivered, and a copy stays in front or behind others."""
    if not word:
        return
    head, rest = word[0], word[1:]
    if head == message:
        yield CALM, rest
    if not may_affect(failure, "duplicate", head) or message not in (head, *changed(failure, head)):
        return
    delivered = None if message == head else head
    for place in range(len(rest) + 1):
        if not all(may_swap(failure, head, other) for other in rest[:place]):
            break
        for copy in (None, *changed(failure, head)):
            stays = head if copy is None else copy
            yield (
                ActionFaults(kept=place, kept_as=copy, head=delivered),
                (*rest[:place], stays, *rest[place:]),
            )
