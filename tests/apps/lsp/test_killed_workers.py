"""Workers of the language server that are killed: what they worked on is done again, or said."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable
from pathlib import Path

import pytest

import stormproof as sp
from tests.apps.lsp.editor import SHOP, Editor
from tests.apps.lsp.test_checks import finished

pytestmark = [
    pytest.mark.asyncio(loop_scope="module"),
    pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="this system does not list processes"),
]

Edit = Callable[..., Editor]


def workers(editor: Editor) -> list[int]:
    """The processes that the language server has started."""
    server = editor.client._server
    assert server is not None
    tasks = Path(f"/proc/{server.pid}/task").glob("*/children")
    return [int(pid) for task in tasks for pid in task.read_text().split()]


def tell(pids: list[int], sign: int) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)


async def test_diagnostics_come_though_the_worker_is_killed(edit: Edit) -> None:
    """While it waits, and while it works: it is stopped, so that it cannot have answered."""
    editor = edit()
    await editor.diagnostics()
    await asyncio.wait_for(finished(editor), 90)
    tell(workers(editor), signal.SIGKILL)
    editor.write(SHOP + "\nrole\n")
    assert await editor.diagnostics()
    stopped = workers(editor)
    assert stopped
    tell(stopped, signal.SIGSTOP)
    editor.write(SHOP)
    await asyncio.sleep(1)
    tell(stopped, signal.SIGKILL)
    assert not await editor.diagnostics()


async def test_a_check_whose_worker_is_killed_says_so_and_the_next_one_works(edit: Edit) -> None:
    editor = edit(sp.dumps(sp.generate("paxos", proposers=2, acceptors=3, retries=2), "storm"))
    await editor.diagnostics()
    killing = asyncio.ensure_future(keep_killing(editor))
    found = await asyncio.wait_for(finished(editor), 90)
    killing.cancel()
    assert any(title.startswith("? not checked: the process that worked on this ended") for _, title in found)
    other = edit()
    assert any(title.startswith("✘ recovers") for _, title in await asyncio.wait_for(finished(other), 90))


async def keep_killing(editor: Editor) -> None:
    """Whichever worker has the check, once it has begun."""
    while True:
        await asyncio.sleep(0.3)
        tell(workers(editor), signal.SIGKILL)
