"""Message sequence charts as Mermaid text.

Mermaid draws level arrows only, so a message that stays under way is announced in a note at its send
and drawn at its reception, with a number that joins the two.
"""

from __future__ import annotations

import re

from ..model import CRASH_ACTION, Internal, Receive
from ..witness import Act, Corrupt, Lose, Swap
from .chart import Chart, End, Flight
from .metrics import printable

#: What Mermaid reads as syntax even inside a label, and how it wants it written.
_CODES = {ord(c): f"#{ord(c)};" for c in '#;<>&"{}%'}


def mermaid_text(words: object) -> str:
    """A label that Mermaid shows as it is; its keyword `end`, even inside a text, would close a block."""
    shown = printable(words).translate(_CODES)
    return re.sub(r"\bend\b", lambda found: f"#{ord(found[0][0])};{found[0][1:]}", shown, flags=re.IGNORECASE)


def chart_mermaid(chart: Chart) -> str:
    """A `sequenceDiagram`; folded rounds become loops."""
    alias = {name: f"p{i}" for i, name in enumerate(chart.names)}
    lines = ["sequenceDiagram"]
    lines += [f"  participant {a} as {mermaid_text(name)}" for name, a in alias.items()]
    by_step = {i: f for f in chart.shown for i in f.instants}
    numbers = {f.sent: n + 1 for n, f in enumerate(f for f in chart.shown if _apart(f))}
    starts = {f.first: f for f in chart.folds}
    stops = {f.first + f.length - 1 for f in chart.folds}
    for i, step in enumerate(chart.steps):
        if i in chart.hidden:
            continue
        if i in starts:
            lines.append(f"  loop {starts[i].times} times")
        lines += _step(i, step, by_step.get(i), alias, numbers)
        if i in stops:
            lines.append("  end")
    return "\n".join([*lines, *_ends(chart, alias)]) + "\n"


def _apart(flight: Flight) -> bool:
    last = flight.instants[-1]
    return flight.end is not End.NEVER and tuple(range(flight.sent, last + 1)) != flight.instants


def _step(
    i: int,
    step: Act | Lose | Corrupt | Swap,
    flight: Flight | None,
    alias: dict[str, str],
    numbers: dict[int, int],
) -> list[str]:
    if isinstance(step, Swap):
        return []
    if isinstance(step, Act) and isinstance(step.action, Internal):
        sign = "⚡ " if step.action.name == CRASH_ACTION else ""
        return [f"  Note over {alias[step.process]}: {sign}{mermaid_text(step.action.name)}"]
    assert flight is not None
    number = f"({numbers[flight.sent]}) " if flight.sent in numbers else ""
    here = alias[flight.channel.sender]
    if isinstance(step, Act) and not isinstance(step.action, Receive):
        if flight.end is End.NEVER:
            became = f" becomes {mermaid_text(flight.arrives)}" if flight.changes else ""
            words = f"{mermaid_text(flight.message)}{became} (never received)"
            return [f"  {here}--){alias[flight.channel.receiver]}: {words}"]
        return [f"  Note over {here}: {number}sends {mermaid_text(flight.message)}"] if number else []
    if i != flight.ended:
        return []
    return [_arrow(flight, alias, number)]


def _arrow(flight: Flight, alias: dict[str, str], number: str) -> str:
    names = " ⇝ ".join(mermaid_text(m) for m in (flight.message, *(c.becomes for c in flight.changes)))
    lost = flight.end is End.LOST
    remarks = ["corrupted"] if flight.changes else []
    remarks += ["lost"] if lost else []
    remarks += ["overtakes"] if flight.overtakes else []
    behind = f" ({', '.join(remarks)})" if remarks else ""
    sender, receiver = (alias[end] for end in flight.channel)
    return f"  {sender}{'-x' if lost else '->>'}{receiver}: {number}{names}{behind}"


def _ends(chart: Chart, alias: dict[str, str]) -> list[str]:
    lines = []
    for line in chart.lifelines:
        if line.wait is not None:
            phrases = "; ".join(line.wait.phrases(len(chart.lifelines) > 2))
            lines.append(f"  Note over {alias[line.name]}: ⌛ {mermaid_text(phrases)}")
    return lines
