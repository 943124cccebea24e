"""Just enough to write SVG by hand: elements, numbers, escaping, and the one style sheet of all pictures.

Colours are those of Okabe and Ito, darkened or lightened to keep contrast, and never the only sign: each kind
of arrow and state has a shape or a dash pattern of its own. The style uses plain properties and no
variables, so that viewers other than browsers draw it too; print gets the light colours.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from ...errors import printable

Point = tuple[float, float]

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"

_LIGHT = {
    "ink": "#1a1a1a", "faint": "#6b6b6b", "line": "#9a9a9a", "paper": "#ffffff", "box": "#eef1f5",
    "lost": "#b23a00", "changed": "#8a1f6a", "wait": "#7a4b00", "mark": "#ffe9a8", "blue": "#005a93",
}  # fmt: skip
_DARK = {
    "ink": "#ececec", "faint": "#a8a8a8", "line": "#777777", "paper": "#16181c", "box": "#262a31",
    "lost": "#ff8a4d", "changed": "#f08fd0", "wait": "#f0c060", "mark": "#5a4a12", "blue": "#6cc0f5",
}  # fmt: skip

_FIXED = f"""
.sp text {{ font-family: {FONT}; }}
.sp-line, .sp-life, .sp-edge {{ fill: none; }}
.sp-line {{ stroke-width: 1.5; }}
.sp-after {{ stroke-dasharray: 7 2.5 1.5 2.5; }}
.sp-never {{ stroke-dasharray: 6 4; }}
.sp-life {{ stroke-width: 1.2; }}
.sp-gone {{ stroke-dasharray: 1.5 4; }}
.sp-cross {{ fill: none; stroke-width: 2.6; stroke-linecap: round; }}
.sp-culprit {{ stroke-width: 2.6; }}
.sp-label {{ font-size: 12px; text-anchor: middle; }}
.sp-edge-label {{ font-size: 11px; }}
.sp-name {{ font-size: 13px; font-weight: bold; text-anchor: middle; }}
.sp-state, .sp-small {{ font-size: 11px; text-anchor: middle; }}
.sp-title {{ font-size: 13px; font-weight: bold; }}
.sp-who {{ font-size: 9.5px; font-weight: bold; }}
.sp-halo {{ paint-order: stroke; stroke-width: 4px; stroke-linejoin: round; }}
.sp-frame {{ fill: none; stroke-width: 1; stroke-dasharray: 3 3; }}
.sp-stretch {{ stroke-width: 1; stroke-dasharray: 2 3; }}
.sp-edge {{ stroke-width: 1.3; }}
.sp-thick {{ stroke-width: 2.6; }}
.sp-copy {{ stroke-dasharray: 2 2.5; }}
.sp-loop {{ fill: none; stroke-width: 1.4; stroke-dasharray: 8 4; }}
.sp-no-return {{ fill: none; stroke-width: 1.6; stroke-dasharray: 2 4; }}
.sp-stop {{ fill: none; stroke-width: 2.4; stroke-linecap: round; }}
.sp-left {{ text-anchor: start; }}
.sp-strip {{ display: none; }} .moved > .sp-strip {{ display: inline; }}
.sp-times {{ text-anchor: end; font-size: 12px; }}
.sp-caption {{ font-size: 12px; }}
"""


def _rules(colour: dict[str, str]) -> str:
    ink, faint, line, paper = colour["ink"], colour["faint"], colour["line"], colour["paper"]
    lost, changed, wait, blue = colour["lost"], colour["changed"], colour["wait"], colour["blue"]
    return f"""
.sp-bg, .sp-strip {{ fill: {paper}; }}
.sp text {{ fill: {ink}; }}
.sp-halo {{ stroke: {paper}; }}
.sp-line, .sp-edge {{ stroke: {ink}; }}
.sp-life, .sp-frame {{ stroke: {line}; }}
.sp-stretch {{ fill: {colour["box"]}; stroke: {line}; }}
.sp-no-return {{ stroke: {lost}; }}
.sp-loop, .sp-copy {{ stroke: {blue}; }} .sp text.sp-copy-text {{ fill: {blue}; }}
.sp-copies {{ fill: {paper}; stroke: {blue}; stroke-width: 1.2; }}
.sp-stop {{ stroke: {lost}; }} .sp text.sp-lost-text {{ fill: {lost}; }}
.sp-dot, .sp-head {{ fill: {ink}; stroke: {ink}; }}
.sp-hollow {{ fill: {paper}; stroke: {ink}; stroke-width: 1.4; }}
.sp-box {{ fill: {colour["box"]}; stroke: {line}; }}
.sp-pill {{ fill: {paper}; stroke: {line}; stroke-width: 0.8; }}
.sp text.sp-state, .sp text.sp-small {{ fill: {faint}; }}
.sp-lost {{ stroke: {lost}; }}
.sp-changed {{ stroke: {changed}; }} .sp-changed-fill {{ fill: {changed}; stroke: {changed}; }}
.sp text.sp-changed-text {{ fill: {changed}; }}
.sp-wait {{ stroke: {wait}; fill: {colour["mark"]}; }} .sp text.sp-wait-text {{ fill: {wait}; }}
.sp-clock {{ fill: {paper}; stroke: {ink}; stroke-width: 1.2; }}
.sp-hands {{ fill: none; stroke: {ink}; stroke-width: 1.2; }}
.sp-bolt {{ fill: {colour["mark"]}; stroke: {lost}; stroke-width: 1.4; }}
.sp-ring {{ fill: none; stroke: {blue}; stroke-width: 1.6; }} .sp text.sp-ring-text {{ fill: {blue}; }}
.sp-node {{ fill: {paper}; stroke: {ink}; stroke-width: 1.2; }}
.sp-inner {{ fill: none; stroke: {ink}; stroke-width: 1; }}
.sp-here {{ fill: {colour["mark"]}; stroke: {ink}; stroke-width: 2.8; }}
.sp-cycle {{ stroke: {lost}; stroke-width: 2.8; }} .sp-cycle-head {{ fill: {lost}; stroke: {lost}; }}
"""


def stylesheet() -> str:
    """The rules of every picture: light, and dark on a screen that asks for it."""
    dark = _rules(_DARK)
    return f"{_FIXED}{_rules(_LIGHT)}@media screen and (prefers-color-scheme: dark) {{{dark}}}\n"


_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def escape(text: object) -> str:
    """Text for the inside of an element or of a quoted attribute; what XML forbids is shown escaped."""
    shown = _FORBIDDEN.sub("\ufffd", printable(text))
    for raw, entity in (("&", "&amp;"), ("<", "&lt;"), (">", "&gt;"), ('"', "&quot;"), ("'", "&#39;")):
        shown = shown.replace(raw, entity)
    return shown


def number(value: float) -> str:
    """Two decimals at most and no trailing noise."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text


def tag(name: str, *inside: str, **attributes: object) -> str:
    """An element; `class_` is `class`, other underscores are dashes. What is inside is markup already."""
    body = "".join(inside)
    opening = _opening(name, attributes)
    return f"<{opening}>{body}</{name}>" if body else f"<{opening}/>"


def _opening(name: str, attributes: dict[str, object]) -> str:
    parts = [name]
    for key, value in attributes.items():
        if value is not None:
            shown = number(value) if isinstance(value, (int, float)) else escape(value)
            parts.append(f'{key.rstrip("_").replace("_", "-")}="{shown}"')
    return " ".join(parts)


def text(x: float, y: float, words: str, kind: str, tip: str | None = None, **attributes: object) -> str:
    """A line of text; `tip` is the whole of a text that had to be clipped."""
    title = tag("title", escape(tip)) if tip is not None and tip != words else ""
    return tag("text", title, escape(words), x=x, y=y, class_=kind, **attributes)


def path(points: Iterable[tuple[float, float]], kind: str, close: bool = False, **attributes: object) -> str:
    """A polyline."""
    data = "M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + ("Z" if close else "")
    return tag("path", d=data, class_=kind, **attributes)


def document(
    width: float, height: float, body: Iterable[str], label: str, style: bool = True, description: str = ""
) -> str:
    """The whole picture on its own background; screen readers read `label`, and `description` if asked."""
    background = tag("rect", x=0, y=0, width=width, height=height, class_="sp-bg")
    sheet = f"<style>{stylesheet()}</style>" if style else ""
    described = tag("desc", escape(description)) if description else ""
    inside = [sheet, tag("title", escape(label)), described, background, *body]
    return tag(
        "svg", *inside, xmlns="http://www.w3.org/2000/svg", viewBox=f"0 0 {number(width)} {number(height)}",
        width=width, height=height, class_="sp", role="img", aria_label=label,
    )  # fmt: skip
