"""What roles log when they run conforms: random roles, random faults, cut off anywhere."""

from __future__ import annotations

import asyncio
import random
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.errors import ModelError
from stormproof.live.runtime import FaultyNetwork, MemoryNetwork, Runner
from stormproof.programs.extraction.role import RoleCall
from tests.support.random_roles import random_protocol

SEEDS = 25
#: Steps of each role, at most.
STEPS = 60


def random_storm(chance: random.Random, system: sp.System) -> sp.Failures:
    kinds = chance.sample(("loss", "duplicate", "reorder", "corrupt"), chance.randint(0, 2))
    someone = [name for name in system.names if chance.random() < 0.3]
    stops = chance.random() < 0.5
    return sp.Failures(
        loss="loss" in kinds,
        duplicate="duplicate" in kinds,
        reorder="reorder" in kinds,
        corrupt="corrupt" in kinds,
        stop=someone if stops else (),
        restart=() if stops else someone,
    )


async def _run(roles: dict[str, RoleCall], network: FaultyNetwork, seed: int, folder: Path) -> list[Path]:
    logs = [folder / f"{name}.ndjson" for name in roles]
    runners = [
        Runner(call, network, name=name, log=log, seed=seed, default_timeout=0)
        for (name, call), log in zip(roles.items(), logs, strict=True)
    ]
    tasks = [asyncio.ensure_future(runner.run()) for runner in runners]
    for _ in range(STEPS):
        await asyncio.sleep(0)
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
    return logs


@pytest.mark.parametrize("chunk", range(4))
def test_what_random_roles_log_conforms(chunk: int, tmp_path: Path) -> None:
    events = faults = decided = 0
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        roles = dict(random_protocol(seed))
        try:
            system = sp.extract(roles, second_process=False)
        except ModelError:
            continue  # it may go on without ever yielding
        storm = random_storm(random.Random(seed), system)
        network = FaultyNetwork(MemoryNetwork(), storm.on(system), seed)
        folder = tmp_path / str(seed)
        folder.mkdir()
        logs = asyncio.run(_run(roles, network, seed, folder))
        answer = sp.trace(system, logs, storm, limits=sp.Limits(states=500))
        assert answer.conforms is not False, f"seed {seed}, {storm}: {answer}"
        decided += answer.conforms is True
        events, faults = events + answer.events, faults + len(answer.faults)
    assert decided > SEEDS * 3 // 4 and events > 15 * SEEDS and faults > 10, (decided, events, faults)
