"""The ways that messages take across a chart: from the send, through each corruption, to the end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from dataclasses import dataclass

from ....kernel.model.message_tracking import Fate, Flight
from ..svg import Point

#: How far a message that is lost comes, and how far to the side a message to oneself swings out.
_LOST_AFTER, _SWING = 0.62, 64.0
#: How far down the line of a message goes that is sent on a channel that is cut.
_INTO_NOTHING = 8.0


@dataclass(frozen=True)
class Route:
    """One polyline for each name that the message has on its way; each starts where the one before ends."""

    pieces: tuple[tuple[Point, ...], ...]

    @property
    def start(self) -> Point:
        return self.pieces[0][0]

    @property
    def end(self) -> Point:
        return self.pieces[-1][-1]

    @property
    def before_end(self) -> Point:
        return self.pieces[-1][-2]

    def segments(self) -> Iterator[tuple[Point, Point]]:
        for piece in self.pieces:
            yield from itertools.pairwise(piece)

    def longest(self, piece: int) -> tuple[Point, Point]:
        """The longest straight part of a piece, which is where its label goes."""
        return max(itertools.pairwise(self.pieces[piece]), key=lambda ends: abs(ends[1][1] - ends[0][1]))

    def meets(self, other: Route) -> Point | None:
        """Where two routes cross."""
        for a, b in self.segments():
            for c, d in other.segments():
                point = _crossing(a, b, c, d)
                if point is not None:
                    return point
        return None

    def at(self, y: float) -> Point:
        """Where the message is at a moment; before the start or after the end, there."""
        for (x1, y1), (x2, y2) in self.segments():
            if y1 <= y <= y2 and y1 < y2:
                return x1 + (x2 - x1) * (y - y1) / (y2 - y1), y
        return self.start if y < self.start[1] else self.end


def _crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    det = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
    if abs(det) < 1e-9:
        return None
    t = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / det
    u = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / det
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])) if 0 <= t <= 1 and 0 <= u <= 1 else None


def route_of(flight: Flight, x: dict[str, float], y: dict[int, float], bottom: float) -> Route:
    """A corruption lies where the line passes its instant; what is not received goes on to the bottom."""
    start = (x[flight.channel.sender], y[flight.sent])
    final = bottom if flight.ended is None else y[flight.ended]
    final += _INTO_NOTHING if flight.ended == flight.sent else 0
    if flight.channel.sender == flight.channel.receiver:
        corners = _swing(flight, start, final)
    else:
        corners = [start, _end(flight, start, x[flight.channel.receiver], final)]
    line = Route((tuple(corners),))
    cuts = [line.at(y[change.at]) for change in flight.changes]
    return Route(tuple(_cut(corners, cuts)))


def _end(flight: Flight, start: Point, target: float, final: float) -> Point:
    """At the receiver's lifeline; before it for a lost one, at its edge if it is not received."""
    side = 1 if target > start[0] else -1
    reach = _LOST_AFTER if flight.lost else 1.0
    return start[0] + (target - start[0]) * reach - (2 * side if flight.fate is Fate.OPEN else 0), final


def _swing(flight: Flight, start: Point, final: float) -> list[Point]:
    """A message to oneself goes out to the right and comes back; a lost one does not come back."""
    out = (start[0] + _SWING, (start[1] + final) / 2)
    if flight.lost:
        return [start, (out[0], final)]
    return [start, out, (start[0] + (2 if flight.fate is Fate.OPEN else 0), final)]


def _cut(corners: list[Point], cuts: list[Point]) -> Iterator[tuple[Point, ...]]:
    """The polyline in pieces that end at the cuts."""
    rest = list(corners)
    for cut in cuts:
        before = [p for p in rest if p[1] < cut[1]]
        yield (*(before or [rest[0]]), cut)
        rest = [cut, *(p for p in rest if p[1] > cut[1])] if cut[1] < rest[-1][1] else [cut, rest[-1]]
    yield tuple(rest)
