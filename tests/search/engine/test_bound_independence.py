"""k-obi and k-sibi as defined, wherever the configurations are."""

from __future__ import annotations

import random
from tempfile import TemporaryDirectory

import pytest

from stormproof import _engine
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded
from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.partitioned import KQuestion, LocalParts, PartitionedSearch
from tests.support.engine_queries import decide, perfect, verdicts
from tests.support.random_systems import random_system

EACH = 100
NAMES = ("k-obi", "k-sibi")


@pytest.mark.parametrize("chunk", range(2))
def test_bound_independence_as_defined(chunk: int) -> None:
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system, k = choosing(rng), rng.randint(1, 2)
        try:
            whole = bounded.explore(system, perfect(system), k, most=300)
        except bounded.TooLarge:
            continue
        expected = {name: bounded.holds(whole, name) for name in NAMES}
        ordinary = decide(system, perfect(system), k, NAMES)
        assert verdicts(ordinary) == expected, f"seed {seed}, k = {k}"
        for found in _in_other_stores(system, k, rng):
            assert verdicts(found) == expected, f"seed {seed}, k = {k}"
            assert (found.states, found.transitions) == (ordinary.states, ordinary.transitions), seed
            assert _lengths(found) == _lengths(ordinary), f"seed {seed}, k = {k}"
        _compare_parts(system, k, 1 + seed % 4, ordinary)
        violated += len(ordinary.violations)
    assert violated > EACH / 8


def choosing(rng: random.Random) -> System:
    """A system in which processes often choose between peers."""
    count = rng.choice((3, 3, 4))
    return random_system(rng, processes=count, states=2, transitions=7, internal=rng.choice((0.0, 0.1)))


def _in_other_stores(system: System, k: int, rng: random.Random) -> list[_engine.Answer]:
    threads = rng.randint(1, 3)
    compact = decide(system, perfect(system), k, NAMES, compact=True, threads=threads, parallel_from=1)
    with TemporaryDirectory() as folder:
        disk = _engine.DiskOptions(folder, "1", True, rng.choice((2, 7, 50)), 60, rng.choice((1, 40)))
        return [compact, decide(system, perfect(system), k, NAMES, disk=disk)]


def _compare_parts(system: System, k: int, parts: int, ordinary: _engine.Answer) -> None:
    search = PartitionedSearch(LocalParts(KQuestion(system, perfect(system), k, NAMES), parts))
    search.explore()
    runs = {str(PROPERTIES[found.property]): len(search.run_to(found)) for found in search.judge()}
    assert runs == _lengths(ordinary), f"{system}, k = {k}, {parts} parts"


def _lengths(answer: _engine.Answer) -> dict[str, int]:
    return {str(v.which): len(v.firings) for v in answer.violations}
