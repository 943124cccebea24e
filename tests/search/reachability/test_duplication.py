"""Reachability where channels duplicate: answers against exploration by the definitions."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof.kernel.transform.crash_completion import complete
from stormproof.search.reachability.answer import REACHABLE, UNDECIDED, UNREACHABLE
from stormproof.search.reachability.ways import WAYS
from tests.search.reachability.test_portfolio import Question, ask, check, random_goal
from tests.support.random_systems import random_duplication, random_system

CHUNKS, SEEDS = 4, 150


def question(seed: int, crashes: bool = False) -> tuple[random.Random, Question]:
    rng = random.Random(seed)
    size = rng.choice((3, 4, 6))
    processes = 2 if crashes or size > 4 else None
    system = random_system(
        rng, processes, states=rng.choice((2, 3, 3)), transitions=size, unreliable=0.5 * crashes
    )
    if crashes:
        system = complete(system)
    model = random_duplication(rng, system).on(system)
    return rng, (system, model, random_goal(rng, system))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_answers_agree_with_exploration(chunk: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(chunk * 10**6, chunk * 10**6 + SEEDS):
        rng, asked = question(seed, crashes=seed % 10 == 0)
        answer = ask(asked)
        check(seed, rng, asked, answer)
        counts[answer.answer] += 1
    assert min(counts[REACHABLE], counts[UNREACHABLE]) > SEEDS / 10


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_way_alone_agrees_with_the_others(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + SEEDS // 3):
        rng, asked = question(10**8 + seed)
        found = {name: ask(asked, only=("control states", name)) for name in WAYS}
        for answer in found.values():
            if answer.answer != UNDECIDED:
                check(seed, rng, asked, answer)
        assert not {REACHABLE, UNREACHABLE} <= {a.answer for a in found.values()}, f"seed {seed}"
