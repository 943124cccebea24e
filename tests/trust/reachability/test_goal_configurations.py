"""The least configurations of a goal stand for exactly those that the kernel says are asked for."""

from __future__ import annotations

import random
from itertools import product

import pytest

from stormproof.kernel.goals.cubes import Cube, Demand
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.failures import Failures
from stormproof.languages.formats import loads
from stormproof.trust.reachability.channel_forms import LENGTH, ChannelReading, channel_forms
from stormproof.trust.reachability.goal_configurations import goal_configurations

TEXT = """
protocol P
role A { a: B!x -> a
              B!y -> a
              B!z -> a }
role B { b: A?x -> c
              A?y -> c
         c: A?z -> c }
"""
CHANNEL = Channel("A", "B")


def demand_of(rng: random.Random) -> Demand:
    letters = "xyz"
    if rng.random() < 0.3:
        return Demand(word=tuple(rng.choice(letters) for _ in range(rng.randrange(3))))
    head = rng.choice([None, *letters])
    return Demand(head=head, contains=frozenset(m for m in letters if rng.random() < 0.25))


def stands_for(
    reading: ChannelReading, least: tuple[str, ...], fixed: frozenset[str], word: tuple[str, ...]
) -> bool:
    if reading.form == LENGTH:
        return len(word) == len(least) if fixed else len(word) >= len(least)
    return reading.contains(word, least) and all(word.count(m) == least.count(m) for m in fixed)


@pytest.mark.parametrize("seed", range(300))
def test_each_configuration_of_the_goal_contains_a_least_one(seed: int) -> None:
    rng = random.Random(seed)
    system = loads(TEXT)
    pairs = rng.choice([[], [("x", "y")], [("x", "y"), ("y", "z")]])
    failures = Failures(
        loss=rng.random() < 0.5,
        reorder=rng.random() < 0.4,
        corrupt=not pairs and rng.random() < 0.3,
        corrupt_map=[(CHANNEL, *pair) for pair in pairs],
    ).on(system)
    cube = Cube(
        {"B": frozenset(rng.sample(["b", "c"], rng.randint(1, 2)))},
        {CHANNEL: demand_of(rng)},
        stuck=rng.random() < 0.4,
        deadlock=rng.random() < 0.4,
    )
    controls = [((a, b), (False,)) for a in system["A"].states for b in system["B"].states]
    (reading,) = channel_forms(system, failures)
    found = list(goal_configurations(system, [reading], [cube], controls))
    for states, _ in controls:
        for length in range(4):
            for word in product("xyz", repeat=length):
                at = dict(zip(system.names, states, strict=True))
                asked = cube.holds(system, failures, at, {CHANNEL: word})
                there = any(
                    g.element.states == states and stands_for(reading, g.element.words[0], g.fixed[0], word)
                    for g in found
                )
                assert there or not asked, (word, at, found)
