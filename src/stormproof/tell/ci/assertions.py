"""Assertions for tests: where one fails, its message has the sentence and the chart.

What is undecided fails, too: a limit is no answer.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...kernel.model.failures import Failures
from ...kernel.model.system import System
from ...live.conformance.answer import TraceAnswer
from ...live.conformance.api import trace
from ...live.conformance.log import RoleLog
from ...search.checks.api import check, survives
from ...search.checks.report import Report, Verdict
from .failure_text import report_failure, trace_failure, verdict_failure

_asked: dict[str, int] = {}


def use_effort(effort: int | None) -> None:
    """The effort of assertions that do not say theirs (`pytest --stormproof-effort`); None: the usual."""
    _asked.clear()
    if effort is not None:
        _asked["effort"] = effort


def assert_survives(system: System, failures: Failures | None = None, **options: Any) -> Verdict:
    """Fail unless the protocol recovers from whatever the failures do to it; options are those of `check`.

    >>> import stormproof as sp
    >>> sp.assert_survives(sp.protocol("two-buyer")).word
    'holds'
    """
    __tracebackhide__ = True
    verdict = survives(system, failures, **_with_effort(options))
    _stop_if_interrupted(verdict)
    if not verdict:
        assert verdict.own is not None
        raise AssertionError(verdict_failure(verdict, verdict.own))
    return verdict


def assert_holds(
    system: System,
    failures: Failures | None = None,
    *,
    properties: Iterable[str] | None = None,
    **options: Any,
) -> Report:
    """Fail unless everything holds that `stormproof check` would answer for: survival and the requirements of
    the system, or the properties and requirements that are named. The options are those of `check`.

    >>> import stormproof as sp
    >>> sp.assert_holds(sp.protocol("two-buyer"), properties=["k-mc"])["k-mc"].k
    1
    """
    __tracebackhide__ = True
    report = check(system, failures, properties=properties, **_with_effort(options))
    _stop_if_interrupted(*report)
    if not report:
        raise AssertionError(report_failure(report))
    return report


def assert_conforms(
    system: System,
    logs: Iterable[str | Path | RoleLog],
    failures: Failures | None = None,
    **options: Any,
) -> TraceAnswer:
    """Fail unless the logs come from a run of the protocol; the options are those of `trace`."""
    __tracebackhide__ = True
    answer = trace(system, logs, failures, **options)
    if not answer:
        raise AssertionError(trace_failure(answer))
    return answer


def _with_effort(options: dict[str, Any]) -> dict[str, Any]:
    return options if "options" in options else {**_asked, **options}


def _stop_if_interrupted(*verdicts: Verdict) -> None:
    """Ctrl-C leaves a check undecided; in a test it is meant for the whole session."""
    if any(verdict.stopped == "interrupted" for verdict in verdicts):
        raise KeyboardInterrupt
