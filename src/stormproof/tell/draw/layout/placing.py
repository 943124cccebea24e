"""Where in its rank each node stands: near its neighbours, in order, and far enough apart."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Sequence

_SWEEPS = 14


def place_ranks(
    ranks: Sequence[Sequence[Hashable]],
    links: Sequence[tuple[Hashable, Hashable]],
    size: Callable[[Hashable], tuple[float, float]],
    gap: float,
    tick: Callable[[], None],
) -> dict[Hashable, float]:
    """The centre of every node, by sweeps down and up; each rank is placed optimally given its neighbours."""
    x: dict[Hashable, float] = {}
    for row in ranks:
        offsets = _offsets(row, size, gap)
        middle = offsets[-1] / 2 if offsets else 0.0
        x.update((n, o - middle) for n, o in zip(row, offsets))
    beside: dict[Hashable, list[tuple[Hashable, float]]] = defaultdict(list)
    degree: dict[Hashable, int] = defaultdict(int)
    for a, b in links:
        degree[a] += 1
        degree[b] += 1
    for a, b in links:
        # Long edges are straightened first: a link between two bends pulls hardest.
        weight = 1.0 + 3.0 * ((degree[a] == 2) + (degree[b] == 2))
        beside[a].append((b, weight))
        beside[b].append((a, weight))
    level = {n: i for i, row in enumerate(ranks) for n in row}
    for sweep in range(_SWEEPS):
        tick()
        downwards = sweep % 2 == 0
        side = (-1 if downwards else 1) if sweep < _SWEEPS - 2 else 0
        for row in ranks if downwards else reversed(ranks):
            _settle(row, x, beside, level, side, _offsets(row, size, gap))
    return x


def _offsets(
    row: Sequence[Hashable], size: Callable[[Hashable], tuple[float, float]], gap: float
) -> list[float]:
    """The positions of a rank packed as tightly as may be, from 0."""
    found: list[float] = []
    for i, node in enumerate(row):
        left, _ = size(node)
        found.append(found[-1] + size(row[i - 1])[1] + gap + left if i else 0.0)
    return found


def _settle(
    row: Sequence[Hashable],
    x: dict[Hashable, float],
    beside: dict[Hashable, list[tuple[Hashable, float]]],
    level: dict[Hashable, int],
    side: int,
    offsets: list[float],
) -> None:
    """Isotonic regression of the wanted positions less the packed ones; `side` 0 looks both ways."""
    wanted, weights = [], []
    for node in row:
        near = [(x[m], w) for m, w in beside[node] if not side or level[m] == level[node] + side]
        total = sum(w for _, w in near)
        wanted.append(sum(p * w for p, w in near) / total if near else x[node])
        weights.append(total or 0.1)
    blocks: list[tuple[float, float, int]] = []
    for want, weight, offset in zip(wanted, weights, offsets):
        value, heavy, count = want - offset, weight, 1
        while blocks and blocks[-1][0] > value:
            before, mass, many = blocks.pop()
            value = (value * heavy + before * mass) / (heavy + mass)
            heavy, count = heavy + mass, count + many
        blocks.append((value, heavy, count))
    values = [value for value, _, count in blocks for _ in range(count)]
    x.update((n, v + o) for n, v, o in zip(row, values, offsets))
