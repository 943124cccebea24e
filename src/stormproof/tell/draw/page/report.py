"""The report: one page with the automata, the matrix of verdicts, and every violation to step through.

The page is self-contained: no request leaves it, and its policy forbids any; the one script is named there by
its hash, so that nothing in a protocol's file can run. Without scripts, and in print, every run is shown in
full.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping

from ....errors import printable
from ....kernel.model.phrases import plural, queues
from ....kernel.model.system import System
from ....search.checks.properties import PROPERTIES
from ....search.checks.report import Report, Verdict
from ....search.examples.find import Examples
from ....surveys.frontier import Frontier
from ..automaton import draw_roles
from ..svg import stylesheet
from .frontier import breaking_reports, frontier_section
from .render_template import asset, render_template
from .report_data import VerdictCell, VerdictMatrix, VerdictText, matrix
from .run_views import run_views

#: Automata beyond this many states are left out of the page; their current states are still followed.
_MOST_STATES = 120


def reason_of(report: Report, verdict: Verdict) -> str:
    """What a page says of a violation unless it is given more to say."""
    return verdict.reason


def report_page(
    system: System,
    reports: Mapping[str, Report],
    *,
    explain: VerdictText = reason_of,
    command: VerdictText | None = None,
    about: Mapping[str, str] | None = None,
    again: str = "",
    version: str = "",
    asked: str | None = None,
    frontier: Frontier | None = None,
    examples: Mapping[str, Examples] | None = None,
) -> str:
    """The page for the verdicts of `reports`, by the names of their failure models.

    `explain` and `command` describe a violated verdict by a paragraph and a command line; `about` describes
    the failure models, and `again` is the command that makes this page. `examples`, by failure model, are the
    sample runs that verdicts which hold open. The runs of the `frontier` are opened from its section. With
    the name of the model that was `asked`, the page begins with that answer in a sentence, and with the first
    run against it.
    """
    shown = {**reports, **breaking_reports(frontier)}
    found = matrix(shown, explain, command or (lambda report, verdict: ""), examples)
    found.columns = tuple(reports)
    if not found.systems:
        found.systems.append(next(iter(reports.values())).system if reports else system)
    script = asset("stage.js") + asset("report.js")
    first = None if asked is None or asked not in reports else _first(found, asked, reports[asked])
    return render_template(
        "report",
        policy=_policy(script),
        name=printable(system.name or "protocol"),
        style=asset("report.css") + stylesheet(),
        facts=_facts(system),
        maker=f"made by stormproof {version}".strip(),
        again=again,
        answer=printable(reports[asked].answer) if asked is not None and asked in reports else "",
        first=None if first is None else first.run,
        matrix=found,
        meanings={name: row.sentence for name, row in PROPERTIES.items()},
        about=about or {},
        remarks=_remarks(reports, about or {}, examples or {}),
        with_examples=bool(examples),
        frontier=None if frontier is None else frontier_section(frontier, found),
        runs=run_views(found),
        pictures=_automata(found),
        data=json.dumps(_data(found, first), ensure_ascii=True, separators=(",", ":")).replace(
            "<", "\\u003c"
        ),
        script=script,
    )


def _policy(script: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"


def _facts(system: System) -> list[str]:
    return [
        plural(len(system.processes), "role"),
        queues(system),
        plural(len(system.messages), "message"),
        "CSA" if system.csa else "not a CSA",
        "directed" if system.directed else "not directed",
    ]


def _remarks(
    reports: Mapping[str, Report], about: Mapping[str, str], examples: Mapping[str, Examples]
) -> dict[str, list[str]]:
    """What there is to say of each failure model, for those of which there is something."""
    found = {}
    for column, report in reports.items():
        words = [about[column]] if column in about else []
        words += [*report.notes, *(f"{v.property}: {said}" for v in report for said in v.vacuous)]
        words += [*(examples[column].remarks() if column in examples else ())]
        if words:
            found[column] = words
    return found


def _automata(found: VerdictMatrix) -> list[dict[str, object]]:
    pictures: list[dict[str, object]] = []
    for i, system in enumerate(found.systems):
        small = [p.name for p in system if len(p.states) <= _MOST_STATES]
        notes = ["with crash handling as checked"] if i else []
        large = [p for p in system if p.name not in small]
        notes += [f"{p.name} has {len(p.states)} states, too many for a picture here" for p in large]
        pictures.append({"svgs": [d.svg for d in draw_roles(system, small)] if small else [], "notes": notes})
    return pictures


def _first(found: VerdictMatrix, asked: str, report: Report) -> VerdictCell | None:
    """The cell whose run is open when the page is."""
    shown = report.shown
    cells = (cell for (column, _), cell in found.cells.items() if column == asked)
    return (
        None if shown is None else next((c for c in cells if c.verdict is shown and c.run is not None), None)
    )


def _data(found: VerdictMatrix, first: VerdictCell | None) -> dict[str, object]:
    """What the script of the page steps through."""
    return {
        "first": None if first is None else first.id,
        "cells": {c.id: c.run for c in found.cells.values() if c.run is not None},
        "runs": [
            {"system": r.system, "cells": list(r.cells), "steps": r.steps(found.systems[r.system])}
            for r in found.runs
        ],
        "systems": [
            [[printable(p.name), [printable(s) for s in p.states]] for p in system]
            for system in found.systems
        ],
    }
