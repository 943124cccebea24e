"""Restarts: what is durable, and records of something else."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.errors import InputError
from stormproof.runtime import MemoryNetwork, run
from tests.support.role_runs import assert_follows, in_memory


@sp.role
def Ledger(items: int) -> Any:
    """Counts what it receives; each count is durable before it is confirmed."""
    total = 0
    while total < items:
        yield sp.receive(("Client", "add"), at="ready")
        total += 1
        yield sp.send("Client", "added", total, durable=True)
    return total


@sp.role
def Client(items: int) -> Any:
    seen = 0
    while seen < items:
        yield sp.send("Ledger", "add")
        reply = yield sp.receive("Ledger", timeout=0.02)
        seen = seen if reply is None else max(seen, reply.fields[0])
    return seen


def test_a_restarted_role_continues_from_its_durable_point(tmp_path: Path) -> None:
    """The process ends after two items; a new one replays what it received, and sends nothing again."""
    record = tmp_path / "ledger"

    async def first() -> int:
        network = MemoryNetwork()
        ledger = asyncio.ensure_future(run(Ledger(4), network, durable=record))
        for _ in range(2):
            await network.send(sp.Received("Client", "add"), "Ledger")
        await asyncio.sleep(0.05)
        ledger.cancel()
        return network.in_flight()

    async def second() -> tuple[Any, list[str]]:
        network = MemoryNetwork()
        for _ in range(2):
            await network.send(sp.Received("Client", "add"), "Ledger")
        total = await run(Ledger(4), network, durable=record)
        inbox = await network.inbox("Client", {})
        sent = []
        while inbox.heads():
            message = await inbox.take(sp.receive("Ledger"), 0, lambda message: None)
            assert message is not None
            sent.append(message.message)
        return total, sent

    assert asyncio.run(first()) == 2
    assert len(record.read_text().splitlines()) == 2
    with record.open("a") as file:
        file.write('[{"from": "Cli')  # cut off while it was written
    total, sent = asyncio.run(second())
    # The last durable point is the confirmation of 2, which is sent again; the one of 1 is muted.
    assert total == 4 and sent == ["added(2)", "added(3)", "added(4)"]


def test_a_record_of_something_else_is_refused(tmp_path: Path) -> None:
    record = tmp_path / "ledger"
    for text in ("{}}", "{}", "[]", "[1]", "7"):
        record.write_text(f"{text}\n")
        with pytest.raises(InputError, match="not the record of a role"):
            asyncio.run(run(Ledger(1), MemoryNetwork(), durable=record))
    received = {"from": "Client", "name": "add", "fields": []}
    misfits: list[list[dict[str, Any]]] = [
        [{"choice": 1}],
        [{"timeout": True}],
        [{}],
        [received, received],
        [received | {"name": "take"}],
        [received, {}],
    ]
    for given in misfits:
        record.write_text(json.dumps(given) + "\n")
        with pytest.raises(InputError, match="does not fit the role"):
            asyncio.run(run(Ledger(1), MemoryNetwork(), durable=record))


def test_roles_survive_restarts(tmp_path: Path) -> None:
    roles = {"Ledger": Ledger(6), "Client": Client(6)}
    system, storm = sp.extract(roles, second_process=False), sp.Failures(restart=["Ledger"])
    assert sp.survives(system, storm, k=1).holds
    restarts = 0
    for seed in range(12):
        folder = tmp_path / str(seed)
        folder.mkdir()
        runners = in_memory(roles, storm, seed, 0.05, folder)
        assert not any(r.unexpected for r in runners.values())
        assert all(assert_follows(p, folder / f"{p.name}.ndjson") for p in system)
        restarts += (folder / "Ledger.ndjson").read_text().count('"restart"')
    assert restarts
