"""Places for the texts of a chart: beside the line they belong to, and clear of the rest if possible."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ..svg import Point
from ..text_metrics import text_width

#: Left, top, right, bottom.
Rectangle = tuple[float, float, float, float]
Segment = tuple[Point, Point]

#: What it costs to stand on a line that is another's, on a lifeline, or on one's own; and at least on a text.
LINE, LIFELINE, OWN_LINE, TEXT = 60.0, 90.0, 400.0, 150.0
_BAND = 40.0


@dataclass(frozen=True)
class PlacedText:
    """A text around (x, y), where y is its base line; `at` is the instant at which it comes to be."""

    x: float
    y: float
    words: str
    kind: str
    tip: str
    at: int
    size: float = 12.0

    @property
    def box(self) -> Rectangle:
        half = text_width(self.words, self.size) / 2
        return self.x - half - 2, self.y - self.size * 0.85, self.x + half + 2, self.y + self.size * 0.3


class Obstacles:
    """Lines and texts that are there already, in horizontal bands so that only near ones are looked at."""

    def __init__(self) -> None:
        self._boxes: dict[int, list[Rectangle]] = defaultdict(list)
        self._lines: dict[int, list[tuple[Point, Point, float]]] = defaultdict(list)

    def add_line(self, start: Point, end: Point, cost: float = LINE) -> None:
        for band in _bands(min(start[1], end[1]), max(start[1], end[1])):
            self._lines[band].append((start, end, cost))

    def add_box(self, box: Rectangle) -> None:
        for band in _bands(box[1], box[3]):
            self._boxes[band].append(box)

    def cost(self, box: Rectangle) -> float:
        """How much a text would hide, or be hidden by."""
        lines, boxes = set(), set()
        for band in _bands(box[1], box[3]):
            lines.update(self._lines[band])
            boxes.update(self._boxes[band])
        total = sum(cost for start, end, cost in lines if touches(box, start, end))
        covered = [area for other in boxes if (area := _overlap(box, other)) > 0]
        return total + sum(TEXT + 2 * area for area in covered)

    def place(self, choices: Iterable[PlacedText], own: Sequence[Segment] = ()) -> PlacedText:
        """The first of the best places, which is taken from now on; `own`: the line that it belongs to, the
        last that it may stand on."""

        def cost(text: PlacedText) -> float:
            return self.cost(text.box) + sum(OWN_LINE for line in own if touches(text.box, *line))

        best = min(choices, key=cost)
        self.add_box(best.box)
        return best


def _bands(top: float, bottom: float) -> range:
    return range(int(top // _BAND), int(bottom // _BAND) + 1)


def _overlap(a: Rectangle, b: Rectangle) -> float:
    wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
    return max(wide, 0.0) * max(high, 0.0)


def touches(box: Rectangle, start: Point, end: Point) -> bool:
    """Does the segment enter the rectangle? (Clipping after Liang and Barsky.)"""
    low, high = 0.0, 1.0
    dx, dy = end[0] - start[0], end[1] - start[1]
    for step, distance in (
        (-dx, start[0] - box[0]),
        (dx, box[2] - start[0]),
        (-dy, start[1] - box[1]),
        (dy, box[3] - start[1]),
    ):
        if step == 0:
            if distance < 0:
                return False
        elif step < 0:
            low = max(low, distance / step)
        else:
            high = min(high, distance / step)
    return low < high


def beside(segment: Segment, words: str, size: float) -> Iterator[Point]:
    """Places for a text along a line, near its middle first: above and below, or beside it if it is steep."""
    (x1, y1), (x2, y2) = segment
    half, slope = text_width(words, size) / 2, (y2 - y1) / (x2 - x1) if x1 != x2 else 1e9
    for part in (0.5, 0.38, 0.62, 0.26, 0.74, 0.16, 0.84):
        x, y = x1 + (x2 - x1) * part, y1 + (y2 - y1) * part
        lift = abs(slope) * half
        if lift <= 16:
            yield x, y - lift - 6
            yield x, y + lift + size * 0.85 + 3
        away = half + size * 0.6 / max(abs(slope), 0.2) + 6
        if lift > 8:
            yield x + away, y + size * 0.3
            yield x - away, y + size * 0.3
