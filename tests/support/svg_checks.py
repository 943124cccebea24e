"""What must be true of every SVG: well-formed, no number that is none, nothing outside the frame."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from stormproof.tell.draw.text_metrics import text_width

_NS = "{http://www.w3.org/2000/svg}"
_SIZES = {
    "sp-label": 12,
    "sp-name": 13,
    "sp-state": 9.5,
    "sp-small": 9.5,
    "sp-title": 13,
    "sp-edge-label": 11,
}


def texts(svg: str) -> list[str]:
    """The texts of a picture, without tooltips."""
    found = []
    for element in ET.fromstring(svg).iter(f"{_NS}text"):
        tips = "".join(t.text or "" for t in element.iter(f"{_NS}title"))
        found.append("".join(element.itertext())[len(tips) :])
    return found


def check_svg(svg: str) -> ET.Element:
    """Raises AssertionError for a picture that is not sound."""
    root = ET.fromstring(svg)
    assert root.tag == f"{_NS}svg"
    for name in ("script", "foreignObject", "image", "use"):
        assert root.find(f".//{_NS}{name}") is None
    assert "http" not in svg.replace("http://www.w3.org/2000/svg", "")
    _, _, width, height = (float(x) for x in root.get("viewBox", "").split())
    assert width > 0 and height > 0
    for element, dx, dy in _walk(root, 0.0, 0.0):
        for key, value in element.attrib.items():
            bad = re.search(r"\b(nan|inf)\b", value, re.I) and key != "aria-label"
            assert not bad, (element.tag, key, value)
        for x, y in _points(element):
            where = (element.tag, element.attrib, width, height)
            assert -0.6 <= x + dx <= width + 0.6 and -0.6 <= y + dy <= height + 0.6, where
    return root


def _walk(element: ET.Element, dx: float, dy: float) -> Iterator[tuple[ET.Element, float, float]]:
    """Every element with how far the groups around it move it."""
    moved = re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", ""))
    if moved:
        dx, dy = dx + float(moved[1]), dy + float(moved[2])
    yield element, dx, dy
    for child in element:
        yield from _walk(child, dx, dy)


def _points(element: ET.Element) -> list[tuple[float, float]]:
    get = element.attrib
    name = element.tag.removeprefix(_NS)
    if name == "path":
        numbers = [float(x) for x in re.findall(r"-?\d+(?:\.\d+)?", get["d"])]
        return list(zip(numbers[::2], numbers[1::2]))
    if name == "rect":
        x, y = float(get["x"]), float(get["y"])
        return [(x, y), (x + float(get["width"]), y + float(get["height"]))]
    if name in ("circle", "ellipse"):
        rx, ry = float(get.get("r", get.get("rx", 0))), float(get.get("r", get.get("ry", 0)))
        return [(float(get["cx"]) + s * rx, float(get["cy"]) + s * ry) for s in (-1, 1)]
    if name == "text":
        return _text_points(element)
    return []


def _text_points(element: ET.Element) -> list[tuple[float, float]]:
    kinds = element.get("class", "").split()
    size = next((_SIZES[k] for k in kinds if k in _SIZES), 12)
    tips = "".join(t.text or "" for t in element.iter(f"{_NS}title"))
    # The estimate of the width has slack for wide fonts, which the frame need not have as well.
    wide = text_width("".join(element.itertext())[len(tips) :], size) / 1.12
    x, y = float(element.attrib["x"]), float(element.attrib["y"])
    start = x if "sp-left" in kinds else x - wide if "sp-times" in kinds else x - wide / 2
    return [(start, y - size * 0.8), (start + wide, y + size * 0.2)]
