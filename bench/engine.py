"""The engine measured: ratios from one run on one machine.

    python bench/engine.py [--only SECTION ...] [--json]

reference   the definitions executed in Python
size        cost against size, over three decades
bytes       all tables and the graph included, where a configuration takes 16 bytes
threads     two against one, k-properties, RSC and survival
corruption  the three elevators under corruption, k = 1 to 10
reduction   eight peers in four independent pairs, thirty messages, k = 30
paxos       k-exh of `paxos-2p3a` at k = 1, with reduction and without; only when it is named
large       more than 100 million configurations; only when it is named

Seconds are processor seconds, which other work on the machine disturbs less than it does the clock; where two
threads run, `clock` is what counts. Nothing here is a test.
"""

from __future__ import annotations

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import Any

from stormproof import _engine
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.ask import RECOVERS, clean
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import MAILBOX, System
from stormproof.languages.protocols import protocol
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.oracle import bounded
from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.lowering import lower
from stormproof.search.engine.survival import survey
from tests.support.example_systems import clients
from tests.support.random_mailboxes import searched

ASKED = ("k-exh", "k-er", "k-pg")


@dataclass
class Run:
    """One run of the engine: seconds of the processor and of the clock, of the exploration and of it all."""

    states: int
    transitions: int
    words: int
    bytes: int
    explore_cpu: float
    cpu: float
    explore_wall: float
    wall: float
    violated: list[str]

    @property
    def rate(self) -> float:
        return self.states / max(self.explore_cpu, 1e-9)


def run(
    system: System, k: int, failures: Failures | None = None, names: tuple[str, ...] = ASKED, **knobs: Any
) -> Run:
    """All of k-exh, k-er and k-pg, in full unless the knobs say otherwise, on one thread unless they do."""
    native = lower(system, (failures or Failures()).on(system)).native
    asked = {PROPERTIES[p] for p in names}
    monitor = _engine.Monitor(None, None, None)
    wall, cpu = time.monotonic(), time.process_time()
    answer = _engine.decide(native, monitor, k, asked, knobs.pop("threads", 1), **knobs)
    return Run(
        states=answer.states,
        transitions=answer.transitions,
        words=answer.words,
        bytes=answer.memory,
        explore_cpu=answer.explored_cpu,
        cpu=time.process_time() - cpu,
        explore_wall=answer.explored_seconds,
        wall=time.monotonic() - wall,
        violated=[p for p in ASKED if PROPERTIES[p] in answer.violated],
    )


def chains(count: int, length: int) -> System:
    """Independent pairs: so many different messages in order."""
    built = []
    for i in range(count):
        p, q = f"P{i}", f"Q{i}"
        built.append(
            Process(p, "s0", tuple(Transition(f"s{j}", Send(q, f"m{j}"), f"s{j + 1}") for j in range(length)))
        )
        built.append(
            Process(
                q, "r0", tuple(Transition(f"r{j}", Receive(p, f"m{j}"), f"r{j + 1}") for j in range(length))
            )
        )
    return System(tuple(built))


def section_reference(elevator: System) -> Iterator[dict[str, Any]]:
    for k in (1, 2):
        start = time.process_time()
        ts = bounded.explore(elevator, Failures().on(elevator), k)
        expected = {p: bounded.holds(ts, p) for p in ASKED}
        slow = time.process_time() - start
        ours = run(elevator, k)
        assert {p: p not in ours.violated for p in ASKED} == expected
        yield {
            "section": "reference",
            "k": k,
            "configurations": ours.states,
            "python_seconds": slow,
            "engine_seconds": ours.cpu,
            "faster": slow / ours.cpu,
        }


def section_size(elevator: System) -> Iterator[dict[str, Any]]:
    """Linear means: the last two columns stay level from thousands of configurations to millions."""
    for k in range(3, 11):
        ours = run(elevator, k)
        yield {
            "section": "size",
            "k": k,
            "configurations": ours.states,
            "explore_ns_each": 1e9 * ours.explore_cpu / ours.states,
            "check_ns_each": 1e9 * ours.cpu / ours.states,
            "bytes_each": ours.bytes / ours.states,
        }


def section_bytes(elevator: System) -> Iterator[dict[str, Any]]:
    for name, system in (("elevator", elevator), ("elevator-dashed", protocol("elevator-dashed"))):
        k = 10
        ours = run(system, k)
        yield {
            "section": "bytes",
            "system": name,
            "k": k,
            "configurations": ours.states,
            "bytes_a_configuration": 8 * ours.words,
            "successors_each": ours.transitions / ours.states,
            "bytes_each": ours.bytes / ours.states,
        }


def section_threads(elevator: System) -> Iterator[dict[str, Any]]:
    """The least of three runs each, one thread and two in turn."""
    for name, ask in _asked_in_threads(elevator):
        runs = [(ask(1), ask(2)) for _ in range(3)]
        assert len({states for pair in runs for states, _ in pair}) == 1, name
        one, two = (min(seconds for _, seconds in each) for each in zip(*runs, strict=True))
        yield {
            "section": "threads",
            "asked": name,
            "configurations": runs[0][0][0],
            "one_clock": one,
            "two_clock": two,
            "faster": one / two,
            "load_average": os.getloadavg()[0],
        }


#: A question in so many threads: its configurations, and seconds of the clock.
Asked = Callable[[int], tuple[int, float]]


def _asked_in_threads(elevator: System) -> Iterator[tuple[str, Asked]]:
    paxos = protocol("paxos-2p3a")
    for k in (8, 9):
        full = partial(run, elevator, k)
        yield f"elevator, k = {k}, exploration", partial(_clock, full, explored=True)
        yield f"elevator, k = {k}, whole check", partial(_clock, full)
    reduced = partial(run, paxos, 1, names=("k-exh",), reduction=True, witness_budget=1)
    yield "paxos-2p3a with reduction, exploration", partial(_clock, reduced, explored=True)
    yield "paxos-2p3a with reduction, k-exh", partial(_clock, reduced)
    yield "survival of paxos-2p3a with reduction", partial(_survival, paxos, True)
    yield "survival of six philosophers", partial(_survival, dining_philosophers(6, left_handed=True), False)
    yield "RSC of eight philosophers", partial(_rsc, lower(dining_philosophers(8), FailureModel({})).native)
    mailboxes = searched(replace(clients(9), communication=MAILBOX), Failures())
    yield "RSC of eight clients with mailboxes", partial(_rsc, lower(*mailboxes).native)
    with tempfile.TemporaryDirectory() as folder:
        disk = _engine.DiskOptions(folder, "bench", True)
        native = lower(dining_philosophers(7), FailureModel({})).native
        yield "RSC of seven philosophers on disk", partial(_rsc, native, disk=disk)


def _clock(asked: Callable[..., Run], threads: int, explored: bool = False) -> tuple[int, float]:
    found = asked(threads=threads)
    return found.states, found.explore_wall if explored else found.wall


def _rsc(native: _engine.System, threads: int, **how: Any) -> tuple[int, float]:
    started = time.monotonic()
    found = _engine.search_rsc(native, _engine.Monitor(None, None, None), threads=threads, **how)
    assert found.stop is _engine.Stop.NONE and not found.violated
    return found.states, time.monotonic() - started


def _survival(system: System, saves: bool, threads: int) -> tuple[int, float]:
    """Up to three million configurations, with reduction and symmetry or with neither."""
    model = SurvivalModel(system, Failures().on(system), rest_states(system))
    asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)}
    limits = Limits(seconds=None, memory="8GiB", states=3_000_000)
    found = survey(model, asks, 1, limits=limits, reduction=saves, symmetry=saves, threads=threads)
    return found.configurations, found.seconds


def section_corruption(_: System) -> Iterator[dict[str, Any]]:
    total = 0.0
    for name in ("elevator", "elevator-dashed", "elevator-directed"):
        runs = [run(protocol(name), k, Failures(corrupt=True), threads=2) for k in range(1, 11)]
        total += sum(r.wall for r in runs)
        yield {
            "section": "corruption",
            "system": name,
            "configurations": sum(r.states for r in runs),
            "clock": sum(r.wall for r in runs),
            "seconds": sum(r.cpu for r in runs),
            "clock_so_far": total,
        }


def section_reduction(_: System) -> Iterator[dict[str, Any]]:
    ours = run(chains(4, 30), 30, reduction=True)
    full = 496**4
    yield {
        "section": "reduction",
        "full": full,
        "reduced": ours.states,
        "seconds": ours.cpu,
        "violated": ours.violated,
    }


def section_paxos(_: System) -> Iterator[dict[str, Any]]:
    for reduction in (True, False):
        ours = run(protocol("paxos-2p3a"), 1, names=("k-exh",), reduction=reduction)
        yield {
            "section": "paxos",
            "reduction": reduction,
            "configurations": ours.states,
            "explore_seconds": ours.explore_cpu,
            "seconds": ours.cpu,
            "MiB": ours.bytes // 2**20,
            "violated": ours.violated,
        }


def section_large(elevator: System) -> Iterator[dict[str, Any]]:
    ours = run(elevator, 13, threads=2)
    yield {"section": "large", **asdict(ours), "bytes_each": ours.bytes / ours.states}


SECTIONS: dict[str, Callable[[System], Iterator[dict[str, Any]]]] = {
    "reference": section_reference,
    "size": section_size,
    "bytes": section_bytes,
    "threads": section_threads,
    "corruption": section_corruption,
    "reduction": section_reduction,
    "paxos": section_paxos,
    "large": section_large,
}
#: Run only when they are named: they take a minute, or gigabytes.
NAMED = ("paxos", "large")


def show(row: dict[str, Any]) -> str:
    def text(value: Any) -> str:
        return (
            f"{value:.3g}"
            if isinstance(value, float)
            else f"{value:,}"
            if isinstance(value, int)
            else str(value)
        )

    return "  ".join(f"{key.replace('_', ' ')} {text(value)}" for key, value in row.items())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", choices=list(SECTIONS), help="these sections")
    parser.add_argument("--json", action="store_true", help="one JSON object a line")
    arguments = parser.parse_args()
    elevator = protocol("elevator")
    for name in arguments.only or [s for s in SECTIONS if s not in NAMED]:
        for row in SECTIONS[name](elevator):
            print(json.dumps(row) if arguments.json else show(row), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
