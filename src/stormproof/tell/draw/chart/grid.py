"""The character grid on which a chart is drawn for the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from ....errors import printable
from ..text_metrics import cells, clip_cells

#: A piece of a line and the name of its style; the plain style is empty.
Styled = tuple[str, str]

_MIRRORED = {"▶": "◀", "▷": "◁"}
#: A remark beside the chart that has less room than this goes below its row.
_LEAST_NOTE = 12
#: So many lines say below the chart who waits for what.
_MOST_ASIDE = 3
#: What a role waits for takes so many rows below its lifeline.
_MOST_ROWS = 4


class Grid:
    """Rows of cells with a lifeline for each process; every method that draws adds a row, except `note`."""

    def __init__(self, x: Mapping[str, int], width: int, note_at: int) -> None:
        self.x = dict(x)
        self.order = list(x)
        self.width = width
        self.note_at = note_at
        self.life = dict.fromkeys(x, "│")
        self.legend: dict[str, str] = {}
        self._rows: list[list[Styled]] = []

    def rows(self) -> list[list[Styled]]:
        """Each row as pieces of one style, without blanks at its end."""
        return [_pieces(row) for row in self._rows]

    def row(self, lives: bool = True) -> None:
        """A new row, with the lifelines or empty."""
        self._rows.append([(" ", "")] * self.width)
        if lives:
            for name, x in self.x.items():
                self.put(x, self.life[name], style="life")

    def put(self, x: int, text: str, room: int | None = None, style: str = "") -> int:
        """Write from a column on, within the grid, wide characters in two cells; returns where it ends."""
        row = self._rows[-1]
        limit = self.width if room is None else min(self.width, x + room)
        for character in clip_cells(text, limit - x):
            size = cells(character)
            if size == 0:
                row[max(x - 1, 0)] = (row[max(x - 1, 0)][0] + character, style)
                continue
            row[x] = (character, style)
            for extra in range(x + 1, min(x + size, self.width)):
                row[extra] = ("", style)
            x += size
        return x

    def fitted(self, words: str, room: int) -> str:
        """The words, or their beginning and a number under which the legend has all of them."""
        if cells(words) <= room:
            return words
        number = self.legend.setdefault(words, f"[{len(self.legend) + 1}]")
        return clip_cells(words, max(room - cells(number), 0)) + number

    def explain(self) -> None:
        """The legend, below the chart."""
        for words, number in self.legend.items():
            for i, line in enumerate(wrap(words, max(self.width - cells(number) - 3, 1))):
                self.row(lives=False)
                self.put(2, f"{number if i == 0 else ' ' * cells(number)} {line}", style="note")

    def gap(self, name: str) -> int:
        """The columns from a lifeline to the next one, or to the edge."""
        i = self.order.index(name)
        return (self.x[self.order[i + 1]] if i + 1 < len(self.order) else self.width) - self.x[name]

    def heading(self, names: Iterable[str]) -> None:
        self.row(lives=False)
        behind = 0
        for i, name in enumerate(names):
            shown = printable(name)
            start = max(self.x[name] - cells(shown) // 2, behind)
            stop = self.x[self.order[i + 1]] - 1 if i + 1 < len(self.order) else self.width
            room = max(stop - start, 1)
            behind = self.put(start, self.fitted(shown, room), room, "name") + 1

    def states(self, states: Mapping[str, str]) -> None:
        """States are written left of the first lifeline and right of the others."""
        self.row()
        for name, state in states.items():
            shown, x = printable(state), self.x[name]
            if name == self.order[0]:
                shown = self.fitted(shown, max(x - 1, 0))
                self.put(x - 1 - cells(shown), shown, style="state")
            else:
                room = self.gap(name) - 3
                self.put(x + 2, self.fitted(shown, room), room, "state")

    def event(self, name: str, sign: str, words: str, style: str) -> None:
        """An event that touches no channel."""
        self.row()
        behind = self.put(self.x[name], sign, style=style)
        room = self.gap(name) - 4
        self.put(behind + 1, self.fitted(words, room), room, style)

    def fade(self, name: str) -> None:
        """The lifeline of a process that has crashed and only announces it."""
        self.life[name] = "┊"

    def end(self, name: str) -> None:
        self.life[name] = " "

    def resume(self, name: str) -> None:
        self.life[name] = "│"

    def arrow(
        self,
        sender: str,
        receiver: str,
        words: str,
        *,
        tip: str,
        start: str = "",
        stroke: str = "─",
        reach: float = 1.0,
        skip: float = 0.0,
        style: str = "",
    ) -> None:
        """A level arrow, from `skip` to `reach` of the way; a `start` text stands where it begins."""
        self.row()
        a, b = self.x[sender], self._target(sender, receiver, words)
        right, span = b > a, abs(b - a)
        first, last = round(span * skip), round(span * reach) if reach < 1 else span - 1
        if not skip:
            self.put(a, "├" if right else "┤", style=style)
            first = 1
        low, high = (a + first, a + last) if right else (a - last, a - first)
        for x in range(low, high + 1):
            self.put(x, "┼" if x in self.x.values() else stroke, style=style)
        head = tip if right else _MIRRORED.get(tip, tip)
        self.put(high - cells(head) + 1 if right else low, head, style=style)
        if start:
            self.put(low if right else high - cells(start) + 1, start, style=style)
        left_sign, right_sign = (start, head) if right else (head, start)
        inside = (low + max(cells(left_sign), 1), high - max(cells(right_sign), 1))
        self._label(*inside, words, slack=0 if start else 1, right=right, style=style)

    def back(self, name: str, words: str, start: str) -> None:
        """A message to oneself arrives: from `start`, beside the lifeline, back to it."""
        self.row()
        a, b = self.x[name], self._target(name, name, words)
        for x in range(a + 1, b):
            self.put(x, "─")
        self.put(a + 1, "◀")
        self.put(b - cells(start), start)
        self._label(a + 2, b - cells(start) - 1, words)

    def _target(self, sender: str, receiver: str, words: str) -> int:
        """The column to which an arrow leads: for a message to oneself, some way to the right."""
        if sender != receiver:
            return self.x[receiver]
        return self.x[sender] + max(min(cells(words) + 8, self.gap(sender) - 1), 6)

    def _label(
        self, low: int, high: int, words: str, slack: int = 0, right: bool = True, style: str = ""
    ) -> None:
        """In the widest stretch between lifelines, or across them where it would not fit otherwise, with a
        blank on both sides; over the first dash of the arrow as well (`slack`) if that helps."""
        cuts = [low - 1, *sorted(x for x in self.x.values() if low <= x <= high), high + 1]
        size, left, stop = max((b - a, a, b) for a, b in itertools.pairwise(cuts))
        if cells(words) > size - 3:
            left, stop = low - 1, high + 1
            if cells(words) > stop - left - 3:
                left, stop = (left - slack, stop) if right else (left, stop + slack)
            size = stop - left
        shown = self.fitted(words, size - 3)
        if shown:
            at = left + 1 + max((size - 1 - cells(shown) - 2) // 2, 0)
            self.put(at, f" {shown} ", stop - at, style)

    def between(self, sender: str, receiver: str, words: str, style: str) -> None:
        """What happens inside a channel: between its lifelines, or over others where that is too narrow."""
        self.row()
        low, high = sorted((self.x[sender], self.x[receiver]))
        if sender != receiver and cells(words) <= high - low - 3:
            self._label(low + 1, high - 1, words, style=style)
        elif cells(words) <= self.width - low - 2:
            self.put(low + 2, words, style=style)
        else:
            self._rows.pop()
            self.remark(words, style)

    def note(self, words: str, style: str = "note") -> None:
        """A remark beside the last row, or below it where the chart leaves no room."""
        if not words:
            return
        room = self.width - self.note_at
        if cells(words) <= room:
            self.put(self.note_at, words, style=style)
        elif room >= _LEAST_NOTE:
            for i, line in enumerate(wrap(words, room)):
                if i:
                    self.row()
                self.put(self.note_at, line, style=style)
        else:
            self.remark(words, style)

    def remark(self, words: str, style: str = "note") -> None:
        """Rows of text of their own."""
        for line in wrap(words, self.width - 2):
            self.row(lives=False)
            self.put(2, line, style=style)

    def frame(self, words: str, style: str = "fold") -> None:
        """A dotted line over all lifelines, above and below what is repeated."""
        self.row(lives=False)
        low, high = min(self.x.values()), max(self.x.values())
        start = max(low - 3, 0)
        self.put(start, "┄" * (min(max(high + 4, start + cells(words) + 4), self.width) - start), style=style)
        self.put(start + 2, words, style=style)

    def waits(self, phrases: Mapping[str, list[str]], standing: str) -> None:
        """Hourglasses at the foot of the lifelines; what is awaited takes several rows if it must. Where that
        would be long, it is said once where everybody is."""
        table, aside = {}, []
        for name, lines in phrases.items():
            room = self.gap(name) - 4
            table[name] = [part for line in lines for part in wrap(line, room)]
            broken = any(cells(word) > room for line in lines for word in line.split(" "))
            if broken or len(table[name]) > _MOST_ROWS:
                aside += [f"⌛ {printable(name)}: {line}" for line in lines]
                table[name] = [""]
        for i in range(max(map(len, table.values()))):
            self.row(lives=False)
            for name in self.order:
                if i < len(table.get(name, ())):
                    self.put(self.x[name], "⌛" if i == 0 else "  ", style="wait")
                    self.put(self.x[name] + 3, table[name][i], self.gap(name) - 4, "wait")
                elif name not in table and i == 0:
                    self.put(self.x[name], self.life[name], style="life")
        if len(aside) > _MOST_ASIDE:
            aside = [f"at the end: {standing}"]
        for line in (part for words in aside for part in wrap(words, self.width)):
            self.row(lives=False)
            self.put(0, line, style="wait")


def wrap(words: str, room: int) -> list[str]:
    """Broken at blanks; a word that is too long is broken at its separators, or else where it must be."""
    lines: list[str] = []
    for word in words.split(" "):
        if lines and cells(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines += _broken(word, max(room, 2))
    return lines


def _broken(word: str, room: int) -> list[str]:
    """The word in pieces that fit."""
    pieces = []
    while cells(word) > room:
        fits = clip_cells(word, room + 1)[:-1]
        at = max(fits.rfind(sign) for sign in ",;:_./") + 1 or len(fits)
        pieces.append(word[:at])
        word = word[at:]
    return [*pieces, word]


def _pieces(row: list[Styled]) -> list[Styled]:
    while row and row[-1][0] in ("", " ") and not (row[-1][0] == "" and len(row) > 1 and row[-2][0] != " "):
        row = row[:-1]
    grouped = itertools.groupby(row, key=lambda cell: cell[1])
    return [("".join(character for character, _ in same), style) for style, same in grouped]
