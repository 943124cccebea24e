"""One text that is open in an editor, and its positions as the protocol counts them."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from lsprotocol import types as lsp

from ...errors import StormproofError
from ...kernel.model.system import System
from ...languages.formats.storm import read
from ...languages.formats.storm_occurrences import Occurrence, Outline, outline

#: Names in longer texts are not looked up, since that would take longer than a keystroke.
MOST_CHARACTERS = 100_000

#: How many units of the encoding that client and server agreed on a piece of a line has.
Units = Callable[[str], int]


@dataclass
class OpenText:
    """A version of a text. `problems` is what a worker found in it or, until it has answered, in an older
    one; `before` is what the last version that could be read describes."""

    uri: str
    text: str
    version: int | None
    units: Units
    problems: list[dict[str, Any]] = field(default_factory=list)
    before: System | None = None

    def changed(self, text: str, version: int | None) -> OpenText:
        """The next version, which remembers what could be read last."""
        known = self.__dict__.get("system", self.before)  # not read just for this: keystrokes do not wait
        return OpenText(self.uri, text, version, self.units, self.problems, known)

    @cached_property
    def outline(self) -> Outline:
        return Outline(self.text) if len(self.text) > MOST_CHARACTERS else outline(self.text)

    @cached_property
    def system(self) -> System | None:
        """What the text describes or, while it has mistakes, what it described before."""
        if len(self.text) > MOST_CHARACTERS:
            return None
        try:
            return read(self.text)
        except StormproofError:
            return self.before

    # ---- positions ----

    @cached_property
    def _lines(self) -> list[int]:
        starts, at = [0], self.text.find("\n")
        while at >= 0:
            starts.append(at + 1)
            at = self.text.find("\n", at + 1)
        return starts

    def position(self, offset: int) -> lsp.Position:
        line = bisect_right(self._lines, offset) - 1
        return lsp.Position(line, self.units(self.text[self._lines[line] : offset]))

    def range(self, start: int, end: int) -> lsp.Range:
        return lsp.Range(self.position(start), self.position(end))

    def line_start(self, line: int) -> int:
        """Lines count from 0; the end of the text where there are fewer."""
        return self._lines[line] if line < len(self._lines) else len(self.text)

    def offset(self, position: lsp.Position) -> int:
        start = self.line_start(position.line)
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        units, at = 0, start
        while at < end and units < position.character:
            units += self.units(self.text[at])
            at += 1
        return at

    def word_at(self, position: lsp.Position) -> Occurrence | None:
        return self.outline.at(self.offset(position))

    def location(self, word: Occurrence) -> lsp.Location:
        return lsp.Location(self.uri, self.range(word.start, word.end))
