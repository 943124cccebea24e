"""Where everything of a chart stands: lifelines, instants, routes of messages, and texts that keep apart."""

from __future__ import annotations

import itertools
from collections import defaultdict
from dataclasses import dataclass, field

from ....errors import printable
from ....kernel.model.actions import Channel
from ....kernel.model.message_tracking import Fate, Flight
from ....kernel.model.run import Act
from ..text_metrics import clip, text_width, wrap
from .build import Chart, Lifeline, Span
from .data import NO_RETURN
from .placing import LIFELINE, Obstacles, PlacedText, beside
from .routes import Route, route_of

LABEL, STATE = 12.0, 11.0
LONGEST, LONGEST_STATE = 330.0, 200.0
#: Labels that are longer than this need more room beside an arrow that ends early.
_LONG = 120.0
NAME, NAME_LINE, _LONGEST_NAME = 13.0, 15.0, 200.0
_HEAD = 26.0
_ROW, _FAULT_ROW, _OVERTAKING_ROW = 30.0, 26.0, 20.0
_STACK = 13.0
#: The height of a line of the legend.
LEGEND = 13.0
#: The height of a stretch that is drawn small, and of a line of the title.
STRETCH, TITLE_LINE = 30.0, 17.0
_TITLE, _WIDEST_TITLE = 13.0, 600.0
#: The least distance of lifelines, and of those of a chart with many.
_GAP, _NARROW, _MANY = 130.0, 74.0, 6


@dataclass
class Layout:
    """`x` by process, `y` by instant (hidden ones have none), routes by the index of the message; `legend`:
    the lines under the chart."""

    x: dict[str, float]
    y: dict[int, float]
    top: float
    bottom: float
    width: float
    height: float
    head: float = _HEAD
    routes: dict[int, Route] = field(default_factory=dict)
    texts: list[PlacedText] = field(default_factory=list)
    legend: list[str] = field(default_factory=list)

    @property
    def start(self) -> float:
        """Where the lifelines begin."""
        return self.top + self.head

    @property
    def legend_top(self) -> float:
        return self.height - LEGEND * len(self.legend)


def lay_out(chart: Chart) -> Layout:
    x, width = _columns(chart)
    title = title_lines(chart, width)
    top = 17.0 + TITLE_LINE * len(title) if title else 12.0
    head = _HEAD + NAME_LINE * (max(len(name_lines(line)) for line in chart.lifelines) - 1)
    y, cursor = _instants(chart, top + head + 36)
    waiting = _ranks(chart)
    bottom = cursor + _STACK * (max(waiting.values(), default=-1) + 1)
    width += text_width(NO_RETURN, LABEL) + 12 if chart.no_return is not None else 0
    waits = [len(wait_lines(line, len(chart.lifelines) > 2)) for line in chart.lifelines if line.wait]
    height = bottom + (26 + 14 * max(waits) + 10 if waits else 14)
    legend = _legend(chart, width - 28)
    layout = Layout(x, y, top, bottom, width, height + LEGEND * len(legend), head, legend=legend)
    for flight in chart.shown:
        end = cursor + _STACK * waiting.get(flight.index, 0)
        layout.routes[flight.index] = route_of(flight, x, y, end)
    _place_texts(chart, layout)
    return layout


def title_lines(chart: Chart, width: float) -> list[str]:
    """The title in lines that fit above the chart."""
    return wrap(printable(chart.title), _TITLE, width - 28, 4) if chart.title else []


def _legend(chart: Chart, room: float) -> list[str]:
    """Where states are written, as many of them in a line as fit."""
    lines: list[str] = []
    for place in map(printable, chart.places):
        longer = f"{lines[-1]}, {place}" if lines else place
        if lines and text_width(longer, STATE) <= room:
            lines[-1] = longer
        else:
            lines.append(clip(place, STATE, room))
    return lines


def _instants(chart: Chart, cursor: float) -> tuple[dict[int, float], float]:
    """The height of each instant that is drawn, and where time ends."""
    y, hidden = {}, chart.hidden
    starts, stops = {f.first for f in chart.folds}, {f.first + f.length - 1 for f in chart.folds}
    overtakings = {o.at for flight in chart.flights for o in flight.overtook}
    small = {i: stretch for stretch in chart.stretches for i in stretch}
    for i, step in enumerate(chart.steps):
        if i in hidden:
            continue
        if i in small:
            y[i] = cursor
            last = i == small[i][-1]
            cursor += STRETCH / len(small[i]) + (_ROW if last else 0)
            continue
        cursor += (12 if i in starts else 0) + (22 if i == chart.repeats else 0)
        cursor += 22 if i == chart.no_return else 0
        y[i] = cursor
        cursor += _ROW if isinstance(step, Act) else _OVERTAKING_ROW if i in overtakings else _FAULT_ROW
        cursor += 14 if i in stops else 0
    return y, cursor


def _ranks(chart: Chart) -> dict[int, int]:
    """The messages not received, each with its place among those drawn of its channel, the head first."""
    queues: dict[Channel, list[Flight]] = defaultdict(list)
    for flight in chart.shown:
        if flight.fate is Fate.OPEN:
            queues[flight.channel].append(flight)
    ordered = [sorted(queue, key=lambda f: f.position or 0) for queue in queues.values()]
    return {flight.index: rank for queue in ordered for rank, flight in enumerate(queue)}


def _columns(chart: Chart) -> tuple[dict[str, float], float]:
    """Lifelines far enough apart for what stands between them, beside them and under them."""
    several = len(chart.lifelines) > 2
    half = [_half_width(line, several) for line in chart.lifelines]
    side = [_side_width(line) for line in chart.lifelines]
    pairs = zip(itertools.pairwise(half), itertools.pairwise(side))
    many = len(chart.lifelines) > _MANY
    gaps = [max(_NARROW if many else _GAP, a + b + 16, c + 30, d + 30) for (a, b), (c, d) in pairs]
    index = {name: i for i, name in enumerate(chart.names)}
    for flight in chart.shown:
        a, b = sorted(index[end] for end in flight.channel)
        lack = _length_of(flight, many) - sum(gaps[a:b])
        if lack > 0 and a < b:
            gaps[a:b] = [g + lack / (b - a) for g in gaps[a:b]]
    x = {chart.names[0]: max(half[0], side[0]) + 16}
    for before, name, gap in zip(chart.names, chart.names[1:], gaps):
        x[name] = x[before] + gap
    width = x[chart.names[-1]] + max(half[-1], side[-1], 40, _own_width(chart)) + 16
    if chart.title:
        width = max(width, min(text_width(printable(chart.title), _TITLE) + 28, _WIDEST_TITLE))
    return x, width


def _length_of(flight: Flight, many: bool) -> float:
    """How far a message should have to go: for its names, and, unless there are many lifelines, so that a
    long flight is not too steep."""
    need = sum(min(text_width(printable(m), LABEL), LONGEST) for m in names_of(flight))
    if flight.fate is Fate.LOST and need > _LONG:  # its arrow ends on its way
        need *= 1.5
    if many:
        return need + 40
    need += 70
    return max(need, min(130.0 + 7 * (flight.instants[-1] - flight.sent), 300.0))


def _own_width(chart: Chart) -> float:
    """The room that messages to itself take right of the last lifeline."""
    last = chart.names[-1]
    own = [f for f in chart.shown if f.channel.sender == f.channel.receiver == last]
    names = [printable(m) for f in own for m in names_of(f)]
    return max((min(text_width(name, LABEL), LONGEST) + 84 for name in names), default=0.0)


def _half_width(line: Lifeline, several: bool) -> float:
    """Half of what stands around a lifeline: its name, and what is awaited at its end."""
    widths = [text_width(words, NAME) + 20 for words in name_lines(line)]
    widths += [text_width(words, 11) for words in wait_lines(line, several)]
    return max(widths) / 2


def name_lines(line: Lifeline) -> list[str]:
    """The name above a lifeline."""
    return wrap(printable(line.name), NAME, _LONGEST_NAME, 3)


def wait_lines(line: Lifeline, several: bool) -> list[str]:
    """What a process waits for at the end, in lines that fit under its lifeline."""
    phrases = line.wait.phrases(several) if line.wait is not None else ()
    return [words for phrase in phrases for words in wrap(printable(phrase), 11, LONGEST, 4)]


def _side_width(line: Lifeline) -> float:
    """What stands on one side of a lifeline: states and the names of events."""
    words = [s.state for s in line.spans] + [e.name for e in line.events]
    return max(min(text_width(printable(word), STATE), LONGEST_STATE) for word in words) + 14


def names_of(flight: Flight) -> list[object]:
    """What a message is called on its way."""
    return [flight.message, *(c.becomes for c in flight.changes)]


def _place_texts(chart: Chart, layout: Layout) -> None:
    """States and events beside their lifelines first, then each name of a message beside its line."""
    taken = Obstacles()
    for line in chart.lifelines:
        x = layout.x[line.name]
        taken.add_line((x, layout.start), (x, layout.bottom), LIFELINE)
        if line.wait is not None:
            taken.add_box((x - 20, layout.bottom, x + 20, layout.legend_top))
    for route in layout.routes.values():
        for start, end in route.segments():
            taken.add_line(start, end)
    for line in chart.lifelines:
        _place_beside(chart, layout, line, taken)
    if chart.repeats is not None and chart.repeats in layout.y:
        layout.texts.append(taken.place(_for_ever(chart, layout, layout.y[chart.repeats])))
    if chart.no_return is not None and chart.no_return in layout.y:
        layout.texts.append(taken.place([_no_return(chart, layout, no_return_at(chart, layout))]))
    for flight in chart.shown:
        _place_names(layout, flight, taken)


def no_return_at(chart: Chart, layout: Layout) -> float:
    """The height of the line across everything."""
    return layout.y[chart.no_return or 0] - (44 if chart.no_return == chart.repeats else 22)


def _no_return(chart: Chart, layout: Layout, at: float) -> PlacedText:
    """What the line across everything says, right of all lifelines."""
    x = layout.width - 12 - text_width(NO_RETURN, LABEL) / 2
    return PlacedText(x, at - 4, NO_RETURN, "sp-small sp-caption", NO_RETURN, chart.no_return or 0)


def _for_ever(chart: Chart, layout: Layout, top: float) -> list[PlacedText]:
    """What is said of the frame around what repeats: in a corner of it, or in the middle."""
    name = f"repeats {printable(chart.for_ever)}"
    shown = clip(name, LABEL, layout.width - 30)
    half = text_width(shown, LABEL) / 2
    across = (layout.width - 12 - half, 12 + half, layout.width / 2)
    places = [(x, y) for y in (top - 13, layout.bottom - 4) for x in across]
    kind = "sp-small sp-caption sp-halo"
    return [PlacedText(x, y, shown, kind, name, chart.repeats or 0) for x, y in places]


def _place_beside(chart: Chart, layout: Layout, line: Lifeline, taken: Obstacles) -> None:
    x, first = layout.x[line.name], line.name == chart.names[0]
    events = {event.at for event in line.events}
    for event in line.events:
        if event.at in layout.y and event.at not in chart.small:
            kind = "sp-small sp-halo" + (" sp-lost-text" if event.kind.is_fault else "")
            places = [(side, layout.y[event.at]) for side in (1, -1)]
            layout.texts.append(taken.place(_around(x, places, event.name, kind, event.at, 12.0)))
    for span in _spans(chart, line):
        y = layout.start + 14 if span.since < 0 else layout.y.get(span.since)
        if y is None or y > layout.bottom:
            continue
        away = _away(chart, layout, span.since, line.name) if span.since >= 0 else -1 if first else 1
        places = [(away, y), (away, y + 11), (-away, y), (-away, y + 11)]
        gap = 12.0 if span.since in events else 7.0
        layout.texts.append(taken.place(_around(x, places, span.state, "sp-state sp-halo", span.since, gap)))


def _spans(chart: Chart, line: Lifeline) -> list[Span]:
    """Those that are written: of a stretch that is drawn small only the last one."""
    if not chart.stretches:
        return list(line.spans)
    later = {b.since for b in line.spans}
    return [
        span
        for span in line.spans
        if not any(
            span.since in stretch and later & set(range(span.since + 1, stretch.stop))
            for stretch in chart.stretches
        )
    ]


def _around(
    x: float, places: list[tuple[int, float]], words: str, kind: str, at: int, gap: float
) -> list[PlacedText]:
    """A small text left or right of a lifeline, at each of the places."""
    name = printable(words)
    shown = clip(name, STATE, LONGEST_STATE)
    half = text_width(shown, STATE) / 2
    return [PlacedText(x + side * (half + gap), y + 3.3, shown, kind, name, at, STATE) for side, y in places]


def _away(chart: Chart, layout: Layout, step: int, name: str) -> int:
    """The side of a lifeline from which no arrow leaves or comes at a step."""
    for flight in chart.shown:
        if step in (flight.sent, flight.ended):
            other = flight.channel.receiver if flight.channel.sender == name else flight.channel.sender
            return -1 if layout.x[other] >= layout.x[name] else 1
    return -1


def _place_names(layout: Layout, flight: Flight, taken: Obstacles) -> None:
    route = layout.routes[flight.index]
    own = tuple(route.segments())
    for piece, message in enumerate(names_of(flight)):
        if piece == 0 and flight.copy_of is not None:
            kind = "sp-label sp-halo sp-copy-text"
        else:
            kind = "sp-label sp-halo" + (" sp-changed-text" if piece else "")
        at = flight.since if piece == 0 else flight.changes[piece - 1].at
        name = printable(message)
        shown = clip(name, LABEL, LONGEST)
        places = beside(route.longest(piece), shown, LABEL)
        choices = [PlacedText(x, y, shown, kind, name, at) for x, y in places]
        inside = [c for c in choices if c.box[0] >= 2 and c.box[2] <= layout.width - 2]
        layout.texts.append(taken.place(inside or choices, own))
