"""The order of the nodes in each rank: few crossings, by medians and exchanges of neighbours."""

from __future__ import annotations

import itertools
import random
from bisect import bisect_right, insort
from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any

Links = dict[Hashable, list[Hashable]]
_ROUNDS = 12
#: Small graphs are ordered from several starts; a start is a way to shuffle what a search meets first.
_STARTS, _SMALL = 6, 200
#: So many crossings more are better than nodes that jump about while somebody edits.
_TOLERATED = 2


def order_ranks(
    ranks: list[list[Hashable]],
    links: Sequence[tuple[Hashable, Hashable]],
    tick: Callable[[], None],
    before: Mapping[Any, float] | None = None,
) -> list[list[Hashable]]:
    """The best order found in a fixed number of sweeps down and up. The order of an earlier drawing, by the
    positions of its nodes, is kept unless it has clearly more crossings."""
    up: Links = defaultdict(list)
    down: Links = defaultdict(list)
    for a, b in links:
        down[a].append(b)
        up[b].append(a)
    starts = _STARTS if sum(map(len, ranks)) <= _SMALL else 1
    best, fewest = ranks, -1
    for start in range(starts):
        found, count = _improve(_first_order(ranks, down, up, start), up, down, tick)
        if fewest < 0 or count < fewest:
            best, fewest = found, count
        if not fewest:
            break
    if before:
        kept = _remembered(ranks, up, down, before)
        if crossings(kept, down) <= fewest + _TOLERATED:
            return kept
    return best


def _remembered(
    ranks: list[list[Hashable]], up: Links, down: Links, before: Mapping[Any, float]
) -> list[list[Hashable]]:
    """Each rank as it was; what is new stands where its neighbours are."""
    x = {n: before[n] for row in ranks for n in row if n in before}
    for _ in range(len(ranks) + 2):
        for node in (n for row in ranks for n in row if n not in before):
            near = [x[m] for m in (*up[node], *down[node]) if m in x]
            if near:
                x[node] = sum(near) / len(near)
    return [sorted(row, key=lambda n: x.get(n, 0.0)) for row in ranks]


def _improve(
    current: list[list[Hashable]], up: Links, down: Links, tick: Callable[[], None]
) -> tuple[list[list[Hashable]], int]:
    """Sweeps down and up in turn; the best order seen, and its crossings."""
    best, fewest = current, crossings(current, down)
    for turn in range(_ROUNDS):
        if not fewest:
            break
        tick()
        current = _sweep(current, up if turn % 2 == 0 else down, turn % 2 == 0)
        _exchange(current, up, down, tick)
        count = crossings(current, down)
        if count < fewest:
            best, fewest = [list(row) for row in current], count
    return best, fewest


def _first_order(ranks: list[list[Hashable]], down: Links, up: Links, start: int) -> list[list[Hashable]]:
    """As a depth-first search from the top meets them, so that what belongs together stands together."""
    shuffle = random.Random(start)
    level = {n: i for i, row in enumerate(ranks) for n in row}
    seen: set[Hashable] = set()
    found: list[list[Hashable]] = [[] for _ in ranks]
    for root in (n for row in ranks for n in row):
        stack = [root]
        while stack:
            node = stack.pop()
            if node in seen:
                continue
            seen.add(node)
            found[level[node]].append(node)
            following = [n for n in reversed([*down[node], *up[node]]) if n not in seen]
            if start:
                shuffle.shuffle(following)
            stack += following
    return found


def _sweep(ranks: list[list[Hashable]], beside: Links, downwards: bool) -> list[list[Hashable]]:
    """Sort each rank by the medians of its neighbours in the rank just done."""
    rows = [list(row) for row in ranks]
    steps = range(1, len(rows)) if downwards else range(len(rows) - 2, -1, -1)
    for i in steps:
        place = {n: j for j, n in enumerate(rows[i - 1 if downwards else i + 1])}
        own = {n: float(j) for j, n in enumerate(rows[i])}
        for node in rows[i]:
            neighbours = sorted(place[m] for m in beside[node] if m in place)
            if neighbours:
                own[node] = _median(neighbours)
        rows[i].sort(key=own.__getitem__)
    return rows


def _median(values: list[int]) -> float:
    middle = len(values) // 2
    return float(values[middle]) if len(values) % 2 else (values[middle - 1] + values[middle]) / 2


def _exchange(ranks: list[list[Hashable]], up: Links, down: Links, tick: Callable[[], None]) -> None:
    """Swap neighbours as long as that removes crossings."""
    for _ in range(4):
        improved = False
        for i, row in enumerate(ranks):
            tick()
            places = [
                ({n: j for j, n in enumerate(ranks[k])}, table)
                for k, table in ((i - 1, up), (i + 1, down))
                if 0 <= k < len(ranks)
            ]
            for j in range(len(row) - 1):
                a, b = row[j], row[j + 1]
                gain = sum(_between(a, b, p, t) - _between(b, a, p, t) for p, t in places)
                if gain > 0:
                    row[j], row[j + 1] = b, a
                    improved = True
        if not improved:
            return


def _between(a: Hashable, b: Hashable, place: dict[Hashable, int], table: Links) -> int:
    """Crossings between the links of two neighbours, the first standing left."""
    right = sorted(place[m] for m in table[b] if m in place)
    return sum(bisect_right(right, place[m] - 1) for m in table[a] if m in place)


def crossings(ranks: Sequence[Sequence[Hashable]], down: Links) -> int:
    """All crossings between neighbouring ranks."""
    total = 0
    for row, below in itertools.pairwise(ranks):
        place = {n: j for j, n in enumerate(below)}
        total += _inversions(sorted(place[m] for m in down[n] if m in place) for n in row)
    return total


def _inversions(rows: Iterable[list[int]]) -> int:
    seen: list[int] = []
    total = 0
    for row in rows:
        total += sum(len(seen) - bisect_right(seen, target) for target in row)
        for target in row:
            insort(seen, target)
    return total
