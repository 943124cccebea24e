"""Assertions for tests: where one fails, its message has the sentence and the chart.

What is undecided fails, too: a limit is no answer.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from ...errors import UsageError
from ...kernel.model.failures import Failures
from ...kernel.model.faults import KINDS
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
    """Fail unless the protocol recovers from whatever the failures do to it.

    Failures may be keywords, as those of `sp.Failures`; the other options are those of `check`.

    >>> import stormproof as sp
    >>> sp.assert_survives(sp.protocol("two-buyer")).word
    'holds'
    >>> sp.assert_survives(sp.protocol("alternating-bit-retransmit"), loss=True, duplicate=True).holds
    True
    """
    __tracebackhide__ = True
    failures, options = _with_failures(failures, options)
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
    the system, or the properties and requirements that are named. Failures may be keywords, as those of
    `sp.Failures`; the other options are those of `check`.

    >>> import stormproof as sp
    >>> sp.assert_holds(sp.protocol("two-buyer"), properties=["k-mc"])["k-mc"].k
    1
    """
    __tracebackhide__ = True
    failures, options = _with_failures(failures, options)
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


def _with_failures(
    failures: Failures | None, options: dict[str, Any]
) -> tuple[Failures | None, dict[str, Any]]:
    """The failures, which may be among the options, and the options that are left."""
    told = {name: value for name, value in options.items() if name in _FAILURES and name != "budget"}
    if not told:
        return failures, options
    if failures is not None:
        raise UsageError(f"failures are given twice: as a value, and as {', '.join(told)}")
    return Failures(**told), {name: value for name, value in options.items() if name not in told}


#: What `Failures` takes; a budget is an option of `check` as well.
_FAILURES = {*inspect.signature(Failures).parameters, *(kind.keyword for kind in KINDS)}


def _with_effort(options: dict[str, Any]) -> dict[str, Any]:
    return options if "options" in options else {**_asked, **options}


def _stop_if_interrupted(*verdicts: Verdict) -> None:
    """Ctrl-C leaves a check undecided; in a test it is meant for the whole session."""
    if any(verdict.stopped == "interrupted" for verdict in verdicts):
        raise KeyboardInterrupt
