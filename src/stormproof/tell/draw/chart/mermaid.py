"""Message sequence charts as Mermaid text.

Mermaid draws level arrows only, so a message that stays in flight is announced in a note at its send and
drawn at its reception, with a number that joins the two.
"""

from __future__ import annotations

import re

from ....errors import printable
from ....kernel.model.message_tracking import Fate, Flight
from ....kernel.model.run import LinkCut
from .build import Chart, EventKind, LocalEvent
from .data import NO_RETURN, numbered

#: What Mermaid reads as syntax even inside a label (`\\n` breaks a line, a backquote starts Markdown, two
#: dollars a formula, `fa:` an icon, `wrap:` a layout), and how it wants it written.
_CODES = {ord(c): f"#{ord(c)};" for c in '#;<>&"{}%\\`$:*'}

#: Keywords that Mermaid looks for even inside a quoted text: the one closes a block, the other turns it.
_KEYWORDS = re.compile(r"\b(end|direction)\b", re.IGNORECASE)


def mermaid_text(words: object) -> str:
    """A label that Mermaid shows as it is."""
    shown = printable(words).translate(_CODES)
    return _KEYWORDS.sub(lambda found: f"#{ord(found[0][0])};{found[0][1:]}", shown)


def chart_mermaid(chart: Chart) -> str:
    """A `sequenceDiagram`; rounds that are folded, and what repeats for ever, become loops."""
    return _MermaidChart(chart).text()


class _MermaidChart:
    def __init__(self, chart: Chart) -> None:
        self.chart = chart
        self.alias = {name: f"p{i}" for i, name in enumerate(chart.names)}
        self.by_step = {i: f for f in chart.shown for i in f.instants}
        self.numbers = numbered(chart, {f.index for f in chart.shown if _is_apart(f)}, "({})".format)

    def text(self) -> str:
        lines = ["sequenceDiagram"]
        lines += [f"  participant {a} as {mermaid_text(name)}" for name, a in self.alias.items()]
        starts = {f.first: f for f in self.chart.folds}
        stops = {f.first + f.length - 1 for f in self.chart.folds}
        hidden, events = self.chart.hidden, self.chart.events
        for i in (i for i in range(len(self.chart.steps)) if i not in hidden):
            if i == self.chart.no_return:
                lines.append(f"  Note over {self._all}: {NO_RETURN}")
            if i == self.chart.repeats:
                lines.append(f"  loop {mermaid_text(self.chart.for_ever)}")
            if i in starts:
                lines.append(f"  loop {starts[i].times} times")
            step = self.chart.steps[i]
            if isinstance(step, LinkCut):
                lines.append(f"  Note over {self._all}: {mermaid_text(step.phrase())}")
                lines += [self._arrow(f) for f in self.chart.shown if f.ended == i]
            else:
                lines += self._event(*events[i]) if i in events else self._step(i, self.by_step[i])
            if i in stops:
                lines.append("  end")
        if self.chart.repeats is not None:
            lines.append("  end")
        return "\n".join([*lines, *self._ends(), *self._places()]) + "\n"

    @property
    def _all(self) -> str:
        """What a note is over that is about everybody."""
        first, last = self.alias[self.chart.names[0]], self.alias[self.chart.names[-1]]
        return first if first == last else f"{first},{last}"

    def _places(self) -> list[str]:
        """Where the states are written, if they are points of a program."""
        places = mermaid_text(", ".join(self.chart.places))
        return [f"  Note over {self._all}: {places}"] if self.chart.places else []

    def _event(self, process: str, event: LocalEvent) -> list[str]:
        sign = "" if event.kind is EventKind.INTERNAL else f"{event.kind.value} "
        return [f"  Note over {self.alias[process]}: {sign}{mermaid_text(event.name)}"]

    def _step(self, i: int, flight: Flight) -> list[str]:
        if i == flight.since:
            return self._beginning(flight)
        lines = []
        if any(o.at == i for o in flight.overtook):
            lines.append(
                self._over_channel(flight, f"{self._name(flight, i)} overtakes {self._passed(flight, i)}")
            )
        return [*lines, self._arrow(flight)] if i == flight.ended else lines

    def _beginning(self, flight: Flight) -> list[str]:
        copied = flight.copy_of is not None
        if flight.fate is Fate.OPEN:
            return [*([self._copied(flight)] if copied else []), self._open_arrow(flight)]
        if copied:
            return [self._copied(flight)]
        if flight.index not in self.numbers:
            return []
        here = self.alias[flight.channel.sender]
        return [f"  Note over {here}: {self.numbers[flight.index]} sends {mermaid_text(flight.message)}"]

    def _copied(self, flight: Flight) -> str:
        return self._over_channel(flight, f"{self._name(flight, flight.since)} is {flight.copied_as}")

    def _over_channel(self, flight: Flight, words: str) -> str:
        ends = ",".join(dict.fromkeys(self.alias[end] for end in flight.channel))
        return f"  Note over {ends}: {words}"

    def _name(self, flight: Flight, at: int) -> str:
        number = self.numbers.get(flight.index)
        return f"{number} {mermaid_text(flight.at(at))}" if number else mermaid_text(flight.at(at))

    def _passed(self, flight: Flight, at: int) -> str:
        """What a message overtakes: by number where it has one, else by name."""
        others = [o for o in flight.overtook if o.at == at]
        return ", ".join(self.numbers.get(o.passed) or mermaid_text(o.message) for o in others)

    def _open_arrow(self, flight: Flight) -> str:
        became = f" becomes {mermaid_text(flight.now)}" if flight.changes else ""
        number = f"{self.numbers[flight.index]} " if flight.index in self.numbers else ""
        words = f"{number}{mermaid_text(flight.message)}{became} ({self.chart.outcome(flight)})"
        sender, receiver = (self.alias[end] for end in flight.channel)
        return f"  {sender}--){receiver}: {words}"

    def _arrow(self, flight: Flight) -> str:
        names = " ⇝ ".join(mermaid_text(m) for m in (flight.message, *(c.becomes for c in flight.changes)))
        lost = flight.lost
        remarks = ["copy"] if flight.copy_of is not None else []
        remarks += ["corrupted"] if flight.changes else []
        remarks += ["cut" if flight.fate is Fate.CUT else "lost"] if lost else []
        behind = f" ({', '.join(remarks)})" if remarks else ""
        number = f"{self.numbers[flight.index]} " if flight.index in self.numbers else ""
        sender, receiver = (self.alias[end] for end in flight.channel)
        return f"  {sender}{'-x' if lost else '->>'}{receiver}: {number}{names}{behind}"

    def _ends(self) -> list[str]:
        lines = []
        for line in self.chart.lifelines:
            if line.wait is not None:
                phrases = "; ".join(line.wait.phrases(len(self.chart.lifelines) > 2))
                verb = "waits for " if line.wait.receives else ""
                lines.append(f"  Note over {self.alias[line.name]}: ⌛ {verb}{mermaid_text(phrases)}")
        return lines


def _is_apart(flight: Flight) -> bool:
    """Do other steps lie between the send of a message and its end?"""
    last = flight.instants[-1]
    at_once = flight.copy_of is None and tuple(range(flight.since, last + 1)) == flight.instants
    return flight.fate is not Fate.OPEN and not at_once
