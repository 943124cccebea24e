"""What notebooks show, and the example notebook executed."""

from __future__ import annotations

import pytest

from stormproof.checks.report import Report, Verdict
from stormproof.draw.chart.build import chart
from stormproof.model.failures import Failures
from tests.support.example_runs import EX1, LOSS, NASTY, nasty
from tests.support.paths import DOCS
from tests.support.svg_checks import check_svg, texts

NOTEBOOK = DOCS / "example.ipynb"


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


def test_names_are_escaped_in_notebooks() -> None:
    system, witness = nasty()
    verdict = Verdict("k-pg", False, reason=NASTY, witness=witness)
    report = Report(system, Failures(loss=True), Failures(loss=True).on(system), (verdict,))
    assert "<script" not in report._repr_html_() + verdict._repr_html_() + system._repr_svg_()


@pytest.mark.filterwarnings("ignore")
def test_the_example_notebook_runs() -> None:
    nbformat = pytest.importorskip("nbformat", reason="nbformat is not installed: the notebook is not run")
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed: the notebook is not run")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed: the notebook is not run")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    kinds = [
        set().union(*(o.get("data", {"stream": 0}) for o in cell.outputs))
        for cell in notebook.cells
        if cell.cell_type == "code"
    ]
    assert [("image/svg+xml" in k, "text/html" in k) for k in kinds[:4]] == [
        (True, False),
        (False, True),
        (False, True),
        (True, False),
    ]
    text = notebook.cells[-3].outputs[0].text
    assert "✕" in text and "lost" in text
