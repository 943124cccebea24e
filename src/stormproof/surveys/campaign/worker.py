"""A worker process: reads one job per line, writes one row per line. Whatever kills it costs one job only.

Its arguments are PARENT [BYTES]. It ends when the process PARENT
ends, however that happens; BYTES is a hard limit on its address space, a safety net below the engine's own
memory limit.
"""

from __future__ import annotations

import json
import resource
import signal
import sys
import threading
from collections.abc import Mapping, Sequence
from typing import Any

from ...errors import StormproofError
from ...kernel.model.failures_text import process_failures
from ...languages import formats
from ...limits import EFFORT, MOST, Limits, interrupting, within
from ...python_process import end_with
from ...search.checks.api import check
from ...search.checks.properties import RSC
from ...search.checks.report import Report
from .jobs import Job, _failures


def run_job(job: Job) -> dict[str, Any]:
    """The row of one job: the verdicts with their witnesses, or the sentence of what was wrong."""
    row = job.row
    try:
        with within(job.seconds), interrupting():
            report = _check(job)
    except KeyboardInterrupt:  # while the system is made ready
        if job.seconds is None:
            raise
        return {**row, "died": f"the time limit of {job.seconds:g} s was reached", "verdicts": []}
    except StormproofError as problem:
        return {**row, "error": str(problem), "verdicts": []}
    except MemoryError:
        return {**row, "died": "out of memory", "verdicts": []}
    found = {"seconds": report.seconds, "assumed": report.assumed, "notes": _notes(report)}
    return {**row, **found, "verdicts": [v.to_json() for v in report]}


def _check(job: Job) -> Report:
    return check(
        formats.system_from_json(job.system),
        _failures(job.failures_name, job.failures),
        k=job.k,
        max_k=job.max_k,
        properties=job.properties,
        limits=Limits(job.seconds, job.memory, job.states),
        semantics=job.semantics,
        effort=_effort(job),
    )


def _notes(report: Report) -> list[str]:
    """What was changed first, and which crash was assumed of whom."""
    return [*report.notes, *process_failures(report.given or report.system, report.model)]


def _effort(job: Job) -> int:
    """Where neither survival nor requirements are asked, a cross means: for no bound. Bounds are tried until
    the time limit."""
    if not job.properties or not all(name.startswith("k-") or name == RSC.name for name in job.properties):
        return EFFORT
    return MOST


def run_line(line: str) -> str:
    data: Mapping[str, Any] = json.loads(line)
    return json.dumps(run_job(Job.from_json(data)), ensure_ascii=True)


def main(arguments: Sequence[str]) -> None:
    # Ctrl-C is the parent's to handle: it ends the workers itself.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=end_with, args=(int(arguments[0]),), daemon=True).start()
    if len(arguments) > 1:
        most = int(arguments[1])
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    for line in sys.stdin:
        sys.stdout.write(run_line(line) + "\n")
        sys.stdout.flush()
