"""Duplication, mixed with the other faults: the engine against the definitions, and its runs replayed."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.kernel.model.channel_faults import Duplicate
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.run import Witness
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded
from stormproof.trust.replay import replay
from tests.support.engine_queries import ALWAYS, decide, verdicts
from tests.support.random_systems import random_crash, random_duplication, random_system

CHUNKS, EACH = 4, 250


def question(seed: int) -> tuple[System, Failures, int]:
    rng = random.Random(seed)
    system = random_system(rng, internal=rng.choice((0.0, 0.1, 0.25)))
    if rng.random() < 0.35:
        system = random_crash(rng, system)
    return system, random_duplication(rng, system), rng.randint(1, 3)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_property_as_defined(chunk: int) -> None:
    compared, seed = 0, chunk * 10**6
    while compared < EACH:
        seed += 1
        system, failures, k = question(seed)
        model = failures.on(system)
        try:
            ts = bounded.explore(system, model, k, most=150)
        except bounded.TooLarge:
            continue
        compared += 1
        expected = {name: bounded.holds(ts, name) for name in ALWAYS}
        assert verdicts(decide(system, model, k, ALWAYS)) == expected, f"seed {seed}, k = {k}"


def forged(witness: Witness, step: int) -> Witness:
    """Without one of its duplications."""
    return replace(witness, steps=witness.steps[:step] + witness.steps[step + 1 :])


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_runs_are_replayed_and_without_their_duplication_refused(chunk: int) -> None:
    used = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + 120):
        system, failures, k = question(seed)
        if seed % 2:
            failures = Failures(duplicate=True)
        # Without effort no run with fewer faults is looked for, and duplications stay in.
        report = sp.check(system, failures, k=k, properties=["k-exh", "k-er", "k-pg"], effort=0)
        for verdict in report:
            if verdict.witness is None:
                continue
            assert verdict.replayed is not False, f"seed {seed}, {verdict.property}"
            copies = [i for i, s in enumerate(verdict.witness.steps) if isinstance(s, Duplicate)]
            used += len(copies)
            for i in copies:
                found = replay(report.system, report.model, verdict.property, k, forged(verdict.witness, i))
                assert not found.established, f"seed {seed}, {verdict.property}"
    assert used > 3
