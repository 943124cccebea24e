"""`python -m bench disk`: explorations on disk against those in memory.

Dining philosophers at k = 1, without reduction and symmetry: what must never hold (`clean`), with a
left-handed one what must stay possible (`recovers`), k-exh, k-er and k-pg, and RSC. Seconds are processor
time; in memory one thread explores. On disk everything is explored there, with the memory limit given.
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
from stormproof.engine.k_properties import explore
from stormproof.engine.rsc import rsc
from stormproof.engine.survival import survey
from stormproof.limits import Limits
from tests.support.disk_runs import question

#: What is explored, and how many bytes it took where: configurations, bytes, what stopped it.
Measured = tuple[int, int, str]
BOUNDED = "k-exh, k-er, k-pg"
NOWHERE = _engine.DiskOptions("", "")


def search(number: int, name: str, limits: Limits, disk: _engine.DiskOptions) -> Measured:
    if name == BOUNDED:
        model, _ = question(number, "clean")
        found = explore(
            model.system,
            model.failures,
            1,
            properties=BOUNDED.split(", "),
            reduction=False,
            symmetry=False,
            threads=1,
            limits=limits,
            disk=disk,
        )
        return found.states, found.on_disk or found.memory, found.stopped
    if name == "rsc":
        model, _ = question(number, "clean")
        answer = rsc(model.system, model.failures, limits=limits, symmetry=False, threads=1, disk=disk)
        return answer.states, answer.on_disk or answer.memory, answer.stopped
    model, asks = question(number, name)
    survived = survey(model, asks, 1, reduction=False, symmetry=False, limits=limits, disk=disk)
    return survived.configurations, survived.on_disk or survived.memory, survived.stopped


def used() -> float:
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime


def line(where: str, measure: Callable[[], Measured]) -> str:
    before, started = used(), time.monotonic()
    n, amount, stopped = measure()
    seconds, elapsed = used() - before, time.monotonic() - started
    if stopped:
        return f"  {where:<7} {stopped} after {n:,} configurations"
    return (
        f"  {where:<7} {n:>11,} configurations in {seconds:6.1f} s ({elapsed:.0f} s by the clock), "
        f"{n / seconds:>9,.0f} per second, {amount / n:.1f} bytes each"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench disk", description=__doc__)
    parser.add_argument("--philosophers", type=int, nargs="*", default=[6])
    parser.add_argument("--memory", default="64MiB", help="the memory limit of the search on disk")
    parser.add_argument("--folder", help="where to explore; by default a temporary folder")
    chosen = parser.parse_args()
    within = Limits(seconds=None, memory=chosen.memory)
    for number in chosen.philosophers:
        for name in ("clean", "recovers", BOUNDED, "rsc"):
            print(f"{number} philosophers, {name}:", flush=True)
            memory = partial(search, number, name, Limits(seconds=None), NOWHERE)
            print(line("memory", memory), flush=True)
            with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
                disk = _engine.DiskOptions(folder, "bench", True)
                print(line("disk", partial(search, number, name, within, disk)), flush=True)


if __name__ == "__main__":
    main()
