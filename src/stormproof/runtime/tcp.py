"""A network over TCP: messages as JSON behind their length, one connection per pair of roles."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ..errors import UsageError, did_you_mean
from ..extraction.requests import Received
from .codec import Garbage, decode, encode
from .inbox import Inbox

_log = logging.getLogger("stormproof")

LOOPBACK = "127.0.0.1"
#: A message of more bytes is garbage.
MOST_BYTES = 65_536
#: Seconds before a connection that failed is tried again: first, and at most.
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 1.0

_Address = int | tuple[str, int]


class TcpNetwork:
    """Roles at addresses: a port on this machine, or a host and a port.

    Each process makes one, with the addresses of all roles, and runs some of them on it. A connection that
    breaks is made again; what was written to it and not yet read by the peer is lost, which is the fault
    `loss`. Close it when the roles have ended: `async with TcpNetwork(...) as network`.
    """

    def __init__(self, addresses: Mapping[str, _Address], *, most_bytes: int = MOST_BYTES) -> None:
        self._addresses = {n: (LOOPBACK, a) if isinstance(a, int) else a for n, a in addresses.items()}
        self._most_bytes = most_bytes
        self._servers: list[asyncio.AbstractServer] = []
        self._links: dict[tuple[str, str], _Link] = {}
        self._readers: set[asyncio.StreamWriter] = set()

    async def __aenter__(self) -> TcpNetwork:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, problem: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def _address(self, name: str) -> tuple[str, int]:
        if name not in self._addresses:
            hint = did_you_mean(name, self._addresses)
            raise UsageError(f"the network has no address of '{name}'", hint=hint)
        return self._addresses[name]

    async def inbox(self, name: str, enums: dict[str, Any]) -> Inbox:
        inbox, connections = Inbox(), _Connections()

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._readers.add(writer)
            number = connections.next_number()
            try:
                while True:
                    message = await self._read(reader, name, enums)
                    if not connections.is_newest(message.peer, number):
                        break
                    inbox.put(message)
            except Garbage as problem:
                _log.warning("%s disconnects %s: %s", name, writer.get_extra_info("peername"), problem)
            except (OSError, asyncio.IncompleteReadError):
                pass  # the peer has gone, and connects again if it wants to
            except asyncio.CancelledError:
                pass  # the program ends; before Python 3.12, asyncio would print a traceback
            finally:
                self._readers.discard(writer)
                writer.close()

        host, port = self._address(name)
        try:
            self._servers.append(await asyncio.start_server(serve, host, port))
        except OSError as problem:
            why = problem.strerror or str(problem)
            raise UsageError(f"{name} cannot listen on {host}, port {port}: {why}") from None
        return inbox

    async def _read(self, reader: asyncio.StreamReader, name: str, enums: dict[str, Any]) -> Received:
        length = int.from_bytes(await reader.readexactly(4), "big")
        if length > self._most_bytes:
            raise Garbage(f"a message of {length:,} bytes, more than {self._most_bytes:,}")
        message = decode(await reader.readexactly(length), name, enums)
        if message.peer not in self._addresses:
            raise Garbage(f"a message from {message.peer[:80]!r}, who has no address")
        return message

    async def send(self, message: Received, receiver: str) -> None:
        pair = (message.peer, receiver)
        if pair not in self._links:
            self._links[pair] = _Link(*self._address(receiver))
        self._links[pair].send(encode(message, receiver))

    def fate(self, name: str) -> str | None:
        return None

    async def flush(self, seconds: float = 5.0) -> None:
        """Wait until everything is written, but not for ever."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(
                asyncio.gather(*(link.queue.join() for link in self._links.values())), seconds
            )

    async def close(self) -> None:
        """Close every connection; what is not yet written is written first, if the peer is there."""
        await self.flush(1.0)
        for link in self._links.values():
            await link.close()
        for server in self._servers:
            server.close()
        for writer in list(self._readers):
            writer.close()
        for server in self._servers:
            await server.wait_closed()


class _Connections:
    """Which connection of each peer is its newest. A peer that was restarted, or whose connection broke,
    makes a new one; what is still read from the old one would come late, and is lost."""

    def __init__(self) -> None:
        self._made = 0
        self._newest: dict[str, int] = {}

    def next_number(self) -> int:
        self._made += 1
        return self._made

    def is_newest(self, peer: str, number: int) -> bool:
        self._newest[peer] = max(number, self._newest.get(peer, 0))
        return self._newest[peer] == number


class _Link:
    """The connection from one role to another, made again when it breaks."""

    def __init__(self, host: str, port: int) -> None:
        self.queue: asyncio.Queue[bytes] = asyncio.Queue()
        self._where = (host, port)
        self._writer: asyncio.StreamWriter | None = None
        self._task = asyncio.create_task(self._write())

    def send(self, data: bytes) -> None:
        self.queue.put_nowait(len(data).to_bytes(4, "big") + data)

    async def _write(self) -> None:
        while True:
            data = await self.queue.get()
            while not await self._written(data):
                self._writer = None
            self.queue.task_done()

    async def _written(self, data: bytes) -> bool:
        writer = self._writer or await self._connected()
        self._writer = writer
        try:
            if writer.is_closing():
                return False
            writer.write(data)
            await writer.drain()
        except OSError:
            return False
        return True

    async def _connected(self) -> asyncio.StreamWriter:
        pause = _FIRST_PAUSE
        while True:
            try:
                reader, writer = await asyncio.open_connection(*self._where)
            except OSError:
                await asyncio.sleep(pause)
                pause = min(2 * pause, _LONGEST_PAUSE)
                continue
            self._watch = asyncio.create_task(_until_closed(reader, writer))
            return writer

    async def close(self) -> None:
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        if self._writer is not None:
            self._writer.close()
            self._watch.cancel()


async def _until_closed(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Nothing is ever read; the end tells that the peer has closed, which a write notices only later."""
    with contextlib.suppress(OSError):
        await reader.read(1)
    writer.close()
