"""Verdicts and reports as `print` shows them: a line per verdict, and how the first violation comes about."""

from __future__ import annotations

from ...kernel.model.phrases import plural, queues
from ..narrate.narrative import Narrative
from .headline import headline, with_extent
from .report import Report, Verdict


def verdict_text(verdict: Verdict) -> str:
    """`✔ k-er: holds, k = 1`, `◐ recovers: up to channels of length 6 · survives any number of faults`."""
    said = f"{verdict.status.sign} {verdict.property}: {_finding(verdict, faults_possible=True)}"
    return "; ".join((said, *verdict.vacuous))


def report_text(report: Report) -> str:
    """The verdicts in a table, and how the first of those that are violated is."""
    system = report.system
    sizes = f"{plural(len(system.processes), 'role')}, {queues(system)}"
    possible = not report.model.harmless
    wide = max((len(v.property) for v in report), default=0)
    lines = [f"{system.name or 'system'}: {sizes}"]
    for v in report:
        lines += [f"  {v.status.sign} {v.property:<{wide}}  {_finding(v, possible)}"]
        lines += [f"    {' ' * wide}  ({said})" for said in v.vacuous]
    lines += [f"  note: {said}" for said in report.without_effect]
    broken = next((v for v in report if v.holds is False and v.witness is not None), None)
    if broken is not None and broken.witness is not None:
        story = Narrative(system, broken.witness)
        lines += ["", f"How {broken.property} fails ({story.size()}): {' '.join(story.sentences())}"]
    return "\n".join(lines)


def _finding(verdict: Verdict, faults_possible: bool) -> str:
    if verdict.survival:
        found = headline(verdict, faults_possible) or verdict.word
        said, *behind = with_extent(found, verdict)
        return f"{said} ({behind[0]})" if behind else said
    bound = f", k = {verdict.k}" if verdict.k is not None else ""
    why = f": {verdict.reason}" if verdict.reason and not verdict.holds else ""
    return f"{verdict.word}{bound}{why}"
