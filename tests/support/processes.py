"""Processes that tests start: with signals as in a terminal, and ended with all that they have started."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import pytest

Process = subprocess.Popen[Any]
Start = Callable[..., Process]


@contextmanager
def signals_as_in_a_terminal() -> Iterator[None]:
    """Here and in what is started here, though tests may run where SIGINT is ignored: in the background."""
    usual: dict[int, Any] = {signal.SIGINT: signal.default_int_handler, signal.SIGTERM: signal.SIG_DFL}
    before = {number: signal.signal(number, handler) for number, handler in usual.items()}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def begin(command: Sequence[str | Path], **options: Any) -> Process:
    """In a session of its own, so that `end` ends all of it."""
    with signals_as_in_a_terminal():
        return subprocess.Popen(command, start_new_session=True, **options)


def end(process: Process) -> None:
    """Whatever it is doing, and what it has started."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()


@contextmanager
def started(command: Sequence[str | Path], **options: Any) -> Iterator[Process]:
    """A process that does not outlive the block, nor does what it has started."""
    process = begin(command, **options)
    try:
        yield process
    finally:
        end(process)


@pytest.fixture
def start() -> Iterator[Start]:
    """start("check", "x.storm", env={...}): the command as a process of its own; none is left in the end.
    `through`: a program that becomes it."""
    begun: list[Process] = []

    def run(
        *arguments: object, env: dict[str, str] | None = None, through: str = "", **options: Any
    ) -> Process:
        command = [sys.executable, "-m", "stormproof", *map(str, arguments)]
        if through:
            command = [sys.executable, "-c", through, *command]
        pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        begun.append(begin(command, env={**os.environ, **(env or {})}, **(pipes | options)))
        return begun[-1]

    yield run
    for process in begun:
        end(process)
