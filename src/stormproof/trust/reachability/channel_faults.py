"""What the faults of a channel do to contents that certificates list, forward and backward, in each form: the
reading of the checkers.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from ...kernel.model.actions import CRASH, Receive, Send
from ...kernel.model.failures import ChannelFailure
from ...kernel.model.faults import CORRUPTION, LOSS, FaultKind
from .channel_forms import LENGTH, MULTISET, QUEUE

FormWord = tuple[str, ...]

# ---- forward ---------------------------------------------------------------------------------------------


def contents_after(word: FormWord, failure: ChannelFailure, action: Send | Receive) -> Iterator[FormWord]:
    """What an action leaves; before a reception the channel may do what brings its message to the head."""
    if isinstance(action, Send):
        yield word if action.message is CRASH else (*word, str(action.message))
        return
    if action.message is CRASH:
        if failure.loss or not word:
            yield ()
        return
    for i, m in enumerate(word):
        if i > 0 and not (failure.loss or failure.reorder):
            return
        if failure.may_become(m, action.message):
            before = word[:i] if failure.reorder else ()
            yield before + word[i + 1 :]
            if failure.duplicate:
                yield before + word[i:]


def received_and_kept(failure: ChannelFailure, letters: Iterable[str], message: str) -> Iterator[str]:
    """The messages of a channel without order of which a copy may be received as this one: they stay."""
    if failure.duplicate:
        yield from (m for m in letters if failure.may_become(m, message))


# ---- backward --------------------------------------------------------------------------------------------


def send_undone(form: str, failure: ChannelFailure, word: FormWord, message: str) -> Iterator[FormWord]:
    """The least contents to which sending the message gives this one or more."""
    if form == LENGTH:
        yield word[:-1]
    elif form == MULTISET:
        i = word.index(message) if message in word else len(word)
        yield word[:i] + word[i + 1 :]
    else:
        yield word[:-1] if word and failure.may_become(message, word[-1]) else word


def reception_undone(form: str, failure: ChannelFailure, word: FormWord, message: str) -> Iterator[FormWord]:
    """The least contents from which receiving the message gives this one or more.

    The message was before the content. Where it may also stay, a content is smaller that has it already, as
    what it is or as what it was before a corruption.
    """
    yield (message, *word)
    if not (failure.duplicate and word):
        return
    reachable = word[:1] if form == QUEUE else word
    if form == LENGTH or any(failure.may_become(m, message) for m in reachable):
        yield word
    elif form == QUEUE:
        for head in failure.becomes:
            if failure.may_become(head, message) and failure.may_become(head, word[0]):
                yield (head, *word[1:])


def fault_undone(form: str, failure: ChannelFailure, word: FormWord) -> Iterator[FormWord]:
    """The contents of which one silent fault makes this one. The order in which words and lengths are
    compared contains their faults, so only the corruptions in a multiset are left."""
    if form != MULTISET:
        return
    for source, others in failure.becomes.items():
        for other in others:
            if other in word:
                i = word.index(other)
                yield (*word[:i], source, *word[i + 1 :])


def embeds(form: str, failure: ChannelFailure, small: FormWord, large: FormWord) -> bool:
    """Is the one content below the other in the order in which they are compared?"""
    if form == LENGTH:
        return len(small) <= len(large)
    if form == MULTISET:
        return all(small.count(m) <= large.count(m) for m in set(small))
    rest = iter(large)
    if not failure.becomes:
        return all(s in rest for s in small)
    return all(any(failure.may_become(m, s) for m in rest) for s in small)


# ---- linear functions ------------------------------------------------------------------------------------


def weight_taken(failure: ChannelFailure, weight: int) -> int:
    """The least that a reception takes from a linear function: nothing, where the message may stay."""
    return min(weight, 0) if failure.duplicate else weight


def fault_that_raises(failure: ChannelFailure, weights: Mapping[str, int]) -> FaultKind | None:
    """A kind of silent fault that increases a linear function with these weights."""
    if failure.loss and min(weights.values(), default=0) < 0:
        return LOSS
    for m, others in failure.becomes.items():
        if any(weights.get(other, 0) > weights.get(m, 0) for other in others):
            return CORRUPTION
    return None
