"""Roles in processes of their own, over sockets, that are killed at random moments and started again.

Run as `python -m tests.support.killed_roles JOB`, so that it forks from a process without threads.
"""

from __future__ import annotations

import asyncio
import json
import mmap
import os
import random
import shutil
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NoReturn

import stormproof as sp
from stormproof.live.runtime import FaultyNetwork, Runner, TcpNetwork
from stormproof.programs.extraction.load import import_file
from tests.support.paths import ROOT
from tests.support.role_runs import PATIENCE, free_ports

#: Seconds for which everybody must rest: longer than any timeout of the roles.
CALM = 0.2


@dataclass(frozen=True)
class KillJob:
    """The roles of a Python file, of which those in `victims` are killed and started again so often."""

    file: str
    folder: str
    seed: int
    victims: list[str]
    kills: int = 8
    #: Do the roles record what they received up to their durable points?
    durable: bool = True


def killed(job: KillJob) -> tuple[list[Path], list[Path]]:
    """The logs of the roles when all of them were killed in the storm, and when they were started again after
    it and have come to rest."""
    command = [sys.executable, "-m", "tests.support.killed_roles", json.dumps(asdict(job))]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=3 * PATIENCE)
    assert done.returncode == 0, done.stderr
    names = json.loads(done.stdout)
    storm, rest = ([Path(job.folder) / f"{name}.{end}" for name in names] for end in ("storm", "ndjson"))
    return storm, rest


class Storm:
    """The processes; `shared` has a byte that says whether there is a storm, and one per role that rests."""

    def __init__(self, job: KillJob) -> None:
        self.job, self.folder = job, Path(job.folder)
        self.roles: dict[str, Any] = import_file(job.file).ROLES
        self.addresses = dict(zip(self.roles, free_ports(len(self.roles)), strict=True))
        self.shared = mmap.mmap(-1, 1 + len(self.roles))
        self.pids: dict[str, int] = {}
        self.started = 0

    def run(self) -> None:
        chance = random.Random(self.job.seed)
        try:
            for name in self.roles:
                self.start(name)
            self.wait_until_all_have_logged()
            for _ in range(self.job.kills):
                time.sleep(chance.uniform(0, 0.05))
                victim = chance.choice(self.job.victims)
                self.kill(victim)
                time.sleep(chance.choice((0.0, chance.uniform(0, 0.04))))
                self.start(victim)
            self.kill_all()
            for name in self.roles:
                shutil.copy(self.folder / f"{name}.ndjson", self.folder / f"{name}.storm")
                self.start(name)
            self.shared[0] = 1
            self.wait_for_rest()
        finally:
            self.kill_all()

    def start(self, name: str) -> None:
        self.started += 1
        self.shared[self.byte(name)] = 0
        pid = os.fork()
        if pid == 0:
            _only(lambda: asyncio.run(self.play(name)))
        self.pids[name] = pid

    def kill(self, name: str) -> None:
        pid = self.pids.pop(name)
        os.kill(pid, signal.SIGKILL)
        _, status = os.waitpid(pid, 0)
        assert os.WIFSIGNALED(status), f"{name} has ended by itself"

    def kill_all(self) -> None:
        for name in list(self.pids):
            self.kill(name)

    def byte(self, name: str) -> int:
        return 1 + list(self.roles).index(name)

    def wait_until_all_have_logged(self) -> None:
        """On a busy machine a role would be killed before it has done anything."""
        until = time.monotonic() + PATIENCE
        while not all(self.logged(name) for name in self.roles):
            assert time.monotonic() < until, "a role does nothing"
            time.sleep(0.005)

    def logged(self, name: str) -> int:
        """How many bytes."""
        log = self.folder / f"{name}.ndjson"
        return log.stat().st_size if log.exists() else 0

    def wait_for_rest(self) -> None:
        until, since, before = time.monotonic() + PATIENCE, time.monotonic(), -1
        while time.monotonic() - since < CALM:
            assert time.monotonic() < until, f"no rest: {bytes(self.shared)!r}"
            time.sleep(0.01)
            logged = sum(self.logged(name) for name in self.roles)
            if not all(self.shared[1:]) or logged != before:
                since, before = time.monotonic(), logged

    async def play(self, name: str) -> None:
        """In a process of its own: run the role, until the process is killed."""
        async with TcpNetwork(self.addresses) as network:
            faulty = FaultyNetwork(network, sp.Failures(loss=True), 1000 * self.job.seed + self.started)
            runner = Runner(
                self.roles[name],
                faulty,
                name=name,
                log=self.folder / f"{name}.ndjson",
                durable=self.folder / f"{name}.durable" if self.job.durable else None,
            )
            task = asyncio.ensure_future(runner.run())
            while not task.done():
                faulty.storm = not self.shared[0]
                self.shared[self.byte(name)] = runner.waiting is not None and runner.waiting.rest
                await asyncio.sleep(0.005)
            await task


def _only(work: Callable[[], None]) -> NoReturn:
    """Do this and end, in a process that was forked."""
    try:
        work()
    except BaseException:
        traceback.print_exc()
    finally:
        os._exit(1)


if __name__ == "__main__":
    storm = Storm(KillJob(**json.loads(sys.argv[1])))
    storm.run()
    print(json.dumps(list(storm.roles)))
