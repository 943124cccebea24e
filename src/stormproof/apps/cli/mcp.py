"""`stormproof mcp`: the server that agents start."""

from __future__ import annotations

import asyncio
import importlib.util
from pathlib import Path

import click

from ...errors import MissingDependency, UsageError
from ...limits import Limits
from .options import limits_of_each


@click.command("mcp")
@click.option("--folder", metavar="DIR", help="Files below this folder may be read; without it, none.")
@click.option("--allow-python", is_flag=True, help="Run Python files of the folder that the agent names.")
@(lambda command: limits_of_each("question", command))
def command(folder: str | None, allow_python: bool, limits: Limits) -> int:
    """Start a server for agents (Model Context Protocol), on standard input and output.

    An agent reads the grammar, writes a protocol, checks it, has violations explained and repairs verified,
    and compares logs. Nothing is written, and no Python runs unless you allow it. docs/agents.md says how to
    set it up.

    \b
    Examples:
      stormproof mcp
      stormproof mcp --folder protocols --timeout 60
    """
    if importlib.util.find_spec("mcp") is None:
        raise MissingDependency(
            "the server for agents needs mcp", hint="install it with: pip install 'stormproof[mcp]'"
        )
    if folder is not None and not Path(folder).is_dir():
        raise UsageError(f"--folder: '{folder}' is not a folder")
    if allow_python and folder is None:
        raise UsageError("--allow-python is about files", hint="add --folder")
    asyncio.run(_serve(folder, allow_python, limits))
    return 0


async def _serve(folder: str | None, allow_python: bool, limits: Limits) -> None:
    from ..mcp.folder import Folder
    from ..mcp.server import make_server
    from ..workers.pool import PoolLimits, WorkerPool

    pool = WorkerPool(
        PoolLimits(seconds=limits.seconds or 300, memory=limits.bytes or 0, states=limits.states)
    )
    server = make_server(Folder(None if folder is None else Path(folder), allow_python), pool)
    try:
        await server.run_stdio_async()
    finally:
        await pool.close()
