"""From actions alone to a run in which faults occur at sends and receptions (definitions 9.1): the fewest.

The engine finds runs whose faults are silent (definitions 2.5), methods without a bound do so too. The same
actions reach the same configurations when faults occur at a send or a reception. What is in one channel does
not depend on the others once the actions are fixed, so each channel is searched by itself: A* over (how many
of its actions are taken, its content), the losses that are still needed as the estimate. Where that takes too
many contents, some explanation is found: which message each reception takes is chosen by augmenting paths or,
where messages stay in the channel, depth first.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...kernel.model.actions import Channel, Message, Receive, Send, Word, channel_of
from ...kernel.model.channel_faults import content_after, faults_at_reception, faults_at_send
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.storm_step import StormStep
from ...kernel.semantics.explore import cheapest
from .end_contents import EndContent

#: Contents of one channel that are seen before the fewest faults are given up, and then any explanation.
MOST_CONTENTS, MOST_AT_ALL = 10_000, 200_000

#: In place of the reception that takes a message: there is none, and the message is lost.
NOBODY, LOST = 1 << 30, -1

#: (reception, send) pairs of indices of steps: which message each reception takes.
Pairs = Sequence[tuple[int, int]]


def explain(
    failures: FailureModel,
    steps: Sequence[StormStep],
    ends: Mapping[Channel, EndContent] | None,
    bound: int | None = None,
    pairs: Pairs | None = None,
) -> tuple[StormStep, ...] | Channel:
    """The steps, each with the faults at it, as few per channel as possible.

    A channel that `ends` does not name ends empty; `ends` None: any content will do. `bound` None is no
    bound. Where `pairs` are given, every reception takes the message of its send. What comes back is a
    channel instead, where no faults explain what happens to it or, without a bound, none were found within
    `MOST_AT_ALL` contents.
    """
    explained = list(steps)
    by_channel = _by_channel(steps)
    for channel, end in (ends or {}).items():
        if channel not in by_channel and not end.fits(()):
            return channel
    for channel, at in by_channel.items():
        end = EndContent(None) if ends is None else ends.get(channel, EndContent())
        search = _Search([steps[i] for i in at], failures.on(channel), end, bound, _takers(at, pairs))
        found = search.run(MOST_CONTENTS) or search.any()
        if found is None:
            return channel
        for i, step in zip(at, found, strict=True):
            explained[i] = step
    return tuple(explained)


def _by_channel(steps: Sequence[StormStep]) -> dict[Channel, list[int]]:
    found: dict[Channel, list[int]] = {}
    for i, step in enumerate(steps):
        channel = channel_of(step.process, step.transition.action)
        if channel is not None:
            found.setdefault(channel, []).append(i)
    return found


def _takers(at: Sequence[int], pairs: Pairs | None) -> dict[int, int] | None:
    """Of each send on the channel the reception that takes it, as places in `at`."""
    place = {i: n for n, i in enumerate(at)}
    return None if pairs is None else {place[s]: place[r] for r, s in pairs if r in place}


class _Node(NamedTuple):
    """The first `taken` steps are taken; `takers`: of each message in the channel the reception that takes
    it, where that is given. `faulty`: what follows is a fault of the next step, and is counted already."""

    taken: int
    word: Word
    takers: tuple[int, ...]
    faulty: bool = False


#: What comes first, and last the faults so far.
_Cost = tuple[int, ...]


@dataclass
class _Search:
    """What faults make these steps possible on one channel?"""

    steps: Sequence[StormStep]
    failure: ChannelFailure
    end: EndContent
    bound: int | None
    taker: Mapping[int, int] | None
    receptions: list[Word] = field(init=False)  # from each step on
    surplus: list[int] = field(init=False)  # so many more are sent than received from each step on

    def __post_init__(self) -> None:
        receptions: list[Word] = [()]
        surplus = [0]
        for step in reversed(self.steps):
            action = step.transition.action
            received = (action.message,) if isinstance(action, Receive) else ()
            receptions.append((*received, *receptions[-1]))
            surplus.append(surplus[-1] + (-1 if received else 1))
        self.receptions, self.surplus = receptions[::-1], surplus[::-1]

    def run(self, most: int, deepest: bool = False) -> tuple[StormStep, ...] | None:
        """The explanation with the fewest faults, or the first one that is found."""
        start: _Cost = (0,)
        found = cheapest(
            _Node(0, (), ()),
            start,
            lambda node, cost: self._following(node, cost[-1], self._deepest if deepest else self._fewest),
            lambda node: node.taken == len(self.steps) and self.end.fits(node.word),
            lambda seen: seen < most,
        )
        if found.end is None:
            return None
        return tuple(step for step, _ in found.path(found.end) if step is not None)

    def any(self) -> tuple[StormStep, ...] | None:
        chosen = self.taker is not None or self.end.word is None
        if self.failure.matches_once and self.failure.changes_order and not chosen:
            self.taker = self._assigned()
            if self.taker is None:
                return None
        return self.run(MOST_AT_ALL if self.bound is None else sys.maxsize, deepest=True)

    def _assigned(self) -> dict[int, int] | None:
        """Which reception, or place in the end, takes each send, on a channel that reorders. Later sends are
        assigned first, so that no more messages than needed are in the channel at any time."""
        sends = [i for i, step in enumerate(self.steps) if isinstance(step.transition.action, Send)]
        takers = [*(set(range(len(self.steps))) - set(sends)), *self._places]
        takes: dict[int, int] = {}

        def assign(send: int, tried: set[int]) -> bool:
            sent = self._message(send)
            for taker in takers:
                if taker < send or taker in tried or not self.failure.may_become(sent, self._message(taker)):
                    continue
                tried.add(taker)
                if taker not in takes or assign(takes[taker], tried):
                    takes[taker] = send
                    return True
            return False

        kept = [send for send in reversed(sends) if assign(send, set())]
        lost = dict.fromkeys(set(sends).difference(kept), LOST)
        return None if len(takes) < len(takers) else lost | {send: taker for taker, send in takes.items()}

    @property
    def _places(self) -> range:
        """The places in the end as takers."""
        return range(len(self.steps), len(self.steps) + len(self.end.example()))

    def _message(self, i: int) -> Message:
        """What the step sends or receives; what stands at the place in the end."""
        if i >= len(self.steps):
            return self.end.example()[i - len(self.steps)]
        action = self.steps[i].transition.action
        assert isinstance(action, Send | Receive)
        return action.message

    def _fewest(self, node: _Node, faults: int) -> _Cost:
        losses = self._losses(node)
        return faults + max(losses - node.faulty, 0), -node.taken, node.faulty, faults

    def _deepest(self, node: _Node, faults: int) -> _Cost:
        return -node.taken, faults

    def _losses(self, node: _Node) -> int:
        """How many messages are still to be lost, at least."""
        if self.end.word is None or not self.failure.matches_once:
            return 0
        return len(node.word) + self.surplus[node.taken] - len(self.end.word)

    def _following(
        self, node: _Node, faults: int, cost: Callable[[_Node, int], _Cost]
    ) -> Iterator[tuple[_Cost, StormStep | None, _Node]]:
        """The step as it is where that is possible, and the step once a fault occurs at it, which is looked
        at only when one fault more is worth it."""
        if node.taken == len(self.steps):
            return
        step = self.steps[node.taken]
        for taken in self._faulty(step, node.word) if node.faulty else self._calm(step, node.word):
            word = content_after(node.word, step.transition.action, taken)
            takers = self._takers_after(node.takers, node.taken, taken)
            if takers is None or (self.bound is not None and len(word) > self.bound):
                continue
            after = _Node(node.taken + 1, word, takers)
            if self._may_go_on(after):
                yield cost(after, faults - node.faulty + taken.faults.total()), taken, after
        if not node.faulty:
            faulty = node._replace(faulty=True)
            yield cost(faulty, faults + 1), None, faulty

    def _calm(self, step: StormStep, word: Word) -> Iterator[StormStep]:
        action = step.transition.action
        assert isinstance(action, Send | Receive)
        if isinstance(action, Send) or word[:1] == (action.message,):
            yield step

    def _faulty(self, step: StormStep, word: Word) -> Iterator[StormStep]:
        action = step.transition.action
        assert isinstance(action, Send | Receive)
        occurring = faults_at_send if isinstance(action, Send) else faults_at_reception
        return (replace(step, **vars(faults)) for faults in occurring(word, action.message, self.failure))

    def _takers_after(self, takers: tuple[int, ...], i: int, step: StormStep) -> tuple[int, ...] | None:
        """None: a message is not received where it is to be, or can no longer be."""
        if self.taker is None:
            return ()
        if isinstance(step.transition.action, Receive):
            return takers[1:] if takers[0] == i else None
        taker = self.taker.get(i, NOBODY)
        if step.lost:
            return takers if taker in (NOBODY, LOST) else None
        if taker == LOST or (taker != NOBODY and (step.becomes or self._message(i)) != self._message(taker)):
            return None
        place = len(takers) - step.overtakes
        after = (*takers[:place], taker, *takers[place:])
        return after if list(after) == sorted(after) else None

    def _may_go_on(self, node: _Node) -> bool:
        """May everything in the channel leave it or stay in the end? Where every message is received once, it
        stays what it is and overtakes nobody any more once it is in the channel."""
        receptions = self.receptions[node.taken]
        if not self.failure.matches_once:
            return self.end.word is None or len(node.word) <= len(receptions) + len(self.end.word)
        if self._losses(node) < 0:
            return False
        n = min(len(node.word), len(receptions))
        if not self.failure.changes_order and node.word[:n] != receptions[:n]:
            return False
        return self.end.may_leave(node.word, receptions)
