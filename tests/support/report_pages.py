"""Report pages of runs that are given, without a check."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.run import Witness
from stormproof.kernel.model.system import System
from stormproof.search.checks.report import Report, Verdict
from stormproof.tell.draw.page.report import report_page
from tests.support.example_runs import (
    CORRUPTION,
    EX1,
    LOSS,
    REORDERING,
)


def holds(name: str) -> Verdict:
    return Verdict(name, True, k=1)


def violated(name: str, witness: Witness, reason: str = "") -> Verdict:
    return Verdict(name, False, reason=reason, witness=witness, replayed=True, witness_k=1)


def reported(system: System, failures: Failures, *verdicts: Verdict) -> Report:
    return Report(system, failures, failures.on(system), verdicts)


def page_of(system: System, reports: dict[str, Report], **more: Any) -> str:
    """A page whose explanations are the reasons: what `explain` makes of a run is tested elsewhere."""
    told: dict[str, Any] = {"explain": lambda report, verdict: verdict.reason, **more}
    return report_page(system, reports, **told)


def paper() -> str:
    """The paper's Figure 2 with the runs of its example on interferences."""
    blamed = replace(CORRUPTION, culprit={"channel": "S->R", "message": "data"})
    reports = {
        "none": reported(EX1, Failures(), holds("k-er"), holds("k-pg"), holds("rsc")),
        "loss": reported(
            EX1, Failures(loss=True), holds("k-er"), violated("k-pg", LOSS), violated("k-mc", LOSS)
        ),
        "corruption": reported(
            EX1, Failures(corrupt=True), violated("k-er", blamed), Verdict("k-pg", None, reason="out of time")
        ),
        "reordering": reported(EX1, Failures(reorder=True), violated("rsc", REORDERING)),
    }
    return page_of(
        EX1,
        reports,
        explain=lambda report, verdict: f"This is why {verdict.property} fails.",
        command=lambda report, verdict: f"stormproof check ex1 --property {verdict.property}",
        again="stormproof report ex1 -o report.html",
    )
