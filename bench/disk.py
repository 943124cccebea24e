"""`python -m bench disk`: explorations on disk against those in memory.

Dining philosophers at k = 1, without reduction and symmetry: what must never hold (`clean`), with a
left-handed one what must stay possible (`recovers`), k-exh, k-er and k-pg, and RSC. Seconds are processor
time, the least of some runs; in memory, and for RSC, one thread explores. On disk everything is explored
there, in so many threads, with the memory limit given.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stormproof import _engine
from stormproof.limits import Limits
from stormproof.search.engine.k_properties import explore
from stormproof.search.engine.rsc import rsc
from stormproof.search.engine.survival import survey
from tests.support.disk_runs import question

#: What is explored, and how many bytes it took where: configurations, bytes, what stopped it.
Measured = tuple[int, int, str]
BOUNDED = "k-exh, k-er, k-pg"
NOWHERE = _engine.DiskOptions("", "")


def search(number: int, name: str, limits: Limits, disk: _engine.DiskOptions, threads: int) -> Measured:
    if name == BOUNDED:
        model, _ = question(number, "clean")
        found = explore(
            model.system,
            model.failures,
            1,
            properties=BOUNDED.split(", "),
            reduction=False,
            symmetry=False,
            threads=threads,
            limits=limits,
            disk=disk,
        )
        return found.states, found.on_disk or found.memory, found.stopped
    if name == "rsc":
        model, _ = question(number, "clean")
        answer = rsc(model.system, model.failures, limits=limits, symmetry=False, threads=threads, disk=disk)
        return answer.states, answer.on_disk or answer.memory, answer.stopped
    model, asks = question(number, name)
    survived = survey(
        model, asks, 1, reduction=False, symmetry=False, limits=limits, disk=disk, threads=threads
    )
    return survived.configurations, survived.on_disk or survived.memory, survived.stopped


def used() -> float:
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime


def line(where: str, runs: int, measure: Callable[[], Measured]) -> str:
    seconds = elapsed = float("inf")
    for _ in range(runs):
        before, started = used(), time.monotonic()
        n, amount, stopped = measure()
        if stopped:
            return f"  {where:<16} {stopped} after {n:,} configurations"
        seconds, elapsed = min(seconds, used() - before), min(elapsed, time.monotonic() - started)
    return (
        f"  {where:<16} {n:>11,} configurations in {seconds:6.1f} s ({elapsed:.1f} s by the clock), "
        f"{n / seconds:>9,.0f} per second, {amount / n:.1f} bytes each"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench disk", description=__doc__)
    parser.add_argument("--philosophers", type=int, nargs="*", default=[6])
    parser.add_argument("--memory", default="64MiB", help="the memory limit of the search on disk")
    parser.add_argument("--folder", help="where to explore; by default a temporary folder")
    parser.add_argument("--threads", type=int, nargs="*", default=[1, 2], help="of searches on disk")
    parser.add_argument("--runs", type=int, default=1)
    chosen = parser.parse_args()
    within = Limits(seconds=None, memory=chosen.memory)
    for number in chosen.philosophers:
        for name in ("clean", "recovers", BOUNDED, "rsc"):
            print(f"{number} philosophers, {name}:", flush=True)
            memory = partial(search, number, name, Limits(seconds=None), NOWHERE, 1)
            print(line("memory", chosen.runs, memory), flush=True)
            for threads in chosen.threads:
                with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
                    disk = _engine.DiskOptions(folder, "bench", True)
                    there = partial(search, number, name, within, disk, threads)
                    print(line(f"disk, threads: {threads}", chosen.runs, there), flush=True)


if __name__ == "__main__":
    main()
