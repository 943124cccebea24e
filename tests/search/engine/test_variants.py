"""Reduction against full exploration, several threads against one, components against sweeps."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from stormproof import _engine
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.search.engine.k_properties import PROPERTIES, explore
from tests.support.engine_queries import (
    ALWAYS,
    chain,
    decide,
    evidence,
    perfect,
    random_question,
    stream,
    verdicts,
)
from tests.support.random_systems import random_crash, random_process_faults, random_system

CHUNKS, EACH = 5, 1000


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_reduction_gives_the_verdicts_of_full_exploration(chunk: int) -> None:
    """Mixed states, internal actions, crashes, stops, restarts; up to four processes of four states."""
    smaller = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system = random_system(
            rng,
            states=rng.choice((3, 4)),
            transitions=rng.choice((4, 6)),
            internal=rng.choice((0.0, 0.1, 0.3)),
        )
        if rng.random() < 0.4:
            system = random_crash(rng, system)
        k = rng.randint(1, 3)
        if rng.random() < 0.4:
            system = random_process_faults(rng, system)
        full = decide(system, perfect(system), k, ALWAYS)
        reduced = decide(system, perfect(system), k, ALWAYS, reduction=True, witness_budget=1)
        assert verdicts(reduced) == verdicts(full), f"seed {seed}, k = {k}"
        assert reduced.reduced and reduced.states <= full.states, f"seed {seed}, k = {k}"
        smaller += reduced.states < full.states
    assert smaller > EACH / 5


@pytest.mark.parametrize("chunk", range(2))
def test_reduction_gives_the_verdicts_of_full_exploration_under_faults(chunk: int) -> None:
    """Loss, corruption and duplication; where a channel reorders, reduction is not used."""
    smaller = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        system, failures, k = random_question(seed, faults=1.0)
        full = decide(system, failures, k, ALWAYS)
        reduced = decide(system, failures, k, ALWAYS, reduction=True, reduce_from=0, witness_budget=1)
        assert verdicts(reduced) == verdicts(full), f"seed {seed}, k = {k}"
        assert reduced.states <= full.states, f"seed {seed}, k = {k}"
        smaller += reduced.states < full.states
    assert smaller > EACH / 20


@pytest.mark.parametrize("chunk", range(2))
def test_threads_change_nothing_with_reduction(chunk: int) -> None:
    """Not even the run to a violation, for which there is no budget here."""
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH // 2):
        system, failures, k = random_question(seed)
        knobs = {"reduction": True, "reduce_from": 0, "witness_budget": 1}
        knobs |= {"symmetry": seed % 2 == 0, "symmetry_from": 0}
        one = decide(system, failures, k, ALWAYS, **knobs)
        several = decide(system, failures, k, ALWAYS, **knobs, threads=2 + seed % 3, parallel_from=1)
        assert _outcome(several) == _outcome(one), f"seed {seed}, k = {k}"
        violated += len(one.violations)
    assert violated > EACH / 2


def _outcome(found: _engine.Answer) -> tuple[object, ...]:
    return found.states, found.transitions, found.reduced, verdicts(found), evidence(found)


@pytest.mark.parametrize("chunk", range(2))
def test_side_conditions_are_the_same_with_reduction(chunk: int) -> None:
    """What the reduced graph leaves open, the full one decides."""
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH // 2):
        rng = random.Random(seed)
        system, k = random_system(rng, internal=0.0), rng.randint(1, 2)
        full = decide(system, perfect(system), k, tuple(PROPERTIES))
        reduced = decide(system, perfect(system), k, tuple(PROPERTIES), reduction=True)
        assert verdicts(reduced) == verdicts(full), f"seed {seed}, k = {k}"


@pytest.mark.parametrize("chunk", range(4))
def test_threads_and_components_change_nothing(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + 300):
        system, failures, k = random_question(seed)
        names = tuple(PROPERTIES) if failures.perfect else ALWAYS
        one = decide(system, failures, k, names)
        several = decide(system, failures, k, names, threads=2 + seed % 4, parallel_from=1)
        components = decide(system, failures, k, names, components=True)
        assert _outcome(several) == _outcome(components) == _outcome(one), f"seed {seed}, k = {k}"


@pytest.mark.parametrize("store", ["ordinary", "compact", "disk"])
def test_side_conditions_are_left_open_where_nothing_follows_from_them(store: str, tmp_path: Path) -> None:
    """They are decided as ever where k-exh holds, and skipped where it is violated."""
    side = {PROPERTIES["k-obi"], PROPERTIES["k-sibi"]}
    names = ("k-exh", "k-er", "k-obi", "k-sibi")
    disk = _engine.DiskOptions(str(tmp_path) if store == "disk" else "", "1", True)
    skipped = violated = 0
    for seed in range(300):
        rng = random.Random(seed)
        system, k = random_system(rng, internal=0.0), rng.randint(1, 2)
        full = decide(system, perfect(system), k, names)
        some = decide(system, perfect(system), k, names, optional=side, compact=store == "compact", disk=disk)
        missing = verdicts(full).keys() - verdicts(some).keys()
        assert verdicts(full).items() >= verdicts(some).items(), f"seed {seed}"
        assert bool(missing) is not verdicts(full)["k-exh"], f"seed {seed}"
        skipped += bool(missing)
        violated += bool(some.violated & side)
    assert 20 < skipped < 280 and violated > 5


def test_eight_peers_in_four_pairs() -> None:
    """496 configurations a pair, so 496**4 together; reduction runs one pair after the other."""
    system = System(tuple(p for i in range(4) for p in chain(30, f"P{i}", f"Q{i}")))
    found = explore(system, perfect(system), 30, properties=ALWAYS)
    assert found.reduced and found.stopped == ""
    assert all(found.holds.values())
    assert found.states <= 8 * 30 + 1


def test_small_systems_are_explored_whole_under_interference() -> None:
    """Equal sizes at two bounds then show that larger ones add nothing."""
    system, failures, k = next(
        q for q in map(random_question, range(100)) if not q[1].perfect and q[0].channels
    )
    assert not explore(system, failures, k, properties=ALWAYS).reduced


def test_reduction_is_off_under_reordering() -> None:
    system = System(stream("a", "b"))
    failures = Failures(reorder=True).on(system)
    assert not decide(system, failures, 2, ALWAYS, reduction=True, reduce_from=0).reduced
    assert decide(system, failures, 1, ALWAYS, reduction=True, reduce_from=0).reduced


def test_ten_philosophers_need_a_thousand_configurations() -> None:
    """The full graph has about ten thousand million; the processes go round for ever."""
    system = dining_philosophers(10)
    found = explore(system, perfect(system), 1, properties=["k-exh", "k-obi"])
    assert found.reduced and found.holds == {"k-exh": True, "k-obi": True}
    assert found.states < 1100


def test_side_conditions_of_an_undirected_system_need_the_full_graph() -> None:
    rng = random.Random(1)
    system = next(s for s in iter(lambda: random_system(rng, csa=True), None) if not s.directed)
    assert not explore(system, perfect(system), 1, properties=["k-obi", "k-er"]).reduced
    assert explore(system, perfect(system), 1, properties=["k-er"]).reduced
