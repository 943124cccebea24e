"""The kernel's step relation and rest states against the oracle's own reading, on random systems."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator

import pytest

from stormproof.kernel.model.actions import Configuration
from stormproof.kernel.model.goal_forms import observed_channels
from stormproof.kernel.model.rest import default_rest_states, ended_states, rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.semantics import faulty_steps, goal_meaning, silent_steps
from stormproof.oracle import rest, steps
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.survival_questions import random_goal, random_model

EACH, MOST = 100, 40


def random_question(seed: int) -> SurvivalModel:
    """With mailboxes, crashes, stops, restarts and every fault of channels."""
    if seed % 4:
        return random_model(random.Random(seed), everything=seed % 2 == 1)
    system, failures = searched(*random_mailboxes(seed))
    return SurvivalModel(system, failures, rest_states(system))


def some_configurations(model: SurvivalModel) -> Iterator[Configuration]:
    """Some that are reached within three messages, the first ones breadth first."""
    queue = [steps.initial(model.system)]
    for at in queue:
        yield at
        for _, after in steps.bounded_steps(model, at, 3, frozenset()):
            if after is not None and after not in queue and len(queue) < MOST:
                queue.append(after)


@pytest.mark.parametrize("chunk", range(4))
def test_every_step_as_the_oracle_takes_it(chunk: int) -> None:
    struck: Counter[str] = Counter()
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        model = random_question(seed)
        goal = random_goal(random.Random(seed), model.system)
        observed = observed_channels(goal, model.system)
        for at in some_configurations(model):
            where = f"seed {seed}, {at}"
            for limit in (3, None):
                silent = set(silent_steps.steps(model.system, model.failures, at, limit))
                assert silent == set(steps.steps(model.system, model.failures, at, limit)), where
            stormy = faulty_steps.stormy_steps(model, at)
            faulty = [(step, faulty_steps.effect(model, at, step)) for step in stormy]
            assert Counter(faulty) == Counter(steps.faulty_steps(model, at)), where
            bounded = Counter(faulty_steps.bounded_steps(model, at, 3, observed))
            assert bounded == Counter(steps.bounded_steps(model, at, 3, observed)), where
            assert goal_meaning.at_rest(model, at) == rest.at_rest(model, at), where
            assert goal_meaning.satisfies(model, at, goal) == rest.satisfies(model, at, goal), where
            struck.update(kind for step, _ in faulty for kind in step.faults)
    assert len(struck) == 7, "a kind of fault never struck"


@pytest.mark.parametrize("chunk", range(2))
def test_rest_states_as_the_oracle_reads_them(chunk: int) -> None:
    ended = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + 10 * EACH):
        system = random_question(seed).system
        for process in system:
            where = f"seed {seed}, {process.name}"
            assert rest_states(system).rest[process.name] == rest.rests(process), where
            assert ended_states(process) == rest.ended(process), where
            if process.rest is None:
                assert default_rest_states(process) | process.crashed_states == rest.rests(process), where
            ended += bool(rest.ended(process))
    assert ended > EACH
