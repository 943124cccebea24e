"""The same answer everywhere: two runs of one command give the same JSON but for times, on an idle machine
and on a loaded one, with one thread and with several, whatever ends the searches."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from stormproof.limits import EFFORT
from stormproof.trust.reachability.check_equation import have_z3

#: What is asked, and what must be in the answer: that this kind of effort was spent, or that a search went on
#: to where it is.
CHECKS: dict[str, tuple[str, str]] = {
    "larger bounds, in several questions": ("sp.check(sp.protocol('outbox'), effort=5_000)", '"up_to": 1'),
    "long channels": ("sp.check(sp.protocol('tcp-open'), effort=50_000, classes=False)", '"up_to": 8'),
    "the first bound of the classes": (
        "sp.check(sp.protocol('raft-election'), effort=10_000, properties=None)",
        "not decided within the effort at k = 1 after 10,000 configurations",
    ),
    "rsc": (
        "sp.check(sp.protocol('dining-philosophers'), properties=['rsc'], limits=sp.Limits(states=300))",
        "the limit of 300 configurations was reached",
    ),
    "fewer faults": (
        "sp.check(sp.protocol('outbox'), sp.Failures(stop='Relay'), effort=500)",
        '"fewest": false',
    ),
    "basis elements": (
        "sp.reach(sp.protocol('mqtt-qos2'), 'at rest & !Subscriber@once', effort=250)",
        "backward search: not decided within the effort at 183 minimal configurations",
    ),
    "entries of tables, and summaries": (
        "sp.reach(sp.protocol('websocket-close'), 'at rest & Client@failed & Server@open', effort=150)",
        "linear programming has no answer within the effort",
    ),
    "what z3 counts": (
        "sp.reach(sp.protocol('saga'), 'deadlock', effort=500)",
        "z3 has no answer within the effort" if have_z3() else "needs z3",
    ),
    "candidates for repairs": (
        "sp.suggest(sp.protocol('client-server'), sp.Failures(loss=True), candidates=5)",
        "timeout",
    ),
}

ASK = """
import json, sys
import stormproof as sp

def plain(answer):
    return [plain(a) for a in answer] if isinstance(answer, tuple) else answer.to_json()

for text in json.loads(sys.stdin.read()):
    print(json.dumps(plain(eval(text))), flush=True)
"""


def answers(threads: int) -> list[Any]:
    """In a process of its own, in which each search has so many threads."""
    told = f"import stormproof.search.engine.k_properties as k\nk._cores = lambda: {threads}\n"
    asked = json.dumps([text for text, _ in CHECKS.values()])
    done = subprocess.run(
        [sys.executable, "-c", told + ASK], input=asked, capture_output=True, text=True, check=True
    )
    return [without_times(json.loads(line)) for line in done.stdout.splitlines()]


def without_times(data: Any) -> Any:
    if isinstance(data, dict):
        return {name: without_times(part) for name, part in data.items() if name != "seconds"}
    return [without_times(part) for part in data] if isinstance(data, list) else data


@contextmanager
def loaded(processes: int = 4) -> Iterator[None]:
    """The machine has more to do than it has processors."""
    busy = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(processes)]
    try:
        yield
    finally:
        for process in busy:
            process.kill()
            process.wait()


@pytest.fixture(scope="module")
def idle() -> dict[str, Any]:
    return dict(zip(CHECKS, answers(1), strict=True))


def test_each_case_ends_where_it_is_meant_to(idle: dict[str, Any]) -> None:
    for name, (_, said) in CHECKS.items():
        assert said in json.dumps(idle[name]), f"{name}: {json.dumps(idle[name])[:2000]}"


def test_a_loaded_machine_and_more_threads_give_the_same_json(idle: dict[str, Any]) -> None:
    with loaded():
        there = dict(zip(CHECKS, answers(2), strict=True))
    for name, answer in idle.items():
        assert there[name] == answer, name


def test_the_usual_effort_is_a_count() -> None:
    assert isinstance(EFFORT, int)
