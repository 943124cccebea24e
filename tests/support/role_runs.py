"""Roles that run in a storm until they rest, in this process or in several, and what their logs say."""

from __future__ import annotations

import asyncio
import importlib.util
import json
import socket
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import stormproof as sp
from stormproof.kernel.model.actions import Action, Internal, Receive, Send
from stormproof.kernel.model.process import Process
from stormproof.live.runtime import FaultyNetwork, MemoryNetwork, Network, Runner, TcpNetwork
from stormproof.programs.extraction.role import Role, RoleCall
from tests.support.paths import ROOT

EXAMPLES = ROOT / "examples"
#: How long roles may take to come to rest once the storm is over.
PATIENCE = 20.0

Roles = Mapping[str, Role[Any] | RoleCall]


def example(name: str) -> Any:
    """An example as a module."""
    spec = importlib.util.spec_from_file_location(name, EXAMPLES / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def resting(runner: Runner) -> bool:
    """Has the role ended, or does it wait where it may stay?"""
    return runner.waiting is None or runner.waiting.rest


async def drive(
    roles: Roles,
    network: Network,
    failures: Any,
    seed: int,
    storm: float,
    folder: Path,
    others: list[str] | None = None,
) -> dict[str, Runner]:
    """Run the roles in a storm of so many seconds, and then until all of them have rested for a while."""
    faulty = FaultyNetwork(network, failures, seed)
    runners = {
        name: Runner(
            role,
            faulty,
            name=name,
            log=folder / f"{name}.ndjson",
            durable=folder / f"{name}.durable",
            seed=seed,
            default_timeout=0.05,
        )
        for name, role in roles.items()
    }
    tasks = [asyncio.ensure_future(runner.run()) for runner in runners.values()]
    await asyncio.sleep(storm)
    faulty.storm = False
    await asyncio.wait_for(_at_rest(runners, folder, others or []), PATIENCE)
    for task in tasks:
        task.cancel()
    for found in await asyncio.gather(*tasks, return_exceptions=True):
        if isinstance(found, Exception):
            raise found
    return runners


async def _at_rest(runners: Mapping[str, Runner], folder: Path, others: list[str]) -> None:
    """Until everybody rests, in other processes too, and still does a moment later: what is in flight may
    wake somebody. There is a file for each role that rests."""
    calm = 0
    while calm < (15 if others else 3):
        await asyncio.sleep(0.01)
        rest = {name: resting(runner) for name, runner in runners.items()}
        for name, rests in rest.items() if others else ():
            file = folder / f"{name}.rests"
            file.touch() if rests else file.unlink(missing_ok=True)
        everybody = all(rest.values()) and all((folder / f"{name}.rests").exists() for name in others)
        calm = calm + 1 if everybody else 0


def in_memory(roles: Roles, failures: Any, seed: int, storm: float, folder: Path) -> dict[str, Runner]:
    return asyncio.run(drive(roles, MemoryNetwork(), failures, seed, storm, folder))


def over_sockets(name: str, seed: int, storm: float, folder: Path) -> int:
    """Run an example, half of its roles in another process. How many messages were unexpected."""
    module = example(name)
    names = list(module.ROLES)
    addresses = dict(zip(names, free_ports(len(names)), strict=True))
    here, there = names[::2], names[1::2]
    job = json.dumps([name, there, addresses, seed, storm, str(folder)])
    command = [sys.executable, "-m", "tests.support.role_runs", job]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as other:
        try:
            found = asyncio.run(_half(name, here, addresses, seed, storm, folder))
            answer, _ = other.communicate(timeout=2 * PATIENCE)
        finally:
            other.kill()
    return found + int(answer)


async def _half(
    name: str, names: list[str], addresses: dict[str, int], seed: int, storm: float, folder: Path
) -> int:
    module = example(name)
    roles = {role: module.ROLES[role] for role in names}
    async with TcpNetwork(addresses) as network:
        others = [role for role in module.ROLES if role not in roles]
        runners = await drive(roles, network, module.STORM, seed, storm, folder, others)
        return sum(len(runner.unexpected) for runner in runners.values())


def free_ports(count: int) -> list[int]:
    sockets = [socket.socket() for _ in range(count)]
    for s in sockets:
        s.bind(("127.0.0.1", 0))
    ports = [s.getsockname()[1] for s in sockets]
    for s in sockets:
        s.close()
    return ports


def assert_follows(process: Process, log: Path) -> int:
    """The events of a log are a path of the automaton, with stops and restarts. How many there are."""
    states = {process.initial}
    rows = [json.loads(line) for line in log.read_text("utf-8").splitlines()]
    for row in rows:
        assert row["role"] == process.name and isinstance(row["time"], float)
        if row["do"] == "restart":
            states = {process.initial, *process.durable}
        elif row["do"] not in ("sent", "stop", "end", "unexpected"):
            action = _action(row)
            states = {t.target for s in states for t in process.outgoing(s) if _shown(t.action) == action}
        assert states, f"{process.name} cannot do {row}"
        if row["do"] == "end":
            assert "ended" in states
    return len(rows)


def _shown(action: Action) -> Action:
    """As logs have it: they say that a timer has expired, and not after how long."""
    return replace(action, after=1) if isinstance(action, Internal) and action.timeout else action


def _action(row: dict[str, Any]) -> Action:
    match row["do"]:
        case "sends":
            return Send(row["peer"], row["message"])
        case "receive":
            return Receive(row["peer"], row["message"])
        case "timeout":
            return Internal("timeout", timeout=True)
        case "choose":
            return Internal(f"choose {row['value']}")
    raise AssertionError(f"unknown event {row}")


def extracted_example(name: str) -> sp.System:
    return sp.extract(example(name).ROLES, name=name, second_process=False)


if __name__ == "__main__":
    asked: list[Any] = json.loads(sys.argv[1])
    name, names, addresses, seed, storm, folder = asked
    print(asyncio.run(_half(name, names, addresses, seed, storm, Path(folder))))
