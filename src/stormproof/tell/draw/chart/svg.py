"""Message sequence charts as SVG, drawn by hand: time runs down, every step has its own instant.

Since a send and its reception have each their own instant, a message that overtakes another crosses it. Every
element says in `data-at` at which step it comes to be, which is what the report page steps through.
"""

from __future__ import annotations

from collections.abc import Iterator

from ....errors import printable
from ....kernel.model.message_tracking import Fate, Flight
from ....kernel.model.run import Act, LinkCut
from ..svg import document, escape, path, tag, text
from ..text_metrics import text_width
from .build import Chart, EventKind, Lifeline, descriptions
from .layout import (
    LEGEND,
    NAME,
    NAME_LINE,
    STRETCH,
    TITLE_LINE,
    Layout,
    lay_out,
    name_lines,
    no_return_at,
    title_lines,
    wait_lines,
)
from .routes import Route
from .signs import (
    arrowhead,
    bolt,
    broken_link,
    chevrons,
    clock,
    copies,
    cross,
    hourglass,
    restart_break,
    ring,
    square,
    stop_bar,
    zigzag,
)

_EVENT_SIGNS = {
    EventKind.INTERNAL: square,
    EventKind.TIMEOUT: clock,
    EventKind.CRASH: bolt,
    EventKind.STOP: stop_bar,
    EventKind.RESTART: restart_break,
}


def chart_svg(chart: Chart, *, style: bool = True) -> str:
    """The picture; `style` False leaves the style sheet out, for a page that has it already."""
    layout = lay_out(chart)
    phrases = descriptions(chart)
    body = [
        *_instants(chart, layout, phrases),
        *_frames(chart, layout),
        *(part for line in chart.lifelines for part in _lifeline(line, layout)),
        *(part for f in chart.shown for part in _flight(f, chart, layout)),
        *_overtakings(chart, layout),
        *_events(chart, layout),
        *_cuts(chart, layout),
        *_ends(chart, layout),
        *(text(t.x, t.y, t.words, t.kind, t.tip, data_at=t.at) for t in layout.texts),
        *_captions(chart, layout),
        *_legend(layout),
        _heads(chart, layout),
    ]
    lines = enumerate(title_lines(chart, layout.width))
    body[:0] = [text(14, 22 + TITLE_LINE * i, words, "sp-title sp-left") for i, words in lines]
    label = chart.title or "message sequence chart"
    return document(layout.width, layout.height, body, label, style, "; ".join(phrases))


def _instants(chart: Chart, layout: Layout, phrases: list[str]) -> list[str]:
    """An invisible band for each step: its place for the cursor, its tooltip, and a target to click."""
    bands, small = [], chart.small
    for step, y in layout.y.items():
        tip = tag("title", escape(f"step {step + 1}: {phrases[step]}"))
        half = 0.5 if step in small else 9
        band = tag(
            "rect", tip, x=0, y=y - half, width=layout.width, height=2 * half, fill="transparent",
            class_="sp-instant", data_step=step, data_y=y, data_x=layout.x[_actor(chart, step)],
        )  # fmt: skip
        bands.append(band)
    return bands


def _actor(chart: Chart, step: int) -> str:
    """Beside whose lifeline a step is to be looked for."""
    act = chart.steps[step]
    if isinstance(act, LinkCut):
        return act.channels[0].sender
    return act.process if isinstance(act, Act) else act.channel.sender or act.channel.receiver


def _heads(chart: Chart, layout: Layout) -> str:
    """The names, in one group, which the page keeps in sight."""
    strip = {"x": 0, "y": layout.top - 6, "width": layout.width, "height": layout.head + 12}
    parts = [tag("rect", **strip, class_="sp-strip")]
    for line in chart.lifelines:
        x, lines = layout.x[line.name], name_lines(line)
        width = max(text_width(words, NAME) for words in lines) + 20
        box = {"x": x - width / 2, "y": layout.top, "width": width, "height": layout.head, "rx": 4}
        parts.append(tag("rect", **box, class_="sp-box"))
        first = layout.top + layout.head / 2 + 4.5 - NAME_LINE * (len(lines) - 1) / 2
        for i, words in enumerate(lines):
            parts.append(text(x, first + i * NAME_LINE, words, "sp-name", printable(line.name)))
    return tag("g", *parts, class_="sp-heads", data_top=layout.top)


def _lifeline(line: Lifeline, layout: Layout) -> Iterator[str]:
    """To the end of the chart, or to where the process stops; faint while a crash is announced."""
    x, y = layout.x[line.name], layout.y
    down = [at for at in (line.crash, line.stop) if at in y]
    end = min((y[at] for at in down if at is not None), default=layout.bottom)
    start = layout.start
    for event in line.events:
        if event.kind is EventKind.RESTART and event.at in y:
            yield path([(x, start), (x, y[event.at] - 4)], "sp-life")
            start = y[event.at] + 4
    yield path([(x, start), (x, end)], "sp-life")
    last = y.get(line.last, end) if line.last is not None else end
    if line.crash in y and last > end:
        yield path([(x, end), (x, last)], "sp-life sp-gone", data_at=line.crash)


def _events(chart: Chart, layout: Layout) -> list[str]:
    """Over the lifelines; their names are among the placed texts."""
    return [
        _EVENT_SIGNS[event.kind](layout.x[line.name], layout.y[event.at], event.at)
        for line in chart.lifelines
        for event in line.events
        if event.at in layout.y and event.at not in chart.small
    ]


def _flight(flight: Flight, chart: Chart, layout: Layout) -> list[str]:
    """The arrow in pieces, one for each name that the message has on its way."""
    route = layout.routes[flight.index]
    pieces = []
    for i, points in enumerate(route.pieces):
        at = flight.since if i == 0 else flight.changes[i - 1].at
        last = i == len(route.pieces) - 1
        pieces.append(path(points, _line_kind(flight, chart, i, last), data_at=at))
    pieces += [zigzag(route.pieces[i][-1], c.at) for i, c in enumerate(flight.changes)]
    if flight.copied is not None:
        pieces.append(copies(route.at(layout.y[flight.copied]), flight.copied))
    else:
        (x, y) = route.start
        pieces.append(tag("circle", cx=x, cy=y, r=2.2, class_="sp-dot", data_at=flight.sent))
    return [*pieces, _tip_of(flight, route, len(chart.steps) - 1)]


def _line_kind(flight: Flight, chart: Chart, piece: int, last: bool) -> str:
    kinds = ["sp-line"]
    kinds += ["sp-changed", "sp-after"] if piece else ["sp-copy"] if flight.copy_of is not None else []
    kinds += ["sp-culprit"] if flight.index == chart.culprit else []
    kinds += ["sp-never"] if flight.fate is Fate.OPEN else []
    kinds += ["sp-lost"] if flight.lost and last else []
    return " ".join(kinds)


def _tip_of(flight: Flight, route: Route, last: int) -> str:
    if flight.lost:
        into_nothing = flight.ended == flight.sent
        return "" if into_nothing else cross(route.end, flight.ended)
    if flight.fate is Fate.OPEN:
        return arrowhead(route.before_end, route.end, "sp-hollow", last)
    kind = "sp-changed-fill" if flight.changes else "sp-head"
    return arrowhead(route.before_end, route.end, kind, flight.ended)


def _overtakings(chart: Chart, layout: Layout) -> Iterator[str]:
    """A ring where the arrows cross; where they do not, a sign at the instant, so that no fault is hidden."""
    for flight in chart.shown:
        for overtaking in (o for o in flight.overtook if o.at >= flight.since):
            other = layout.routes.get(overtaking.passed)
            route = layout.routes[flight.index]
            point = route.meets(other) if other is not None else None
            if point is not None:
                yield ring(point, overtaking.at)
            elif overtaking.at in layout.y:
                yield from chevrons(route.at(layout.y[overtaking.at]), overtaking.at)


def _cuts(chart: Chart, layout: Layout) -> Iterator[str]:
    """A broken link between the lifelines of each two roles of which a channel goes down."""
    for at, step in enumerate(chart.steps):
        if not isinstance(step, LinkCut) or at not in layout.y:
            continue
        for ends in dict.fromkeys(tuple(sorted(channel)) for channel in step.channels):
            a, b = (layout.x[name] for name in ends)
            middle = (a + b) / 2 if a != b else a + 30
            yield broken_link(middle, layout.y[at], at)


def _ends(chart: Chart, layout: Layout) -> list[str]:
    """Hourglasses under those who wait, with what they wait for."""
    parts, several, last = [], len(chart.lifelines) > 2, len(chart.steps) - 1
    for line in chart.lifelines:
        if line.wait is None:
            continue
        x, y = layout.x[line.name], layout.bottom + 12
        parts.append(hourglass(x, y, line.wait.culprit, last))
        for i, words in enumerate(wait_lines(line, several)):
            parts.append(text(x, y + 25 + 14 * i, words, "sp-label sp-wait-text", font_size=11, data_at=last))
    return parts


def _frames(chart: Chart, layout: Layout) -> Iterator[str]:
    """Around the rounds that are drawn once for many, and around what repeats for ever."""
    for stretch in chart.stretches:
        yield _stretch(stretch, layout)
    for fold in chart.folds:
        top, bottom = layout.y[fold.first] - 17, layout.y[fold.first + fold.length - 1] + 19
        yield _frame(layout, top, bottom, "sp-frame")
    if chart.no_return is not None and chart.no_return in layout.y:
        at = no_return_at(chart, layout)
        yield path([(6, at), (layout.width - 6, at)], "sp-no-return", data_at=chart.no_return)
    if chart.repeats is not None and chart.repeats in layout.y:
        top = layout.y[chart.repeats] - 26
        yield _frame(layout, top, layout.bottom + 2, "sp-loop")


def _stretch(stretch: range, layout: Layout) -> str:
    """What stands for the steps of a stretch: a band that says how many they are."""
    top = layout.y[stretch.start] - 8
    box = tag("rect", x=6, y=top, width=layout.width - 12, height=STRETCH + 8, rx=4, class_="sp-stretch")
    words = f"⋯ {len(stretch)} steps without a fault"
    said = text(layout.width - 12, top + STRETCH / 2 + 8, words, "sp-small sp-times sp-halo")
    return tag("g", box, said, data_stretch=stretch.start, class_="sp-closed")


def _captions(chart: Chart, layout: Layout) -> Iterator[str]:
    """How often the rounds that are drawn once are repeated."""
    right = layout.width - 12
    for fold in chart.folds:
        bottom = layout.y[fold.first + fold.length - 1] + 19
        yield text(right, bottom - 4, f"× {fold.times}", "sp-small sp-times sp-halo")


def _legend(layout: Layout) -> Iterator[str]:
    """Where the states are written, if they are points of a program."""
    for i, words in enumerate(layout.legend):
        yield text(14, layout.legend_top + LEGEND * i, words, "sp-small sp-left sp-legend")


def _frame(layout: Layout, top: float, bottom: float, kind: str) -> str:
    return tag(
        "rect", x=6, y=top, width=layout.width - 12, height=bottom - top, rx=5, class_=kind,
    )  # fmt: skip
