"""Checks a summarised set of configurations: the certificate of a search that keeps k messages per channel.

A content stands for many. A length or a multiset: a number below k is exact, k is k or more, message by
message. A word of a channel without loss: up to k messages exactly; behind `BEHIND`, which messages follow
them, in any order and number. A word of a lossy channel: everything that faults make of its messages and of
any word over those behind. The set proves a goal unreachable when it has the start, when every action from
every content that a configuration stands for leads to what another stands for, and none may meet the goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ...kernel.goals.cubes import Cube, Demand, accepted, heads as after_faults, taken as receptions, untaken
from ...kernel.model.actions import CRASH, Internal, Message, Receive, Send, channel_of
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.system import System
from .after_faults import settle_word
from .certificates import BEHIND, Element
from .channel_forms import LENGTH, MULTISET, QUEUE, ChannelReading, Letters, channel_forms


def check_summary(
    system: System, failures: FailureModel, cubes: Sequence[Cube], k: int, configurations: Sequence[Element]
) -> str:
    if k < 1:
        return "a summary keeps at least one message"
    forms = channel_forms(system, failures)
    known = {_canonical(forms, e) for e in configurations}
    start = Element(tuple(p.initial for p in system), (False,) * len(forms), ((),) * len(forms))
    if start not in known:
        return "the initial configuration is not in the set"
    for element in configurations:
        for after in _successors(system, failures, forms, k, element):
            if _canonical(forms, after) not in known:
                return f"a step leads out of the set, from {element.states} to {after.states}"
        if any(_may_meet(system, failures, forms, k, cube, element) for cube in cubes):
            return f"the goal may be met at {element.states}"
    return ""


def _canonical(forms: Sequence[ChannelReading], at: Element) -> Element:
    """Multisets and sets sorted, lengths written with one letter."""
    return at._replace(words=tuple(_sorted(s, w) for s, w in zip(forms, at.words, strict=True)))


def _sorted(reading: ChannelReading, word: Letters) -> Letters:
    if reading.form == LENGTH:
        return reading.letters[:1] * len(word)
    if reading.form == MULTISET:
        return tuple(sorted(word))
    first, rest = split(word)
    return (*first, BEHIND, *sorted(rest)) if rest else first


def split(word: Letters) -> tuple[Letters, Letters]:
    """The messages kept in order, and those known to follow."""
    if BEHIND not in word:
        return word, ()
    bar = word.index(BEHIND)
    return word[:bar], word[bar + 1 :]


def _successors(
    system: System, failures: FailureModel, forms: Sequence[ChannelReading], k: int, at: Element
) -> Iterator[Element]:
    for i, process in enumerate(system):
        for _, action, target in process.outgoing(at.states[i]):
            states = (*at.states[:i], target, *at.states[i + 1 :])
            if isinstance(action, Internal):
                yield at._replace(states=states)
                continue
            c = system.channels.index(channel_of(process.name, action))
            for mark, word in _after(
                forms[c], failures.on(forms[c].channel), k, action, at.marks[c], at.words[c]
            ):
                marks = (*at.marks[:c], mark, *at.marks[c + 1 :])
                yield Element(states, marks, (*at.words[:c], word, *at.words[c + 1 :]))


def _after(
    reading: ChannelReading,
    failure: ChannelFailure,
    k: int,
    action: Send | Receive,
    mark: bool,
    word: Letters,
) -> Iterator[tuple[bool, Letters]]:
    if action.message is CRASH:
        if isinstance(action, Send):
            yield True, word
        elif mark and (reading.failure.loss or not word):
            yield False, ()
    elif isinstance(action, Send):
        yield mark, _put(reading, k, word, str(action.message))
    else:
        for left in _taken(reading, failure, k, word, str(action.message)):
            yield mark, left


def _put(reading: ChannelReading, k: int, word: Letters, message: str) -> Letters:
    if reading.form == LENGTH:
        return word if len(word) >= k else (*word, message)
    if reading.form == MULTISET:
        return word if word.count(message) >= k else (*word, message)
    first, rest = split(word)
    if len(first) < k and BEHIND not in word:
        return (*first, message)
    return (*first, BEHIND, *rest) if message in rest else (*first, BEHIND, *rest, message)


def _taken(
    reading: ChannelReading, failure: ChannelFailure, k: int, word: Letters, message: str
) -> Iterator[Letters]:
    if reading.form == LENGTH:
        if word:
            yield word[1:]
            if len(word) >= k:
                yield word
    elif reading.form == MULTISET:
        for m in set(word):
            if failure.may_become(m, message):
                i = word.index(m)
                yield word[:i] + word[i + 1 :]
                if word.count(m) >= k:
                    yield word
    else:
        yield from _taken_from_word(failure, word, message)


def _taken_from_word(failure: ChannelFailure, word: Letters, message: str) -> Iterator[Letters]:
    first, rest = split(word)
    tail = (BEHIND, *rest) if rest else ()
    if failure.loss:
        for i, m in enumerate(first):
            if failure.may_become(m, message):
                yield (*first[i + 1 :], *tail)
        if any(failure.may_become(m, message) for m in rest):
            yield tail
        return
    if not first or not failure.may_become(first[0], message):
        return
    if not rest:
        yield first[1:]
    for m in rest:
        fewer = tuple(r for r in rest if r != m)
        yield (*first[1:], m, BEHIND, *rest)
        yield (*first[1:], m, *((BEHIND, *fewer) if fewer else ()))


def _may_meet(
    system: System, failures: FailureModel, forms: Sequence[ChannelReading], k: int, cube: Cube, at: Element
) -> bool:
    states = dict(zip(system.names, at.states, strict=True))
    if any(states[p] not in allowed for p, allowed in cube.states.items()):
        return False
    taken = accepted(system, states) if cube.deadlock else {}
    if taken is None:
        return False
    heads = receptions(system, states) if cube.stuck else {}
    used = {s.channel for s in forms}
    if any(c not in used and not d.holds(()) for c, d in cube.channels.items()):
        return False
    for reading, mark, word in zip(forms, at.marks, at.words, strict=True):
        demand = cube.channels.get(reading.channel, Demand())
        wanted = taken.get(reading.channel, frozenset())
        alternatives = [demand]
        if reading.channel in heads:
            alternatives = list(untaken(demand, heads[reading.channel], reading.letters))
        failure = failures.on(reading.channel)
        if not any(_may_hold(reading, failure, k, d, wanted, mark, word) for d in alternatives):
            return False
    return True


def _may_hold(
    reading: ChannelReading,
    failure: ChannelFailure,
    k: int,
    demand: Demand,
    taken: frozenset[Message],
    mark: bool,
    word: Letters,
) -> bool:
    """May the channel be as asked? Exact where the content is, and yes in doubt where it is a summary."""
    if not _is_summary(reading, k, word):
        whole: tuple[Message, ...] = (*word, CRASH) if mark else word
        return settle_word(whole, failure, demand, taken) is not None
    asked: set[Message] = {*(demand.word or ()), *demand.contains}
    if (CRASH in asked and not mark) or (demand.word is not None and mark and CRASH not in asked):
        return False
    if mark and CRASH in taken and reading.failure.loss:
        return False
    letters = tuple(m for m in word if m != BEHIND)
    needed = {m for m in asked if isinstance(m, str)}
    if reading.form == LENGTH:
        letters = reading.letters
    if not all(any(failure.may_become(m, n) for m in letters) for n in needed):
        return False
    if demand.head is not None:
        near = letters[:1] if reading.form == QUEUE and not reading.failure.loss else letters
        if not any(failure.may_become(m, demand.head) for m in near):
            return False
    if reading.failure.loss:
        return True
    if demand.word is not None and not _may_be_exactly(reading, failure, k, demand.word, letters):
        return False
    return not taken or _may_stay(reading, failure, taken, letters)


def _is_summary(reading: ChannelReading, k: int, word: Letters) -> bool:
    if reading.form == QUEUE:
        return BEHIND in word
    return len(word) >= k if reading.form == LENGTH else any(word.count(m) >= k for m in word)


def _may_be_exactly(
    reading: ChannelReading, failure: ChannelFailure, k: int, wanted: tuple[Message, ...], letters: Letters
) -> bool:
    """A summary without loss stands for k messages or more, and without corruption for those it names."""
    body = [m for m in wanted if m is not CRASH]
    if len(body) < k:
        return False
    return reading.form == LENGTH or failure.corrupt or all(m in body for m in letters)


def _may_stay(
    reading: ChannelReading, failure: ChannelFailure, taken: frozenset[Message], letters: Letters
) -> bool:
    """In a deadlock, without loss: what may come to the head is not taken, or may turn into what is not."""

    def stays(message: str) -> bool:
        return any(_rests(m, failure, taken) for m in (message, *failure.becomes.get(message, ())))

    if reading.form == LENGTH:
        return not any(m in taken for m in letters)
    return stays(letters[0]) if reading.form == QUEUE else all(stays(m) for m in letters)


def _rests(message: str, failure: ChannelFailure, taken: frozenset[Message]) -> bool:
    """Neither it nor anything that it may become is taken."""
    return not after_faults((message,), failure) & taken
