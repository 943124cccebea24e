"""A Dask cluster of separate processes on this machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


class Cluster:
    """A scheduler and its workers as processes of their own, on the loopback address only."""

    def __init__(
        self, folder: Path, workers: int = 2, *flags: str, cwd: Path | None = None, protocol: str = "tcp"
    ) -> None:
        self.file, self.cwd, self.protocol = folder / "scheduler.json", cwd, protocol
        self.scheduler = self._start("scheduler", "--port", "0", "--scheduler-file", str(self.file))
        for _ in range(300):
            if self.file.exists() and self.file.stat().st_size:
                break
            time.sleep(0.1)
        self.workers = [
            self._start("worker", "--scheduler-file", str(self.file), "--nthreads", "1", "--no-nanny", *flags)
            for _ in range(workers)
        ]

    def _start(self, what: str, *flags: str) -> subprocess.Popen[bytes]:
        local = ("--protocol", self.protocol, "--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0")
        command = [sys.executable, "-I", "-m", f"distributed.cli.dask_{what}", *flags, *local]
        return subprocess.Popen(
            command,
            cwd=self.cwd,
            start_new_session=True,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )

    def ready(self) -> Cluster:
        """Itself, once all workers have joined, be they paused."""
        try:
            self._wait_for_workers()
        except BaseException:
            self.end()
            raise
        return self

    def _wait_for_workers(self) -> None:
        from distributed import Client

        with Client(self.address.replace("dask://", "tcp://")) as client:
            for _ in range(1200):
                if len(client.nthreads()) == len(self.workers):
                    return
                time.sleep(0.1)
        raise TimeoutError("the workers do not join")

    @property
    def address(self) -> str:
        return str(json.loads(self.file.read_text())["address"]).replace("tcp://", "dask://")

    def end(self) -> None:
        for process in (*self.workers, self.scheduler):
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
