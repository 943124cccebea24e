"""How wide a text is: in pixels for pictures (Helvetica's widths), in cells for the terminal."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from rich.cells import cell_len

#: Adobe's widths of Helvetica for the characters from blank to tilde, in thousandths of the size.
_HELVETICA = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667, 611, 778,
    722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278,
    278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip

#: Fonts that stand in for Helvetica are up to this much wider (DejaVu Sans is the widest in common use).
_SLACK = 1.12


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """An upper estimate of the width in pixels at a font size."""
    return sum(map(_advance, text)) * size / 1000 * _SLACK


def _advance(character: str) -> int:
    code = ord(character) - 32
    if 0 <= code < len(_HELVETICA):
        return _HELVETICA[code]
    if unicodedata.combining(character):
        return 0
    return 1000 if unicodedata.east_asian_width(character) in "WF" or code > 0x1000 else 640


def clip(text: str, size: float, room: float) -> str:
    """The text, or as much of it as fits with an ellipsis behind."""
    if text_width(text, size) <= room:
        return text
    low, high = 0, len(text)
    while low < high:
        middle = (low + high + 1) // 2
        if text_width(text[:middle] + "…", size) <= room:
            low = middle
        else:
            high = middle - 1
    return text[:low] + "…"


#: Where a long name may be broken: after a separator, and before a capital inside a word.
_BREAK = re.compile(r"(?<=[\s,;:!?_./()\[\]|+-])(?=\S)|(?<=[a-z0-9])(?=[A-Z])")


def wrap(text: str, size: float, room: float, most: int) -> list[str]:
    """The text in at most so many lines that fit, broken where a name has parts; the last one is clipped."""
    if text_width(text, size) <= room:
        return [text]
    lines: list[str] = []
    current = ""
    parts = [part for part in _BREAK.split(text) if part]
    for i, part in enumerate(parts):
        if current and text_width(current + part.rstrip(), size) > room:
            if len(lines) == most - 1:
                current += "".join(parts[i:])
                break
            lines.append(current.rstrip())
            current = ""
        current += part
    return [*lines, clip(current, size, room)]


def cells(text: str) -> int:
    """The width in the terminal."""
    return cell_len(text)


def clip_cells(text: str, room: int) -> str:
    """The text, or as much of it as fits in so many cells with an ellipsis behind."""
    if cells(text) <= room:
        return text
    if room <= 0:
        return ""
    kept = ""
    for character in text:
        if cells(kept + character) > room - 1:
            break
        kept += character
    return kept + "…"
