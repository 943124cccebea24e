"""The connections that the peers of one role have made to it: few of strangers, one of each peer."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
from collections.abc import Callable, Iterator
from typing import Any

from ...errors import UsageError
from ...programs.extraction.requests import Received
from .addresses import shown
from .codec import Garbage
from .inbox import Inbox
from .tcp_limits import TcpLimits, Warnings

#: Seconds until connections are accepted again, after that has failed: there are no descriptors left.
_PAUSE = 0.1


class Listener:
    """Puts what arrives for one role into its inbox. `decode` reads a message, or raises Garbage.

    Of each peer the newest connection counts. A peer that was restarted, or whose connection broke, makes a
    new one; what would still be read from the old one would come late, and is lost.
    """

    def __init__(
        self,
        name: str,
        decode: Callable[[bytes], Received],
        limits: TcpLimits,
        context: ssl.SSLContext | None,
        warnings: Warnings,
    ) -> None:
        self.inbox = Inbox(limits.waiting)
        self._name, self._decode = name, decode
        self._limits, self._context, self._warnings = limits, context, warnings
        self._sockets: list[socket.socket] = []
        self._accepting: list[asyncio.Task[None]] = []
        self._made = 0
        #: By number: connections that have not sent a message yet, and of each peer its newest.
        self._unnamed: dict[int, asyncio.Task[None]] = {}
        self._newest: dict[str, tuple[int, asyncio.Task[None]]] = {}

    async def open(self, host: str, port: int) -> None:
        loop = asyncio.get_running_loop()
        try:
            found = await loop.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
            for family, _, _, _, where in dict.fromkeys(found):
                self._sockets.append(socket.create_server(where[:2], family=family, backlog=100))
        except OSError as problem:
            self._close_sockets()
            why = problem.strerror or str(problem)
            raise UsageError(f"{self._name} cannot listen on {shown(host, port)}: {why}") from None
        for listening in self._sockets:
            listening.setblocking(False)
            self._accepting.append(asyncio.create_task(self._accept(listening)))

    async def _accept(self, listening: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        while True:
            try:
                accepted, where = await loop.sock_accept(listening)
            except OSError as problem:
                self._warnings.warn("%s cannot accept a connection: %s", self._name, problem.strerror)
                await asyncio.sleep(_PAUSE)
                continue
            self._admit(accepted, shown(*where[:2]))
            await asyncio.sleep(0)  # those that were replaced end now, however many come at once

    def _admit(self, accepted: socket.socket, where: str) -> None:
        self._made += 1
        number = self._made
        if len(self._unnamed) >= self._limits.unnamed:
            oldest = min(self._unnamed)
            self._unnamed.pop(oldest).cancel()
            self._warnings.warn("%s disconnects one of too many that have sent nothing", self._name)
        task = asyncio.create_task(self._serve(accepted, number, where))
        self._unnamed[number] = task

    async def _serve(self, accepted: socket.socket, number: int, where: str) -> None:
        transport: asyncio.BaseTransport | None = None
        try:
            reader = asyncio.StreamReader()
            transport = await self._transport(accepted, reader)
            await self._read_all(reader, number)
        except (Garbage, ssl.SSLError) as problem:
            self._warnings.warn("%s disconnects %s: %s", self._name, where, problem)
        except (OSError, asyncio.IncompleteReadError):
            pass  # the peer has gone, and connects again if it wants to
        except asyncio.CancelledError:
            pass  # it was replaced, or the program ends; nobody waits for this task
        finally:
            self._unnamed.pop(number, None)
            if transport is None:
                accepted.close()
            elif isinstance(transport, asyncio.Transport):
                transport.abort()

    async def _transport(
        self, accepted: socket.socket, reader: asyncio.StreamReader
    ) -> asyncio.BaseTransport:
        tls: dict[str, Any] = {}
        if self._context is not None:
            tls = {"ssl": self._context, "ssl_handshake_timeout": self._limits.seconds}
        transport, _ = await asyncio.get_running_loop().connect_accepted_socket(
            lambda: asyncio.StreamReaderProtocol(reader), accepted, **tls
        )
        return transport

    async def _read_all(self, reader: asyncio.StreamReader, number: int) -> None:
        """The messages of one connection, until a newer one of the same peer replaces it."""
        with self._deadline(reader, "it has sent no message"):
            message = await self._read(reader)
        peer = message.peer
        if not self._becomes_newest(peer, number):
            return
        while message.peer == peer:
            # While too many wait, nothing more is read: TCP makes the peer wait.
            await self.inbox.room(peer)
            self.inbox.put(message)
            message = await self._read(reader)
        raise Garbage(f"a message from {message.peer} on the connection of {peer}")

    def _becomes_newest(self, peer: str, number: int) -> bool:
        task = self._unnamed.pop(number, None)
        before = self._newest.get(peer)
        if task is None or (before is not None and before[0] > number):
            return False
        self._newest[peer] = number, task
        if before is not None:
            before[1].cancel()
        return True

    async def _read(self, reader: asyncio.StreamReader) -> Received:
        """The next message; once it has begun, it must end."""
        begin = await reader.readexactly(1)
        with self._deadline(reader, "a message has begun and not ended"):
            length = int.from_bytes(begin + await reader.readexactly(3), "big")
            if length > self._limits.message_bytes:
                raise Garbage(f"a message of {length:,} bytes, more than {self._limits.message_bytes:,}")
            return self._decode(await reader.readexactly(length))

    @contextlib.contextmanager
    def _deadline(self, reader: asyncio.StreamReader, problem: str) -> Iterator[None]:
        """Whoever reads then gets the exception: cheaper than a task for each message."""
        seconds = self._limits.seconds
        late = Garbage(f"{problem} within {seconds:g} s")
        timer = asyncio.get_running_loop().call_later(seconds, reader.set_exception, late)
        try:
            yield
        finally:
            timer.cancel()

    def _close_sockets(self) -> None:
        for listening in self._sockets:
            listening.close()

    async def close(self) -> None:
        serving = [*self._unnamed.values(), *(task for _, task in self._newest.values())]
        for task in (*self._accepting, *serving):
            task.cancel()
        await asyncio.gather(*self._accepting, *serving, return_exceptions=True)
        self._close_sockets()
