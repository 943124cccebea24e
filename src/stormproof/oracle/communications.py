"""Which communications an execution may have: matching pairs, and what channels allow (definitions 4.1, 4.2).

Positions count from 0 (the paper counts from 1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import product

from ..kernel.model.actions import Channel, Crash, Internal, Message, Receive, Send, channel_of, sender_in
from ..kernel.model.execution import Communication, Execution, Interaction, communication_of
from ..kernel.model.failures import ChannelFailure, FailureModel
from ..kernel.model.faults import LOSS

#: A reception on one channel: which of the channel's sends it matches, counted from 0, and what is received.
Reception = tuple[int, Message]


def sends_on(execution: Execution, channel: Channel) -> tuple[int, ...]:
    """Where the channel is written to, in the order of time."""
    return _acting(execution, channel, Send)


def receptions_on(execution: Execution, channel: Channel) -> tuple[int, ...]:
    """Where the channel is read from, in the order of time."""
    return _acting(execution, channel, Receive)


def _acting(execution: Execution, channel: Channel, kind: type) -> tuple[int, ...]:
    return tuple(
        j
        for j, (process, action) in enumerate(execution)
        if isinstance(action, kind) and channel_of(process, action) == channel
    )


def channels_of(execution: Execution) -> tuple[Channel, ...]:
    """The channels that the execution touches, first touched first."""
    found = dict.fromkeys(channel_of(process, action) for process, action in execution)
    return tuple(c for c in found if c is not None)


def message_at(execution: Execution, position: int) -> Message:
    action = execution[position][1]
    assert not isinstance(action, Internal)
    return action.message


def matching_pairs(execution: Execution) -> tuple[Interaction, ...]:
    """Definitions 4.1: every send with every later reception on its channel (*i*-matching pairs)."""
    found = [
        (s, r)
        for channel in channels_of(execution)
        for s in sends_on(execution, channel)
        for r in receptions_on(execution, channel)
        if s < r
    ]
    return tuple(sorted(found))


def perfect_matching_pairs(execution: Execution) -> tuple[Interaction, ...]:
    """The k-th send with the k-th reception, when the message is the same and the reception comes later."""
    found = []
    for channel in channels_of(execution):
        for s, r in zip(sends_on(execution, channel), receptions_on(execution, channel), strict=False):
            if s < r and message_at(execution, s) == message_at(execution, r):
                found.append((s, r))
    return tuple(sorted(found))


def possible(failure: ChannelFailure, sent: Sequence[Message], received: Sequence[Reception]) -> bool:
    """May a channel on which `sent` was sent have delivered `received`, as far as matching goes?

    Definitions 4.2: a message received is one that the message sent may have become; without reordering,
    matching preserves the order, and what was sent before a matched send is matched or was lost.
    """
    matched = [index for index, _ in received]
    if len(set(matched)) < len(matched):
        return False
    if not all(failure.may_become(sent[index], message) for index, message in received):
        return False
    if not failure.reorder and matched != sorted(matched):
        return False
    skipped = set(range(max(matched, default=0))) - set(matched)
    if not failure.reorder and not all(failure.affects(LOSS, sent[i]) for i in skipped):
        return False
    return _crash_stays_last(failure, sent, matched)


def _crash_stays_last(failure: ChannelFailure, sent: Sequence[Message], matched: Sequence[int]) -> bool:
    """The crash message is the last of its channel, in a mailbox the last of its sender, and no interference
    changes that (definitions 5.1, 12.2).

    So nothing is received after it, and what is sent before it is received before it or lost. If matching
    preserves the order this follows; on a reordering channel it is a separate condition.
    """
    for place, index in enumerate(matched):
        if isinstance(sent[index], Crash):
            own = [i for i in range(len(sent)) if sender_in(sent[i]) == sender_in(sent[index])]
            before = [i for i in own if i < index and not failure.affects(LOSS, sent[i])]
            if not set(before) <= set(matched[:place]) or not set(own).isdisjoint(matched[place + 1 :]):
                return False
    return True


def is_valid(execution: Execution, communication: Communication, failures: FailureModel) -> bool:
    """Is this a communication of the execution that the failure model allows?"""
    covered = Counter(j for interaction in communication for j in interaction)
    if covered != Counter(range(len(execution))):
        return False
    pairs = [x for x in communication if len(x) == 2]
    alone = [x[0] for x in communication if len(x) == 1]
    if len(pairs) + len(alone) != len(communication) or not set(pairs) <= set(matching_pairs(execution)):
        return False
    if any(isinstance(execution[j][1], Receive) for j in alone):
        return False
    return all(_valid_on(execution, pairs, channel, failures) for channel in channels_of(execution))


def _valid_on(
    execution: Execution, pairs: Iterable[Interaction], channel: Channel, failures: FailureModel
) -> bool:
    sends = sends_on(execution, channel)
    here = sorted((x for x in pairs if x[0] in sends), key=lambda x: x[1])
    return _possible_on(execution, failures.on(channel), sends, here)


def _possible_on(
    execution: Execution, failure: ChannelFailure, sends: Sequence[int], pairs: Sequence[Interaction]
) -> bool:
    """`possible`, for the pairs (send, reception) of one channel in the order of the receptions."""
    sent = [message_at(execution, s) for s in sends]
    received = [(sends.index(s), message_at(execution, r)) for s, r in pairs]
    return all(s < r for s, r in pairs) and possible(failure, sent, received)


def communications(execution: Execution, failures: FailureModel) -> Iterator[Communication]:
    """Comm(e): all valid communications of an execution under a failure model."""
    choices = [
        list(_matchings(execution, channel, failures.on(channel))) for channel in channels_of(execution)
    ]
    for chosen in product(*choices):
        yield communication_of(execution, [pair for pairs in chosen for pair in pairs])


def _matchings(
    execution: Execution, channel: Channel, failure: ChannelFailure
) -> Iterator[tuple[Interaction, ...]]:
    """The ways in which one channel can match all of its receptions.

    What is possible for all receptions is possible for the first few of them, so a partial choice that is
    not possible is given up at once.
    """
    sends, receptions = sends_on(execution, channel), receptions_on(execution, channel)

    def extend(pairs: tuple[Interaction, ...]) -> Iterator[tuple[Interaction, ...]]:
        if len(pairs) == len(receptions):
            yield pairs
            return
        for send in sends:
            longer = (*pairs, (send, receptions[len(pairs)]))
            if _possible_on(execution, failure, sends, longer):
                yield from extend(longer)

    yield from extend(())
