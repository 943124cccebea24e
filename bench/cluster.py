"""`python -m bench cluster`: one exploration on a local Dask cluster, against one process.

Dining philosophers at k = 1, all three k-properties, without reduction. What matters for a cluster is what a
configuration costs in records and bytes between workers; the clock on one machine says little of a network.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stormproof as sp
from stormproof.engine.cluster import explore_on_cluster
from stormproof.engine.k_properties import Exploration, explore
from stormproof.limits import Limits
from stormproof.protocols.generators.rings import dining_philosophers
from tests.support.dask_cluster import Cluster

NAMES = ("k-exh", "k-er", "k-pg")


def line(workers: int, found: Exploration, seconds: float) -> str:
    traffic = found.traffic
    assert traffic is not None and not found.stopped
    per = found.states
    return (
        f"  {workers} workers: {seconds:6.1f} s, {traffic.rounds} rounds, "
        f"{traffic.records / per:.2f} records and {traffic.sent / per:.0f} bytes per configuration, "
        f"{found.memory / (per / workers):.0f} bytes of memory per configuration"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--philosophers", type=int, nargs="*", default=[4, 5])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    asked = parser.parse_args()
    for n in asked.philosophers:
        system = dining_philosophers(n)
        model = sp.Failures().on(system)
        here = explore(system, model, 1, properties=NAMES, reduction=False, threads=1)
        found = f"{here.states:,} configurations, one process {here.seconds:.1f} s"
        print(f"{n} philosophers: {found}", flush=True)
        for workers in asked.workers:
            with tempfile.TemporaryDirectory() as folder:
                cluster = Cluster(Path(folder), workers).ready()
                try:
                    started = time.monotonic()
                    there = explore_on_cluster(cluster.address, system, model, 1, NAMES, Limits())
                    assert (there.states, there.holds) == (here.states, here.holds)
                    print(line(workers, there, time.monotonic() - started), flush=True)
                finally:
                    cluster.end()


if __name__ == "__main__":
    main()
