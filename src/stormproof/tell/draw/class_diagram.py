"""The paper's Figure 1, the diagram of classes, with the place of a system marked.

The rectangles of the figure are aligned so that every combination of the classes that are decided has a
region of its own: columns for CSA, k-exhaustive and RSC, rows for k-ER and k-safe. Weakly k-MC and k-MC are
intersections, as they are by definition. k-synchronisable systems, which nothing here decides, are left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...errors import printable
from ...search.checks.properties import HALF_DUPLEX, K_ER, K_EXH, K_SAFE, RSC
from ...surveys.classify import CLASSES, Standing, Standings
from .svg import document, tag, text
from .text_metrics import clip, text_width

#: Columns from left to right, as (CSA, k-exhaustive, RSC): the two classes are neighbouring columns each.
_COLUMNS = (
    (True, False, False),
    (True, True, False),
    (True, True, True),
    (True, False, True),
    (False, False, True),
    (False, False, False),
)
_WIDTHS = (140.0, 150.0, 150.0, 130.0, 130.0, 130.0)
#: Rows from the top, as (k-ER, k-safe).
_ROWS = ((False, False), (True, False), (True, True))
_TALL = 122.0
_LEFT, _TOP = 52.0, 166.0
_PILL = 18.0


def _column(index: int) -> float:
    """Where a column begins; one past the last is the right end."""
    return _LEFT + sum(_WIDTHS[:index])


def _row(index: int) -> float:
    return _TOP + index * _TALL


class Region(NamedTuple):
    """A class as a rectangle, with its colour; its name stands in the upper left corner."""

    name: str
    colour: str
    left: float
    top: float
    right: float
    bottom: float


_END = _row(3)
_REGIONS = (
    Region("FIFO systems", "#8a8a8a", _LEFT - 32, _TOP - 124, _column(6) + 8, _END + 48),
    Region("communicating session automata", "#0072b2", _LEFT - 20, _TOP - 92, _column(4) - 4, _END + 38),
    Region("existentially k-bounded", "#cc79a7", _column(1) - 16, _TOP - 62, _column(5) + 14, _END + 28),
    Region("RSC", "#e69f00", _column(2), _TOP - 34, _column(5), _END + 20),
    Region("k-exhaustive †", "#56b4e9", _column(1), _TOP - 8, _column(3), _END + 12),
    Region("k-ER †", "#009e73", _LEFT - 10, _row(1), _column(4) - 12, _END + 4),
    Region("k-safe †", "#009e73", _LEFT - 2, _row(2), _column(4) - 20, _END - 4),
)
#: What the paper draws as rectangles of their own are intersections.
_MEETINGS = (
    ("weakly k-MC †", _column(1) + 8, _row(1) + 16),
    ("k-MC †", _column(1) + 8, _row(2) + 16),
)


def diagram_svg(standings: Standings, *, style: bool = True) -> str:
    """The classes, and a mark for perfect channels and for each interference in its region."""
    body = [line for region in _REGIONS for line in _draw(region)]
    body += [text(x, y, words, "sp-edge-label sp-left") for words, x, y in _MEETINGS]
    placed: dict[tuple[int, int], int] = {}
    for standing in standings.standings:
        where = place(standing)
        body += _mark(standing, where, placed.get(where, 0))
        placed[where] = placed.get(where, 0) + 1
    title = printable(standings.system.name or "the system")
    body.append(text(_LEFT - 32, 26, clip(title, 13, 700), "sp-title", title))
    captions = list(_captions(standings))
    for i, line in enumerate(captions):
        body.append(text(_LEFT - 32, _END + 72 + 17 * i, line, "sp-edge-label sp-left"))
    height = _END + 72 + 17 * len(captions)
    return document(_column(6) + 28, height, body, f"where {title} stands among the classes", style)


def place(standing: Standing) -> tuple[int, int]:
    """The column and the row of a standing. What is not known counts as not in the class."""
    csa = bool(standing["csa"].holds)
    exhaustive = csa and bool(standing[K_EXH.name].holds)
    column = _COLUMNS.index((csa, exhaustive, bool(standing[RSC.name].holds)))
    received = csa and bool(standing[K_ER.name].holds)
    row = _ROWS.index((received, received and bool(standing[K_SAFE.name].holds)))
    return column, row


def _draw(region: Region) -> Iterator[str]:
    yield tag(
        "rect",
        x=region.left,
        y=region.top,
        width=region.right - region.left,
        height=region.bottom - region.top,
        rx=9,
        fill=region.colour,
        fill_opacity=0.1,
        stroke=region.colour,
        stroke_width=1.4,
    )
    yield text(region.left + 8, region.top + 16, region.name, "sp-edge-label sp-left")


def _mark(standing: Standing, where: tuple[int, int], before: int) -> Iterator[str]:
    """A pill with the name of the interference; perfect channels stand out; `?`: a limit left a doubt."""
    column, row = where
    unknown = any(standing[name].holds is None for name in (RSC.name, K_EXH.name, K_ER.name, K_SAFE.name))
    words = standing.interference + (" ?" if unknown else "")
    wide = text_width(words, 11) + 14
    middle = (_column(column) + _column(column + 1)) / 2
    y = _row(row) + 26 + before * (_PILL + 4)
    kind = "sp-here" if standing.interference == "perfect" else "sp-pill"
    box = {"x": middle - wide / 2, "y": y, "width": wide, "height": _PILL, "rx": _PILL / 2}
    inside = tag("rect", **box, class_=kind) + text(middle, y + 13, words, "sp-label sp-edge-label")
    yield tag("g", tag("title", _details(standing)), inside)


def _details(standing: Standing) -> str:
    return f"{standing.interference}: " + ", ".join(
        CLASSES[name].replace("k-", f"{found.k}-") if found.k else CLASSES[name]
        for name, found in standing.classes.items()
        if found.holds
    )


def _captions(standings: Standings) -> Iterator[str]:
    """The two classes that the figure does not draw, and how to read the picture."""
    directed = "directed" if standings.system.directed else "not directed"
    yield f"{directed.capitalize()}. {_half_duplex(standings)}"
    yield "† defined on communicating session automata. The least k of each class is in the table."
    yield "Existentially k-bounded is drawn as in the paper; it is known only where the table says so."
    yield "k-synchronisable, which the paper's figure has too, is not decided."


def _half_duplex(standings: Standings) -> str:
    found = {s.interference: s[HALF_DUPLEX.name].holds for s in standings.standings}
    if len(standings.system.processes) != 2:
        return "Half-duplex is defined for two processes."
    good = [name for name in found if found[name]]
    bad = [name for name in found if found[name] is False]
    parts = [f"half-duplex: {', '.join(good)}"] if good else []
    parts += [f"not half-duplex: {', '.join(bad)}"] if bad else []
    return ("; ".join(parts) or "Half-duplex: not decided").capitalize() + "."
