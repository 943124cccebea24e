"""A text with places: what the parsers of types stand on."""

from __future__ import annotations

import re
from bisect import bisect_right
from functools import cached_property
from typing import NoReturn

from ...errors import ParseError, Place


class TextToken(str):
    """A piece of the text that remembers where it stands; `""` is the end of the text."""

    start: int
    end: int

    def __new__(cls, text: str, start: int, end: int) -> TextToken:
        token = super().__new__(cls, text)
        token.start, token.end = start, end
        return token


class TypeSource:
    """A text and its file's name; turns offsets into places."""

    def __init__(self, text: str, file: str | None = None) -> None:
        self.text = text
        self.file = file

    @cached_property
    def _starts(self) -> list[int]:
        return [0, *(m.end() for m in re.finditer(r"\n", self.text))]

    @cached_property
    def _lines(self) -> dict[int, str]:
        return {}

    def place(self, start: int, end: int | None = None) -> Place:
        number = bisect_right(self._starts, start) - 1
        first = self._starts[number]
        if number not in self._lines:
            stop = self.text.find("\n", first)
            self._lines[number] = self.text[first : len(self.text) if stop < 0 else stop]
        line = self._lines[number]
        width = max(1, min((start if end is None else end), first + len(line)) - start)
        return Place(self.file, number + 1, start - first + 1, line, width)

    def fail(self, message: str, start: int, end: int | None = None, hint: str | None = None) -> NoReturn:
        raise ParseError(message, place=self.place(start, end), hint=hint)


_PUNCTUATION = re.compile(r" ?([,:]) ?")
_OPENING = {"(": ")", "<": ">", "[": "]", "{": "}"}


def payload_end(source: TypeSource, start: int) -> int:
    """Just behind the bracket that closes the one at `start`; brackets nest."""
    opening = source.text[start]
    closing = _OPENING[opening]
    depth, position = 0, start
    for match in re.compile("[" + re.escape(opening + closing) + "]").finditer(source.text, start):
        depth += 1 if match[0] == opening else -1
        position = match.end()
        if depth == 0:
            return position
    source.fail(f"this '{opening}' is never closed", start, start + 1)


def message_name(label: str, payload: str) -> str:
    """`price` and `( x : int )` make `price(x: int)`; an empty payload makes just `price`.

    The payload is part of the name of a message; only its blanks are normalised.
    """
    inside = _PUNCTUATION.sub(lambda m: f"{m[1]} ", " ".join(payload[1:-1].split())).strip()
    return f"{label}{payload[0]}{inside}{payload[-1]}" if inside else label
