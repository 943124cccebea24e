"""Do two systems behave the same? Decided on the configurations with few messages in a channel
(definitions 13.3).

What is in the channels is known from the steps that led there, so behaviour that differs with at most k
messages in a channel differs. That it does not proves the same for channels of any length where no send
needed more.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable
from enum import Enum

from ...kernel.semantics.explore import TooLarge
from ...limits import is_over
from .behaviour import Behaviour, Label, SeenStep, Visit, together

#: So many messages in a channel are tried.
BOUNDS = (1, 2, 3)
#: So many pairs of configurations, or configurations of both, are looked at for one bound.
MOST = 10_000


class Same(Enum):
    """Is the behaviour the same? OPEN: not decided within the limits."""

    YES = "yes"
    NO = "no"
    OPEN = "open"


def compared(first: Behaviour, second: Behaviour, most: int = MOST) -> Same:
    """Are the two bisimilar, in channels of any length?"""
    if not together(first, second):
        return Same.NO
    for bound in BOUNDS:
        try:
            answer, complete = _Walk(first, second, bound, most).answer()
            if answer is Same.OPEN:
                answer, complete = _refined(first, second, bound, most)
        except TooLarge:
            return Same.OPEN
        if answer is Same.NO or complete:
            return answer
    return Same.OPEN


class _Walk:
    """Both systems side by side, as long as what is seen of a step says where it leads."""

    def __init__(self, first: Behaviour, second: Behaviour, bound: int, most: int) -> None:
        self.first, self.second, self.bound, self.most = first, second, bound, most
        self.complete = True

    def answer(self) -> tuple[Same, bool]:
        """OPEN where somebody has two steps that look the same; whether no send hit the bound."""
        start = (self.first.start, self.second.start)
        seen, queue = {start}, deque([start])
        while queue:
            a, b = queue.popleft()
            if self.first.seen(a) != self.second.seen(b):
                return Same.NO, self.complete
            mine, theirs = self.moves(self.first, a), self.moves(self.second, b)
            if mine is None or theirs is None:
                return Same.OPEN, self.complete
            if mine.keys() != theirs.keys():
                return Same.NO, self.complete
            for label, after in mine.items():
                pair = (after, theirs[label])
                if pair not in seen:
                    seen.add(pair)
                    queue.append(pair)
            if len(seen) > self.most or is_over():
                raise TooLarge
        return Same.YES, self.complete

    def moves(self, of: Behaviour, place: Visit) -> dict[Label, Visit] | None:
        """Where each step leads; None where that is not known from what is seen of it."""
        found: dict[Label, Visit] = {}
        for move in _within(of, place, self.bound, self):
            if found.setdefault(move.label, move.after) != move.after:
                return None
        return found


def _within(of: Behaviour, place: Visit, bound: int, told: _Walk | _Graph) -> list[SeenStep]:
    moves = list(of.moves(place, bound))
    if None in moves:
        told.complete = False
    return [move for move in moves if move is not None]


class _Graph:
    """The configurations of both systems, with what is seen of them."""

    def __init__(self, bound: int, most: int) -> None:
        self.bound, self.most = bound, most
        self.seen: list[Hashable] = []
        self.moves: list[set[tuple[Label, int]]] = []
        self.complete = True

    def add(self, of: Behaviour) -> int:
        """All that the system reaches; the number of where it starts."""
        numbers = {of.start: (first := len(self.seen))}
        queue = deque([of.start])
        while queue:
            place = queue.popleft()
            self.seen.append(of.seen(place))
            leaving = set()
            for move in _within(of, place, self.bound, self):
                if move.after not in numbers:
                    numbers[move.after] = first + len(numbers)
                    queue.append(move.after)
                leaving.add((move.label, numbers[move.after]))
            self.moves.append(leaving)
            if first + len(numbers) > self.most or is_over():
                raise TooLarge
        return first

    def classes(self) -> list[int]:
        """The coarsest partition in which equal classes have equal steps to equal classes."""
        blocks, count = _numbered(self.seen), 0
        while len(set(blocks)) != count:
            count = len(set(blocks))
            signs = [
                (own, frozenset((label, blocks[to]) for label, to in moves))
                for own, moves in zip(blocks, self.moves)
            ]
            blocks = _numbered(signs)
        return blocks


def _numbered(signs: list[Hashable] | list[tuple[int, frozenset[tuple[Label, int]]]]) -> list[int]:
    numbers: dict[Hashable, int] = defaultdict(lambda: len(numbers))
    return [numbers[sign] for sign in signs]


def _refined(first: Behaviour, second: Behaviour, bound: int, most: int) -> tuple[Same, bool]:
    """The same question where steps that look the same lead to different places."""
    graph = _Graph(bound, most)
    starts = graph.add(first), graph.add(second)
    classes = graph.classes()
    same = classes[starts[0]] == classes[starts[1]]
    return (Same.YES if same else Same.NO), graph.complete
