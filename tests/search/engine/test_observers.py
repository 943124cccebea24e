"""Observers in the engine, in every store, and in the kernel against the definitions (17.1)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.goal import At
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.kernel.semantics import faulty_steps
from stormproof.kernel.transform.extras import with_observers
from stormproof.limits import Limits
from stormproof.oracle import bounded, steps, survival as spec
from stormproof.search.engine.survival import survey
from tests.search.engine.test_combinations import compare_survival
from tests.search.engine.test_survival import check_run
from tests.support.random_observers import alike_observer, goal_with_observer, observed
from tests.support.survival_questions import random_asks, random_model
from tests.support.symmetric_systems import random_symmetric_failures, random_symmetric_system

EACH, MOST, SHORT = 120, 150, (BlockSize(1, 1), BlockSize(2, 2))


def question(rng: random.Random) -> tuple[SurvivalModel, dict[str, Ask], int]:
    model = observed(rng, random_model(rng, everything=rng.random() < 0.3))
    asks = random_asks(rng, model)
    joined = {
        name: replace(ask, goal=goal_with_observer(rng, model, ask.goal))
        for name, ask in asks.items()
        if name in ("never", "possible", "leads")
    }
    return model, {**asks, **joined}, rng.randint(1, 3)


@pytest.mark.parametrize("chunk", range(2))
def test_every_answer_about_observers_as_defined(chunk: int) -> None:
    compared, seed, met = 0, chunk * 10**6, Counter[tuple[str, bool | None]]()
    while compared < EACH:
        seed += 1
        model, asks, k = question(random.Random(seed))
        try:
            expected = {n: spec.answer(model, ask, k, ladder=SHORT, most=MOST) for n, ask in asks.items()}
        except bounded.TooLarge:
            continue
        compared += 1
        found = survey(model, asks, k, ladder=SHORT)
        for name, answer in found.answers.items():
            wanted, where = expected[name], f"seed {seed}, {name}, k = {k}"
            assert (answer.holds, answer.up_to) == (wanted.holds, wanted.up_to), where
            met[name, answer.holds] += 1
            if answer.holds is not True:
                assert answer.run is not None and answer.run.faults == wanted.faults, where
                check_run(model, asks[name], answer, where)
    assert all(met[name, holds] > EACH // 20 for name in asks for holds in (True, False))


@pytest.mark.parametrize("chunk", range(2))
def test_observers_in_any_combination_as_defined(chunk: int) -> None:
    """Every store, several threads, symmetry where it is there."""
    compared, seed = 0, chunk * 10**6
    while compared < EACH // 2:
        seed += 1
        rng = random.Random(seed)
        model, asks, k = question(rng) if rng.random() < 0.6 else alike(rng)
        try:
            expected = {n: spec.answer(model, ask, k, ladder=SHORT, most=MOST) for n, ask in asks.items()}
        except bounded.TooLarge:
            continue
        compared += 1
        for _ in range(3):
            compare_survival(rng, model, asks, k, expected, f"seed {seed}, k = {k}")


def alike(rng: random.Random) -> tuple[SurvivalModel, dict[str, Ask], int]:
    system = random_symmetric_system(rng)
    plain = SurvivalModel(system, random_symmetric_failures(rng, system), rest_states(system))
    model = with_observers(plain, (alike_observer(rng, system),))
    asks = {"recovers": RECOVERS, "clean": clean(model.system, model.rest)}
    return model, {**asks, "never": Ask(False, At("Count", ("more",)))}, 1


def test_alike_roles_are_permuted_with_an_observer_that_counts_them() -> None:
    used = 0
    for seed in range(40):
        model, asks, k = alike(random.Random(seed))
        few = Limits(states=100)
        found = survey(model, {"never": asks["never"]}, k, reduction=False, reduce_from=0, limits=few)
        used += found.symmetries > 1
    assert used > 10


@pytest.mark.parametrize("chunk", range(2))
def test_steps_of_the_kernel_with_observers_as_defined(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model = observed(rng, random_model(rng, everything=seed % 2 == 0))
        at = bounded.initial(model.system)
        for _ in range(12):
            literal = dict(steps.faulty_steps(model, at))
            found = {s: faulty_steps.effect(model, at, s) for s in faulty_steps.stormy_steps(model, at)}
            assert found == literal, f"seed {seed}"
            if not found:
                break
            at = rng.choice([*found.values()])
