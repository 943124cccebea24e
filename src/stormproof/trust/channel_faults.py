"""What the faults of a channel do to its content: a reading of its own for the trusted kernels.

It shares plain data types with the rest, but no code with the engine or `semantics`. Three parts, for
`replay`, for `replay_storm` and for the checker of certificates of survival. The crash message is exempt
from faults, but for exchanges with messages of other senders in a mailbox.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..kernel.model.actions import Channel, Message, Receive, Send, Word, channel_of, message_order
from ..kernel.model.channel_faults import Corrupt, Duplicate, Lose, Overtake, Swap
from ..kernel.model.failures import ChannelFailure
from ..kernel.model.fault_steps import Fault
from ..kernel.model.faults import DUPLICATION, LOSS
from ..kernel.model.run import Act, Step

#: A message, and the step that sent it.
SentMessage = tuple[Message, int]
#: A content after a step, and the faults that it took.
ChannelEffect = tuple[Word, Mapping[str, int]]

# ---- faults as steps of their own, and what they make possible within a bound (definitions 2.5) ---------


def faults(
    f: ChannelFailure, c: Channel, word: tuple[SentMessage, ...]
) -> Iterator[tuple[Fault, tuple[SentMessage, ...]]]:
    """Definitions 2.5: each fault of a channel, with its content afterwards."""
    for i, (m, sent) in enumerate(word):
        before, later = word[:i], word[i + 1 :]
        name = m if isinstance(m, str) else str(m)
        if f.affects(LOSS, m):
            yield Lose(c, i, name), before + later
        if isinstance(m, str):
            yield from ((Corrupt(c, i, m, b), (*before, (b, sent), *later)) for b in f.becomes.get(m, ()))
        if f.affects(DUPLICATION, m) and i == 0:
            for n in range(passed(f, m, [x for x, _ in later]) + 1):
                yield Duplicate(c, i, name, n), (word[0], *later[:n], word[0], *later[n:])
        for n in range(1, passed(f, m, [x for x, _ in reversed(before)]) + 1):
            yield Overtake(c, i, name, n), (*before[: i - n], word[i], *before[i - n :], *later)
        if later and f.exchanges(m, later[0][0]):
            yield Swap(c, i), (*before, later[0], word[i], *later[1:])


def passed(f: ChannelFailure, message: Message, others: Sequence[Message]) -> int:
    """How many of these, the nearest first, the message may be exchanged with."""
    blocked = (n for n, other in enumerate(others) if not f.exchanges(message, other))
    return next(blocked, len(others))


def overtakes(f: ChannelFailure) -> bool:
    """May messages of the channel overtake each other?"""
    return f.reorder


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
        if not word:
            return []
        taken = [i for i, m in enumerate(word) if f.may_become(m, action.message)]
        ahead = {i: still for i in taken if (still := ahead_of(f, word, i)) is not None}
        kept = [still + word[i:] for i, still in ahead.items() if f.affects(DUPLICATION, word[i])]
        return [still + word[i + 1 :] for i, still in ahead.items()] + kept
    longer = (*word, action.message)
    if f.reorder:
        longer = tuple(sorted(longer, key=message_order))
    if len(word) < k:
        return [longer]
    return [longer[:i] + longer[i + 1 :] for i, m in enumerate(longer) if f.affects(LOSS, m)]


def ahead_of(f: ChannelFailure, word: Word, i: int) -> Word | None:
    """What is still there of the messages before one that is received: it overtakes them where it can, and
    the others are lost. None: one of them can neither be overtaken nor lost."""
    blocking = [m for m in word[:i] if not f.exchanges(m, word[i])]
    if not all(f.affects(LOSS, m) for m in blocking):
        return None
    return tuple(m for m in word[:i] if f.exchanges(m, word[i]))


# ---- faults that occur at a send or a reception (definitions 9.1) --------------------------------------


def after_fault(step: Fault, queue: Word, failure: ChannelFailure) -> Word | None:
    """What the fault leaves; None where the channel does not have it there."""
    at = step.position
    before, message, later = queue[:at], queue[at], queue[at + 1 :]
    if isinstance(step, Lose) and failure.affects(LOSS, message) and step.message == message and not later:
        return before
    if isinstance(step, Corrupt) and step.message == message and failure.may_become(message, step.becomes):
        return (*before, step.becomes, *later)
    if isinstance(step, Overtake) and 0 < step.passed <= passed(failure, message, before[::-1]) and not later:
        return (*before[: at - step.passed], message, *before[at - step.passed :])
    if isinstance(step, Duplicate) and failure.affects(DUPLICATION, message) and at == 0:
        if step.message == message and 0 <= step.behind <= passed(failure, message, later):
            return (message, *later[: step.behind], message, *later[step.behind :])
    return None


# ---- the content after a send or a reception, with the faults that it takes (definitions 9.1) -----------


def sent(word: Word, message: Message, failure: ChannelFailure, room: bool) -> Iterator[ChannelEffect]:
    """A send; without room for its message it can only be lost."""
    if room:
        yield (*word, message), {}
    if failure.affects(LOSS, message):
        yield word, {"loss": 1}
    if not room:
        return
    for put in (message, *others(failure, message)):
        corrupted = {"corruption": 1} if put != message else {}
        if corrupted:
            yield (*word, put), corrupted
        for place in range(len(word) - passed(failure, put, word[::-1]), len(word)):
            yield (*word[:place], put, *word[place:]), {**corrupted, "reordering": 1}


def received(word: Word, message: Message, failure: ChannelFailure) -> Iterator[ChannelEffect]:
    """A reception; where the channel duplicates, the message also stays."""
    if not word:
        return
    head, rest = word[0], word[1:]
    if head == message:
        yield rest, {}
    if not failure.affects(DUPLICATION, head) or not failure.may_become(head, message):
        return
    for copy in (head, *others(failure, head)):
        corrupted = (head != message) + (copy != head)
        for place in range(passed(failure, head, rest) + 1):
            yield (*rest[:place], copy, *rest[place:]), {"duplication": 1, "corruption": corrupted}


def others(failure: ChannelFailure, message: Message) -> frozenset[str]:
    """What else the message may become."""
    return failure.becomes.get(message, frozenset()) - {message} if isinstance(message, str) else frozenset()
