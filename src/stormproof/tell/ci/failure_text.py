"""A verdict or an answer as a failed test tells it: the sentence, what was assumed, and the chart."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.model.phrases import plural
from ...kernel.model.status import REPLAYED
from ...live.conformance.answer import TraceAnswer
from ...live.testing.serve import RandomRuns
from ...search.checks.headline import headline, with_extent
from ...search.checks.report import Report, Verdict
from ..draw.chart.build import chart
from ..draw.chart.text import chart_text

#: The width of charts where nothing says how wide the page is.
COLUMNS = 100

#: Longer runs of logs are not drawn.
MOST_STEPS = 60


def sentence_of(verdict: Verdict) -> str:
    """What was found, without the name of the verdict."""
    if not verdict.survival:
        return verdict.reason or verdict.word
    found = headline(verdict, faults_possible=True) or verdict.word
    said, *behind = with_extent(found, verdict)
    return f"{said} ({behind[0]})" if behind else said


def found_line(verdict: Verdict) -> str:
    """`✘ recovers: breaks with 1 fault: ...`."""
    undecided = "undecided: " if verdict.ok is None else ""
    return f"{verdict.status.sign} {verdict.property}: {undecided}{sentence_of(verdict)}"


def details(report: Report, verdict: Verdict) -> Iterator[str]:
    """What stands below the sentence; `report` is the one that the run of the verdict is about."""
    yield f"failures: {report.assumed}"
    if verdict.witness is not None:
        yield ""
        yield chart_text(chart(report.system, verdict.witness), COLUMNS)


def verdict_failure(verdict: Verdict, report: Report) -> str:
    """A verdict that is not as it should be, with its chart."""
    own = report.of(verdict)
    name = own.system.name or "the system"
    return "\n".join([f"{name}: {found_line(verdict)}", *details(own, verdict)])


def report_failure(report: Report) -> str:
    """Everything in a report that is not as it should be, and the chart of the first run."""
    wrong = [v for v in report if v.counts and v.ok is not True]
    if not wrong:
        return f"{report.system.name or 'the system'}: nothing was asked that could hold or fail"
    shown = next((v for v in wrong if v.witness is not None), wrong[0])
    others = [found_line(v) for v in wrong if v is not shown]
    return "\n".join([verdict_failure(shown, report), *(["", "also:", *others] if others else [])])


def random_failure(found: RandomRuns) -> str:
    """What an implementation did that the protocol does not allow, and the chart of what led there."""
    if found.run is None:
        return found.headline
    drawn = chart_text(chart(found.model.shown, found.run), COLUMNS)
    return f"{found.headline}\n\n{drawn}"


def trace_failure(answer: TraceAnswer) -> str:
    """Why logs do not conform, and the chart of what a run explains."""
    name = answer.system.name or "the system"
    return "\n".join([f"{name}: {answer}", *explained_run(answer)])


def explained_run(answer: TraceAnswer) -> Iterator[str]:
    """The chart of what a run explains, where there is one that is not too long."""
    if answer.run is not None and 0 < len(answer.run.steps) <= MOST_STEPS:
        yield from ("", f"the run, {plural(len(answer.run.steps), 'step')}, {REPLAYED}", "")
        yield chart_text(chart(answer.system, answer.run), COLUMNS)
