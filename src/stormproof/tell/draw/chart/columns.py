"""Where the lifelines of a text chart stand: room for labels, states, names and remarks, if there is any."""

from __future__ import annotations

from ....errors import printable
from ....kernel.model.message_tracking import Flight
from ..text_metrics import cells
from .build import Chart, Lifeline, LocalEvent
from .grid import Grid

_LEAST_GAP = 9
_LONGEST_STATE = 24
_LONGEST_LABEL = 72
_LONGEST_NOTE = 30


def grid_for(chart: Chart, width: int, notes: int) -> Grid | None:
    """A grid for the chart, or None when the lifelines would stand too close. `notes`: the longest remark."""
    names, first, last = chart.names, chart.lifelines[0], chart.lifelines[-1]
    left = max([*(_state(s.state) for s in first.spans), cells(printable(names[0])) // 2]) + 1
    right = max([*_right_of(last), *_loops(chart, last), (cells(printable(names[-1])) + 1) // 2]) + 2
    note = min(notes, _LONGEST_NOTE) + 1 if notes else 0
    gaps, waits = _gaps(chart), max(right + note, _waiting(last, len(names) > 2))
    for room in (waits, right + note, right + min(note, 17), right):
        fitted = _fit(gaps, width - left - room - 1)
        # Room for what the last one waits for is taken only where nothing else has to shrink for it.
        if fitted is not None and (room <= right + min(note, 17) or fitted == gaps):
            break
    else:
        return None
    x = {names[0]: left}
    for before, name, gap in zip(names, names[1:], fitted):
        x[name] = x[before] + gap
    return Grid(x, width, x[names[-1]] + right + 1)


def arrow_words(flight: Flight) -> str:
    """`data`, or `data ⇝ end` for a message that was corrupted."""
    return " ⇝ ".join(printable(m) for m in (flight.message, *(c.becomes for c in flight.changes)))


def _right_of(line: Lifeline) -> list[int]:
    """What stands right of the last lifeline: states, and the names of events."""
    return [
        *(_state(span.state) for span in line.spans),
        *(_event(event) for event in line.events),
    ]


def _loops(chart: Chart, line: Lifeline) -> list[int]:
    """The messages that the last process sends to itself, which swing out to the right."""
    own = [f for f in chart.shown if f.channel.sender == f.channel.receiver == line.name]
    return [min(cells(arrow_words(f)), _LONGEST_LABEL) + 8 for f in own]


def _waiting(line: Lifeline, several: bool) -> int:
    """The room for what a process waits for at the end."""
    phrases = line.wait.phrases(several) if line.wait is not None else ()
    return max((min(cells(printable(p)), 30) + 5 for p in phrases), default=0)


def _state(name: str) -> int:
    return min(cells(printable(name)), _LONGEST_STATE)


def _event(event: LocalEvent) -> int:
    return min(cells(printable(event.name)), _LONGEST_STATE)


def _gaps(chart: Chart) -> list[int]:
    """The room that labels, states, names and waits would like between neighbours."""
    names = chart.names
    gaps = [max(_LEAST_GAP, 16 if len(names) == 2 else 0) for _ in names[1:]]
    for i, line in enumerate(chart.lifelines[:-1]):
        own = [cells(printable(line.name)) // 2 + cells(printable(names[i + 1])) // 2 + 3]
        own += [_state(s.state) + 4 for s in line.spans] if i else []
        own += [_event(event) + 5 for event in line.events]
        if line.wait is not None:
            own.append(_waiting(line, len(names) > 2))
        gaps[i] = max([gaps[i], *own])
    index = {name: i for i, name in enumerate(names)}
    for flight in chart.shown:
        a, b = sorted(index[end] for end in flight.channel)
        if b - a <= 1 and a < len(gaps):
            gaps[a] = max(gaps[a], min(cells(arrow_words(flight)), _LONGEST_LABEL) + 12)
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
