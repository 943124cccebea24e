"""Worker processes that answer a line with a line. Whatever kills one costs one answer only."""

from __future__ import annotations

import os
import queue
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from typing import Generic, Protocol, TypeVar

from ..python_process import python_process

Work = TypeVar("Work")
FinishedWork = TypeVar("FinishedWork")
GivenTask = TypeVar("GivenTask", contravariant=True)
FoundRow = TypeVar("FoundRow", covariant=True)


class WorkerDied(Exception):
    """How it ended, instead of an answer."""


class WorkerProcess:
    """Started when needed, and again after it has died. `module` has a `main` that gets the process id of
    this process and what else it is given."""

    def __init__(self, module: str) -> None:
        self._module = module
        self._process: subprocess.Popen[str] | None = None
        self._arguments: tuple[str, ...] = ()

    def ask(
        self, line: str, stop: threading.Event, most: float | None = None, arguments: tuple[str, ...] = ()
    ) -> str | None:
        """Its answer within `most` seconds; None where that is not wanted any more."""
        process = self._started(arguments)
        answers: queue.SimpleQueue[str] = queue.SimpleQueue()
        assert process.stdin is not None and process.stdout is not None
        with suppress(BrokenPipeError):
            process.stdin.write(line + "\n")
            process.stdin.flush()
        reader = threading.Thread(target=lambda out=process.stdout: answers.put(out.readline()), daemon=True)
        reader.start()
        started = time.monotonic()
        while not stop.is_set():
            with suppress(queue.Empty):
                answer = answers.get(timeout=0.2)
                if answer.endswith("\n"):
                    return answer
                raise WorkerDied(self._how_it_died())
            if most is not None and time.monotonic() - started > most:
                self.end()
                raise WorkerDied(f"ended after {most:.0f} s: it did not stop at its time limit")
        return None

    def _started(self, arguments: tuple[str, ...]) -> subprocess.Popen[str]:
        if self._process is not None and (self._process.poll() is not None or self._arguments != arguments):
            self.end()
        if self._process is None:
            self._arguments = arguments
            command, environment = python_process(self._module, str(os.getpid()), *arguments)
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

    def _how_it_died(self) -> str:
        assert self._process is not None
        code = self._process.wait()
        self.end()
        return f"killed by {signal.Signals(-code).name}" if code < 0 else f"ended with code {code}"

    def end(self) -> None:
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            for pipe in (self._process.stdin, self._process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
            self._process = None


class Worker(Protocol[GivenTask, FoundRow]):
    """What does one task after the other; None where that is not wanted any more."""

    def run(self, task: GivenTask, stop: threading.Event, /) -> FoundRow | None: ...

    def end(self) -> None: ...


def rows_of(
    tasks: Sequence[Work], worker: Callable[[], Worker[Work, FinishedWork]], processes: int
) -> Iterator[FinishedWork]:
    """The rows as they come, of so many workers with a thread each to feed it; closing the iterator ends them
    all."""
    waiting: queue.SimpleQueue[Work] = queue.SimpleQueue()
    for task in tasks:
        waiting.put(task)
    crowd = _Crowd(waiting, worker)
    feeders = [threading.Thread(target=crowd.feed, daemon=True) for _ in range(min(processes, len(tasks)))]
    for feeder in feeders:
        feeder.start()
    try:
        for _ in tasks:
            row = crowd.rows.get()
            if isinstance(row, BaseException):
                raise row
            yield row
    finally:
        crowd.stop.set()
        for feeder in feeders:
            feeder.join(timeout=10)


class _Crowd(Generic[Work, FinishedWork]):
    """Workers with the same tasks before them."""

    def __init__(
        self, waiting: queue.SimpleQueue[Work], worker: Callable[[], Worker[Work, FinishedWork]]
    ) -> None:
        self._waiting, self._worker = waiting, worker
        self.rows: queue.SimpleQueue[FinishedWork | BaseException] = queue.SimpleQueue()
        self.stop = threading.Event()

    def feed(self) -> None:
        """One worker, until nothing is left to do."""
        worker = self._worker()
        try:
            while not self.stop.is_set():
                try:
                    task = self._waiting.get_nowait()
                except queue.Empty:
                    return
                row = worker.run(task, self.stop)
                if row is not None:
                    self.rows.put(row)
        except BaseException as problem:
            self.rows.put(problem)
        finally:
            worker.end()
