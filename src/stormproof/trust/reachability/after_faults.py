"""What faults alone can make of a configuration so that it meets a goal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations

from ...kernel.goals.cubes import (
    Cube,
    Demand,
    accepted,
    heads as heads_after_faults,
    letters,
    taken as receptions,
    untaken,
)
from ...kernel.model.actions import Channel, Message, Word
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.system import System


def settle(
    system: System,
    failures: FailureModel,
    cube: Cube,
    states: Mapping[str, str],
    words: Mapping[Channel, Word],
) -> dict[Channel, Word] | None:
    """Words that faults can make of these and that meet the cube; None when there are none."""
    taken = accepted(system, states) if cube.deadlock else None
    if cube.deadlock and taken is None:
        return None
    heads = receptions(system, states) if cube.stuck else {}
    ends = dict(words)
    for channel, demand in cube.channels.items():
        if channel not in words and not demand.holds(()):
            return None
    for channel, word in words.items():
        demand = cube.channels.get(channel, Demand())
        wanted = (taken or {}).get(channel, frozenset())
        alternatives = [demand]
        if channel in heads:
            alternatives = list(untaken(demand, heads[channel], letters(system, failures, channel)))
        settled = (settle_word(word, failures.on(channel), d, wanted) for d in alternatives)
        found = next((w for w in settled if w is not None), None)
        if found is None:
            return None
        ends[channel] = found
    return ends


def settle_word(
    word: Word, failure: ChannelFailure, demand: Demand, taken: frozenset[Message]
) -> Word | None:
    """The first of the candidates that is as asked, the word as it stands first."""
    for candidate in _candidates(word, failure, demand, taken):
        if demand.holds(candidate) and not (heads_after_faults(candidate, failure) & taken):
            return candidate
    return None


def _candidates(
    word: Word, failure: ChannelFailure, demand: Demand, taken: frozenset[Message]
) -> Iterator[Word]:
    """What faults can make of the word, as far as the demand or a deadlock can need it."""
    yield word
    body = tuple(m for m in word if isinstance(m, str))
    tail = word[len(body) :]
    if demand.word is not None:
        target = demand.word
        plain = tuple(m for m in target if isinstance(m, str))
        if target[len(plain) :] == tail and can_become(body, plain, failure):
            yield target
        return
    needed = [m for m in demand.contains if isinstance(m, str) and m != demand.head]
    if failure.loss:
        for rest in permutations(needed):
            fewest = ((demand.head,) if demand.head is not None else ()) + rest
            if can_become(body, fewest, failure):
                yield (*fewest, *tail)
        return
    for placed in _placements(body, failure, demand.head, needed, taken):
        yield (*placed, *tail)


def _placements(
    body: tuple[str, ...],
    failure: ChannelFailure,
    head: str | None,
    needed: Sequence[str],
    taken: frozenset[Message],
) -> Iterator[tuple[str, ...]]:
    """Without loss: the needed messages in place of some, the others turned into what nobody takes."""
    wanted = [*([head] if head is not None else []), *needed]
    for chosen in permutations(range(len(body)), len(wanted)):
        if head is not None and not failure.reorder and chosen[0] != 0:
            continue
        if not all(failure.may_become(body[i], m) for i, m in zip(chosen, wanted, strict=True)):
            continue
        placed = [_rested(m, failure, taken) for m in body]
        for i, m in zip(chosen, wanted, strict=True):
            placed[i] = m
        if head is not None:
            placed.insert(0, placed.pop(chosen[0]))
        yield tuple(placed)


def _rested(message: str, failure: ChannelFailure, taken: frozenset[Message]) -> str:
    """The message, or what it may become that nobody takes, now or after further corruption."""
    for option in (message, *sorted(failure.becomes.get(message, ()))):
        if not ({option, *failure.becomes.get(option, ())} & taken):
            return option
    return message


def can_become(word: Sequence[Message], target: Sequence[Message], failure: ChannelFailure) -> bool:
    """Can faults make `target` of `word`? Neither holds the crash message."""
    if len(target) > len(word) or (len(target) < len(word) and not failure.loss):
        return False
    if not failure.reorder:
        rest = iter(word)
        return all(any(failure.may_become(m, t) for m in rest) for t in target)
    return _assign(word, target, failure)


def _assign(word: Sequence[Message], target: Sequence[Message], failure: ChannelFailure) -> bool:
    """An injection of the target into the word, by augmenting paths."""
    owner: dict[int, int] = {}

    def seek(j: int, seen: set[int]) -> bool:
        for i, m in enumerate(word):
            if i in seen or not failure.may_become(m, target[j]):
                continue
            seen.add(i)
            if i not in owner or seek(owner[i], seen):
                owner[i] = j
                return True
        return False

    return all(seek(j, set()) for j in range(len(target)))
