"""Where everything of a chart stands: lifelines, instants, routes of messages, and labels that keep apart."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field

from ...model.actions import Channel
from ...model.fault_steps import Swap
from ...model.message_tracking import Fate, Flight
from ...model.run import Act
from ..text_metrics import clip, printable, text_width
from .build import Chart, Lifeline
from .signs import Point

_LABEL = 12.0
_LONGEST = 260.0
_ROW, _FAULT_ROW, _SWAP_ROW = 32.0, 26.0, 18.0
_STACK = 13.0


@dataclass
class Route:
    """The corners of a message's way: send, each corruption, end."""

    points: list[Point]

    def along(self, piece: int, part: float) -> Point:
        (x1, y1), (x2, y2) = self.points[piece], self.points[piece + 1]
        return x1 + (x2 - x1) * part, y1 + (y2 - y1) * part

    def meets(self, other: Route) -> Point | None:
        """Where two routes cross."""
        for a, b in zip(self.points, self.points[1:]):
            for c, d in zip(other.points, other.points[1:]):
                point = _crossing(a, b, c, d)
                if point is not None:
                    return point
        return None


def _crossing(a: Point, b: Point, c: Point, d: Point) -> Point | None:
    det = (b[0] - a[0]) * (d[1] - c[1]) - (b[1] - a[1]) * (d[0] - c[0])
    if abs(det) < 1e-9:
        return None
    t = ((c[0] - a[0]) * (d[1] - c[1]) - (c[1] - a[1]) * (d[0] - c[0])) / det
    u = ((c[0] - a[0]) * (b[1] - a[1]) - (c[1] - a[1]) * (b[0] - a[0])) / det
    return (a[0] + t * (b[0] - a[0]), a[1] + t * (b[1] - a[1])) if 0 <= t <= 1 and 0 <= u <= 1 else None


@dataclass
class Label:
    x: float
    y: float
    words: str
    kind: str
    tip: str
    at: int

    @property
    def box(self) -> tuple[float, float, float, float]:
        half = text_width(self.words, _LABEL) / 2
        return self.x - half - 2, self.y - 13, self.x + half + 2, self.y + 6


@dataclass
class Layout:
    x: dict[str, float]
    y: dict[int, float]
    top: float
    bottom: float
    width: float
    height: float
    last: int
    crashes: frozenset[int] = frozenset()
    routes: dict[int, Route] = field(default_factory=dict)
    labels: list[Label] = field(default_factory=list)

    def at(self, step: int | None) -> float | None:
        return None if step is None else self.y.get(step)

    def state_y(self, since: int) -> float | None:
        """A state stands half a row below the action that leads to it, clear of the bolt of a crash."""
        if since < 0:
            return self.top + 26 + 15
        y = self.y.get(since)
        return None if y is None else y + (21 if since in self.crashes else 16)


def lay_out(chart: Chart) -> Layout:
    top = 34.0 if chart.title else 12.0
    y, cursor = {}, top + 26 + 38
    hidden = chart.hidden
    starts, stops = {f.first for f in chart.folds}, {f.first + f.length - 1 for f in chart.folds}
    for i, step in enumerate(chart.steps):
        if i in hidden:
            continue
        cursor += 12 if i in starts else 0
        y[i] = cursor
        cursor += _ROW if isinstance(step, Act) else _SWAP_ROW if isinstance(step, Swap) else _FAULT_ROW
        cursor += 14 if i in stops else 0
    waiting = _ranks(chart)
    bottom = cursor + _STACK * (max(waiting.values(), default=-1) + 1)
    x, width = _columns(chart)
    waits = [len(line.wait.phrases(len(chart.lifelines) > 2)) for line in chart.lifelines if line.wait]
    height = bottom + (26 + 14 * max(waits) + 10 if waits else 14)
    crashes = frozenset(line.crash for line in chart.lifelines if line.crash is not None)
    layout = Layout(x, y, top, bottom, width, height, len(chart.steps) - 1, crashes)
    for flight in chart.shown:
        layout.routes[flight.index] = _route(flight, layout, cursor + _STACK * waiting.get(flight.index, 0))
    _place_labels(chart, layout)
    return layout


def _ranks(chart: Chart) -> dict[int, int]:
    """The messages not received, each with its place among those drawn of its channel, the head first."""
    queues: dict[Channel, list[Flight]] = defaultdict(list)
    for flight in chart.shown:
        if flight.fate is Fate.OPEN:
            queues[flight.channel].append(flight)
    ordered = [sorted(queue, key=lambda f: f.position or 0) for queue in queues.values()]
    return {flight.index: rank for queue in ordered for rank, flight in enumerate(queue)}


def _columns(chart: Chart) -> tuple[dict[str, float], float]:
    """Lifelines far enough apart for what stands between them and under them."""
    several = len(chart.lifelines) > 2
    half = [max(_half_widths(line, several)) for line in chart.lifelines]
    index = {name: i for i, name in enumerate(chart.names)}
    gaps = [max(130.0, a + b + 16) for a, b in itertools.pairwise(half)]
    for flight in chart.shown:
        a, b = sorted(index[end] for end in flight.channel)
        need = sum(min(text_width(printable(m), _LABEL), _LONGEST) for m in _names(flight)) + 70
        # A message that is in flight for long gets more space, so that its arrow is not too steep.
        need = max(need, min(130.0 + 7 * (flight.instants[-1] - flight.sent), 300.0))
        lack = need - sum(gaps[a:b])
        if lack > 0:
            gaps[a:b] = [g + lack / (b - a) for g in gaps[a:b]]
    x = {chart.names[0]: half[0] + 16}
    for before, name, gap in zip(chart.names, chart.names[1:], gaps):
        x[name] = x[before] + gap
    width = x[chart.names[-1]] + max(half[-1], 40) + 16
    if chart.title:
        width = max(width, min(text_width(printable(chart.title), 13) + 28, 600))
    return x, width


def _half_widths(line: Lifeline, several: bool) -> list[float]:
    widths = [text_width(clip(printable(line.name), 13, _LONGEST), 13) + 20]
    widths += [min(text_width(printable(s.state), 9.5), 150) + 8 for s in line.spans]
    if line.wait is not None:
        widths += [min(text_width(printable(p), 11), _LONGEST) for p in line.wait.phrases(several)]
    return [w / 2 for w in widths]


def _names(flight: Flight) -> list[object]:
    return [flight.message, *(c.becomes for c in flight.changes)]


def _route(flight: Flight, layout: Layout, end_of_time: float) -> Route:
    """Straight from the send to the end; a corruption lies where the line passes its instant."""
    start = (layout.x[flight.channel.sender], layout.y[flight.sent])
    target = layout.x[flight.channel.receiver]
    side = 1 if target > start[0] else -1
    if flight.ended is not None:
        final = layout.y[flight.ended]
    else:
        final = end_of_time
    reach = 0.62 if flight.fate is Fate.LOST else 1.0
    end = (start[0] + (target - start[0]) * reach - (2 if flight.fate is Fate.OPEN else 0) * side, final)
    points = [start]
    for change in flight.changes:
        part = (layout.y[change.at] - start[1]) / (end[1] - start[1])
        points.append((start[0] + (end[0] - start[0]) * part, layout.y[change.at]))
    return Route([*points, end])


def _place_labels(chart: Chart, layout: Layout) -> None:
    """Each label on its own piece of the route, at the first place where it touches no other."""
    for flight in chart.shown:
        route = layout.routes[flight.index]
        for piece, message in enumerate(_names(flight)):
            at = flight.sent if piece == 0 else flight.changes[piece - 1].at
            kind = "sp-label sp-halo" + (" sp-changed-text" if piece else "")
            words = printable(message)
            choices = [
                _label(route, piece, part, words, kind, at)
                for part in (0.5, 0.36, 0.64, 0.24, 0.76, 0.15, 0.85)
            ]
            layout.labels.append(min(choices, key=lambda c: _overlap(c, layout.labels)))


def _label(route: Route, piece: int, part: float, words: str, kind: str, at: int) -> Label:
    """Above a line that is nearly level; on a steep line, which its halo interrupts, or beside it where the
    piece is so short that the label would hide it."""
    (x1, y1), (x2, y2) = route.points[piece], route.points[piece + 1]
    x, y = route.along(piece, part)
    shown = clip(words, _LABEL, _LONGEST)
    lift = abs((y2 - y1) / (x2 - x1)) * text_width(shown, _LABEL) / 2 + 4 if x1 != x2 else 99
    half = text_width(shown, _LABEL) / 2
    if lift >= 14 and abs(x2 - x1) < half + 14:
        return Label(x - (half + 9) * (1 if x2 > x1 else -1), y + 11, shown, kind, words, at)
    return Label(x, y - lift if lift < 14 else y + 4, shown, kind, words, at)


def _overlap(label: Label, others: list[Label]) -> float:
    a = label.box
    total = 0.0
    for other in others[-60:]:
        b = other.box
        wide, high = min(a[2], b[2]) - max(a[0], b[0]), min(a[3], b[3]) - max(a[1], b[1])
        total += max(wide, 0) * max(high, 0)
    return total
