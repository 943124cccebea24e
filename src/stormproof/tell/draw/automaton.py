"""Automata as pictures: SVG from the layered layout.

What a state does is in its shape: a point on the right means that it sends, a notch on the left that it
receives, both that it is mixed, a double border that nothing leaves it but internal actions. The initial
state has an arrow from nowhere; states of `here` (where a witness ends) are filled and have a thick border.
Roles that are alike are drawn once; the names of those that are in a state of `here` stand above it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache

from ...errors import printable
from ...kernel.model.actions import Transition
from ...kernel.model.process import Process, StateKind
from ...kernel.model.system import System
from .alike import alike_roles, same_peers
from .chart.signs import arrowhead
from .layout.curves import curve
from .layout.layered import Box, Drawing, RoutedEdge, lay_out
from .svg import Point, document, escape, number, path, tag, text
from .text_metrics import clip, text_width, wrap

_STATE, _LABEL, _LINE = 11.0, 11.0, 13.5
_LONGEST = 170.0
_MOST_LABELS, _MOST_LINES, _INDENT = 8, 3, 10.0
_MARGIN = 18.0
_HIGH = 24.0
_LOOP = 26.0


@dataclass(frozen=True)
class Picture:
    """A picture in parts, so that several can stand on one sheet; `places` says how far right states are."""

    body: tuple[str, ...]
    width: float
    height: float
    places: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class AlikeRoles:
    """The roles that one picture stands for, and their numbers in the system; the first is the one drawn.
    Unless they have the `same_peers`, the labels are those of that one."""

    processes: tuple[Process, ...]
    numbers: tuple[int, ...]
    same_peers: bool = True

    @property
    def process(self) -> Process:
        return self.processes[0]

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.processes)

    def present(self, state: int, here: Mapping[str, str]) -> list[str]:
        """Who is in a state, by its number: its name may differ from role to role."""
        return [p.name for p in self.processes if here.get(p.name) == p.states[state]]

    @property
    def title(self) -> str:
        return ", ".join(printable(name) for name in self.names)

    @property
    def remark(self) -> str:
        """What has to be known to read the labels."""
        return "" if self.same_peers else f"names as for {printable(self.names[0])}"

    def edge(self, source: int, target: int) -> str:
        """The mark of an edge in each of the roles, by the numbers of its ends."""
        return " ".join(f"{number}:{source}:{target}" for number in self.numbers)


def automaton_svg(
    process: Process, *, here: str | None = None, seconds: float = 2.0, style: bool = True
) -> str:
    """One automaton."""
    shown = AlikeRoles((process,), (0,))
    picture = draw_process(shown, {} if here is None else {process.name: here}, seconds)
    legend = _legend([process])
    return _sheet([picture], legend, picture.width, f"automaton {process.name}", style)


def system_svg(
    system: System,
    *,
    here: Mapping[str, str] | None = None,
    seconds: float = 4.0,
    width: float = 1100.0,
    style: bool = True,
    roles: Collection[str] = (),
) -> str:
    """All automata of a system, or those of `roles`, in rows of at most `width` where they fit.

    `here` marks local states; the time limit is shared out among the automata.
    """
    chosen = groups_of(system, roles or system.names)
    pictures = [draw_process(group, here or {}, seconds / len(chosen)) for group in chosen]
    title = f"the automata of {system.name}" if system.name else "the automata"
    return _sheet(pictures, _legend([g.process for g in chosen]), width, title, style)


@dataclass(frozen=True)
class DrawnRoles:
    """The picture of roles that are alike; none for the one that explains the shapes."""

    roles: tuple[str, ...]
    svg: str
    places: Mapping[str, float] = field(default_factory=dict)


def draw_roles(
    system: System,
    roles: Collection[str],
    seconds: float = 4.0,
    before: Mapping[str, Mapping[str, float]] | None = None,
) -> list[DrawnRoles]:
    """The automata of `roles`, as `groups_of` has them, as pictures of their own, and one that explains
    their shapes, for a page that arranges them itself. `before`: the places of an earlier drawing."""
    chosen = groups_of(system, roles)
    found = []
    for group in chosen:
        known = (before or {}).get(group.names[0], {})
        found.append(_drawn(group, seconds / len(chosen), tuple(known.items())))
    legend = _legend([g.process for g in chosen])
    shapes = document(legend.width, legend.height, legend.body, "shapes of states", style=False)
    return [*found, DrawnRoles((), shapes)]


@lru_cache(maxsize=64)
def _drawn(group: AlikeRoles, seconds: float, before: tuple[tuple[str, float], ...]) -> DrawnRoles:
    """Kept, since a page asks for all automata again when one of them has changed."""
    drawn = draw_process(group, {}, seconds, dict(before))
    title = f"automaton {', '.join(group.names)}"
    svg = document(drawn.width, drawn.height, drawn.body, title, style=False)
    return DrawnRoles(group.names, svg, drawn.places)


def groups_of(system: System, roles: Collection[str]) -> list[AlikeRoles]:
    """The automata to draw for these roles."""
    found = []
    for group in alike_roles(system):
        names = tuple(name for name in group if name in roles)
        if names:
            numbers = tuple(system.names.index(name) for name in names)
            processes = tuple(system[name] for name in names)
            found.append(AlikeRoles(processes, numbers, same_peers(system, names)))
    return found


def _sheet(pictures: list[Picture], legend: Picture, width: float, title: str, style: bool) -> str:
    body: list[str] = []
    x = y = row = right = 0.0
    for picture in [*pictures, legend]:
        if x and (x + picture.width > width or picture is legend):
            x, y, row = 0.0, y + row, 0.0
        body.append(tag("g", *picture.body, transform=f"translate({number(x)} {number(y)})"))
        x += picture.width
        row, right = max(row, picture.height), max(right, x)
    return document(right, y + row, body, title, style)


def draw_process(
    group: AlikeRoles, here: Mapping[str, str], seconds: float, before: Mapping[str, float] | None = None
) -> Picture:
    """The automaton with the names of its roles above it."""
    process = group.process
    loops, edges = merge(process.transitions)
    boxes: dict[Hashable, Box] = {s: _box(s, loops.get(s, [])) for s in process.states}
    routes = [_edge(source, target, labels) for (source, target), labels in edges.items()]
    drawing = lay_out(boxes, routes, seconds, before)
    order = {s: i for i, s in enumerate(process.states)}
    parts: list[str] = []
    for route, labels in zip(routes, edges.values()):
        parts += draw_edge(route, labels, group.edge(order[str(route.source)], order[str(route.target)]))
    for state in process.states:
        mark = group.edge(order[state], order[state])
        parts += _loop(drawing.nodes[state], loops.get(state, []), mark, state)
    for state in process.states:
        present = group.present(order[state], here)
        parts += _node(group, state, drawing.nodes[state], order[state], present)
    parts += _arrow_in(drawing.nodes[process.initial], boxes[process.initial])
    heading, width = _heading(group)
    top = 18.0 + 34.0
    body = [*heading, tag("g", *parts, transform=f"translate({number(_MARGIN)} {number(top)})")]
    height = drawing.height + top + _MARGIN + _slack(drawing)
    places = {str(state): round(at[0], 1) for state, at in drawing.nodes.items()}
    return Picture(tuple(body), max(drawing.width, width) + 2 * _MARGIN, height, places)


def _heading(group: AlikeRoles) -> tuple[list[str], float]:
    title = clip(group.title, 13, 400)
    width = text_width(title, 13)
    parts = [text(_MARGIN, 18, title, "sp-title sp-left", group.title)]
    if group.remark:
        parts.append(text(_MARGIN + width + 8, 18, group.remark, "sp-small sp-left"))
        width += 8 + text_width(group.remark, 11)
    return parts, width


def _slack(drawing: Drawing) -> float:
    """A plain layout bends edges below its last row."""
    return 26.0 if drawing.plain else 0.0


def merge(
    transitions: Iterable[Transition],
) -> tuple[dict[str, list[str]], dict[tuple[str, str], list[str]]]:
    """Labels of self-loops by state, and of the other edges by their ends: parallel edges become one."""
    loops: dict[str, list[str]] = {}
    edges: dict[tuple[str, str], list[str]] = {}
    for source, action, target in transitions:
        if source == target:
            loops.setdefault(source, []).append(printable(action))
        else:
            edges.setdefault((source, target), []).append(printable(action))
    return loops, edges


def shorten(labels: list[str]) -> list[str]:
    """At most so many lines; the rest is counted (and is in the tooltip)."""
    if len(labels) <= _MOST_LABELS:
        return labels
    return [*labels[: _MOST_LABELS - 1], f"… {len(labels) - _MOST_LABELS + 1} more"]


def _label_lines(labels: list[str]) -> list[tuple[str, float]]:
    """What stands beside an edge, each line with how far it is indented: a long label goes on in the next
    lines, its message in one of its own."""
    found: list[tuple[str, float]] = []
    for label in shorten(labels):
        if text_width(label, _LABEL) <= _LONGEST:
            found.append((label, 0.0))
            continue
        peer, *message = re.split(r"(?<=[!?])", label, maxsplit=1)
        found += [(line, 0.0) for line in wrap(peer, _LABEL, _LONGEST, _MOST_LINES)]
        found += [(line, _INDENT) for m in message for line in wrap(m, _LABEL, _LONGEST, _MOST_LINES)]
    return found


def _label_size(labels: list[str]) -> tuple[float, float]:
    lines = _label_lines(labels)
    wide = max((text_width(line, _LABEL) + indent for line, indent in lines), default=0.0)
    return wide + 6, _LINE * len(lines) + 2


def _name_lines(state: str) -> list[str]:
    return wrap(printable(state), _STATE, _LONGEST, _MOST_LINES)


def _half(state: str) -> float:
    return max(max(text_width(line, _STATE) for line in _name_lines(state)) + 22, 38.0) / 2


def _high(state: str) -> float:
    return _HIGH + _LINE * (len(_name_lines(state)) - 1)


def _box(state: str, loops: list[str]) -> Box:
    half, body = _half(state), _high(state)
    wide, high = _label_size(loops) if loops else (0.0, 0.0)
    return Box(half, half + (_LOOP + wide if loops else 0.0), max(body, high), body)


def _edge(source: str, target: str, labels: list[str]) -> RoutedEdge:
    wide, high = _label_size(labels)
    return RoutedEdge(source, target, wide, high)


def draw_edge(route: RoutedEdge, labels: list[str], mark: str, kind: str = "sp-edge") -> list[str]:
    points = route.points
    line = tag("path", d=curve(points), class_=kind, data_edge=mark)
    (_x1, y1), (x2, y2) = points[-2], points[-1]
    direction: Point = (x2, y2 - 10) if y2 > y1 else (x2, y2 + 10)
    if len(points) == 3 and points[0][1] == y2:
        direction = (x2, y2 + 10)
    tip = "sp-cycle-head" if "sp-cycle" in kind else "sp-head"
    head = arrowhead(direction, (x2, y2), tip, None)
    return [line, head, *_lines(route.label, labels, "sp-label sp-edge-label sp-halo")]


def _lines(centre: Point, labels: list[str], kind: str) -> list[str]:
    """The labels, left-aligned; all of them are in the tooltip where something is missing."""
    lines = _label_lines(labels)
    x, y = centre
    start = y - _LINE * (len(lines) - 1) / 2 + 4
    cut = len(labels) > _MOST_LABELS or any(line.endswith("…") for line, _ in lines)
    tip = "\n".join(labels) if cut else None
    return [
        text(x + indent, start + i * _LINE, line, f"{kind} sp-left", tip)
        for i, (line, indent) in enumerate(lines)
    ]


def _loop(at: Point, labels: list[str], mark: str, state: str) -> list[str]:
    if not labels:
        return []
    x, y = at[0] + _half(state), at[1]
    start, bulge, end = (x - 4, y - 6), (x + 24, y - 18, x + 24, y + 18), (x - 4, y + 6)
    data = f"M{' '.join(map(number, start))}C{' '.join(map(number, (*bulge, *end)))}"
    line = tag("path", d=data, class_="sp-edge", data_edge=mark)
    head = arrowhead((x + 8, y + 11.5), (x - 3, y + 6.4), "sp-head", None)
    return [line, head, *_lines((x + _LOOP - 4, y), labels, "sp-label sp-edge-label sp-halo")]


def outline(kind: StateKind, at: Point, half: float, high: float) -> list[Point]:
    """The shape of a state: a point for sends, a notch for receptions."""
    (x, y), v, tip = at, high / 2, 7.0
    right = [(x + half - tip, y - v), (x + half, y), (x + half - tip, y + v)]
    left = [(x - half, y + v), (x - half + tip, y), (x - half, y - v)]
    if kind in (StateKind.RECEIVING, StateKind.FINAL):
        right = [(x + half, y - v), (x + half, y + v)]
    if kind in (StateKind.SENDING, StateKind.FINAL):
        left = [(x - half, y + v), (x - half, y - v)]
    return [*right, *left]


def _node(group: AlikeRoles, state: str, at: Point, order: int, present: Sequence[str]) -> list[str]:
    kind, half, high, name = group.process.kind(state), _half(state), _high(state), printable(state)
    tip = tag("title", escape(f"{name}: {kind.value}"))
    parts = [path(outline(kind, at, half, high), "sp-here" if present else "sp-node", close=True)]
    if kind is StateKind.FINAL:
        parts.append(path(outline(kind, at, half - 3, high - 6), "sp-inner", close=True))
    top = at[1] + 4 - _LINE * (len(_name_lines(state)) - 1) / 2
    for i, line in enumerate(_name_lines(state)):
        parts.append(text(at[0], top + i * _LINE, line, "sp-label sp-edge-label"))
    if len(group.names) > 1:
        who = ", ".join(printable(p) for p in present)
        parts.append(text(at[0] + half - 6, at[1] - high / 2 - 3, who, "sp-who sp-halo sp-left"))
    numbers = " ".join(map(str, group.numbers))
    return [tag("g", tip, *parts, class_="sp-at", data_process=numbers, data_state=order)]


def _arrow_in(at: Point, box: Box) -> list[str]:
    """The initial state: an arrow from a dot above."""
    x, y = at[0], at[1] - box.half
    dot = tag("circle", cx=x, cy=y - 20, r=3, class_="sp-dot")
    return [dot, path([(x, y - 20), (x, y - 8)], "sp-edge"), arrowhead((x, y - 10), (x, y), "sp-head", None)]


def _legend(processes: Iterable[Process]) -> Picture:
    """The shapes that occur, explained."""
    kinds = {p.kind(s) for p in processes for s in p.states}
    x, parts = _MARGIN, []
    for kind in (k for k in StateKind if k in kinds):
        parts.append(path(outline(kind, (x + 12, 10), 12, 14), "sp-node", close=True))
        if kind is StateKind.FINAL:
            parts.append(path(outline(kind, (x + 12, 10), 9.5, 9), "sp-inner", close=True))
        parts.append(text(x + 30, 13.5, kind.value, "sp-small sp-left"))
        x += 30 + text_width(kind.value, 11) + 16
    return Picture(tuple(parts), x, 26)
