"""The small signs of a chart, drawn as shapes so that no font has to have them."""

from __future__ import annotations

import math

from ..svg import Point, path, tag


def arrowhead(start: Point, end: Point, kind: str, at: int | None) -> str:
    """A triangle at the end of a line, pointing along it."""
    angle = math.atan2(end[1] - start[1], end[0] - start[0])
    back = [
        (end[0] - 10 * math.cos(angle + s * 0.38), end[1] - 10 * math.sin(angle + s * 0.38)) for s in (-1, 1)
    ]
    return path([end, *back], kind, close=True, data_at=at)


def cross(at: Point, step: int | None) -> str:
    """Where a message is lost."""
    x, y = at
    data = f"M{x - 5:.2f} {y - 5:.2f}L{x + 5:.2f} {y + 5:.2f}M{x - 5:.2f} {y + 5:.2f}L{x + 5:.2f} {y - 5:.2f}"
    return tag("path", d=data, class_="sp-cross sp-lost", data_at=step)


def zigzag(at: Point, step: int) -> str:
    """Where a message is corrupted: a star with four points."""
    x, y = at
    inner, outer = 2, 6
    points = [
        (x - outer, y),
        (x - inner, y - inner),
        (x, y - outer),
        (x + inner, y - inner),
        (x + outer, y),
        (x + inner, y + inner),
        (x, y + outer),
        (x - inner, y + inner),
    ]
    return path(points, "sp-changed-fill", close=True, data_at=step)


def ring(at: Point, step: int | None) -> str:
    """Where a message overtakes another."""
    return tag("circle", cx=at[0], cy=at[1], r=5, class_="sp-ring", data_at=step)


def chevrons(at: Point, step: int) -> list[str]:
    """Where a message overtakes another that it does not cross in the picture."""
    x, y = at
    return [
        path([(x - 4, y + d - 4), (x, y + d), (x + 4, y + d - 4)], "sp-ring", data_at=step) for d in (0, 5)
    ]


def copies(at: Point, step: int) -> str:
    """Where a message is duplicated: two squares, one behind the other."""
    x, y = at
    back = tag("rect", x=x - 2, y=y - 6, width=8, height=8, class_="sp-copies", data_at=step)
    return back + tag("rect", x=x - 6, y=y - 2, width=8, height=8, class_="sp-copies", data_at=step)


def square(x: float, y: float, step: int) -> str:
    """An internal action."""
    return tag("rect", x=x - 3.5, y=y - 3.5, width=7, height=7, class_="sp-dot", data_at=step)


def clock(x: float, y: float, step: int) -> str:
    """Where a timer runs out: a face with two hands."""
    face = tag("circle", cx=x, cy=y, r=6, class_="sp-clock", data_at=step)
    return face + path([(x, y - 4), (x, y), (x + 3, y)], "sp-hands", data_at=step)


def bolt(x: float, y: float, step: int) -> str:
    """Where a process crashes."""
    points = [
        (x + 3, y - 12),
        (x - 7, y + 2),
        (x - 1, y + 2),
        (x - 4, y + 13),
        (x + 7, y - 3),
        (x + 1, y - 3),
    ]
    return path(points, "sp-bolt", close=True, data_at=step)


def stop_bar(x: float, y: float, step: int) -> str:
    """Where a process stops: its lifeline ends in a bar."""
    return path([(x - 8, y), (x + 8, y)], "sp-stop", data_at=step)


def restart_break(x: float, y: float, step: int) -> str:
    """Where a process restarts: its lifeline is cut through twice."""
    cuts = [path([(x - 6, y + d + 3), (x + 6, y + d - 3)], "sp-stop", data_at=step) for d in (-4, 4)]
    return "".join(cuts)


def broken_link(x: float, y: float, step: int) -> str:
    """Where a link is cut: two halves of a chain that do not meet."""
    halves = [
        tag("rect", x=x + d, y=y - 4, width=11, height=8, rx=4, class_="sp-clock", data_at=step)
        for d in (-15, 4)
    ]
    return "".join([*halves, path([(x - 3, y + 7), (x + 3, y - 7)], "sp-stop", data_at=step)])


def hourglass(x: float, y: float, thick: bool, step: int) -> str:
    """Who waits for ever."""
    glass = [(x - 6, y - 8), (x + 6, y - 8), (x - 6, y + 8), (x + 6, y + 8)]
    return path(glass, "sp-wait" + (" sp-thick" if thick else ""), close=True, data_at=step)
