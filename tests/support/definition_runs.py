"""Runs and violations from the definitions (`oracle.bounded`), for the tests of the trusted kernel."""

from __future__ import annotations

import itertools
import random
from collections import deque
from collections.abc import Iterator, Sequence
from heapq import heappop, heappush
from typing import NamedTuple

from stormproof.kernel.model.actions import (
    CRASH,
    Action,
    Channel,
    Configuration,
    Firing,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
    Word,
    channel_of,
)
from stormproof.kernel.model.channel_faults import Corrupt, Lose, Overtake, Swap, interfere
from stormproof.kernel.model.failures import ChannelFailure, FailureModel
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act, LinkCut, Step, Witness
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded

Moves = tuple[Firing, ...]
Parents = dict[Configuration, tuple[Configuration, bounded.FiredAction | None] | None]


class Found(NamedTuple):
    """A configuration that violates a property, and the moves of a shortest run to it."""

    property: str
    moves: Moves
    channels: dict[Channel, tuple[Message, ...]]


def path(ts: bounded.TransitionSystem, wanted: set[Configuration]) -> tuple[Moves, Configuration]:
    """The moves of a run with the fewest actions to one of the wanted configurations, and that one."""
    start = bounded.initial(ts.system)
    parent: Parents = {start: None}
    queue: deque[Configuration] = deque([start])
    while queue:
        at = queue.popleft()
        if at in wanted:
            return _unwind(ts.system, parent, at)
        for event, after in sorted(ts.steps[at], key=lambda s: s.event is not None):
            if after in parent:
                continue
            parent[after] = (at, event)
            (queue.appendleft if event is None else queue.append)(after)
    raise AssertionError("not reachable")


def _unwind(system: System, parent: Parents, at: Configuration) -> tuple[Moves, Configuration]:
    moves, here = [], at
    while (step := parent[here]) is not None:
        before, event = step
        if event is not None:
            moves.append(_firing(system, before, event, here))
        here = before
    return tuple(reversed(moves)), at


def _firing(
    system: System, before: Configuration, event: bounded.FiredAction, after: Configuration
) -> Firing:
    i = system.names.index(event.process)
    return Firing(event.process, Transition(before.states[i], event.action, after.states[i]))


def violations(system: System, failures: FailureModel, k: int, most: int = 1500) -> Iterator[Found]:
    """For each base property that fails, a shortest run to a violating configuration."""
    try:
        ts = bounded.explore(system, failures, k, most)
    except bounded.TooLarge:
        return
    for name, violating in bounded.VIOLATIONS.items():
        if name in ("k-obi", "k-sibi") and not failures.perfect:
            continue
        bad = set(violating(ts))
        if bad:
            moves, at = path(ts, bad)
            yield Found(name, moves, {c: w for c, w in zip(system.channels, at.words) if w})


Trace = tuple[tuple[str, Action], ...]


def traces(system: System, failures: FailureModel, length: int) -> set[Trace]:
    """The executions by words in channels, interference by silent steps (definitions 2.5)."""
    here: set[tuple[Trace, Configuration]] = {((), bounded.initial(system))}
    found: set[Trace] = {()}
    for _ in range(length):
        ahead = set()
        stack = list(here)
        seen = set(here)
        while stack:
            trace, at = stack.pop()
            for event, after in bounded.steps(system, failures, at, None):
                if event is not None:
                    ahead.add(((*trace, (event.process, event.action)), after))
                elif (trace, after) not in seen:
                    seen.add((trace, after))
                    stack.append((trace, after))
        here = ahead
        found |= {trace for trace, _ in here}
    return found


def random_run(
    rng: random.Random, system: System, failures: FailureModel, bound: int | None, length: int
) -> tuple[Moves, dict[Channel, tuple[Message, ...]]]:
    """A random run of the definitions, its faults forgotten."""
    at = bounded.initial(system)
    moves = []
    for _ in range(length):
        choices = list(bounded.steps(system, failures, at, bound))
        if not choices:
            break
        acts = [c for c in choices if c.event is not None]
        step = rng.choice(acts if acts and rng.random() < 0.7 else choices)
        if step.event is not None:
            moves.append(_firing(system, at, step.event, step.after))
        at = step.after
    return tuple(moves), {c: w for c, w in zip(system.channels, at.words) if w}


def fewest_faults(
    failure: ChannelFailure,
    events: Sequence[tuple[bool, Message]],
    final: tuple[Message, ...],
    bound: int | None,
) -> int | None:
    """The least number of faults on one channel, by Dijkstra over words; events are (is a send, message). A
    message that overtakes is one fault, however many it overtakes."""
    heap: list[tuple[int, int, int, tuple[Message, ...]]] = [(0, 0, 0, ())]
    order = itertools.count(1)
    best: dict[tuple[int, tuple[Message, ...]], int] = {}
    while heap:
        cost, _, i, word = heappop(heap)
        if (i, word) in best:
            continue
        best[i, word] = cost
        if i == len(events) and word == final:
            return cost
        for other in (*interfere(word, failure), *_overtaken(word, failure)):
            heappush(heap, (cost + 1, next(order), i, other))
        if i == len(events):
            continue
        send, message = events[i]
        if not send:
            if word and word[0] == message:
                heappush(heap, (cost, next(order), i + 1, word[1:]))
        elif bound is None or len(word) < bound:
            heappush(heap, (cost, next(order), i + 1, (*word, message)))
        elif failure.loss:
            longer = (*word, message)
            for j, lost in enumerate(longer):
                if lost is not CRASH:
                    heappush(heap, (cost + 1, next(order), i + 1, longer[:j] + longer[j + 1 :]))
    return None


def _overtaken(word: Word, failure: ChannelFailure) -> Iterator[Word]:
    for i, message in enumerate(word):
        for to in range(i - 1, -1, -1):
            if not failure.exchanges(message, word[to]):
                break
            yield (*word[:to], message, *word[to:i], *word[i + 1 :])


def events_on(moves: Moves, channel: Channel) -> list[tuple[bool, Message]]:
    return [
        (isinstance(t.action, Send), t.action.message)
        for p, t in moves
        if not isinstance(t.action, Internal) and channel_of(p, t.action) == channel
    ]


def is_run(system: System, failures: FailureModel, witness: Witness, bound: int | None) -> bool:
    """By the definitions: each step is one of `bounded.steps`, a send into a full channel with its loss."""
    at, i = bounded.initial(system), 0
    steps = [part for step in witness.steps for part in _swaps(step)]
    while i < len(steps):
        step = steps[i]
        following = steps[i + 1] if i + 1 < len(steps) else None
        wanted, used = _after(system, at, step, following, bound)
        options = [s.after for s in bounded.steps(system, failures, at, bound) if _same(s.event, step)]
        if wanted not in options:
            return False
        at = wanted
        i += used
    ends = {c: w for c, w in zip(system.channels, at.words) if w}
    claimed = {c: tuple(w) for c, w in witness.channels.items() if w}
    return ends == claimed and dict(zip(system.names, at.states)) == dict(witness.states)


def _swaps(step: Step) -> list[Step]:
    """A message that overtakes others is swapped with one after the other."""
    if not isinstance(step, Overtake):
        return [step]
    places = range(step.position - 1, step.position - step.passed - 1, -1)
    return [Swap(step.channel, place) for place in places]


def _after(
    system: System, at: Configuration, step: Step, following: Step | None, bound: int | None
) -> tuple[Configuration | None, int]:
    """What one step makes of a configuration, right or not; with a send goes the loss that makes it legal."""
    states, words, used = list(at.states), dict(zip(system.channels, at.words)), 1
    assert not isinstance(step, LinkCut), "a cut is no step of the k-properties"
    channel = channel_of(step.process, step.action) if isinstance(step, Act) else step.channel
    if isinstance(step, Act):
        if step.process not in system.names:
            return None, 1
        states[system.names.index(step.process)] = step.state
    if channel is not None:
        if channel not in words:
            return None, 1
        word, used = _word_after(words[channel], step, following, bound)
        if word is None:
            return None, 1
        words[channel] = word
    return Configuration(tuple(states), tuple(words.values())), used


def _word_after(word: Word, step: Step, following: Step | None, bound: int | None) -> tuple[Word | None, int]:
    """What one step, with the loss that a full channel needs, makes of the word of its channel."""
    if not isinstance(step, Act):
        assert isinstance(step, Lose | Corrupt | Swap)
        return _fault(word, step), 1
    if isinstance(step.action, Receive):
        return word[1:], 1
    assert isinstance(step.action, Send)
    longer = (*word, step.action.message)
    if bound is None or len(longer) <= bound:
        return longer, 1
    if not isinstance(following, Lose) or following.channel.receiver != step.action.peer:
        return None, 1
    return (_fault(longer, following), 2) if following.channel.sender == step.process else (None, 1)


def _same(event: bounded.FiredAction | None, step: Step) -> bool:
    if isinstance(step, Act):
        return event == bounded.FiredAction(step.process, step.action)
    return event is None


def _fault(word: Word, step: Lose | Corrupt | Swap) -> Word | None:
    p = step.position
    if not 0 <= p < len(word) - isinstance(step, Swap):
        return None
    if isinstance(step, Swap):
        return (*word[:p], word[p + 1], word[p], *word[p + 2 :])
    if word[p] != step.message or (isinstance(step, Corrupt) and step.becomes == step.message):
        return None  # a corruption makes a message another one
    return word[:p] + word[p + 1 :] if isinstance(step, Lose) else (*word[:p], step.becomes, *word[p + 1 :])


def random_script(
    rng: random.Random, failure: ChannelFailure, bound: int, length: int, letters: str
) -> tuple[System, Moves, tuple[Message, ...]]:
    """One channel under heavy interference: two processes, a line each, their moves, the word at the end."""
    word: tuple[Message, ...] = ()
    done: list[tuple[bool, Message]] = []
    for _ in range(length):
        for _ in range(rng.randrange(4)):
            others = list(interfere(word, failure))
            word = rng.choice(others) if others else word
        if word and rng.random() < 0.4:
            done.append((False, word[0]))
            word = word[1:]
        elif len(word) < bound or failure.loss:
            done.append((True, rng.choice(letters)))
            word = (*word, done[-1][1])
            if len(word) > bound:
                lost = rng.randrange(len(word))
                word = word[:lost] + word[lost + 1 :]
    return (*lines_of(done), word)


def lines_of(done: Sequence[tuple[bool, Message]]) -> tuple[System, Moves]:
    """Two processes that send and receive this, and nothing else."""
    rows: dict[str, list[Transition]] = {"A": [], "B": []}
    moves = []
    for send, message in done:
        name = "A" if send else "B"
        at = len(rows[name])
        action = Send("B", message) if send else Receive("A", message)
        rows[name].append(Transition(f"s{at}", action, f"s{at + 1}"))
        moves.append(Firing(name, rows[name][-1]))
    return System(tuple(Process(n, "s0", tuple(r)) for n, r in rows.items())), tuple(moves)


def matching(steps: Sequence[Step]) -> tuple[tuple[int, int], ...]:
    """Which send each reception takes (indices of steps), following every message through the faults."""
    words: dict[Channel, list[int]] = {}
    pairs = []
    for i, step in enumerate(steps):
        assert not isinstance(step, LinkCut), "a cut is no step of RSC"
        channel = channel_of(step.process, step.action) if isinstance(step, Act) else step.channel
        word = words.setdefault(channel, []) if channel else []
        if isinstance(step, Lose):
            word.pop(step.position)
        elif isinstance(step, Swap):
            p = step.position
            word[p], word[p + 1] = word[p + 1], word[p]
        elif isinstance(step, Overtake):
            word.insert(step.position - step.passed, word.pop(step.position))
        elif isinstance(step, Act) and isinstance(step.action, Send):
            word.append(i)
        elif isinstance(step, Act) and isinstance(step.action, Receive):
            pairs.append((i, word.pop(0)))
    return tuple(pairs)
