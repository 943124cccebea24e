"""Worker processes: one that dies takes nothing with it, a cancelled question ends, too many are refused."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Awaitable, Callable
from typing import Any

import stormproof as sp
from stormproof.apps.studio.document import EXAMPLE
from stormproof.apps.workers.pool import PoolLimits, WorkerPool

LONG = {
    "ask": "check",
    "text": sp.dumps(sp.generate("paxos", proposers=2, acceptors=3, retries=2), "storm"),
    "settings": {"loss": True, "reorder": True},
    "effort": 10_000_000,
}
SHORT = {"ask": "read", "text": EXAMPLE}


def in_pool(story: Callable[[WorkerPool], Awaitable[None]], limits: PoolLimits) -> None:
    async def whole() -> None:
        pool = WorkerPool(limits)
        try:
            await asyncio.wait_for(story(pool), 120)
        finally:
            await pool.close()

    asyncio.run(whole())


async def working(pool: WorkerPool) -> asyncio.subprocess.Process:
    while not pool.working:
        await asyncio.sleep(0.02)
    return next(iter(pool.working.values()))


def test_death_cancellation_and_refusal() -> None:
    async def story(pool: WorkerPool) -> None:
        told: list[Any] = []
        dying = asyncio.create_task(pool.ask(LONG, told.append))
        while not any(said.get("progress", {}).get("states") for said in told):
            await asyncio.sleep(0.02)
        waiting = asyncio.create_task(pool.ask(SHORT))
        await asyncio.sleep(0)
        assert "busy" in (await pool.ask(SHORT))["problem"], "one may wait, not two"
        (await working(pool)).kill()
        assert "ended before its answer" in (await dying)["problem"]
        assert (await waiting)["answer"]["problems"] == []

        cancelled = asyncio.create_task(pool.ask(LONG))
        worker = await working(pool)
        queued = asyncio.create_task(pool.ask(SHORT))
        await asyncio.sleep(0)
        queued.cancel()
        cancelled.cancel()
        await asyncio.gather(cancelled, queued, return_exceptions=True)
        assert cancelled.cancelled() and queued.cancelled()
        assert (worker in pool._idle) == (worker.returncode is None), "kept if it stopped at once"
        assert "answer" in await pool.ask(SHORT)

    in_pool(story, PoolLimits(workers=1, waiting=1))


def test_a_question_may_be_cancelled_while_its_worker_starts() -> None:
    async def story(pool: WorkerPool) -> None:
        asking = asyncio.create_task(pool.ask(SHORT))
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.wait_for(asyncio.gather(asking, return_exceptions=True), 60)
        assert asking.cancelled()
        assert (await pool.ask(SHORT))["answer"]["problems"] == []

    in_pool(story, PoolLimits(workers=1))


def test_a_worker_that_died_while_it_waited_is_replaced() -> None:
    async def story(pool: WorkerPool) -> None:
        await pool.warm()
        (worker,) = pool._idle
        worker.kill()
        await worker.wait()
        assert (await pool.ask(SHORT))["answer"]["problems"] == []

    in_pool(story, PoolLimits(workers=1))


def test_stop_keeps_what_is_known() -> None:
    async def story(pool: WorkerPool) -> None:
        known: list[str] = []
        asking = asyncio.create_task(pool.ask(LONG, lambda said: known.extend(said)))
        assert not pool.stop(asking), "it is not being answered yet"
        while "progress" not in known:
            await asyncio.sleep(0.02)
        worker = await working(pool)
        assert pool.stop(asking)
        answer = (await asking)["answer"]
        assert answer["stopped"] and answer["more"]
        assert {v["property"]: v["ok"] for v in answer["verdicts"]}["recovers"] in (None, True)
        assert worker.returncode is None, "the worker is kept"
        assert (await pool.ask(SHORT))["answer"]["problems"] == []

    in_pool(story, PoolLimits(workers=1))


def test_stop_is_not_lost_before_the_question_is_read() -> None:
    async def story(pool: WorkerPool) -> None:
        assert (await pool.ask(SHORT))["answer"]["problems"] == []
        (worker,) = pool._idle
        worker.send_signal(signal.SIGSTOP)
        asking = asyncio.create_task(pool.ask(LONG))
        await working(pool)
        assert pool.stop(asking)
        worker.send_signal(signal.SIGCONT)
        said = await asyncio.wait_for(asking, 40)
        assert said == {"stopped": True} or said["answer"]["stopped"]

    in_pool(story, PoolLimits(workers=1))


def test_limits_of_time_and_memory() -> None:
    async def story(pool: WorkerPool) -> None:
        said = await pool.ask(LONG)
        verdicts = said["answer"]["verdicts"]
        assert {v["ok"] for v in verdicts if v["counts"]} <= {None, False}, "a limit is never `holds`"

    in_pool(story, PoolLimits(workers=1, seconds=0.5, memory=2**28))
