"""Runs a native search while the main thread draws progress and listens for Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeVar

from ... import _engine
from ...limits import Limits, time_left
from ...options import Progress, ProgressCallback
from .effort import within

T = TypeVar("T")

#: Why a search on a cluster ended whose scheduler was lost: no other can begin there.
SCHEDULER_LOST = "scheduler"


def limit_name(stop: _engine.Stop) -> str:
    """The name of the limit that stopped a search; "" when it ran to its end."""
    return "" if stop is _engine.Stop.NONE else stop.name.lower()


def watch(
    search: Callable[[_engine.Monitor], T],
    limits: Limits,
    task: str = "",
    progress: ProgressCallback | None = None,
    most: int | None = None,
    monitor: _engine.Monitor | None = None,
) -> T:
    """Run `search(monitor)` in a thread; Ctrl-C stops it through the monitor and it returns what it has. If
    what it returns does not tell that it was interrupted, Ctrl-C is raised again: it must not be lost.

    `most`: the effort for it, in configurations. `monitor`: one that several calls share.
    """
    seconds = time_left(limits.seconds)
    monitor = monitor or _engine.Monitor(seconds, limits.bytes, within(limits, most).states)
    result: list[T] = []
    failure: list[BaseException] = []
    done = threading.Event()

    def run() -> None:
        try:
            result.append(search(monitor))
        except BaseException as problem:
            failure.append(problem)
        finally:
            done.set()

    thread = threading.Thread(target=run, daemon=True)
    thread.start()
    pause, interrupted = 0.0005, False
    try:
        # An interrupted `Thread.join` may call a running thread finished, so an event says when it is.
        while not done.is_set():
            try:
                done.wait(pause)
                pause = min(pause * 2, 0.1)
                if progress is not None and monitor.seconds > 0.2:
                    progress(_state(task, monitor, limits, seconds))
            except KeyboardInterrupt:
                interrupted = True
                monitor.interrupt()
    finally:
        # Python must not end while the search runs: a second signal may leave the loop above.
        if not done.is_set():
            monitor.interrupt()
        done.wait()
    if failure:
        raise failure[0]
    if interrupted and getattr(result[0], "stop", None) is not _engine.Stop.INTERRUPTED:
        raise KeyboardInterrupt
    return result[0]


def _state(task: str, monitor: _engine.Monitor, limits: Limits, seconds: float | None) -> Progress:
    enabled = monitor.enabled
    return Progress(
        task,
        monitor.states,
        monitor.frontier,
        monitor.memory,
        monitor.seconds,
        most_memory=limits.bytes,
        most_seconds=seconds,
        compact=monitor.compact,
        phase=monitor.phase.name.lower(),
        unjudged=monitor.unjudged,
        represented=monitor.represented,
        postponed=max(0.0, 1 - monitor.taken / enabled) if enabled else None,
    )
