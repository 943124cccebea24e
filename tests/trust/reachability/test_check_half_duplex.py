"""The checker of half-duplex proofs says of random pairs of processes what the search says."""

from __future__ import annotations

import random

import pytest

from stormproof.kernel.goals.cubes import Cube, Demand
from stormproof.kernel.model.failures import Failures
from stormproof.search.reachability import half_duplex
from stormproof.trust.reachability.check_half_duplex import check_half_duplex
from tests.support.random_systems import random_system


def random_demand(rng: random.Random, letters: list[str]) -> Demand:
    if not letters or rng.random() < 0.2:
        return Demand()
    if rng.random() < 0.4:
        return Demand(word=tuple(rng.choice(letters) for _ in range(rng.randrange(4))))
    head = rng.choice([None, *letters])
    return Demand(head=head, contains=frozenset(m for m in letters if rng.random() < 0.4))


@pytest.mark.parametrize("chunk", range(4))
def test_it_agrees_with_the_search(chunk: int) -> None:
    answers = []
    for seed in range(chunk * 1000, (chunk + 1) * 1000):
        rng = random.Random(seed)
        system = random_system(rng, processes=2, transitions=rng.choice((4, 6)), csa=True)
        model = Failures(loss=rng.random() < 0.4, corrupt=rng.random() < 0.3).on(system)
        if not half_duplex.applies(system, model):
            continue
        pairs = sorted(half_duplex.rendezvous(system, model).pairs)
        if half_duplex.both_send(system, pairs):
            assert check_half_duplex(system, model, [], pairs).startswith("both can send")
            continue
        process = rng.choice(system.processes)
        cube = Cube(
            {process.name: frozenset(rng.sample(process.states, rng.randint(1, len(process.states))))},
            {c: random_demand(rng, [str(m) for m in system.alphabet(c)]) for c in system.channels},
            stuck=rng.random() < 0.3,
            deadlock=rng.random() < 0.3,
        )
        met = half_duplex.meets(system, model, [cube], pairs) is not None
        problem = check_half_duplex(system, model, [cube], pairs)
        assert met == bool(problem), (seed, problem)
        answers.append(met)
    assert answers.count(True) > 20 and answers.count(False) > 20
