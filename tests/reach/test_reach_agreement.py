"""Answers against bounded exploration by the definitions, on random systems under random failures."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from stormproof.failures import FailureModel
from stormproof.goals import And, At, Contains, Goal, Holds, Named, cubes, holds, show
from stormproof.limits import Limits
from stormproof.model import Channel, Message, System
from stormproof.reach import REACHABLE, UNDECIDED, UNREACHABLE, Answer, check_certificate
from stormproof.reach.certificates import Certificate, Closure, HalfDuplex, Saturated
from stormproof.reach.portfolio import solve
from stormproof.reach.runs import accept_run
from stormproof.semantics import TooLarge, explore
from strategies import random_failures, random_system

CHUNKS, SEEDS = 25, 440
LIMITS = Limits(states=1500)


def random_goal(rng: random.Random, system: System) -> Goal:
    dice = rng.random()
    if dice < 0.15:
        return Named("deadlock")
    if dice < 0.3:
        return Named(rng.choice(["orphan", "unspecified"]))
    parts: list[Goal] = []
    for process in system:
        if rng.random() < 0.6:
            parts.append(At(process.name, (rng.choice(process.states),)))
    for channel in system.channels:
        letters = [m for m in system.alphabet(channel) if isinstance(m, str)]
        if letters and rng.random() < 0.4:
            if rng.random() < 0.5:
                parts.append(Contains(channel, rng.choice(letters)))
            else:
                word = tuple(rng.choice(letters) for _ in range(rng.randrange(3)))
                parts.append(Holds(channel, word))
    if rng.random() < 0.1:
        parts.append(Named("deadlock"))
    return And(tuple(parts)) if parts else Named("deadlock")


def reached_within(system: System, model: FailureModel, goal: Goal, k: int) -> bool | None:
    """By the definitions; None when that is too large to see."""
    try:
        found = explore(system, model, k, most=250)
    except TooLarge:
        return None
    asked = cubes(goal, system, model)
    for at in found.steps:
        states = dict(zip(system.names, at.states, strict=True))
        words: dict[Channel, tuple[Message, ...]] = dict(zip(system.channels, at.words, strict=True))
        if holds(asked, system, model, states, words):
            return True
    return False


def mutations(rng: random.Random, certificate: Certificate) -> list[Certificate]:
    """The same certificate with an element left out or changed."""
    if isinstance(certificate, Closure):
        found: list[Certificate] = []
        if certificate.controls:
            i = rng.randrange(len(certificate.controls))
            dropped = certificate.controls[:i] + certificate.controls[i + 1 :]
            found.append(replace(certificate, controls=dropped))
        return found
    if isinstance(certificate, Saturated):
        i = rng.randrange(len(certificate.configurations))
        rest = certificate.configurations[:i] + certificate.configurations[i + 1 :]
        return [Saturated(rest)]
    if isinstance(certificate, HalfDuplex):
        i = rng.randrange(len(certificate.pairs))
        return [HalfDuplex(certificate.pairs[:i] + certificate.pairs[i + 1 :])]
    return []


def check_one(seed: int) -> Answer:
    rng = random.Random(seed)
    system = random_system(rng, states=rng.choice((2, 3, 3)), transitions=rng.choice((3, 4, 5)))
    model = random_failures(rng, system).on(system)
    goal = random_goal(rng, system)
    asked = cubes(goal, system, model)
    answer = solve(system, model, asked, show(goal), LIMITS)
    if answer.answer == UNREACHABLE:
        k = rng.choice((1, 2, 2, 3, 4))
        assert reached_within(system, model, goal, k) is not True, f"seed {seed}: reached within {k}"
        assert answer.certificate is not None
        assert check_certificate(system, model, asked, answer.certificate) == "", f"seed {seed}"
    elif answer.answer == REACHABLE:
        assert answer.run is not None
        assert accept_run(system, model, asked, answer.run) == "", f"seed {seed}"
    else:
        lossy = all(model.on(c).loss for c in system.channels)
        assert not lossy, f"seed {seed}: decidable and undecided: {answer.tried}"
    return answer


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_answers_agree_with_exploration(chunk: int) -> None:
    counts: Counter[str] = Counter()
    for seed in range(chunk * SEEDS, (chunk + 1) * SEEDS):
        counts[check_one(seed).answer] += 1
    assert counts[REACHABLE] > SEEDS / 10
    assert counts[UNREACHABLE] > SEEDS / 10
    assert counts[UNDECIDED] < SEEDS / 10, counts
