"""What the faults of a channel do to its content: a reading of its own for the trusted kernels.

It shares plain data types with the rest, but no code with the engine or `spec`. Three parts, for `replay`,
for `replay_storm` and for the checker of certificates of survival. The crash message is exempt from faults.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model.actions import CRASH, Channel, Message, Receive, Send, Word, channel_of
from ..model.failures import ChannelFailure
from ..model.fault_steps import Corrupt, Duplicate, Fault, Lose, Overtake, Swap
from ..model.run import Act, Step

#: A message, and the step that sent it.
SentMessage = tuple[Message, int]
#: A content after a step, and the faults that it took.
ChannelEffect = tuple[Word, Mapping[str, int]]

# ---- faults as steps of their own, and what they make possible within a bound (definitions 2.5) ---------


def faults(
    f: ChannelFailure, c: Channel, word: tuple[SentMessage, ...]
) -> Iterator[tuple[Fault, tuple[SentMessage, ...]]]:
    """Definitions 2.5: each fault of a channel, with its content afterwards; crash messages are exempt."""
    for i, (m, sent) in enumerate(word):
        before, later = word[:i], word[i + 1 :]
        if not isinstance(m, str):
            continue
        if f.loss:
            yield Lose(c, i, m), before + later
        yield from ((Corrupt(c, i, m, b), (*before, (b, sent), *later)) for b in f.becomes.get(m, ()))
        if f.duplicate and i == 0:
            for n in range(len(later) + 1 - (word[-1][0] is CRASH) if f.reorder else 1):
                yield Duplicate(c, i, m, n), (word[0], *later[:n], word[0], *later[n:])
        for n in range(1, i + 1 if f.reorder else 0):
            if CRASH not in dict(before[i - n :]):
                yield Overtake(c, i, m, n), (*before[: i - n], word[i], *before[i - n :], *later)
        if f.reorder and later and later[0][0] is not CRASH:
            yield Swap(c, i), (*before, later[0], word[i], *later[1:])


def makes_room(following: Sequence[Step], channel: Channel) -> bool:
    """Is a message lost from the channel right after a send that found it full (definitions 2.6)?"""
    return any(isinstance(step, Lose) and step.channel == channel for step in following[:1])


def is_part_of_reception(step: Fault) -> bool:
    """Duplication is a reception that keeps the message (definitions 9.4)."""
    return isinstance(step, Duplicate)


def received_at_once(following: Sequence[Step], fault: Fault) -> bool:
    """Is the fault followed by its reception? Of two copies either may be corrupted before that."""
    copies = (0, fault.behind + 1) if isinstance(fault, Duplicate) else ()
    for step in following[: len(copies) + 1]:
        if isinstance(step, Act):
            return isinstance(step.action, Receive) and channel_of(step.process, step.action) == fault.channel
        if not isinstance(step, Corrupt) or step.channel != fault.channel or step.position not in copies:
            return False
    return False


def contents_after(f: ChannelFailure, word: Word, action: Send | Receive, k: int) -> list[Word]:
    """What a channel may hold after an action on it; nothing when it cannot happen within the bound."""
    if isinstance(action, Receive):
        free = [i for i, m in enumerate(word) if i == 0 or f.loss or (f.reorder and m is not CRASH)]
        taken = [i for i in free if f.may_become(word[i], action.message)]
        ahead = {i: word[:i] if f.reorder and word[i] is not CRASH else () for i in taken}
        kept = [ahead[i] + word[i:] for i in taken if f.duplicate and word[i] is not CRASH]
        return [ahead[i] + word[i + 1 :] for i in taken] + kept
    longer = (*word, action.message)
    if f.reorder:
        longer = tuple(sorted(longer, key=lambda m: (m is CRASH, str(m))))
    if len(word) < k:
        return [longer]
    return [longer[:i] + longer[i + 1 :] for i, m in enumerate(longer) if m is not CRASH and f.loss]


# ---- faults that strike at a send or a reception (definitions 9.1) --------------------------------------


def struck(step: Fault, queue: Word, failure: ChannelFailure) -> Word | None:
    """What the fault leaves; None where the channel does not have it there."""
    at = step.position
    before, message, later = queue[:at], queue[at], queue[at + 1 :]
    if isinstance(step, Lose) and failure.loss and step.message == message and not later:
        return before
    if isinstance(step, Corrupt) and step.message == message and failure.may_become(message, step.becomes):
        return (*before, step.becomes, *later)
    if isinstance(step, Overtake) and failure.reorder and 0 < step.passed <= at and not later:
        passed = before[at - step.passed :]
        return None if CRASH in passed else (*before[: at - step.passed], message, *passed)
    if isinstance(step, Duplicate) and failure.duplicate and at == 0 and step.message == message:
        last = len(later) - (queue[-1] is CRASH) if failure.reorder else 0
        if 0 <= step.behind <= last:
            return (message, *later[: step.behind], message, *later[step.behind :])
    return None


# ---- the content after a send or a reception, with the faults that it takes (definitions 9.1) -----------


def sent(word: Word, message: Message, failure: ChannelFailure, room: bool) -> Iterator[ChannelEffect]:
    """A send; without room for its message it can only be lost."""
    if room:
        yield (*word, message), {}
    if message is CRASH:
        return
    if failure.loss:
        yield word, {"loss": 1}
    if not room:
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
