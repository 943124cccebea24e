"""Smooth curves through the points of a routed edge."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ..svg import Point, number

#: How far control points reach; at most a half, since harmonic means are at most twice the lesser secant.
_PULL = 0.45


def curve(points: Sequence[Point]) -> str:
    """The data of a path: cubic pieces that leave and enter the ends vertically.

    Routed edges go down (or up) all the way, so x is a function of y, and its slopes at the inner points are
    harmonic means of the neighbouring secants: the curve never swings beyond its points.
    """
    slopes = _slopes(points)
    data = f"M{number(points[0][0])} {number(points[0][1])}"
    for (x1, y1), (x2, y2), m1, m2 in zip(points, points[1:], slopes, slopes[1:]):
        pull = (y2 - y1) * _PULL
        numbers = (x1 + m1 * pull, y1 + pull, x2 - m2 * pull, y2 - pull, x2, y2)
        data += "C" + " ".join(map(number, numbers))
    return data


def _slopes(points: Sequence[Point]) -> list[float]:
    """dx/dy at each point; 0 at the ends and where the direction changes."""
    secants = [
        (x2 - x1) / (y2 - y1) if y2 != y1 else 0.0 for (x1, y1), (x2, y2) in itertools.pairwise(points)
    ]
    inner = [2 * a * b / (a + b) if a * b > 0 else 0.0 for a, b in itertools.pairwise(secants)]
    return [0.0, *inner, 0.0]
