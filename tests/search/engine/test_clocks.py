"""Timers on time in the engine, in every store, and in the kernel, against the definitions (16.1 to 16.6)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.kernel.semantics import faulty_steps
from stormproof.kernel.transform.extras import with_clocks
from stormproof.oracle import bounded, steps, survival as spec
from stormproof.search.engine.survival import survey
from tests.search.engine.test_combinations import compare_survival
from tests.search.engine.test_survival import check_run
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.random_observers import observed
from tests.support.random_timers import alike_timers, with_timers
from tests.support.survival_questions import random_asks, random_budget, random_model
from tests.support.symmetric_systems import random_symmetric_failures, random_symmetric_system

EACH, MOST, SHORT = 120, 150, (BlockSize(1, 1), BlockSize(2, 2))


def question(rng: random.Random) -> tuple[SurvivalModel, dict[str, Ask], int]:
    dice = rng.random()
    if dice < 0.15:
        return alike(rng)
    if dice < 0.3:
        system, failures = random_mailboxes(rng.randrange(10**9), transitions=3)
        system, failed = searched(with_timers(rng, system), failures)
        model = SurvivalModel(system, failed, rest_states(system), budget=random_budget(rng))
    else:
        model = random_model(rng, everything=rng.random() < 0.3, timers=True)
        model = observed(rng, model) if rng.random() < 0.2 else model
    model = with_clocks(model)
    return model, random_asks(rng, model), rng.randint(1, 3)


def alike(rng: random.Random) -> tuple[SurvivalModel, dict[str, Ask], int]:
    """Alike roles with alike timers."""
    system = alike_timers(rng, random_symmetric_system(rng))
    plain = SurvivalModel(system, random_symmetric_failures(rng, system), rest_states(system))
    model = with_clocks(plain)
    return model, random_asks(rng, model), 1


@pytest.mark.parametrize("chunk", range(2))
def test_every_answer_on_time_as_defined(chunk: int) -> None:
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
def test_timers_on_time_in_any_combination_as_defined(chunk: int) -> None:
    """Every store, several threads, reduction."""
    compared, seed = 0, chunk * 10**6
    while compared < EACH // 2:
        seed += 1
        rng = random.Random(seed)
        model, asks, k = question(rng)
        try:
            expected = {n: spec.answer(model, ask, k, ladder=SHORT, most=MOST) for n, ask in asks.items()}
        except bounded.TooLarge:
            continue
        compared += 1
        for _ in range(3):
            compare_survival(rng, model, asks, k, expected, f"seed {seed}, k = {k}")


def test_alike_roles_are_permuted_with_their_clocks() -> None:
    used = 0
    for seed in range(60):
        model, asks, k = alike(random.Random(seed))
        assert model.extras.clocks is None or len(model.extras.clocks.of) != 1
        found = survey(model, {"clean": asks["clean"]}, k, reduction=False, reduce_from=0)
        used += found.symmetries > 1 and model.extras.clocks is not None
    assert used > 10


@pytest.mark.parametrize("chunk", range(2))
def test_steps_of_the_kernel_on_time_as_defined(chunk: int) -> None:
    waited = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model, *_ = question(rng)
        at = bounded.initial(model.system)
        for _ in range(25):
            literal = dict(steps.faulty_steps(model, at))
            found = {s: faulty_steps.effect(model, at, s) for s in faulty_steps.stormy_steps(model, at)}
            assert found == literal, f"seed {seed}"
            if not found:
                break
            step = rng.choice([*found])
            waited += model.extras.clocks is not None and step.process == model.extras.clocks.time
            at = found[step]
    assert waited > EACH // 4
