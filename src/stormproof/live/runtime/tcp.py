"""A network over TCP: messages as JSON behind their length, one connection per pair of roles."""

from __future__ import annotations

import asyncio
import contextlib
import ssl
from collections.abc import Mapping
from types import TracebackType
from typing import Any

from ...errors import UsageError, did_you_mean
from ...programs.extraction.requests import Received
from .addresses import Address, parse_address
from .codec import Garbage, decode, encode
from .inbox import Inbox
from .link import PeerLink
from .listener import Listener
from .tcp_limits import TcpLimits, Warnings


class TcpNetwork:
    """Roles at addresses: a port on this machine, or a host and a port.

    Each process makes one, with the addresses of all roles, and runs some of them on it. A connection that
    breaks is made again; what was written to it and not yet read by the peer is lost, which is the fault
    `loss`. `limits` bounds what peers can make this process keep. Connections are encrypted where there are
    contexts: `server_ssl` for those that peers make, `client_ssl` for those to peers. Close it when the roles
    have ended: `async with TcpNetwork(...) as network`.
    """

    def __init__(
        self,
        addresses: Mapping[str, Address],
        *,
        limits: TcpLimits | None = None,
        server_ssl: ssl.SSLContext | None = None,
        client_ssl: ssl.SSLContext | None = None,
    ) -> None:
        if (server_ssl is None) != (client_ssl is None):
            raise UsageError(
                "only one side would be encrypted", hint="pass both server_ssl=... and client_ssl=..."
            )
        self._addresses = {name: parse_address(name, address) for name, address in addresses.items()}
        self._limits = limits or TcpLimits()
        self._server_ssl, self._client_ssl = server_ssl, client_ssl
        self._warnings = Warnings()
        self._listeners: list[Listener] = []
        self._links: dict[tuple[str, str], PeerLink] = {}

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
        host, port = self._address(name)

        def read(data: bytes) -> Received:
            message = decode(data, name, enums)
            if message.peer not in self._addresses:
                raise Garbage(f"a message from {message.peer[:80]!r}, who has no address")
            return message

        listener = Listener(name, read, self._limits, self._server_ssl, self._warnings)
        await listener.open(host, port)
        self._listeners.append(listener)
        return listener.inbox

    async def send(self, message: Received, receiver: str) -> None:
        pair = (message.peer, receiver)
        if pair not in self._links:
            where = self._address(receiver)
            self._links[pair] = PeerLink(pair, where, self._limits, self._client_ssl, self._warnings)
        await self._links[pair].send(encode(message, receiver))

    def fate(self, name: str) -> str | None:
        return None

    async def flush(self, seconds: float = 5.0) -> None:
        """Wait until everything is written, but not for ever."""
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(asyncio.gather(*(link.flush() for link in self._links.values())), seconds)

    async def close(self) -> None:
        """Close every connection; what is not yet written is written first, if the peer is there."""
        await self.flush(1.0)
        for link in self._links.values():
            await link.close()
        for listener in self._listeners:
            await listener.close()
