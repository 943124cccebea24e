"""The character grid on which a chart is drawn for the terminal."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping

from ...model.message_tracking import Fate
from ..text_metrics import cells, clip_cells, printable
from .build import Chart, Lifeline

_LEAST_GAP = 9
_LONGEST_STATE = 16
_NOTE = 16


class Grid:
    """Rows of cells with a lifeline for each process; every method that draws adds a row, but `note`."""

    def __init__(self, x: Mapping[str, int], width: int) -> None:
        self.x = dict(x)
        self.order = list(x)
        self.width = width
        self.life = dict.fromkeys(x, "│")
        self._rows: list[list[str]] = []

    def rows(self) -> list[str]:
        return ["".join(row) for row in self._rows]

    def _row(self, lives: bool = True) -> None:
        self._rows.append([" "] * self.width)
        if lives:
            for name, x in self.x.items():
                self._put(x, self.life[name])

    def _put(self, x: int, text: str, room: int | None = None) -> int:
        """Write from a column on, within the grid, wide characters in two cells; returns where it ends."""
        row = self._rows[-1]
        limit = self.width if room is None else min(self.width, x + room)
        for character in clip_cells(text, limit - x):
            size = cells(character)
            if size == 0:
                row[max(x - 1, 0)] += character
                continue
            row[x] = character
            for extra in range(x + 1, min(x + size, self.width)):
                row[extra] = ""
            x += size
        return x

    def heading(self, names: Iterable[str]) -> None:
        self._row(lives=False)
        behind = 0
        for i, name in enumerate(names):
            shown = printable(name)
            start = max(self.x[name] - cells(shown) // 2, behind)
            stop = self.x[self.order[i + 1]] - 1 if i + 1 < len(self.order) else self.width
            behind = self._put(start, shown, max(stop - start, 1)) + 1

    def state_row(self, states: Mapping[str, str]) -> None:
        """States stand left of the first lifeline and right of the others."""
        self._row()
        for name, state in states.items():
            shown, x = printable(state), self.x[name]
            if name == self.order[0]:
                shown = clip_cells(shown, max(x - 1, 0))
                self._put(x - 1 - cells(shown), shown)
            else:
                self._put(x + 2, shown, self._gap(name) - 3)

    def _gap(self, name: str) -> int:
        i = self.order.index(name)
        return (self.x[self.order[i + 1]] if i + 1 < len(self.order) else self.width) - self.x[name]

    def own(self, name: str, sign: str, words: str) -> None:
        """An action that touches no channel."""
        self._row()
        behind = self._put(self.x[name], sign)
        self._put(behind + 1, words, self._gap(name) - 4)

    def kill(self, name: str) -> None:
        self.life[name] = "┊"

    def end(self, name: str) -> None:
        self.life[name] = " "

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
    ) -> None:
        """A level arrow, from `skip` to `reach` of the way; a `start` text stands where it begins."""
        self._row()
        a, b = self.x[sender], self.x[receiver]
        right = b > a
        span = abs(b - a)
        first, last = round(span * skip), round(span * reach) if reach < 1 else span - 1
        if not skip:
            self._put(a, "├" if right else "┤")
            first = 1
        low, high = (a + first, a + last) if right else (a - last, a - first)
        for x in range(low, high + 1):
            self._put(x, "┼" if x in self.x.values() else stroke)
        flip = {"▶": "◀", "▷": "◁"}
        head = tip if right else flip.get(tip, tip)
        self._put(high - cells(head) + 1 if right else low, head)
        if start:
            self._put(low if right else high - cells(start) + 1, start)
        self._label(
            low + max(cells(head if not right else start), 1),
            high - max(cells(head if right else start), 1),
            words,
            slack=0 if start else 1,
            right=right,
        )

    def _label(self, low: int, high: int, words: str, slack: int = 0, right: bool = True) -> None:
        """In the widest stretch between lifelines, with a blank on both sides; over the first dash of the
        arrow as well (`slack`) where the words would not fit otherwise."""
        cuts = [low - 1, *sorted(x for x in self.x.values() if low <= x <= high), high + 1]
        size, left, stop = max((b - a, a, b) for a, b in itertools.pairwise(cuts))
        if cells(words) > size - 3 and len(cuts) == 2:
            left, stop = (left - slack, stop) if right else (left, stop + slack)
            size += slack
        room = size - 3
        shown = clip_cells(words, room)
        if shown:
            at = left + 1 + max((size - 1 - cells(shown) - 2) // 2, 0)
            self._put(at, f" {shown} ", stop - at)

    def between(self, sender: str, receiver: str, words: str) -> None:
        """Words between two lifelines, for what happens inside a channel."""
        self._row()
        low, high = sorted((self.x[sender], self.x[receiver]))
        self._label(low + 1, high - 1, words)

    def note(self, words: str) -> None:
        """A remark at the right end of the last row, if there is room for it."""
        if words:
            x = self.note_at
            if self.width - x >= 4:
                self._put(x, words)

    note_at = 0

    def fold(self, words: str) -> None:
        self._row(lives=False)
        low, high = min(self.x.values()), max(self.x.values())
        start = max(low - 3, 0)
        self._put(start, "┄" * (min(high + 4, self.width) - start))
        self._put(start + 2, words, high - low)

    def waits(self, phrases: Mapping[str, list[str]]) -> None:
        """Hourglasses at the foot of the lifelines; what is awaited goes on over several rows if it must."""
        table, aside = {}, []
        for name, lines in phrases.items():
            room = self._gap(name) - 4
            table[name] = [part for line in lines for part in _wrap(line, room)]
            if any(cells(part) > room for part in table[name]):
                aside += [f"⌛ {printable(name)}: {line}" for line in lines]
                table[name] = [""]
        for i in range(max(map(len, table.values()))):
            self._row(lives=False)
            for name in self.order:
                if i < len(table.get(name, ())):
                    self._put(self.x[name], "⌛" if i == 0 else "  ")
                    self._put(self.x[name] + 3, table[name][i], self._gap(name) - 4)
                elif name not in table and i == 0:
                    self._put(self.x[name], self.life[name])
        for line in (part for words in aside for part in _wrap(words, self.width)):
            self._row(lives=False)
            self._put(0, line)


def _wrap(words: str, room: int) -> list[str]:
    lines: list[str] = []
    for word in words.split(" "):
        if lines and cells(f"{lines[-1]} {word}") <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    return lines


def grid_for(chart: Chart, width: int) -> Grid | None:
    """Where the lifelines go, or None when they would stand too close."""
    names, first, last = chart.names, chart.lifelines[0], chart.lifelines[-1]
    left = max([*(_state(s.state) for s in first.spans), cells(printable(names[0])) // 2]) + 1
    right = max([*(_state(s.state) for s in last.spans), (cells(printable(names[-1])) + 1) // 2]) + 2
    note = _NOTE if any(f.fate is not Fate.RECEIVED or f.changes or f.overtakes for f in chart.shown) else 0
    gaps, waits = _gaps(chart), max(right + note, _waiting(last, len(names) > 2))
    for room in (waits, right + note, right):
        fitted = _fit(gaps, width - left - room - 1)
        # Room for what the last one waits for is taken only where nothing else has to shrink for it.
        if fitted is not None and (room <= right + note or fitted == gaps):
            break
    else:
        return None
    x = {names[0]: left}
    for before, name, gap in zip(names, names[1:], fitted):
        x[name] = x[before] + gap
    grid = Grid(x, width)
    grid.note_at = x[names[-1]] + right + 1
    return grid


def _waiting(line: Lifeline, several: bool) -> int:
    """The room for what a process waits for at the end."""
    phrases = line.wait.phrases(several) if line.wait is not None else ()
    return max((min(cells(printable(p)), 30) + 5 for p in phrases), default=0)


def _state(name: str) -> int:
    return min(cells(printable(name)), _LONGEST_STATE)


def _gaps(chart: Chart) -> list[int]:
    """The room that labels, states, names and waits would like between neighbours."""
    names = chart.names
    index = {name: i for i, name in enumerate(names)}
    gaps = [max(_LEAST_GAP, 16 if len(names) == 2 else 0) for _ in names[1:]]
    for i, line in enumerate(chart.lifelines[:-1]):
        own = [cells(printable(line.name)) // 2 + cells(printable(names[i + 1])) // 2 + 3]
        own += [_state(s.state) + 4 for s in line.spans] if i else []
        if line.wait is not None:
            own.append(_waiting(line, len(names) > 2))
        gaps[i] = max([gaps[i], *own])
    for flight in chart.shown:
        a, b = sorted(index[end] for end in flight.channel)
        if b - a == 1:
            words = " ⇝ ".join(printable(m) for m in (flight.message, *(c.becomes for c in flight.changes)))
            gaps[a] = max(gaps[a], min(cells(words), 40) + 12)
    return gaps


def _fit(gaps: list[int], room: int) -> list[int] | None:
    """Shrink the widest gaps until they fit, but none below the least."""
    gaps = list(gaps)
    if _LEAST_GAP * len(gaps) > room:
        return None
    while sum(gaps) > room:
        widest = max(range(len(gaps)), key=gaps.__getitem__)
        gaps[widest] -= 1
    return gaps
