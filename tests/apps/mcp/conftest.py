"""A server for agents in a process of its own, asked by the library's own client."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mcp", reason="the extra `mcp` is not installed")

from mcp.client.client import Client
from mcp.client.stdio import StdioServerParameters

from stormproof.python_process import python_process

Asked = Callable[[Client], Awaitable[Any]]


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Any]:
    """Start `stormproof mcp` with these arguments, and await what a function asks of it."""

    def started(ask: Asked, *arguments: str) -> Any:
        async def talk() -> Any:
            command, environment = python_process("stormproof.apps.cli", "mcp", "--timeout", "60", *arguments)
            server = StdioServerParameters(
                command=command[0], args=command[1:], cwd=str(tmp_path), env=environment
            )
            async with Client(server) as client:
                return await ask(client)

        return asyncio.run(asyncio.wait_for(talk(), 120))

    return started
