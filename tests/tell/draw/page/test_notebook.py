"""What systems, charts, verdicts and reports show of themselves in a notebook."""

from __future__ import annotations

import html

from stormproof.kernel.model.failures import Failures
from stormproof.search.checks.report import Report, Verdict
from stormproof.tell.draw.chart.build import chart
from stormproof.tell.draw.page.report import report_page
from tests.support.example_runs import EX1, LOSS, NASTY, nasty
from tests.support.svg_checks import check_svg, texts


def test_systems_processes_and_charts_are_pictures() -> None:
    check_svg(EX1._repr_svg_())
    assert "s0" in texts(EX1["S"]._repr_svg_())
    check_svg(chart(EX1, LOSS)._repr_svg_())


def test_verdicts_and_reports_are_markup() -> None:
    verdict = Verdict("k-pg", False, reason="R waits", witness=LOSS, replayed=True)
    assert verdict._repr_html_() == "<div><b>k-pg</b> ✘ violated: R waits (6 steps)</div>"
    report = Report(EX1, Failures(loss=True), Failures(loss=True).on(EX1), (verdict, Verdict("rsc", True)))
    shown = report._repr_html_()
    assert "✘ violated" in shown and "✔ holds" in shown and shown.count("<svg") == 1
    frame = html.unescape(shown.partition('srcdoc="')[2].partition('"')[0])
    assert frame == report_page(EX1, {"as asked": report}), "the page that steps, in a frame of its own"
    assert 'sandbox="allow-scripts"' in shown, "the frame cannot touch the notebook"


def test_names_are_escaped_in_notebooks() -> None:
    system, witness = nasty()
    verdict = Verdict("k-pg", False, reason=NASTY, witness=witness)
    report = Report(system, Failures(loss=True), Failures(loss=True).on(system), (verdict,))
    assert "<script" not in report._repr_html_() + verdict._repr_html_() + system._repr_svg_()
