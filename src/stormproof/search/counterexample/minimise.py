"""Among the shortest runs to a violation, one with the fewest faults, then the fewest changes of process.

The engine computes where all shortest runs end and which control states they pass through
(`engine/questions/slice.hpp`), but not which message was lost or corrupted. This search replays those
runs with words.
A fault is delayed as long as possible, which excludes no run: a message is lost when a later one is received
or when the channel is full, it is overtaken or corrupted when it is received, and what then still differs
from the required words is corrected at the end. The cost is the number of fault steps (definitions 2.5): one
per message lost, per message received as another one, per pair that is swapped, per message that is received
and stays.

Runs without faults are tried first, then those with one, and so on, so the first run found has the fewest.
The search is exact within its budget; beyond it the engine's run is shown.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

from ...kernel.model.actions import (
    CRASH,
    Firing,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
    Word,
)
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...kernel.semantics.channel_faults import interfere
from ...kernel.semantics.silent_steps import initial
from ...records import dataclass
from ..engine.k_properties import ViolationEnd
from .channel_faults import received, same_messages, sent_when_full

#: Words that the search for the cheapest end of one channel may see.
WORDS = 2_000


@dataclass(frozen=True)
class Shortest:
    """The runs in question: of `length` actions to one of the ends, through these control states.

    Without `controls` the runs may be shorter, and the words of the ends are meant literally; `known` says
    that there are no shorter ones.
    """

    system: System
    failures: FailureModel
    bound: int | None
    length: int
    ends: tuple[ViolationEnd, ...]
    controls: tuple[frozenset[tuple[str, ...]], ...] | None = None
    known: bool = True


class Best(NamedTuple):
    """The run, the words that it ends with, and the end that it is of."""

    moves: tuple[Firing, ...]
    words: tuple[Word, ...]
    end: ViolationEnd


class _Place(NamedTuple):
    """Control states, the messages as they were sent, who acted last (-1: nobody)."""

    states: tuple[str, ...]
    words: tuple[Word, ...]
    last: int


class _Way(NamedTuple):
    """The cheapest way to a place: compared by faults, then by changes of process."""

    faults: int
    changes: int
    before: _Place | None
    move: Firing | None

    @property
    def cost(self) -> tuple[int, int]:
        return self.faults, self.changes


_Layer = dict[_Place, _Way]


def fewest(runs: Shortest, most: int, budget: int) -> Best | None:
    """The best of the runs with at most so many faults; None: there is none, or the budget is spent."""
    search = _Search(runs, budget)
    if not runs.known:  # the shortest first, even with some more faults
        return search.with_at_most(most + runs.length)
    for faults in range(most + 1):
        found = search.with_at_most(faults)
        if found is not None or search.budget <= 0:
            return found
    return None


class _Search:
    def __init__(self, runs: Shortest, budget: int) -> None:
        self.runs, self.budget = runs, budget
        self.channels = runs.system.channels
        self.index = runs.system.channel_index
        self.failures = [runs.failures.on(c) for c in self.channels]
        self.ends: dict[tuple[str, ...], list[ViolationEnd]] = {}
        for end in runs.ends:
            self.ends.setdefault(end.states, []).append(end)
        self.finished: dict[tuple[int, Word, Word, Message | None, int], tuple[int, Word] | None] = {}

    def with_at_most(self, faults: int) -> Best | None:
        start = initial(self.runs.system)
        layers: list[_Layer] = [{_Place(*start, -1): _Way(0, 0, None, None)}]
        while True:
            level = len(layers) - 1
            if self.runs.controls is None or level == self.runs.length:
                best = self._best(layers, faults)
                if best is not None:
                    return best
            if level == self.runs.length or not layers[-1]:
                return None
            layers.append(self._following(layers[-1], level + 1, faults))
            self.budget -= len(layers[-1])
            if self.budget <= 0:
                return None

    def _following(self, layer: _Layer, level: int, faults: int) -> _Layer:
        allowed = None if self.runs.controls is None else self.runs.controls[level]
        found: _Layer = {}
        for place, way in layer.items():
            if len(found) > self.budget:
                break
            for i, transition, states, price, words in self._moves(place, allowed, faults - way.faults):
                changes = way.changes + (place.last not in (-1, i))
                to = _Place(states, words, i)
                if to not in found or (way.faults + price, changes) < found[to].cost:
                    move = Firing(self.runs.system.names[i], transition)
                    found[to] = _Way(way.faults + price, changes, place, move)
        return found

    def _moves(
        self, at: _Place, controls: frozenset[tuple[str, ...]] | None, most: int
    ) -> Iterator[tuple[int, Transition, tuple[str, ...], int, tuple[Word, ...]]]:
        """The moves to one of these local states, where they are known, with at most so many faults."""
        for i, process in enumerate(self.runs.system):
            for transition, channel in process.touching(at.states[i]):
                states = (*at.states[:i], transition.target, *at.states[i + 1 :])
                if controls is not None and states not in controls:
                    continue
                if channel is None or isinstance(transition.action, Internal):
                    yield i, transition, states, 0, at.words
                    continue
                n = self.index[channel]
                for price, word in self._after(n, at.words[n], transition.action):
                    if price <= most:
                        yield i, transition, states, price, (*at.words[:n], word, *at.words[n + 1 :])

    def _after(self, n: int, word: Word, action: Send | Receive) -> Iterator[tuple[int, Word]]:
        """What a channel may hold after the action, and how many faults that takes."""
        failure, bound = self.failures[n], self.runs.bound
        if isinstance(action, Receive):
            yield from received(failure, word, action.message)
        elif bound is None or len(word) < bound:
            yield 0, (*word, action.message)
        else:
            yield from sent_when_full(failure, word, action.message)

    # ---- the end ---------------------------------------------------------------------------------------

    def _best(self, layers: list[_Layer], faults: int) -> Best | None:
        best: tuple[tuple[int, int], _Place, tuple[Word, ...], ViolationEnd] | None = None
        for place, way in layers[-1].items():
            for end in self.ends.get(place.states, ()):
                mended = self._mended(place.words, end, faults - way.faults)
                if mended is not None:
                    cost = (way.faults + mended[0], way.changes)
                    if best is None or cost < best[0]:
                        best = cost, place, mended[1], end
        if best is None:
            return None
        return Best(_trace(layers, best[1]), best[2], best[3])

    def _mended(
        self, words: tuple[Word, ...], end: ViolationEnd, allowed: int
    ) -> tuple[int, tuple[Word, ...]] | None:
        """The fewest faults that make of these words some that the end stands for, and those words."""
        total, found = 0, []
        for n, (word, wanted) in enumerate(zip(words, end.words, strict=True)):
            head = end.head[1] if end.head is not None and end.head[0] == n else None
            key = (n, word, wanted, head, allowed - total)
            if key not in self.finished:
                self.finished[key] = self._mend(*key)
            mended = self.finished[key]
            if mended is None:
                return None
            total += mended[0]
            found.append(mended[1])
        return total, tuple(found)

    def _mend(
        self, n: int, word: Word, wanted: Word, head: Message | None, allowed: int
    ) -> tuple[int, Word] | None:
        """Breadth first over the definition's own silent steps, one channel at a time."""
        if not 0 <= len(word) - len(wanted) <= allowed:
            return None
        seen, layer = {word}, [word]
        for cost in range(allowed + 1):
            for candidate in layer:
                if self._stands_for(n, wanted, candidate) and head in (None, *candidate[:1]):
                    return cost, candidate
            more = (w for x in layer for w in interfere(x, self.failures[n]) if len(w) >= len(wanted))
            layer = [w for w in dict.fromkeys(more) if w not in seen]
            seen.update(layer)
            if len(seen) > WORDS:
                return None
        return None

    def _stands_for(self, n: int, wanted: Word, word: Word) -> bool:
        if self.runs.controls is None or wanted == word:
            return wanted == word
        if (wanted[-1:] == (CRASH,)) != (word[-1:] == (CRASH,)) or len(wanted) != len(word):
            return False
        return self.lengths[n] or same_messages(self.failures[n], wanted, word)

    @cached_property
    def lengths(self) -> list[bool]:
        """Of each channel: does a length stand for its content?"""
        return [self.runs.failures.only_length_matters(self.runs.system, c) for c in self.channels]


def _trace(layers: Sequence[_Layer], place: _Place) -> tuple[Firing, ...]:
    moves = []
    for layer in reversed(layers[1:]):
        way = layer[place]
        assert way.move is not None and way.before is not None
        moves.append(way.move)
        place = way.before
    return tuple(reversed(moves))
