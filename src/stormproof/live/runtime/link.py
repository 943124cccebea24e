"""The connection from one role to another: made when there is something to send, and again when it breaks."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from typing import Any

from .addresses import shown
from .tcp_limits import TcpLimits, Warnings
from .within import happens_within

#: Seconds before a connection that failed is tried again: first, and at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0


class PeerLink:
    """Writes the messages of one role to another, in order; what is not yet written waits in a queue."""

    def __init__(
        self,
        pair: tuple[str, str],
        where: tuple[str, int],
        limits: TcpLimits,
        context: ssl.SSLContext | None,
        warnings: Warnings,
    ) -> None:
        self._queue: asyncio.Queue[bytes] = asyncio.Queue(limits.waiting)
        self._pair, self._where, self._limits, self._warnings = pair, where, limits, warnings
        self._tls: dict[str, Any] = {}
        if context is not None:
            self._tls = {"ssl": context, "ssl_handshake_timeout": limits.seconds}
        self._writer: asyncio.StreamWriter | None = None
        self._watch: asyncio.Task[None] | None = None
        self._pause = _FIRST_PAUSE
        self._absent = False  # has the last attempt to connect failed?
        self._moved = asyncio.Event()  # there may be room in the queue, or nobody to make some
        self._task = asyncio.create_task(self._write())

    async def send(self, data: bytes) -> None:
        """Put a message behind the others; while there are too many, wait for a peer that reads. One that
        is not there, or does not read, loses messages."""
        loop = asyncio.get_running_loop()
        until = loop.time() + self._limits.seconds
        while self._queue.full():
            if self._absent:
                return self._lose(1, "is not there")
            self._moved.clear()
            if not await happens_within(self._moved, max(0.0, until - loop.time())):
                self._give_up()
        self._queue.put_nowait(len(data).to_bytes(4, "big") + data)

    def _give_up(self) -> None:
        """The peer reads nothing: what waits for it is lost, and the connection is made again."""
        lost = self._queue.qsize()
        for _ in range(lost):
            self._queue.get_nowait()
            self._queue.task_done()
        if self._writer is not None:
            self._writer.transport.abort()
        self._lose(lost, f"has read nothing for {self._limits.seconds:g} s")

    def _lose(self, count: int, why: str) -> None:
        sender, receiver = self._pair
        what = "a message" if count == 1 else f"{count:,} messages"
        self._warnings.warn("%s loses %s to %s, which %s", sender, what, receiver, why)

    async def _write(self) -> None:
        while True:
            data = await self._queue.get()
            self._moved.set()
            while not await self._written(data):
                self._writer = None
                await asyncio.sleep(self._pause)
                self._pause = min(2 * self._pause, _LONGEST_PAUSE)
            self._pause = _FIRST_PAUSE
            self._queue.task_done()

    async def _written(self, data: bytes) -> bool:
        try:
            if self._writer is None or self._writer.is_closing():
                self._writer = None
                self._writer = await self._connected()
            self._writer.write(data)
            await self._writer.drain()
        except (OSError, asyncio.TimeoutError) as problem:
            self._tell(problem)
            return False
        return True

    async def _connected(self) -> asyncio.StreamWriter:
        opening = asyncio.open_connection(*self._where, **self._tls)
        try:
            reader, writer = await asyncio.wait_for(opening, self._limits.seconds)
        except (OSError, asyncio.TimeoutError):
            self._absent = True
            self._moved.set()
            raise
        self._absent = False
        self._watch = asyncio.create_task(self._until_closed(reader, writer))
        return writer

    async def _until_closed(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Nothing is expected; the end tells that the peer has closed, which a write notices only later."""
        try:
            await reader.read(1)
        except OSError as problem:
            self._tell(problem)
        writer.close()

    def _tell(self, problem: Exception) -> None:
        """A peer that is not there comes perhaps; certificates do not mend themselves."""
        if isinstance(problem, ssl.SSLError):
            sender, receiver = self._pair
            where = shown(*self._where)
            self._warnings.warn("%s cannot connect to %s, %s: %s", sender, receiver, where, problem)

    async def flush(self) -> None:
        """Until everything is written."""
        await self._queue.join()

    async def close(self) -> None:
        for task in (self._task, self._watch):
            if task is not None:
                task.cancel()
                with contextlib.suppress(asyncio.CancelledError):
                    await task
        if self._writer is not None:
            self._writer.close()
