"""Which of the ways to repeat, answer and ignore go together: chosen by the runs that break the others.

It begins with all that a variant of the pattern adds. A run that breaks the protocol then takes some of the
lines, or ends where one is missing: those are changed one by one, what tolerates the most faults first.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice

from ...kernel.model.actions import Receive
from .candidates import Stuck
from .pattern_search import PatternSearch
from .retransmission import Choices, LineGroup, LineKey, Retransmission
from .suggestion import Suggestion

#: The way that is chosen for each key; what is missing is not done.
_Choice = frozenset[tuple[LineKey, int]]

#: So many choices are tried, and so many of those that pass are judged in full.
MOST_CHOICES, MOST_JUDGED = 150, 2

#: So much a fault more that is tolerated counts against changes.
FAULT = 6


@dataclass
class GuidedSearch:
    """`most`: so many choices are tried."""

    search: PatternSearch
    most: int = MOST_CHOICES
    seen: set[_Choice] = field(default_factory=set)
    waiting: list[tuple[int, int, int, _Choice]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.choices: Choices = Retransmission(self.search.base.system, self.search.roles).choices()

    def run(self) -> list[Suggestion]:
        """The first that is a repair."""
        with suppress(KeyboardInterrupt):
            for groups in islice(self.found(), MOST_JUDGED):
                suggestion = self.search.verified(groups)
                if suggestion is not None:
                    return [suggestion]
        return []

    def found(self) -> Iterator[list[LineGroup]]:
        """What passes the quick trial."""
        for start in (*self.choices.starts, frozenset[tuple[LineKey, int]]()):
            self.add(0, 0, start)
        tried = 0
        while self.waiting and tried < self.most and not self.search.spent.all:
            _, changes, _, choice = heapq.heappop(self.waiting)
            groups, tried = self.groups(choice), tried + 1
            stuck = self.search.tried(groups)
            if stuck is True:
                yield groups
            if isinstance(stuck, Stuck):
                for other in self.changed(choice, groups, stuck):
                    self.add(stuck.faults, changes + 1, other)

    def add(self, faults: int, changes: int, choice: _Choice) -> None:
        if choice not in self.seen:
            self.seen.add(choice)
            heapq.heappush(self.waiting, (changes - FAULT * faults, changes, len(self.seen), choice))

    def groups(self, choice: _Choice) -> list[LineGroup]:
        chosen = dict(choice)
        return [ways[chosen[key]] for key, ways in self.choices.ways.items() if key in chosen]

    def changed(self, choice: _Choice, groups: list[LineGroup], stuck: Stuck) -> Iterator[_Choice]:
        """The choice with another way, or none, for a line that the run takes, or for what somebody could do
        where it ends."""
        taken = [g.key for g in groups if (g.key[0], g.lines[0].alternatives[0]) in stuck.taken]
        chosen = dict(choice)
        for key in dict.fromkeys((*self.missing(stuck), *taken)):
            others = [i for i in range(len(self.choices.ways[key])) if i != chosen.get(key)]
            rest = choice - {(key, chosen.get(key, -1))}
            yield from (rest | {(key, i)} for i in others)
            if key in chosen:
                yield rest

    def missing(self, stuck: Stuck) -> Iterator[LineKey]:
        for scene in stuck.scenes[:3]:
            heads = {(c.receiver, c.sender, word[0]) for c, word in scene.channels.items() if word}
            for key in self.choices.ways:
                role, state, action = key
                head = isinstance(action, Receive) and (role, action.peer, action.message) in heads
                if scene.states[role] == state and (head or not isinstance(action, Receive)):
                    yield key
