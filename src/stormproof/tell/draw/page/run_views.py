"""The runs of a report page as its template shows them: title, facts, chart, steps."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ....errors import printable
from ....kernel.model.phrases import listed, plural
from ....kernel.model.status import REPLAYED
from ....search.checks.properties import RSC
from ..chart.build import descriptions
from ..chart.svg import chart_svg
from ..conflict_graph import conflict_picture, conflict_svg
from .report_data import ShownRun, VerdictCell, VerdictMatrix

#: Conflict graphs of runs with more actions than this are too large to read.
_MOST_ACTIONS = 60
#: A title names at most this many properties of one failure model; more are counted, and listed below it.
_MOST_NAMED = 3


@dataclass(frozen=True)
class RunView:
    """`named` lists the properties where the title only counts them."""

    title: str
    named: str
    facts: str
    explanation: str
    command: str
    chart: str
    steps: tuple[str, ...]
    conflict_graph: str


def run_views(found: VerdictMatrix) -> list[RunView]:
    return [_view(found, run) for run in found.runs]


def _view(found: VerdictMatrix, run: ShownRun) -> RunView:
    cells = [c for c in found.cells.values() if c.id in run.cells]
    words = [c.verdict.replay_words for c in cells if not c.verdict.replayed]
    replayed = REPLAYED if run.good or not words else words[0]
    counts = f"{plural(len(run.witness.steps), 'step')}, {plural(len(run.witness.faults), 'fault')}"
    title = _title(run, cells)
    return RunView(
        title=title,
        named=_named(cells),
        facts=f"{counts}, {replayed}",
        explanation=run.explanation,
        command=run.command,
        chart=chart_svg(replace(run.chart, title=title), style=False),
        steps=tuple(printable(words) for words in descriptions(run.chart)),
        conflict_graph=_conflict_graph(run, cells),
    )


def _by_column(cells: list[VerdictCell]) -> dict[str, list[str]]:
    table: dict[str, list[str]] = {}
    for cell in cells:
        table.setdefault(cell.column, []).append(cell.verdict.property)
    return table


def _title(run: ShownRun, cells: list[VerdictCell]) -> str:
    """`k-pg and k-mc under loss: violated`; of many properties, how many."""
    parts = []
    for column, names in _by_column(cells).items():
        what = listed(names) if len(names) <= _MOST_NAMED else plural(len(names), "property")
        parts.append(f"{what} under {column}")
    word = "violated" if not run.good else "holds" if len(cells) == 1 else "hold"
    return f"{'; '.join(parts)}: {word}"


def _named(cells: list[VerdictCell]) -> str:
    columns = {c: names for c, names in _by_column(cells).items() if len(names) > _MOST_NAMED}
    tail = len(columns) > 1
    return "; ".join(
        ", ".join(names) + (f" under {column}" if tail else "") for column, names in columns.items()
    )


def _conflict_graph(run: ShownRun, cells: list[VerdictCell]) -> str:
    """For RSC the proof is a cycle in the conflict graph, so it is shown."""
    asked = any(c.verdict.property == RSC.name for c in cells)
    if run.good or not asked or len(run.witness.acts) > _MOST_ACTIONS:
        return ""
    return conflict_svg(conflict_picture(run.witness), style=False)
