"""How verdicts and reports show themselves in a notebook; systems, processes and charts are pictures."""

from __future__ import annotations

from ...checks.report import Report, Verdict
from ...model.phrases import plural
from ..chart.build import chart
from ..chart.svg import chart_svg
from ..svg import escape, html, stylesheet
from ..text_metrics import printable

MARKS = {True: "✔", False: "✘", None: "?"}


def verdict_html(verdict: Verdict) -> str:
    """One line: the property, the answer, the bound and the reason."""
    bound = f", k = {verdict.k}" if verdict.k is not None else ""
    words = f"{MARKS[verdict.holds]} {verdict.word}{bound}"
    line = f"{html('b', escape(verdict.property))} {escape(words)}"
    if verdict.reason:
        line += f": {escape(printable(verdict.reason))}"
    if verdict.witness is not None:
        line += f" ({plural(len(verdict.witness.steps), 'step')})"
    return html("div", line)


def report_html(report: Report) -> str:
    """The table of verdicts, and below it the chart of each violation, opened by a click."""
    heads = html("tr", *(html("th", name, scope="col") for name in ("property", "verdict", "k", "why")))
    rows = [heads]
    for verdict in report:
        k = "" if verdict.k is None else str(verdict.k)
        cells = [verdict.property, f"{MARKS[verdict.holds]} {verdict.word}", k, verdict.reason]
        align = "text-align:left"
        rows.append(html("tr", *(html("td", escape(c), style=align) for c in cells)))
    name = printable(report.system.name or "system")
    table = html("table", html("caption", escape(f"verdicts on {name}")), *rows)
    return html("div", f"<style>{stylesheet()}</style>", table, *_charts(report))


def _charts(report: Report) -> list[str]:
    """Verdicts that share a run share its chart."""
    found: dict[str, list[str]] = {}
    for verdict in report:
        if verdict.holds is False and verdict.witness is not None:
            drawn = chart_svg(chart(report.system, verdict.witness), style=False)
            found.setdefault(drawn, []).append(verdict.property)
    return [
        html("details", html("summary", escape(f"why {', '.join(names)} is violated")), drawn)
        for drawn, names in found.items()
    ]
