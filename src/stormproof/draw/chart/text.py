"""Message sequence charts for the terminal: Unicode, never wider than asked, folded where rounds repeat.

A message that is received (or lost) at once is one arrow; one that stays in flight while others act is cut in
two, and a circled number joins its ends. A chart too wide for the terminal becomes a numbered list.
"""

from __future__ import annotations

import textwrap

from ...model.actions import Internal, Receive
from ...model.fault_steps import Fault
from ...model.message_tracking import Fate, Flight
from ...model.run import Act
from ..text_metrics import clip_cells, printable
from .build import Chart, describe
from .grid import Grid, grid_for


def chart_text(chart: Chart, width: int = 80) -> str:
    """The chart in at most `width` columns; lines end without blanks."""
    grid = grid_for(chart, width)
    lines = _listed(chart, width) if grid is None else _Drawing(chart, grid).lines()
    return "\n".join(line.rstrip() for line in lines)


def tag_of(number: int) -> str:
    """A circled number, or one in brackets past the twenty that Unicode has."""
    return chr(0x245F + number) if number <= 20 else f"({number})"


class _Drawing:
    def __init__(self, chart: Chart, grid: Grid) -> None:
        self.chart = chart
        self.grid = grid
        self.by_step = {i: f for f in chart.shown for i in f.instants}
        self.compact = {f.index for f in chart.shown if self._at_once(f)}
        self.tags = self._tags()
        self.states = {line.name: line.spans[0].state for line in chart.lifelines}

    def _tags(self) -> dict[int, str]:
        """Numbers for the messages whose send and reception are apart; a copy has that of its original."""
        origin = {f.index: f.index if f.copy_of is None else f.copy_of for f in self.chart.shown}
        apart = [f for f in self.chart.shown if f.index not in self.compact and f.fate is not Fate.OPEN]
        numbered = dict.fromkeys(sorted(origin[f.index] for f in apart))
        tags = {index: tag_of(i + 1) for i, index in enumerate(numbered)}
        return {index: tags[first] for index, first in origin.items() if first in tags}

    def _at_once(self, flight: Flight) -> bool:
        steps = range(flight.sent, flight.instants[-1] + 1)
        return flight.fate is not Fate.OPEN and tuple(steps) == flight.instants

    def lines(self) -> list[str]:
        self.grid.heading(self.chart.names)
        self.grid.state_row(self.states)
        starts = {f.first: f for f in self.chart.folds}
        stops = {f.first + f.length - 1 for f in self.chart.folds}
        hidden = self.chart.hidden
        changed: dict[str, str] = {}
        for i in (i for i in range(len(self.chart.steps)) if i not in hidden):
            if i in starts:
                self.grid.fold(f" {starts[i].times} times ")
            drawn = self._step(i)
            changed |= self._changes(i)
            # The states after one arrow stand in one row, so they wait for the reception drawn with its send.
            if drawn is not None:
                changed = self._flush(i, changed)
            if i in stops:
                self.grid.fold("")
        self._ends()
        return self.grid.rows()

    def _changes(self, i: int) -> dict[str, str]:
        step = self.chart.steps[i]
        if not isinstance(step, Act) or self.states[step.process] == step.state:
            return {}
        self.states[step.process] = step.state
        return {step.process: step.state}

    def _flush(self, i: int, changed: dict[str, str]) -> dict[str, str]:
        flight = self.by_step.get(i)
        if flight is not None and flight.index in self.compact:
            if i < flight.instants[-1]:
                return changed
        if changed:
            self.grid.state_row(changed)
        return {}

    def _step(self, i: int) -> bool | None:
        """Draw what a step looks like; None for a step that has no row of its own."""
        step, flight = self.chart.steps[i], self.by_step.get(i)
        if isinstance(step, Fault) and flight is None:
            return None
        if flight is not None and flight.index in self.compact:
            if i == flight.sent:
                self._arrow(flight)
            return True
        if isinstance(step, Fault):
            assert flight is not None
            self._on_the_way(flight, step)
        elif isinstance(step.action, Internal):
            sign = "⚡" if step.action.crashes else "◷" if step.action.timeout else "■"
            self.grid.own(step.process, sign, printable(str(step.action)))
            if sign == "⚡":
                self.grid.kill(step.process)
        elif isinstance(step.action, Receive):
            assert flight is not None
            self._arrival(flight)
        else:
            assert flight is not None
            self._departure(flight)
        self._let_go(i, step)
        return True

    def _let_go(self, i: int, step: Act | Fault) -> None:
        """A crashed process has no line below its last broadcast."""
        if isinstance(step, Act):
            line = next(line for line in self.chart.lifelines if line.name == step.process)
            if line.crash is not None and line.last == i:
                self.grid.end(step.process)

    def _arrow(self, flight: Flight) -> None:
        words = " ⇝ ".join(printable(m) for m in (flight.message, *(c.becomes for c in flight.changes)))
        notes = ["corrupted"] if flight.changes else []
        if flight.fate is Fate.LOST:
            self.grid.arrow(*flight.channel, words, tip="✕", reach=0.8)
            notes.append("lost")
        else:
            self.grid.arrow(*flight.channel, words, tip="▶")
        self.grid.note(", ".join([*notes, *self._overtaking(flight)]))

    def _departure(self, flight: Flight) -> None:
        if flight.fate is Fate.OPEN:
            self.grid.arrow(*flight.channel, printable(flight.message), tip="▷", stroke="╌")
            became = f"corrupted to {printable(flight.now)}, " if flight.changes else ""
            self.grid.note(became + self.chart.outcome(flight))
        else:
            self.grid.arrow(
                *flight.channel, printable(flight.message), tip=self.tags[flight.index], reach=0.75
            )

    def _arrival(self, flight: Flight) -> None:
        tag = self.tags[flight.index]
        self.grid.arrow(*flight.channel, printable(flight.now), tip="▶", start=tag, skip=0.25)
        copy = ["copy"] if flight.copy_of is not None else []
        self.grid.note(", ".join([*copy, *self._overtaking(flight)]))

    def _overtaking(self, flight: Flight) -> list[str]:
        passed = [self.chart.flights[i] for i in flight.overtakes]
        names = [self.tags.get(f.index) or printable(f.message) for f in passed]
        return [f"overtakes {' '.join(names)}"] if names else []

    def _on_the_way(self, flight: Flight, step: Fault) -> None:
        if flight.fate is Fate.OPEN:
            return
        tag = self.tags[flight.index]
        self.grid.between(*flight.channel, f"{tag} {printable(step.mark)}")
        self.grid.note(printable(step.note))

    def _ends(self) -> None:
        several = len(self.chart.lifelines) > 2
        waits = {line.name: line.wait.phrases(several) for line in self.chart.lifelines if line.wait}
        if waits:
            self.grid.waits({name: [printable(p) for p in phrases] for name, phrases in waits.items()})


def _listed(chart: Chart, width: int) -> list[str]:
    """One line a step, for charts that no terminal is wide enough for."""
    hidden, lines = chart.hidden, []
    starts = {f.first: f for f in chart.folds}
    room = max(width - 6, 8)
    for i, step in enumerate(chart.steps):
        if i in hidden:
            continue
        if i in starts:
            fold = starts[i]
            lines.append(clip_cells(f"   ┄┄ steps {i + 1} to {i + fold.length}, {fold.times} times", width))
        where = f"  [{printable(step.state)}]" if isinstance(step, Act) else ""
        lines += _item(f"{i + 1:>4}  ", printable(describe(step)) + where, room, width)
    several = len(chart.lifelines) > 2
    for line in chart.lifelines:
        for phrase in line.wait.phrases(several) if line.wait else ():
            words = phrase if phrase.startswith("cannot") else f"waits for {phrase}"
            lines += _item("  ⌛  ", printable(f"{line.name} {words}"), room, width)
    for flight in chart.shown:
        if flight.fate is Fate.OPEN:
            channel = f"{flight.channel.sender} → {flight.channel.receiver}"
            lines += _item(
                "   ▷  ", printable(f"{flight.now} on {channel} is {chart.outcome(flight)}"), room, width
            )
    return lines


def _item(mark: str, words: str, room: int, width: int) -> list[str]:
    wrapped = textwrap.wrap(words, room) or [""]
    return [clip_cells((mark if i == 0 else " " * 6) + part, width) for i, part in enumerate(wrapped)]
