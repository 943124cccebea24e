"""How the search for RSC grows with the number of processes, next to the paper's bound.

    python bench/rsc.py [--largest N] [--seconds S] [--json]

The bound (the paper, section 3) is O(n^(|P|+2) |C|^5 2^|C| |M|^2) for a system of size n with processes P,
channels C and messages M. Growth is the factor from one size to the next. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any

from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.languages.protocols import groups, protocol
from stormproof.languages.protocols.generators import generate
from stormproof.limits import Limits
from stormproof.search.checks.api import check
from stormproof.search.engine.rsc import rsc

FAMILIES: dict[str, Callable[[int], System]] = {
    "ring, one token": lambda n: generate("ring", size=n, tokens=1),
    "ring, a token each": lambda n: generate("ring", size=n, tokens=n),
    "star": lambda n: generate("star", leaves=n - 1),
}
FAULTS: dict[str, Failures] = {
    "none": Failures(),
    "loss": Failures(loss=True),
    "corruption": Failures(corrupt=True),
    "reordering": Failures(reorder=True),
}


def bound(system: System) -> float:
    """The paper's bound as a power of ten: its logarithm, since the number itself has no use."""
    size = sum(len(p.states) + len(p.transitions) for p in system)
    processes, channels = len(system.processes), len(system.channels)
    messages = max(1, len(system.messages))
    return (
        (processes + 2) * math.log10(size)
        + 5 * math.log10(max(1, channels))
        + channels * math.log10(2)
        + 2 * math.log10(messages)
    )


def measure(largest: int = 10, seconds: float = 20.0) -> Iterator[dict[str, Any]]:
    """One row a family, size and failure model; a family ends where the time limit stops a search."""
    for family, build in FAMILIES.items():
        for fault, failures in FAULTS.items():
            before: dict[str, Any] | None = None
            for size in range(2, largest + 1):
                row = _point(family, build(size), fault, failures, size, seconds)
                if before is not None:
                    row["growth"] = row["states"] / max(1, before["states"])
                    row["bound_growth"] = 10 ** (row["bound_log10"] - before["bound_log10"])
                yield row
                if row["stopped"]:
                    break
                before = row


def _point(
    family: str, system: System, fault: str, failures: Failures, size: int, seconds: float
) -> dict[str, Any]:
    result = rsc(system, failures.on(system), limits=Limits(seconds=seconds))
    return {
        "family": family,
        "faults": fault,
        "processes": size,
        "holds": result.holds,
        "stopped": result.stopped,
        "states": result.states,
        "transitions": result.transitions,
        "seconds": result.seconds,
        "memory": result.memory,
        "bound_log10": bound(system),
    }


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--largest", type=int, default=10, metavar="N")
    parser.add_argument("--seconds", type=float, default=20.0, metavar="S")
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args(arguments)
    if chosen.json:
        json.dump(list(measure(chosen.largest, chosen.seconds)), sys.stdout, indent=2)
        print()
        return 0
    print(
        f"{'family':20} {'faults':11} {'n':>3} {'RSC':>5} {'states':>10} {'seconds':>9} {'growth':>7}", end=""
    )
    print(f" {'bound':>8} {'its growth':>10}")
    for row in measure(chosen.largest, chosen.seconds):
        print(_line(row), flush=True)
    print(f"the paper's sixteen protocols, {len(FAULTS)} failure models each: {sixteen():.2f} s together")
    return 0


def sixteen() -> float:
    """Seconds for the first group of the paper's table under every failure model, verdicts with evidence."""
    systems = [protocol(name) for name in groups()["The paper's table"]]
    assert len(systems) == 16
    started = time.process_time()
    for system in systems:
        for failures in FAULTS.values():
            assert check(system, failures, properties=["rsc"])["rsc"].holds is not None
    return time.process_time() - started


def _line(row: dict[str, Any]) -> str:
    verdict = {True: "yes", False: "no", None: "?"}[row["holds"]]
    growth = f"{row['growth']:7.1f} " if "growth" in row else " " * 8
    bounds = f"10^{row['bound_log10']:5.1f} {row.get('bound_growth', 0):10.0f}"
    return (
        f"{row['family']:20} {row['faults']:11} {row['processes']:>3} {verdict:>5} {row['states']:>10,} "
        f"{row['seconds']:>9.4f} {growth}{bounds}"
    )


if __name__ == "__main__":
    sys.exit(main())
