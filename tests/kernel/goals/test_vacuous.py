"""Goals that nothing satisfies: by their cases, and by trying every combination of states and contents."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.goals.vacuous import impossible
from stormproof.kernel.model.goal import And, Goal, Not
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.oracle.vacuous import is_impossible
from tests.support.survival_questions import random_goal, random_model

#: Contents up to this length satisfy whatever longer ones do, in goals that are so small.
LENGTH = 3
CHUNKS, GOALS = 2, 120


def model_with_its_rest(rng: random.Random) -> SurvivalModel:
    """As a check makes it: where its roles rest is written down in the system."""
    while True:
        model = random_model(rng)
        processes = tuple(replace(p, rest=tuple(model.rest.rest[p.name])) for p in model.system)
        system = replace(model.system, processes=processes)
        size = len(system.channels) * max((len(system.alphabet(c)) for c in system.channels), default=0)
        if system.product_size <= 64 and size <= 4:
            return replace(model, system=system)


def extreme_goal(rng: random.Random, model: SurvivalModel) -> Goal:
    """One that few configurations satisfy, or few do not."""
    parts = tuple(random_goal(rng, model.system, 1) for _ in range(rng.randint(1, 3)))
    return rng.choice((And(parts), Not(And(parts)), Not(parts[0])))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_goals_that_nothing_satisfies_are_those_of_the_definition(chunk: int) -> None:
    found = 0
    for seed in range(chunk * GOALS, (chunk + 1) * GOALS):
        rng = random.Random(seed)
        model = model_with_its_rest(rng)
        for goal in (extreme_goal(rng, model) for _ in range(3)):
            slow = is_impossible(model, goal, LENGTH)
            assert impossible(goal, model.system, model.failures) == slow, f"seed {seed}: {goal}"
            found += slow
    assert found > 20
