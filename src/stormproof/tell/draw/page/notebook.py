"""How verdicts and reports are displayed in a notebook; systems, processes and charts are pictures."""

from __future__ import annotations

from ....errors import printable
from ....kernel.model.phrases import plural
from ....search.checks.report import Report, Verdict
from ..chart.build import chart
from ..chart.svg import chart_svg
from ..svg import stylesheet
from .render_template import render_template
from .report import report_page


def verdict_html(verdict: Verdict) -> str:
    """One line: the property, the answer, the bound and the reason."""
    bound = f", k = {verdict.k}" if verdict.k is not None else ""
    steps = plural(len(verdict.witness.steps), "step") if verdict.witness is not None else ""
    return render_template(
        "notebook_verdict",
        verdict=verdict,
        words=f"{verdict.status.sign} {verdict.word}{bound}",
        reason=printable(verdict.reason),
        steps=steps,
    ).rstrip()


def report_html(report: Report) -> str:
    """The table of verdicts; below it the chart of each violation and the page that steps through them, each
    opened by a click."""
    rows = [
        (v.property, f"{v.status.sign} {v.word}", "" if v.k is None else str(v.k), v.reason) for v in report
    ]
    name = printable(report.system.name or "system")
    charts = _charts(report)
    page = report_page(report.system, {"as asked": report}) if charts else ""
    return render_template(
        "notebook_report", style=stylesheet(), name=name, rows=rows, charts=charts, page=page
    )


def _charts(report: Report) -> list[dict[str, object]]:
    """Verdicts that share a run share its chart."""
    found: dict[str, list[str]] = {}
    for verdict in report:
        if verdict.holds is False and verdict.witness is not None:
            drawn = chart_svg(chart(report.of(verdict).system, verdict.witness), style=False)
            found.setdefault(drawn, []).append(verdict.property)
    return [{"svg": drawn, "properties": names} for drawn, names in found.items()]
