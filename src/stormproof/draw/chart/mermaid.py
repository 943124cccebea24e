"""Message sequence charts as Mermaid text.

Mermaid draws level arrows only, so a message that stays in flight is announced in a note at its send
and drawn at its reception, with a number that joins the two.
"""

from __future__ import annotations

import re

from ...model.actions import Internal, Receive
from ...model.fault_steps import Fault
from ...model.message_tracking import Fate, Flight
from ...model.run import Act
from ..text_metrics import printable
from .build import Chart

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
    """A `sequenceDiagram`; folded rounds become loops."""
    alias = {name: f"p{i}" for i, name in enumerate(chart.names)}
    lines = ["sequenceDiagram"]
    lines += [f"  participant {a} as {mermaid_text(name)}" for name, a in alias.items()]
    by_step = {i: f for f in chart.shown for i in f.instants}
    numbers = _numbers(chart)
    passed = {f.index: _passed(chart, f, numbers) for f in chart.shown}
    starts = {f.first: f for f in chart.folds}
    stops = {f.first + f.length - 1 for f in chart.folds}
    for i, step in enumerate(chart.steps):
        if i in chart.hidden:
            continue
        if i in starts:
            lines.append(f"  loop {starts[i].times} times")
        flight = by_step.get(i)
        outcome = chart.outcome(flight) if flight is not None else ""
        lines += _step(i, step, flight, alias, numbers, passed, outcome)
        if i in stops:
            lines.append("  end")
    return "\n".join([*lines, *_ends(chart, alias)]) + "\n"


def _numbers(chart: Chart) -> dict[int, int]:
    """Numbers for the messages whose send and reception are apart; a copy has that of its original."""
    apart = {f.index if f.copy_of is None else f.copy_of for f in chart.shown if _apart(f)}
    number = {index: n + 1 for n, index in enumerate(sorted(apart))}
    origin = {f.index: f.index if f.copy_of is None else f.copy_of for f in chart.shown}
    return {index: number[first] for index, first in origin.items() if first in number}


def _apart(flight: Flight) -> bool:
    last = flight.instants[-1]
    return flight.fate is not Fate.OPEN and tuple(range(flight.sent, last + 1)) != flight.instants


def _passed(chart: Chart, flight: Flight, numbers: dict[int, int]) -> str:
    """What a message overtakes: by number where it has one, else by name."""
    others = [chart.flights[i] for i in flight.overtakes]
    return ", ".join(
        f"({numbers[f.index]})" if f.index in numbers else mermaid_text(f.message) for f in others
    )


def _step(
    i: int,
    step: Act | Fault,
    flight: Flight | None,
    alias: dict[str, str],
    numbers: dict[int, int],
    passed: dict[int, str],
    outcome: str,
) -> list[str]:
    if isinstance(step, Fault) and flight is None:
        return []
    if isinstance(step, Act) and isinstance(step.action, Internal):
        sign = "⚡ " if step.action.crashes else "◷ " if step.action.timeout else ""
        return [f"  Note over {alias[step.process]}: {sign}{mermaid_text(str(step.action))}"]
    assert flight is not None
    number = f"({numbers[flight.index]}) " if flight.index in numbers else ""
    here = alias[flight.channel.sender]
    if isinstance(step, Act) and not isinstance(step.action, Receive):
        if flight.fate is Fate.OPEN:
            became = f" becomes {mermaid_text(flight.now)}" if flight.changes else ""
            words = f"{number}{mermaid_text(flight.message)}{became} ({outcome})"
            return [f"  {here}--){alias[flight.channel.receiver]}: {words}"]
        return [f"  Note over {here}: {number}sends {mermaid_text(flight.message)}"] if number else []
    if i != flight.ended:
        return []
    return [_arrow(flight, alias, number, passed[flight.index])]


def _arrow(flight: Flight, alias: dict[str, str], number: str, passed: str) -> str:
    names = " ⇝ ".join(mermaid_text(m) for m in (flight.message, *(c.becomes for c in flight.changes)))
    lost = flight.fate is Fate.LOST
    remarks = ["copy"] if flight.copy_of is not None else []
    remarks += ["corrupted"] if flight.changes else []
    remarks += ["lost"] if lost else []
    remarks += [f"overtakes {passed}"] if passed else []
    behind = f" ({', '.join(remarks)})" if remarks else ""
    sender, receiver = (alias[end] for end in flight.channel)
    return f"  {sender}{'-x' if lost else '->>'}{receiver}: {number}{names}{behind}"


def _ends(chart: Chart, alias: dict[str, str]) -> list[str]:
    lines = []
    for line in chart.lifelines:
        if line.wait is not None:
            phrases = "; ".join(line.wait.phrases(len(chart.lifelines) > 2))
            verb = "waits for " if line.wait.receives else ""
            lines.append(f"  Note over {alias[line.name]}: ⌛ {verb}{mermaid_text(phrases)}")
    return lines
