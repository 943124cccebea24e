"""`python -m bench cluster`: one exploration on a local Dask cluster, against one process.

Dining philosophers at k = 1, without reduction: three k-properties, and survival where one of them is
left-handed, so that it holds. What matters for a cluster is what a configuration costs in records and bytes
between workers; the clock on one machine says little of a network.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import stormproof as sp
from stormproof.kernel.model.ask import RECOVERS
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.options import Options
from stormproof.search.engine.cluster import explore_on_cluster
from stormproof.search.engine.k_properties import Traffic, explore
from stormproof.search.engine.survival import survey
from tests.support.dask_cluster import Cluster

NAMES = ("k-exh", "k-er", "k-pg")


@dataclass(frozen=True)
class Run:
    """`memory` is that of the worker that took most; there is traffic on a cluster only."""

    configurations: int
    holds: object
    seconds: float
    memory: int
    traffic: Traffic | None


def k_properties(philosophers: int, cluster: str | None) -> Run:
    system = dining_philosophers(philosophers)
    model = sp.Failures().on(system)
    if cluster is None:
        found = explore(system, model, 1, properties=NAMES, reduction=False, symmetry=False, threads=1)
    else:
        found = explore_on_cluster(cluster, system, model, 1, NAMES, Options())
    assert not found.stopped
    return Run(found.states, found.holds, found.seconds, found.memory, found.traffic)


def survival(philosophers: int, cluster: str | None) -> Run:
    system = dining_philosophers(philosophers, left_handed=True)
    model = SurvivalModel(system, sp.Failures().on(system), rest_states(system))
    asks = {"recovers": RECOVERS}
    found = survey(model, asks, 1, reduction=False, symmetry=False, cluster=cluster, reduce_from=0)
    assert not found.stopped
    holds = {name: answer.holds for name, answer in found.answers.items()}
    return Run(found.configurations, holds, found.seconds, found.memory, found.traffic)


def line(workers: int, found: Run) -> str:
    traffic, per = found.traffic, found.configurations
    assert traffic is not None
    return (
        f"  {workers} workers: {found.seconds:6.1f} s, {traffic.rounds} rounds, "
        f"{traffic.records / per:.2f} records and {traffic.sent / per:.0f} bytes per configuration, "
        f"{found.memory / (per / workers):.0f} bytes of memory per configuration"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--philosophers", type=int, nargs="*", default=[4, 5])
    parser.add_argument("--workers", type=int, nargs="*", default=[1, 2, 4])
    asked = parser.parse_args()
    for n in asked.philosophers:
        for what, measure in (("k-properties", k_properties), ("survival", survival)):
            here = measure(n, None)
            found = f"{here.configurations:,} configurations, one process {here.seconds:.1f} s"
            print(f"{n} philosophers, {what}: {found}", flush=True)
            for workers in asked.workers:
                with tempfile.TemporaryDirectory() as folder:
                    cluster = Cluster(Path(folder), workers).ready()
                    try:
                        there = measure(n, cluster.address)
                        assert (there.configurations, there.holds) == (here.configurations, here.holds)
                        print(line(workers, there), flush=True)
                    finally:
                        cluster.end()


if __name__ == "__main__":
    main()
