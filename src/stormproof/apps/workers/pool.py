"""Worker processes that answer questions: a few at once; the others wait, and too many are refused.

A worker whose question is cancelled is kept for the next one if it stops at once, and killed if it does not.
A worker that dies is replaced, and only its own question is lost.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from ...limits import three_quarters
from ...python_process import python_process
from .worker_signals import ABANDON, STOP

Said = dict[str, Any]

#: Longer lines than any answer has: charts of long runs are large.
_LINE = 64 * 2**20

#: What is wrong where a worker ended before its answer.
DIED = "the process that worked on this ended before its answer; the others go on"

#: Seconds that a worker may take beyond the time limit of its question, and to stop when it is told to; and
#: after which it is told again.
_GRACE, _STOPPING, _AGAIN = 45.0, 0.5, 0.25


@dataclass(frozen=True)
class PoolLimits:
    """At most `workers` questions at once and `waiting` behind them; each has its share of the memory."""

    workers: int = max(2, min(4, os.cpu_count() or 2))
    waiting: int = 200
    seconds: float = 60.0
    memory: int = field(default_factory=three_quarters)
    states: int | None = None

    def of_a_question(self) -> dict[str, Any]:
        return {"seconds": self.seconds, "memory": self.memory // self.workers, "states": self.states}


class WorkerPool:
    """Starts workers when they are needed, and keeps them for the next question."""

    def __init__(self, limits: PoolLimits | None = None) -> None:
        self.limits = limits or PoolLimits()
        self._idle: list[asyncio.subprocess.Process] = []
        self.working: dict[asyncio.Task[Any] | None, asyncio.subprocess.Process] = {}
        self._busy = 0
        self._turns: deque[asyncio.Future[None]] = deque()

    async def warm(self, workers: int = 1) -> None:
        """Start workers before they are needed: they take a while to load."""
        self._idle += [await _start() for _ in range(min(workers, self.limits.workers))]

    async def ask(self, question: dict[str, Any], tell: Callable[[Said], None] | None = None) -> Said:
        """The answer, or `{"problem": words}`. Cancelling this ends the question wherever it is."""
        if len(self._turns) >= self.limits.waiting:
            return {"problem": f"busy: {len(self._turns)} questions wait already; try again"}
        await self._turn()
        try:
            return await self._ask(question, tell)
        finally:
            self._busy -= 1
            self._next()

    def stop(self, asking: asyncio.Task[Any]) -> bool:
        """Let the question that a task asks end with what is known; False if it is not being answered yet."""
        worker = self.working.get(asking)
        if worker is not None:
            self._tell_to_stop(asking, worker)
        return worker is not None

    def _tell_to_stop(self, asking: asyncio.Task[Any], worker: asyncio.subprocess.Process) -> None:
        """More than once: a worker that has not read its question yet takes the signal for a late one."""
        if self.working.get(asking) is worker:
            _signal(worker, STOP)
            asyncio.get_running_loop().call_later(_AGAIN, self._tell_to_stop, asking, worker)

    async def _turn(self) -> None:
        """Wait until fewer than `workers` questions run, first come, first served."""
        if self._busy < self.limits.workers and not self._turns:
            self._busy += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._turns.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():
                self._busy -= 1
                self._next()
            else:
                self._turns.remove(turn)
            raise

    def _next(self) -> None:
        while self._turns and self._busy < self.limits.workers:
            turn = self._turns.popleft()
            if not turn.done():
                self._busy += 1
                turn.set_result(None)

    async def _ask(self, question: dict[str, Any], tell: Callable[[Said], None] | None) -> Said:
        worker = self._rested() or await self._started()
        self.working[asyncio.current_task()] = worker
        try:
            talk = _talk(worker, {**question, **self.limits.of_a_question()}, tell)
            answer = await asyncio.wait_for(talk, self.limits.seconds + _GRACE)
        except asyncio.TimeoutError:
            await _end(worker)
            return {"problem": f"no answer within {self.limits.seconds:g} s"}
        except asyncio.CancelledError:
            await self._recover(worker)
            raise
        except BaseException:
            await _end(worker)
            raise
        finally:
            del self.working[asyncio.current_task()]
        if answer is None:
            await _end(worker)
            if worker.returncode == -STOP:  # before it had begun
                return {"stopped": True}
            return {"problem": DIED}
        self._idle.append(worker)
        return answer

    def _rested(self) -> asyncio.subprocess.Process | None:
        """A worker that waits for a question; those that have died meanwhile are forgotten."""
        while self._idle:
            worker = self._idle.pop()
            if worker.returncode is None:
                return worker
        return None

    async def _started(self) -> asyncio.subprocess.Process:
        """A new worker. One whose question is cancelled meanwhile serves the next: asyncio may wait for ever
        for a process whose start is cancelled."""
        starting = asyncio.ensure_future(_start())
        try:
            return await asyncio.shield(starting)
        except asyncio.CancelledError:
            self._idle.append(await starting)
            raise

    async def _recover(self, worker: asyncio.subprocess.Process) -> None:
        """Take back a worker whose question nobody waits for any more."""
        _signal(worker, ABANDON)
        try:
            said = await asyncio.wait_for(_listen(worker, None), _STOPPING)
        except (asyncio.TimeoutError, asyncio.CancelledError):
            said = None
        if said is None:
            await _end(worker)
        else:
            self._idle.append(worker)

    def kill(self) -> None:
        for worker in (*self._idle, *self.working.values()):
            _signal(worker, signal.SIGKILL)

    async def close(self) -> None:
        self.kill()
        for worker in (*self._idle, *self.working.values()):
            await worker.wait()
        self._idle.clear()


async def _start() -> asyncio.subprocess.Process:
    pipe = asyncio.subprocess.PIPE
    command, environment = python_process("stormproof.apps.workers.worker")
    return await asyncio.create_subprocess_exec(
        *command, env=environment, stdin=pipe, stdout=pipe, limit=_LINE, start_new_session=True
    )


async def _talk(
    worker: asyncio.subprocess.Process, question: dict[str, Any], tell: Callable[[Said], None] | None
) -> Said | None:
    """None if the worker ends before it answers."""
    assert worker.stdin is not None
    with contextlib.suppress(ConnectionError):
        worker.stdin.write(json.dumps(question).encode() + b"\n")
        await worker.stdin.drain()
    return await _listen(worker, tell)


async def _listen(worker: asyncio.subprocess.Process, tell: Callable[[Said], None] | None) -> Said | None:
    """What it says last; everything before that, progress and partial answers, is passed on."""
    assert worker.stdout is not None
    while line := await _line(worker, worker.stdout):
        said: Said = json.loads(line)
        if "progress" not in said and "partial" not in said:
            return said
        if tell is not None:
            tell(said)
    return None


async def _line(worker: asyncio.subprocess.Process, stream: asyncio.StreamReader) -> bytes:
    try:
        return await stream.readline()
    except ValueError:  # it is longer than the limit
        await _end(worker)
        return json.dumps({"problem": f"the answer is larger than {_LINE >> 20} MiB"}).encode()


def _signal(worker: asyncio.subprocess.Process, number: int) -> None:
    """Not `send_signal`, which looks whether the process has ended and may take that from the event loop."""
    if worker.returncode is None:
        with contextlib.suppress(ProcessLookupError):
            os.kill(worker.pid, number)


async def _end(worker: asyncio.subprocess.Process) -> None:
    _signal(worker, signal.SIGKILL)
    await worker.wait()
