"""What a send or a reception makes of the content of its channel, with every fault (definitions 9.1): a
reading of its own, for the checker of certificates of survival.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.actions import CRASH, Message, Word
from ..model.failures import ChannelFailure

#: A content after a step, and the faults that it took.
ChannelEffect = tuple[Word, Mapping[str, int]]


def sent(word: Word, message: Message, failure: ChannelFailure) -> Iterator[ChannelEffect]:
    """A send whose message is put into the channel."""
    yield (*word, message), {}
    if message is CRASH:
        return
    others = failure.becomes.get(str(message), frozenset()) - {message}
    for put in (message, *others):
        corrupted = {"corruption": 1} if put != message else {}
        if corrupted:
            yield (*word, put), corrupted
        for place in range(len(word)) if failure.reorder else ():
            yield (*word[:place], put, *word[place:]), {**corrupted, "reordering": 1}


def received(word: Word, message: Message, failure: ChannelFailure) -> Iterator[ChannelEffect]:
    """A reception; where the channel duplicates, the message also stays."""
    if not word:
        return
    head, rest = word[0], word[1:]
    if head == message:
        yield rest, {}
    others = failure.becomes.get(str(head), frozenset()) - {head}
    if head is CRASH or not failure.duplicate or (head != message and message not in others):
        return
    last = len(rest) - (rest[-1:] == (CRASH,)) if failure.reorder else 0
    for copy in (head, *others):
        corrupted = (head != message) + (copy != head)
        for place in range(last + 1):
            yield (*rest[:place], copy, *rest[place:]), {"duplication": 1, "corruption": corrupted}
