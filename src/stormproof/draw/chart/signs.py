"""The small signs of a chart, drawn as shapes so that no font has to have them."""

from __future__ import annotations

import math

from ..svg import path, tag

Point = tuple[float, float]


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
    """Where a message is corrupted: a small diamond with a zigzag's edge."""
    x, y = at
    points = [
        (x - 6, y),
        (x - 2, y - 2),
        (x, y - 6),
        (x + 2, y - 2),
        (x + 6, y),
        (x + 2, y + 2),
        (x, y + 6),
        (x - 2, y + 2),
    ]
    return path(points, "sp-changed-fill", close=True, data_at=step)


def bolt(x: float, y: float, step: int) -> list[str]:
    """Where a process crashes."""
    points = [
        (x + 3, y - 12),
        (x - 7, y + 2),
        (x - 1, y + 2),
        (x - 4, y + 13),
        (x + 7, y - 3),
        (x + 1, y - 3),
    ]
    return [path(points, "sp-bolt", close=True, data_at=step)]


def hourglass(x: float, y: float, thick: bool, step: int) -> str:
    """Who waits for ever."""
    glass = [(x - 6, y - 8), (x + 6, y - 8), (x - 6, y + 8), (x + 6, y + 8)]
    return path(glass, "sp-wait" + (" sp-thick" if thick else ""), close=True, data_at=step)


def clock(x: float, y: float, step: int) -> list[str]:
    """Where a timer runs out: a face with two hands."""
    face = tag("circle", cx=x, cy=y, r=6, class_="sp-clock", data_at=step)
    hands = tag("path", d=f"M{x:.2f} {y - 4:.2f}V{y:.2f}H{x + 3:.2f}", class_="sp-hands", data_at=step)
    return [face, hands]
