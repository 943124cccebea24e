"""Running the jobs of a campaign: on this machine in worker processes, or on many through Dask."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from ...search.engine.cluster import connected
from ..worker_process import WorkerDied, WorkerProcess, rows_of
from .jobs import Job
from .results import Results

#: What a worker may take beyond the limits of its job before it is ended: the engine stops by itself, this
#: is for what does not.
GRACE_SECONDS = 30.0
GRACE_BYTES = 2 * 2**30

OnRow = Callable[[dict[str, Any]], None]


def run_campaign(
    jobs: Sequence[Job],
    results: Results,
    *,
    processes: int | None = None,
    on: str | None = None,
    on_row: OnRow | None = None,
) -> None:
    """Run every job that has no row yet; each row is on the disk before `on_row` hears of it."""
    missing = [job for job in jobs if job.key not in results.rows]
    rows = _dask(missing, on) if on else rows_of(missing, _Worker, processes or os.cpu_count() or 1)
    for row in rows:
        results.add(row)
        if on_row is not None:
            on_row(row)


class _Worker:
    """A worker process for jobs, and again one after it has died or where a job has another memory limit."""

    def __init__(self) -> None:
        self._process = WorkerProcess("stormproof.surveys.campaign.worker")

    def run(self, job: Job, stop: threading.Event) -> dict[str, Any] | None:
        """The row of a job; a row that says so when the worker dies; None when the campaign is stopped."""
        hard = () if job.memory is None else (str(job.memory + GRACE_BYTES),)
        most = None if job.seconds is None else job.seconds + GRACE_SECONDS
        try:
            line = self._process.ask(json.dumps(job.to_json()), stop, most, hard)
        except WorkerDied as death:
            return _dead_row(job, str(death))
        return None if line is None else dict(json.loads(line))

    def end(self) -> None:
        self._process.end()


def _dead_row(job: Job, how: str) -> dict[str, Any]:
    return {**job.row, "died": how, "verdicts": []}


def run_isolated(data: dict[str, Any]) -> dict[str, Any]:
    """One job in a worker process of its own: what a Dask worker runs, so that limits hold there too."""
    worker = _Worker()
    try:
        row = worker.run(Job.from_json(data), threading.Event())
        assert row is not None
        return row
    finally:
        worker.end()


def _dask(jobs: Sequence[Job], address: str) -> Iterator[dict[str, Any]]:
    """Rows as they come from a Dask scheduler, which runs a task again whose worker was killed."""
    with connected(address) as client:
        from distributed import as_completed

        by_future = {
            client.submit(run_isolated, job.to_json(), key=f"stormproof-{job.key}", retries=2): job
            for job in jobs
        }
        for future in as_completed(list(by_future)):
            job = by_future[future]
            if future.status in ("cancelled", "lost"):  # then there is no answer, not even an exception
                yield _dead_row(job, "the scheduler of the cluster was lost")
                continue
            failure = future.exception()
            yield future.result() if failure is None else _dead_row(job, f"on its worker: {failure}")
