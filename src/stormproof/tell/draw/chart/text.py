"""Message sequence charts for the terminal: Unicode, never wider than asked, folded where rounds repeat.

A message that is received (or lost) at once is one arrow; one that stays in flight while others act is cut in
two, and a circled number joins its ends. A chart too wide for the terminal becomes a numbered list.
"""

from __future__ import annotations

import textwrap

from ....errors import printable
from ....kernel.model.fault_steps import Fault
from ....kernel.model.message_tracking import Fate, Flight
from ....kernel.model.run import Act, LinkCut
from ..text_metrics import cells, clip_cells
from .build import Chart, EventKind, Lifeline, LocalEvent, descriptions
from .columns import arrow_words, grid_for
from .data import NO_RETURN, numbered
from .grid import Grid, Styled

#: A list of steps says of so many roles what each waits for; of more, where each of them is.
_MOST_WAITS = 4


def chart_text(chart: Chart, width: int = 80) -> str:
    """The chart in at most `width` columns; lines end without blanks."""
    return "\n".join("".join(piece for piece, _ in line).rstrip() for line in chart_lines(chart, width))


def chart_lines(chart: Chart, width: int = 80) -> list[list[Styled]]:
    """The lines of the chart in pieces, each with the name of a style such as `lost`, `changed` or `wait`."""
    drawing = _TextChart(chart)
    notes = max((cells(drawing.note_of(f)) for f in chart.shown), default=0)
    grid = grid_for(chart, width, notes)
    lines = _listed(chart, width) if grid is None else drawing.lines(grid)
    return [*lines, *([(line, "note")] for line in textwrap.wrap(", ".join(chart.places), width))]


def tag_of(number: int) -> str:
    """A circled number, or one in brackets past the twenty that Unicode has."""
    return chr(0x245F + number) if number <= 20 else f"({number})"


class _TextChart:
    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.by_step = {i: f for f in chart.shown for i in f.instants}
        self.events = chart.events
        self.compact = {f.index for f in chart.shown if self._at_once(f)}
        apart = {f.index for f in chart.shown if f.index not in self.compact and f.fate is not Fate.OPEN}
        self.tags = numbered(chart, apart, tag_of)
        self.now = {line.name: line.spans[0].state for line in chart.lifelines}

    def _at_once(self, flight: Flight) -> bool:
        steps = range(flight.since, flight.instants[-1] + 1)
        return flight.fate is not Fate.OPEN and flight.copy_of is None and tuple(steps) == flight.instants

    def _with_send(self, flight: Flight, at: int) -> bool:
        """Does a fault occur while the message is sent, so that it is drawn with the send?"""
        return all(i in flight.instants for i in range(flight.since, at + 1))

    def lines(self, grid: Grid) -> list[list[Styled]]:
        self.grid = grid
        grid.heading(self.chart.names)
        grid.states(self.now)
        starts = {f.first: f for f in self.chart.folds}
        stops = {f.first + f.length - 1 for f in self.chart.folds}
        hidden = self.chart.hidden
        changed: dict[str, str] = {}
        for i in (i for i in range(len(self.chart.steps)) if i not in hidden):
            if i == self.chart.no_return:
                grid.frame(f" {NO_RETURN} ", "lost")
            if i == self.chart.repeats:
                grid.frame(" from here on ", "loop")
            if i in starts:
                grid.frame(f" {starts[i].times} times ")
            self._step(i)
            changed |= self._changes(i)
            # The states after one arrow are in one row, so they wait for the reception drawn with its send.
            if not self._is_inside_arrow(i) and changed:
                grid.states(changed)
                changed = {}
            if i in stops:
                grid.frame("")
        self._ends()
        return grid.rows()

    def _changes(self, i: int) -> dict[str, str]:
        step = self.chart.steps[i]
        watching = (line for line in self.chart.lifelines if line.watches)
        found = {line.name: span.state for line in watching for span in line.spans if span.since == i}
        if isinstance(step, Act) and self.now[step.process] != step.state:
            found[step.process] = step.state
        self.now |= found
        return found

    def _is_inside_arrow(self, i: int) -> bool:
        flight = self.by_step.get(i)
        return flight is not None and flight.index in self.compact and i < flight.instants[-1]

    def _step(self, i: int) -> None:
        """Draw what a step looks like, unless it was drawn with an earlier one."""
        if i in self.events:
            self._event(*self.events[i])
            return
        step = self.chart.steps[i]
        if isinstance(step, LinkCut):
            self._cut(i, step)
            return
        flight = self.by_step[i]
        if i == flight.since:
            self._beginning(flight)
        elif flight.index in self.compact or (i != flight.ended and self._with_send(flight, i)):
            pass
        elif flight.fate is Fate.RECEIVED and i == flight.ended:
            self._arrival(flight)
        else:
            self._fault(flight, i)
        if isinstance(step, Act):
            self._let_go(i, step.process)

    def _cut(self, i: int, step: LinkCut) -> None:
        """The channels go down, with what was in flight there."""
        lost = [tag for f in self.chart.shown if f.ended == i and (tag := self.tags.get(f.index))]
        also = f", {' '.join(lost)} {'is' if len(lost) == 1 else 'are'} lost" if lost else ""
        self.grid.frame(f" ⌿ {printable(step.phrase())}{also} ", "lost")

    def _event(self, process: str, event: LocalEvent) -> None:
        style = "lost" if event.kind.is_fault else ""
        self.grid.event(process, event.kind.value, printable(event.name), style)
        if event.kind is EventKind.CRASH:
            self.grid.fade(process)
            self._let_go(event.at, process)
        elif event.kind is EventKind.STOP:
            self.grid.end(process)
        elif event.kind is EventKind.RESTART:
            self.grid.resume(process)

    def _let_go(self, i: int, process: str) -> None:
        """A crashed process has no line below its last announcement."""
        line = next(line for line in self.chart.lifelines if line.name == process)
        if line.crash is not None and line.last == i:
            self.grid.end(process)

    def _beginning(self, flight: Flight) -> None:
        if flight.copy_of is not None and flight.fate is not Fate.OPEN:
            self._fault(flight, flight.since)
        elif flight.index in self.compact:
            self._whole(flight)
        else:
            self._departure(flight)

    def _whole(self, flight: Flight) -> None:
        """A message that is received or lost at once."""
        words, style = arrow_words(flight), self._style(flight)
        lost = flight.lost
        reach = (0.8 if flight.ended != flight.sent else 0.55) if lost else 1.0
        if flight.changes and not self._fits(flight, words, reach):
            self._in_two(flight, style, lost)
        else:
            self._draw(flight, words, tip="✕" if lost else "▶", reach=reach, style=style)
        self.grid.note(self.note_of(flight), style or "note")

    def _draw(self, flight: Flight, words: str, *, tip: str, reach: float, style: str) -> None:
        """An arrow; a message to oneself that is received leaves in one row and comes back in the next."""
        sender, receiver = flight.channel
        if sender == receiver and tip == "▶":
            self.grid.arrow(sender, receiver, words, tip="╮", style=style)
            self.grid.back(sender, "", "╯")
            return
        self.grid.arrow(sender, receiver, words, tip=tip, reach=reach, style=style)

    def _fits(self, flight: Flight, words: str, reach: float) -> bool:
        a, b = (self.grid.x[name] for name in flight.channel)
        return cells(words) <= round(abs(a - b) * reach) - 5

    def _in_two(self, flight: Flight, style: str, lost: bool) -> None:
        """Where a label with both names would be cut off, the arrow has a row for each of them."""
        first, last = printable(flight.message), printable(flight.now)
        tip = "✕" if lost else "▶"
        self.grid.arrow(*flight.channel, first, tip="⇝", style=style)
        self.grid.arrow(*flight.channel, last, tip=tip, start="⇝", skip=0.01, style=style)

    def _departure(self, flight: Flight) -> None:
        early = [c for c in flight.changes if self._with_send(flight, c.at)]
        words = " ⇝ ".join(printable(m) for m in (flight.message, *(c.becomes for c in early)))
        style = "changed" if early else ""
        if flight.fate is Fate.OPEN:
            became = f"{words} ⇝ {printable(flight.now)}" if len(early) < len(flight.changes) else words
            self.grid.arrow(*flight.channel, became, tip="▷", stroke="╌", style=self._style(flight))
        else:
            tag = self.tags[flight.index]
            self.grid.arrow(*flight.channel, words, tip=tag, reach=0.75, style=style)
        self.grid.note(self.note_of(flight), self._style(flight) or "note")

    def _arrival(self, flight: Flight) -> None:
        tag, words = self.tags[flight.index], printable(flight.now)
        style = "changed" if flight.changes else ""
        if flight.channel.sender == flight.channel.receiver:
            self.grid.back(flight.channel.sender, words, tag)
            return
        self.grid.arrow(*flight.channel, words, tip="▶", start=tag, skip=0.25, style=style)
        if flight.copy_of is not None:
            self.grid.note("copy", "changed")

    def _fault(self, flight: Flight, i: int) -> None:
        """A fault of a message later than its send: a row between the lifelines."""
        tag, step = self.tags.get(flight.index, ""), self.chart.steps[i]
        assert isinstance(step, Fault)
        passed = self._passed(flight, i)
        if passed:
            name = tag or printable(flight.at(i))
            self.grid.between(*flight.channel, f"{name} ⇄ {passed}", "overtakes")
            self.grid.note(f"{name} overtakes {passed}", "overtakes")
        elif flight.fate is not Fate.OPEN:  # the arrow of an open one has all of its names
            style = "lost" if flight.lost and i == flight.ended else "changed"
            self.grid.between(*flight.channel, f"{tag} {printable(step.mark)}", style)
            self.grid.note(printable(step.note), style)

    def _passed(self, flight: Flight, at: int) -> str:
        others = [o for o in flight.overtook if o.at == at]
        return " ".join(self.tags.get(o.passed) or printable(o.message) for o in others)

    def _style(self, flight: Flight) -> str:
        if flight.lost and flight.index in self.compact:
            return "lost"
        if flight.changes and (flight.index in self.compact or flight.fate is Fate.OPEN):
            return "changed"
        return "overtakes" if any(self._with_send(flight, o.at) for o in flight.overtook) else ""

    def note_of(self, flight: Flight) -> str:
        """The remark at the row where a message is sent, or copied."""
        notes = [flight.copied_as] if flight.copy_of is not None else []
        early = [c for c in flight.changes if self._with_send(flight, c.at)]
        if early or (flight.changes and flight.fate is Fate.OPEN):
            notes.append("corrupted")
        if flight.lost and flight.index in self.compact:
            notes.append("lost" if flight.fate is Fate.LOST else "cut")
        passed = dict.fromkeys(o.at for o in flight.overtook if self._with_send(flight, o.at))
        if passed:
            notes.append(f"overtakes {' '.join(self._passed(flight, at) for at in passed)}")
        if flight.fate is Fate.OPEN:
            notes.append(self.chart.outcome(flight))
        return ", ".join(notes)

    def _ends(self) -> None:
        if self.chart.repeats is not None:
            self.grid.frame(f" repeats {self.chart.for_ever} ", "loop")
        several = len(self.chart.lifelines) > 2
        waits = {line.name: line.wait.phrases(several) for line in self.chart.lifelines if line.wait}
        if waits:
            told = {name: [printable(p) for p in phrases] for name, phrases in waits.items()}
            self.grid.waits(told, _standing(self.chart))
        self.grid.explain()


def _listed(chart: Chart, width: int) -> list[list[Styled]]:
    """One line per step, for charts that no terminal is wide enough for."""
    hidden, lines = chart.hidden, []
    starts = {f.first: f for f in chart.folds}
    room = max(width - 6, 8)
    for i, (step, words) in enumerate(zip(chart.steps, descriptions(chart), strict=True)):
        if i in hidden:
            continue
        if i == chart.no_return:
            lines.append(f"   ┄┄ {NO_RETURN}")
        if i == chart.repeats:
            lines.append(clip_cells(f"   ┄┄ from here on, repeats {chart.for_ever}", width))
        if i in starts:
            fold = starts[i]
            lines.append(clip_cells(f"   ┄┄ steps {i + 1} to {i + fold.length}, {fold.times} times", width))
        where = f"  [{printable(step.state)}]" if isinstance(step, Act) else ""
        lines += _item(f"{i + 1:>4}  ", printable(words) + where, room, width)
    several, many = len(chart.lifelines) > 2, len(chart.lifelines) > _MOST_WAITS
    if many:
        lines += _item("  ⌛  ", f"at the end: {_standing(chart)}", room, width)
    for line in () if many else chart.lifelines:
        for phrase in line.wait.phrases(several) if line.wait else ():
            words = phrase if phrase.startswith("cannot") else f"waits for {phrase}"
            lines += _item("  ⌛  ", printable(f"{line.name} {words}"), room, width)
    for flight in chart.shown:
        if flight.fate is Fate.OPEN:
            channel = f"{flight.channel.sender} → {flight.channel.receiver}"
            words = printable(f"{flight.now} on {channel} is {chart.outcome(flight)}")
            lines += _item("   ▷  ", words, room, width)
    return [[(line, "")] for line in lines]


def _standing(chart: Chart) -> str:
    """Where everybody is at the end."""
    return ", ".join(printable(f"{line.name} {_end_of(line)}") for line in chart.lifelines)


def _end_of(line: Lifeline) -> str:
    if line.crash is not None:
        return "crashed"
    return "stopped" if line.stop is not None else line.spans[-1].state


def _item(mark: str, words: str, room: int, width: int) -> list[str]:
    wrapped = textwrap.wrap(words, room) or [""]
    return [clip_cells((mark if i == 0 else " " * 6) + part, width) for i, part in enumerate(wrapped)]
