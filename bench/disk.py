"""`python -m bench disk`: explorations on disk against those in memory.

Dining philosophers at k = 1, without reduction and symmetry: what must never hold (`clean`) and, with a
left-handed one, what must stay possible (`recovers`). Seconds are processor time. On disk everything is
explored there, with the memory limit that is named.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from stormproof import _engine
from stormproof.engine.survival import Survey, survey
from stormproof.limits import Limits, format_memory
from tests.support.disk_runs import question


def used() -> float:
    now = resource.getrusage(resource.RUSAGE_SELF)
    return now.ru_utime + now.ru_stime


def measured(number: int, name: str, limits: Limits, **disk: object) -> tuple[Survey, float, float]:
    model, asks = question(number, name)
    before, started = used(), time.monotonic()
    found = survey(model, asks, 1, reduction=False, symmetry=False, limits=limits, **disk)
    return found, used() - before, time.monotonic() - started


def line(where: str, found: Survey, seconds: float, elapsed: float) -> str:
    n = found.configurations
    if found.stopped:
        return f"  {where:<8} {found.stopped} after {n:,} configurations"
    amount = found.on_disk or found.memory
    return (
        f"  {where:<8} {n:>11,} configurations in {seconds:6.1f} s ({elapsed:.1f} s by the clock), "
        f"{n / seconds:>9,.0f} per second, {amount / n:.1f} bytes each"
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench disk", description=__doc__)
    parser.add_argument("--philosophers", type=int, nargs="*", default=[6])
    parser.add_argument("--memory", default="64MiB", help="the memory limit of the search on disk")
    parser.add_argument("--folder", help="where to explore; by default a temporary folder")
    chosen = parser.parse_args()
    for number in chosen.philosophers:
        for name in ("clean", "recovers"):
            print(f"{number} philosophers, {name}:", flush=True)
            print(line("memory", *measured(number, name, Limits(seconds=None))), flush=True)
            with tempfile.TemporaryDirectory(dir=chosen.folder) as folder:
                disk = _engine.DiskOptions(folder, "bench", True)
                limits = Limits(seconds=None, memory=chosen.memory)
                found = measured(number, name, limits, disk=disk)
            print(line("disk", *found), f"with {format_memory(limits.bytes or 0)} of memory", flush=True)


if __name__ == "__main__":
    main()
