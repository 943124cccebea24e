"""The report: one page with the automata, the matrix of verdicts, and every violation to step through.

The page is whole in itself: no request leaves it, and its policy forbids any; the one script is named there
by its hash, so that nothing that a protocol's file says can run. Without scripts, and in print, every run
stands on the page in full.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping
from importlib import resources

from ...checks.report import PROPERTIES, Report
from ...examples.find import Examples
from ...explain.explanation import explain
from ...model.phrases import plural
from ...model.system import System
from ...surveys.frontier import Frontier
from ..automaton import system_svg
from ..chart.build import describe
from ..chart.svg import chart_svg
from ..conflict_graph import conflict_picture, conflict_svg
from ..svg import escape, html, stylesheet
from ..text_metrics import printable
from .frontier import frontier_section
from .report_data import Cell, Matrix, Run, Telling, matrix

MARKS = {True: "✔", False: "✘", None: "?"}

#: Conflict graphs of runs with more actions than this tell a reader nothing.
_MOST_ACTIONS = 60
#: Automata beyond this many states are left out of the page; their current states are still followed.
_MOST_STATES = 120


def report_page(
    system: System,
    reports: Mapping[str, Report],
    *,
    explain: Telling = explain,
    command: Telling | None = None,
    about: Mapping[str, str] | None = None,
    again: str = "",
    version: str = "",
    frontier: Frontier | None = None,
    examples: Mapping[str, Examples] | None = None,
) -> str:
    """The page for the verdicts of `reports`, by the names of their failure models.

    `explain` and `command` tell about a violated verdict in a paragraph and in a command line; `about`
    describes the failure models, and `again` is the command that makes this page. `examples`, by failure
    model, are the sample runs that verdicts which hold open.
    """
    found = matrix(reports, explain, command or (lambda report, verdict: ""), examples)
    if not found.systems:
        found.systems.append(next(iter(reports.values())).system if reports else system)
    name = printable(system.name or "protocol")
    body = [
        html("a", "Skip to the verdicts", href="#verdicts", class_="skip"),
        _header(system, name, again, version),
        _verdicts(found, reports, about or {}, examples or {}),
        frontier_section(frontier, found) if frontier is not None else "",
        _runs(found),
        _automata(found),
    ]
    script, style = _asset("report.js"), _asset("report.css") + stylesheet()
    data = json.dumps(_data(found), ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
    return _document(name, "\n".join(body), style, script, data)


def _asset(name: str) -> str:
    return resources.files(__package__).joinpath("assets").joinpath(name).read_text(encoding="utf-8")


def _document(name: str, body: str, style: str, script: str, data: str) -> str:
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    policy = f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{digest}'"
    return f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{escape(name)}: what failures do to it</title>
<link rel="icon" href="data:,">
<style>{style}</style>
</head>
<body>
{body}
<script type="application/json" id="data">{data}</script>
<script>{script}</script>
</body>
</html>
"""


def _header(system: System, name: str, again: str, version: str) -> str:
    counts = {
        "role": len(system.processes),
        "channel": len(system.channels),
        "message": len(system.messages),
    }
    words = [plural(n, what) for what, n in counts.items()]
    words.append("CSA" if system.csa else "not a CSA")
    words.append("directed" if system.directed else "not directed")
    made = f"made by stormproof {version}".strip()
    parts = [html("h1", escape(name)), html("p", escape(" · ".join(words)), class_="facts")]
    if again:
        parts.append(html("p", f"{escape(made)}: ", html("code", escape(again)), class_="facts"))
    return html("header", *parts)


def _verdicts(
    found: Matrix, reports: Mapping[str, Report], about: Mapping[str, str], examples: Mapping[str, Examples]
) -> str:
    heads = [html("th", "property", scope="col")]
    heads += [html("th", escape(column), scope="col", title=about.get(column)) for column in found.columns]
    rows = []
    for row in found.rows:
        tip = PROPERTIES.get(row, "")
        cells = [html("th", escape(row), scope="row", title=tip)]
        cells += [_cell(found.cells.get((column, row)), row) for column in found.columns]
        rows.append(html("tr", *cells))
    which = "One that is a link" if examples else "A violated one"
    caption = html("caption", f"Verdicts by failure model. {which} opens its run.")
    table = html("table", caption, html("thead", html("tr", *heads)), html("tbody", *rows), class_="matrix")
    remarks = []
    for column, report in reports.items():
        words = [about[column]] if column in about else []
        words += [*report.notes, *(examples[column].remarks() if column in examples else ())]
        remarks += [html("dt", escape(column)), *(html("dd", escape(w)) for w in words)] if words else []
    notes = html("dl", *remarks, class_="notes") if remarks else ""
    wrapped = html(
        "div", table, class_="scroll", tabindex="0", role="region", aria_label="matrix of verdicts"
    )
    return html("section", html("h2", "Verdicts"), wrapped, notes, _meanings(found), id="verdicts")


def _cell(cell: Cell | None, row: str) -> str:
    if cell is None:
        return html("td", "–", class_="none")
    verdict = cell.verdict
    bound = f", k = {verdict.k}" if verdict.k is not None and verdict.holds is not None else ""
    words = f"{MARKS[verdict.holds]} {verdict.word}{bound}"
    tip = verdict.reason or "; ".join(verdict.notes) or None
    if cell.run is not None:
        link = html("a", escape(words), href=f"#{cell.id}", data_cell=cell.id, title=tip)
        return html("td", link, class_=verdict.word)
    return html("td", escape(words), class_=verdict.word, title=tip)


def _meanings(found: Matrix) -> str:
    items = [html("dt", escape(row)) + html("dd", escape(PROPERTIES.get(row, ""))) for row in found.rows]
    return html("details", html("summary", "What the properties say"), html("dl", *items)) if items else ""


def _runs(found: Matrix) -> str:
    if not found.runs:
        quiet = "Nothing that was asked is violated with a run to show."
        return html("section", html("h2", "Runs"), html("p", quiet), id="runs")
    parts = [_run(found, i, run) for i, run in enumerate(found.runs)]
    hint = html(
        "p",
        "A verdict above that is a link opens its run. Step with the ",
        *(f"{html('kbd', key)} " for key in ("←", "→", "Home", "End")),
        "keys; ",
        html("kbd", "Esc"),
        " closes the run.",
        class_="hint",
    )
    return html("section", html("h2", "Runs"), hint, *parts, id="runs")


def _run(found: Matrix, index: int, run: Run) -> str:
    verdicts = [c for c in found.cells.values() if c.id in run.cells]
    title = "; ".join(f"{c.verdict.property} under {c.column}" for c in verdicts)
    facts = f"{plural(len(run.witness.steps), 'step')}, {plural(len(run.witness.faults), 'fault')}"
    replayed = run.good or all(c.verdict.replayed for c in verdicts)
    word = "violated" if not run.good else "holds" if len(verdicts) == 1 else "hold"
    parts = [
        html("h3", escape(f"{title}: {word}"), tabindex="-1"),
        html("p", escape(facts + (", replayed ✔" if replayed else ", not replayed")), class_="facts"),
        html("p", escape(run.explanation), class_="explanation") if run.explanation else "",
        html("p", "See it again: ", html("code", escape(run.command))) if run.command else "",
        _controls(index, len(run.witness.steps)),
        html("div", _chart_figure(run), html("div", "", class_="follow"), class_="stage"),
        _step_list(run),
        _conflict(found, run, verdicts),
    ]
    return html("article", *parts, class_="run", id=f"run-{index}", data_run=index, aria_label=title)


def _controls(index: int, steps: int) -> str:
    names = (("first", "|◀", "to the start"), ("back", "◀", "one step back"))
    more = (("next", "▶", "one step forward"), ("last", "▶|", "to the end"))
    buttons = [html("button", sign, type="button", data_go=go, aria_label=label) for go, sign, label in names]
    slider = html(
        "input", type="range", min=0, max=steps, value=steps, data_slider=index, aria_label="step of the run"
    )
    buttons.append(slider)
    buttons += [html("button", sign, type="button", data_go=go, aria_label=label) for go, sign, label in more]
    say = html("output", " ", class_="say", aria_live="polite", data_say=index)
    return html("div", *buttons, say, class_="controls", role="group", aria_label="step through the run")


def _chart_figure(run: Run) -> str:
    return html("figure", chart_svg(run.chart, style=False), class_="chart scroll", tabindex="0")


def _step_list(run: Run) -> str:
    items = [html("li", escape(printable(describe(step)))) for step in run.chart.steps]
    return html("details", html("summary", "The run as a list"), html("ol", *items), class_="steps")


def _conflict(found: Matrix, run: Run, cells: list[Cell]) -> str:
    """For RSC the proof is a cycle in the conflict graph, so it is shown."""
    asked = any(c.verdict.property == "rsc" for c in cells)
    if run.good or not asked or len(run.witness.acts) > _MOST_ACTIONS:
        return ""
    picture = conflict_picture(run.witness)
    drawn = html("figure", conflict_svg(picture, style=False), class_="scroll", tabindex="0")
    summary = html("summary", "The conflict graph, whose cycle shows that this run is not RSC")
    return html("details", summary, drawn, class_="conflict", open="open")


def _automata(found: Matrix) -> str:
    pictures = []
    for i, system in enumerate(found.systems):
        small = [p.name for p in system if len(p.states) <= _MOST_STATES]
        drawn = system_svg(system, style=False, roles=small) if small else ""
        notes = ["with crash handling as checked"] if i else []
        large = [p for p in system if p.name not in small]
        notes += [f"{p.name} has {len(p.states)} states, too many for a picture here" for p in large]
        caption = html("figcaption", escape("; ".join(notes))) if notes else ""
        pictures.append(html("figure", drawn, caption, class_="automata scroll", tabindex="0", data_system=i))
    return html("section", html("h2", "Automata"), *pictures, id="automata")


def _data(found: Matrix) -> dict[str, object]:
    return {
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
