"""Message sequence charts as SVG, drawn by hand: time runs down, every step has its own instant.

Since a send and its reception have each their own instant, a message that overtakes another crosses it.
Every element says in `data-at` at which step it comes to be, which is what the report page steps through.
"""

from __future__ import annotations

from ...model.actions import Internal
from ...model.message_tracking import Fate, Flight
from ...model.run import Act
from ..svg import document, escape, path, tag, text
from ..text_metrics import clip, printable, text_width
from .build import Chart, describe
from .layout import Layout, lay_out
from .signs import Point, arrowhead, bolt, clock, cross, hourglass, zigzag

_LONGEST = 260.0


def chart_svg(chart: Chart, *, style: bool = True) -> str:
    """The picture; `style` False leaves the style sheet out, for a page that has it already."""
    layout = lay_out(chart)
    body = [
        *_instants(chart, layout),
        *_folds(chart, layout),
        *_lifelines(chart, layout),
        *(part for f in chart.shown for part in _flight(f, layout, f.index == chart.culprit)),
        *_crossings(chart, layout),
        *_states(chart, layout),
        *_own_actions(chart, layout),
        *_crashes(chart, layout),
        *_ends(chart, layout),
        *_labels(layout),
        _heads(chart, layout),
    ]
    if chart.title:
        body.insert(0, text(14, 22, clip(printable(chart.title), 13, layout.width - 28), "sp-title sp-left"))
    told = "; ".join(describe(step) for step in chart.steps)
    return document(layout.width, layout.height, body, chart.title or "message sequence chart", style, told)


def _instants(chart: Chart, layout: Layout) -> list[str]:
    """An invisible band for each step: its place for the cursor, its tooltip, and a target to click."""
    bands = []
    for step, y in layout.y.items():
        tip = tag("title", _tip(chart, step))
        band = tag(
            "rect", tip, x=0, y=y - 9, width=layout.width, height=18, fill="transparent", class_="sp-instant",
            data_step=step, data_y=y, data_x=layout.x[_actor(chart, step)],
        )  # fmt: skip
        bands.append(band)
    return bands


def _tip(chart: Chart, step: int) -> str:
    return escape(f"step {step + 1}: {describe(chart.steps[step])}")


def _actor(chart: Chart, step: int) -> str:
    """Beside whose lifeline a step is to be looked for."""
    act = chart.steps[step]
    return act.process if isinstance(act, Act) else act.channel.sender


def _heads(chart: Chart, layout: Layout) -> str:
    """The names, in one group, which the page keeps in sight."""
    parts = []
    for line in chart.lifelines:
        x, name = layout.x[line.name], printable(line.name)
        shown = clip(name, 13, _LONGEST)
        width = text_width(shown, 13) + 20
        box = {"x": x - width / 2, "y": layout.top, "width": width, "height": 26, "rx": 4}
        parts.append(tag("rect", **box, class_="sp-box"))
        parts.append(text(x, layout.top + 17.5, shown, "sp-name", name))
    return tag("g", *parts, class_="sp-heads", data_top=layout.top)


def _lifelines(chart: Chart, layout: Layout) -> list[str]:
    parts = []
    for line in chart.lifelines:
        x, start, bottom = layout.x[line.name], layout.top + 26, layout.bottom
        if line.crash is None or layout.at(line.crash) is None:
            parts.append(path([(x, start), (x, bottom)], "sp-life"))
            continue
        dead = layout.y[line.crash]
        parts.append(path([(x, start), (x, dead)], "sp-life"))
        last = layout.at(line.last)
        if last is not None and last > dead:
            parts.append(path([(x, dead), (x, last)], "sp-life sp-gone", data_at=line.crash))
    return parts


def _crashes(chart: Chart, layout: Layout) -> list[str]:
    """Over the states, whose pills stand close above and below."""
    found = [(line.name, line.crash) for line in chart.lifelines if line.crash is not None]
    return [part for name, at in found if at in layout.y for part in bolt(layout.x[name], layout.y[at], at)]


def _flight(flight: Flight, layout: Layout, culprit: bool) -> list[str]:
    """The arrow in pieces, one for each name that the message has on its way."""
    route = layout.routes[flight.index]
    thick = " sp-culprit" if culprit else ""
    pieces = []
    for i, (start, end) in enumerate(zip(route.points, route.points[1:])):
        at = flight.sent if i == 0 else flight.changes[i - 1].at
        kind = "sp-line" + (" sp-changed sp-after" if i else "") + thick
        if flight.fate is Fate.OPEN:
            kind += " sp-never"
        if flight.fate is Fate.LOST and i == len(route.points) - 2:
            kind += " sp-lost"
        pieces.append(path([start, end], kind, data_at=at))
    pieces += [zigzag(route.points[i + 1], c.at) for i, c in enumerate(flight.changes)]
    pieces.append(
        tag(
            "circle",
            cx=route.points[0][0],
            cy=route.points[0][1],
            r=2.2,
            class_="sp-dot",
            data_at=flight.sent,
        )
    )
    return pieces + _tip_of(flight, route.points, layout.last)


def _tip_of(flight: Flight, points: list[Point], last: int) -> list[str]:
    if flight.fate is Fate.LOST:
        return [cross(points[-1], flight.ended)]
    if flight.fate is Fate.OPEN:
        return [arrowhead(points[-2], points[-1], "sp-hollow", last)]
    kind = "sp-changed-fill" if flight.changes else "sp-head"
    return [arrowhead(points[-2], points[-1], kind, flight.ended)]


def _crossings(chart: Chart, layout: Layout) -> list[str]:
    """A ring where one message overtakes another."""
    rings = []
    for flight in chart.shown:
        for passed in flight.overtakes:
            other = layout.routes.get(passed)
            point = layout.routes[flight.index].meets(other) if other else None
            if point is not None:
                rings.append(
                    tag("circle", cx=point[0], cy=point[1], r=5, class_="sp-ring", data_at=flight.ended)
                )
    return rings


def _states(chart: Chart, layout: Layout) -> list[str]:
    parts = []
    for line in chart.lifelines:
        x = layout.x[line.name]
        for span in line.spans:
            y = layout.state_y(span.since)
            if y is None or y > layout.bottom:
                continue
            name = printable(span.state)
            shown = clip(name, 9.5, 150)
            width = text_width(shown, 9.5) + 8
            box = {"x": x - width / 2, "y": y - 6.5, "width": width, "height": 13, "rx": 6.5}
            parts.append(tag("rect", **box, class_="sp-pill", data_at=span.since))
            parts.append(text(x, y + 3.3, shown, "sp-state", name, data_at=span.since))
    return parts


def _own_actions(chart: Chart, layout: Layout) -> list[str]:
    """Internal actions: a square on the lifeline, a clock for a timer, with the action's name beside it."""
    parts = []
    for step, y in layout.y.items():
        act = chart.steps[step]
        if not isinstance(act, Act) or not isinstance(act.action, Internal) or act.action.crashes:
            continue
        x, name = layout.x[act.process], printable(str(act.action))
        if act.action.timeout:
            parts += clock(x, y, step)
        else:
            parts.append(tag("rect", x=x - 3.5, y=y - 3.5, width=7, height=7, class_="sp-dot", data_at=step))
        parts.append(
            text(x + 8, y + 3.5, clip(name, 9.5, 100), "sp-small sp-left sp-halo", name, data_at=step)
        )
    return parts


def _ends(chart: Chart, layout: Layout) -> list[str]:
    """Hourglasses under those who wait, with what they wait for."""
    parts, several, last = [], len(chart.lifelines) > 2, len(chart.steps) - 1
    for line in chart.lifelines:
        if line.wait is None:
            continue
        x, y = layout.x[line.name], layout.bottom + 12
        parts.append(hourglass(x, y, line.wait.culprit, last))
        for i, phrase in enumerate(line.wait.phrases(several)):
            shown = clip(printable(phrase), 11, _LONGEST)
            parts.append(
                text(x, y + 25 + 14 * i, shown, "sp-label sp-wait-text", phrase, font_size=11, data_at=last)
            )
    return parts


def _folds(chart: Chart, layout: Layout) -> list[str]:
    parts = []
    for fold in chart.folds:
        top, bottom = layout.y[fold.first] - 17, layout.y[fold.first + fold.length - 1] + 19
        parts.append(tag(
            "rect", x=6, y=top, width=layout.width - 12, height=bottom - top, rx=5, class_="sp-frame",
        ))  # fmt: skip
        parts.append(text(layout.width - 12, bottom - 4, f"× {fold.times}", "sp-small sp-times"))
    return parts


def _labels(layout: Layout) -> list[str]:
    return [
        text(label.x, label.y, label.words, label.kind, label.tip, data_at=label.at)
        for label in layout.labels
    ]
