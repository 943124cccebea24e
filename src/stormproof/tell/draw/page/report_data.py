"""What the report page shows, worked out before any markup: cells, runs, and what each step changes."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ....errors import printable
from ....kernel.model.actions import Channel
from ....kernel.model.run import Act, Witness
from ....kernel.model.status import Status
from ....kernel.model.system import System
from ....search.checks.headline import extent, number_of_faults
from ....search.checks.report import Report, Verdict
from ....search.examples.find import Examples
from ..chart.build import Chart, chart, descriptions
from ..chart.data import NO_RETURN


def css_class(status: Status) -> str:
    return "holds" if status is Status.PROVED else status.value.replace(" ", "-")


@dataclass(frozen=True)
class VerdictCell:
    """One verdict in the matrix; `run` is the number of the run that it opens, where there is one."""

    id: str
    column: str
    verdict: Verdict
    run: int | None = None

    @property
    def words(self) -> str:
        """`✔ holds, k = 2`; of survival `◐ up to channels of length 6`, `✘ breaks with 1 fault`."""
        verdict = self.verdict
        if verdict.survival and verdict.holds is not None:
            known = "known limit: " if verdict.status is Status.KNOWN_LIMIT else ""
            return f"{verdict.status.sign} {known}{extent(verdict) or number_of_faults(verdict)}"
        bound = f", k = {verdict.k}" if verdict.k is not None and verdict.holds is not None else ""
        return f"{verdict.status.sign} {verdict.word}{bound}"

    @property
    def kind(self) -> str:
        """The class of the cell."""
        return css_class(self.verdict.status)


@dataclass(frozen=True)
class ShownRun:
    """A witness to step through; the cells that share it open the same one. `good`: of what holds."""

    chart: Chart
    witness: Witness
    system: int
    cells: tuple[str, ...]
    explanation: str = ""
    command: str = ""
    good: bool = False

    def steps(self, system: System) -> list[dict[str, Any]]:
        """For each moment, the start first: what happened, local states, channels, the transition taken."""
        order = {p.name: {s: j for j, s in enumerate(p.states)} for p in system}
        number = {name: i for i, name in enumerate(system.names)}
        phrases = ["the start", *descriptions(self.chart)]
        moments = [self._moment(-1, phrases[0], order, None)]
        for i, step in enumerate(self.chart.steps):
            edge = None
            if isinstance(step, Act):
                before = self.chart.states_at(i - 1)[step.process]
                here = order[step.process]
                edge = f"{number[step.process]}:{here[before]}:{here[step.state]}"
            moments.append(self._moment(i, phrases[i + 1], order, edge))
        return moments

    def _moment(
        self, i: int, said: str, order: Mapping[str, Mapping[str, int]], edge: str | None
    ) -> dict[str, Any]:
        at = self.chart.states_at(i)
        words = self.chart.contents[i + 1]
        return {
            "say": printable(said) + (f"; {NO_RETURN}" if i + 1 == self.chart.no_return else ""),
            "at": [order[name][state] for name, state in at.items()],
            "in": [[_name(c), [printable(m) for m in word]] for c, word in words.items()],
            "edge": edge,
        }


def _name(channel: Channel) -> str:
    return f"{printable(channel.sender)} → {printable(channel.receiver)}"


@dataclass
class VerdictMatrix:
    """Failure models by their names, properties, and a cell where the one was asked under the other."""

    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: dict[tuple[str, str], VerdictCell]
    runs: list[ShownRun] = field(default_factory=list)
    systems: list[System] = field(default_factory=list)


#: What a caller says about a violated verdict: a paragraph, and the command that shows it again.
VerdictText = Callable[[Report, Verdict], str]


def matrix(
    reports: Mapping[str, Report],
    explain: VerdictText,
    command: VerdictText,
    examples: Mapping[str, Examples] | None = None,
) -> VerdictMatrix:
    """The cells of all reports; verdicts with the same witness on the same system share one run. Those that
    hold open the sample run that shows it, where `examples` (by failure model) have one."""
    rows = tuple(dict.fromkeys(v.property for r in reports.values() for v in r))
    found = VerdictMatrix(tuple(reports), rows, {})
    slugs = _slugs(reports)
    for column, report in reports.items():
        for verdict in report:
            run = None
            if verdict.holds is False and verdict.witness is not None:
                run = _run_for(found, report, verdict, explain, command)
            elif verdict.holds and examples and column in examples:
                run = _sample_for(found, report, verdict, examples[column], command)
            name = f"{slugs[column]}.{verdict.property}"
            found.cells[column, verdict.property] = VerdictCell(name, column, verdict, run)
            if run is not None:
                old = found.runs[run]
                found.runs[run] = replace(old, cells=(*old.cells, name))
    return found


def _sample_for(
    found: VerdictMatrix, report: Report, verdict: Verdict, examples: Examples, command: VerdictText
) -> int | None:
    example = examples.of(verdict.property)
    if example is None:
        return None
    text = "; ".join(f"{names}: {text}" for names, text in examples.lines(example))
    text = f"{text}. The run is complete: {example.run.closing}."
    picture = chart(report.system, example.run.witness, fold=False, repeats=example.run.back)
    system = _system_number(found, report.system)
    for i, run in enumerate(found.runs):
        if (run.good, run.system, run.explanation, run.chart) == (True, system, text, picture):
            return i
    found.runs.append(
        ShownRun(picture, example.run.witness, system, (), text, command(report, verdict), good=True)
    )
    return len(found.runs) - 1


def _run_for(
    found: VerdictMatrix, report: Report, verdict: Verdict, explain: VerdictText, command: VerdictText
) -> int:
    assert verdict.witness is not None
    searched = report.of(verdict).system
    system = _system_number(found, searched)
    for i, run in enumerate(found.runs):
        if not run.good and run.system == system and _same(run.witness, verdict.witness):
            return i
    picture = chart(searched, verdict.witness, fold=False)
    found.runs.append(
        ShownRun(picture, verdict.witness, system, (), explain(report, verdict), command(report, verdict))
    )
    return len(found.runs) - 1


def _same(first: Witness, second: Witness) -> bool:
    """Equal as drawings: the steps and whom they blame."""
    return first.steps == second.steps and dict(first.culprit) == dict(second.culprit)


def _system_number(found: VerdictMatrix, system: System) -> int:
    """The number of the picture for a system; who may crash makes no difference to it."""
    plain = system.with_unreliable(())
    for i, known in enumerate(found.systems):
        if known.with_unreliable(()) == plain:
            return i
    found.systems.append(system)
    return len(found.systems) - 1


def _slugs(names: Iterable[str]) -> dict[str, str]:
    """Different names get different addresses."""
    found: dict[str, str] = {}
    for name in names:
        plain = _slug(name)
        found[name] = plain if plain not in found.values() else f"{plain}-{len(found)}"
    return found


def _slug(name: str) -> str:
    """A name for addresses: letters, digits and single dashes."""
    return re.sub(r"\W+", "-", name).strip("-") or "model"
