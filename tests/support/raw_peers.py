"""Peers on sockets that are no roles, and a network for them to visit."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import stormproof as sp
from stormproof.live.runtime.codec import encode
from tests.support.role_runs import free_ports

#: How long something may take that must happen, on a busy machine.
PATIENCE = 30.0

Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def connected(port: int, **more: Any) -> Streams:
    """Once somebody listens, which takes a while on a busy machine."""
    for _ in range(400):
        try:
            return await asyncio.open_connection("127.0.0.1", port, **more)
        except ConnectionRefusedError:
            await asyncio.sleep(0.05)
    raise AssertionError("nobody listens")


def framed(sender: str, receiver: str, *fields: Any) -> bytes:
    """The message `n` as it goes over the network."""
    data = encode(sp.Received(sender, "n", fields), receiver)
    return len(data).to_bytes(4, "big") + data


async def ends(reader: asyncio.StreamReader) -> bytes:
    """What a peer still sends until it closes the connection."""
    try:
        return await asyncio.wait_for(reader.read(), PATIENCE)
    except ConnectionResetError:
        return b""


async def until(true: Callable[[], bool], what: str = "it never happens") -> None:
    loop = asyncio.get_running_loop()
    end = loop.time() + PATIENCE
    while not true():
        assert loop.time() < end, what
        await asyncio.sleep(0.01)


def descriptors() -> int:
    """How many this process has."""
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.is_dir() else 0


def addresses(*names: str) -> dict[str, Any]:
    return dict(zip(names, free_ports(len(names)), strict=True))


async def all_of(inbox: Any, sender: str, count: int) -> list[Any]:
    """The first field of so many messages, in the order in which they can be received."""
    found: list[Any] = []
    for _ in range(count):
        message = await inbox.take(sp.receive(sender), PATIENCE, lambda message: None)
        assert message is not None, f"{len(found)} of {count}"
        found.append(message.fields[0])
    return found
