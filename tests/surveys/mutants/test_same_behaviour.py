"""*Equal* against its definition, on the mutants of random systems."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

import pytest

from stormproof.errors import ModelError, UsageError
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.failures_json import failures_from_json, failures_to_json
from stormproof.kernel.model.goal import AT_REST
from stormproof.kernel.model.requirement import ALWAYS_POSSIBLE, LEADS_TO, NEVER, Claim, Requirement
from stormproof.kernel.model.system import System
from stormproof.options import Options
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.same_behaviour import SeenSystem, same_behaviour
from stormproof.surveys.mutants.any_length import NeverHappens, same_role_by_role
from stormproof.surveys.mutants.behaviour import Behaviour
from stormproof.surveys.mutants.comparing import Same, compared
from stormproof.surveys.mutants.operators import Mutant, mutants
from stormproof.surveys.mutants.questions import CheckQuestion
from tests.support.random_systems import random_failures, random_system
from tests.support.survival_questions import random_budget, random_goal

#: Mutants per seed, and the bounds at which the definition is read.
EACH, BOUNDS, MOST = 12, (1, 2), 30


def random_question(rng: random.Random) -> tuple[System, CheckQuestion]:
    """A small system with requirements, faults and perhaps a stop, a restart and a budget."""
    system = random_system(rng, internal=rng.choice((0.0, 0.2)))
    claims = [Claim(rng.choice((NEVER, ALWAYS_POSSIBLE)), random_goal(rng, system)) for _ in range(2)]
    claims += [Claim(LEADS_TO, random_goal(rng, system), after=random_goal(rng, system))]
    system = replace(system, requirements=tuple(Requirement(c, name=f"r{i}") for i, c in enumerate(claims)))
    failures = random_failures(rng, system) if rng.random() < 0.7 else Failures()
    names = system.names
    chosen = {kind: [n for n in names if rng.random() < 0.2] for kind in ("stop", "restart")}
    failures = failures_from_json(failures_to_json(failures) | chosen)[0]
    failures = failures.within(random_budget(rng)) if rng.random() < 0.3 else failures
    return system, CheckQuestion(failures, Options(threads=1))


def seen(behaviour: Behaviour) -> SeenSystem:
    goals = (AT_REST, *behaviour.atoms, *(g for ask in behaviour.group.asks.values() for g in ask.goals))
    return SeenSystem(behaviour.model, goals)


def pairs(seeds: range) -> Iterator[tuple[int, Mutant, Behaviour, Behaviour, NeverHappens]]:
    for seed in seeds:
        rng = random.Random(seed)
        try:
            system, question = random_question(rng)
            made = mutants(system)
            (mine,) = map(Behaviour, question.groups(system))
        except (ModelError, UsageError):
            continue
        never = NeverHappens(mine)
        for mutant in rng.sample(made, min(EACH, len(made))):
            try:
                (group,) = question.groups(mutant.of(system))
            except (ModelError, UsageError):
                continue
            yield seed, mutant, mine, Behaviour(group), never


def definition(first: Behaviour, second: Behaviour) -> tuple[bool, bool] | None:
    """Do they behave the same at all bounds? Is that so for any length? None: too large to say."""
    same, complete = True, False
    for k in BOUNDS:
        try:
            same, complete = same_behaviour(seen(first), seen(second), k, MOST)
        except TooLarge:
            return None if k == BOUNDS[0] else (True, False)
        if not same or complete:
            break
    return same, complete


@pytest.mark.parametrize("chunk", range(3))
def test_equal_is_what_the_definition_says(chunk: int) -> None:
    known = Counter[tuple[str, bool]]()
    for seed, mutant, first, second, never in pairs(range(chunk * 30, chunk * 30 + 30)):
        expected = definition(first, second)
        if expected is None:
            continue
        same, complete = expected
        where = f"seed {seed}, mutant {mutant.number}: {mutant.role}, {mutant.words}"
        answer = compared(first, second, 150)
        if not same:
            assert answer is Same.NO, where
        elif complete:
            assert answer is Same.YES, where
        by_role = same_role_by_role(first, second, never)
        assert not by_role or same, where
        known[answer.value, by_role] += 1
    assert known["no", False] > 50 and known["yes", True] > 5
    assert known["no", True] == 0
