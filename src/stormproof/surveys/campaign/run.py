"""Running the jobs of a campaign: on this machine in worker processes, or on many through Dask."""

from __future__ import annotations

import json
import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any

from ...python_process import python_process
from ...search.engine.cluster import connected
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
    rows = _dask(missing, on) if on else _local(missing, processes or os.cpu_count() or 1)
    for row in rows:
        results.add(row)
        if on_row is not None:
            on_row(row)


def _local(jobs: Sequence[Job], processes: int) -> Iterator[dict[str, Any]]:
    """Worker processes, one thread each to feed it; closing the iterator ends them all."""
    waiting: queue.SimpleQueue[Job] = queue.SimpleQueue()
    for job in jobs:
        waiting.put(job)
    rows: queue.SimpleQueue[dict[str, Any] | BaseException] = queue.SimpleQueue()
    stop = threading.Event()
    feeders = [
        threading.Thread(target=_feed, args=(waiting, rows, stop), daemon=True)
        for _ in range(min(processes, len(jobs)))
    ]
    for feeder in feeders:
        feeder.start()
    try:
        for _ in jobs:
            row = rows.get()
            if isinstance(row, BaseException):
                raise row
            yield row
    finally:
        stop.set()
        for feeder in feeders:
            feeder.join(timeout=10)


def _feed(
    waiting: queue.SimpleQueue[Job],
    rows: queue.SimpleQueue[dict[str, Any] | BaseException],
    stop: threading.Event,
) -> None:
    worker = _Worker()
    try:
        while not stop.is_set():
            try:
                job = waiting.get_nowait()
            except queue.Empty:
                return
            row = worker.run(job, stop)
            if row is not None:
                rows.put(row)
    except BaseException as problem:
        rows.put(problem)
    finally:
        worker.end()


class _Worker:
    """A worker process that is started when needed and again after it has died."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[str] | None = None
        self._memory: int | None = None

    def run(self, job: Job, stop: threading.Event) -> dict[str, Any] | None:
        """The row of a job; a row that says so when the worker dies; None when the campaign is stopped."""
        process = self._started(job.memory)
        answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(json.dumps(job.to_json()) + "\n")
            process.stdin.flush()
        reader = threading.Thread(target=lambda out=process.stdout: answers.put(out.readline()), daemon=True)
        reader.start()
        started = time.monotonic()
        most = None if job.seconds is None else job.seconds + GRACE_SECONDS
        while not stop.is_set():
            with suppress(queue.Empty):
                line = answers.get(timeout=0.2)
                return dict(json.loads(line)) if line.endswith("\n") else self._died(job)
            if most is not None and time.monotonic() - started > most:
                self.end()
                return _dead_row(job, f"ended after {most:.0f} s: it did not stop at its time limit")
        return None

    def _started(self, memory: int | None) -> subprocess.Popen[str]:
        if self._process is not None and (self._process.poll() is not None or self._memory != memory):
            self.end()
        if self._process is None:
            hard = [] if memory is None else [str(memory + GRACE_BYTES)]
            self._memory = memory
            command, environment = python_process(
                "stormproof.surveys.campaign.worker", str(os.getpid()), *hard
            )
            self._process = subprocess.Popen(
                command,
                env=environment,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                text=True,
                encoding="utf-8",
            )
        return self._process

    def _died(self, job: Job) -> dict[str, Any]:
        assert self._process is not None
        code = self._process.wait()
        self.end()
        if code < 0:
            return _dead_row(job, f"killed by {signal.Signals(-code).name}")
        return _dead_row(job, f"ended with code {code}")

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            self._process = None


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
