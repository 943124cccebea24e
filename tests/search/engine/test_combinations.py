"""Every way to save configurations, time and memory, in random combinations, against the definitions."""

from __future__ import annotations

import random
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from stormproof import _engine
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded, survival as spec
from stormproof.search.engine.survival import survey
from tests.search.engine.test_survival import check_run
from tests.support.engine_queries import decide, defined, random_question, verdicts
from tests.support.survival_questions import random_asks, random_model
from tests.support.symmetric_systems import random_symmetric_failures, random_symmetric_system

#: How many systems are really compared in one chunk, each in so many combinations.
EACH, COMBINATIONS = 100, 3
STORES = ("memory", "memory", "compact", "disk")
SHORT = (BlockSize(1, 1), BlockSize(2, 2))


@pytest.mark.parametrize("chunk", range(2))
def test_k_properties_in_any_combination_as_defined(chunk: int) -> None:
    compared, seed = 0, chunk * 10**6
    while compared < EACH:
        seed += 1
        rng = random.Random(seed)
        system, failures, k = _question(rng, seed)
        try:
            whole = bounded.explore(system, failures, k, most=150)
        except bounded.TooLarge:
            continue
        compared += 1
        names = defined(failures)
        expected = {name: bounded.holds(whole, name) for name in names}
        for _ in range(COMBINATIONS):
            knobs, store = _knobs(rng), rng.choice(STORES)
            with TemporaryDirectory() as folder:
                found = decide(system, failures, k, names, **knobs, **_store(rng, store, folder))
            assert verdicts(found) == expected, f"seed {seed}, k = {k}, {store}, {knobs}"


def _store(rng: random.Random, store: str, folder: str) -> dict[str, Any]:
    if store == "disk":
        records, rows = rng.choice((2, 7, 50)), rng.choice((1, 40))
        return {"disk": _engine.DiskOptions(folder, "1", True, records, 60, rows)}
    return {"compact": store == "compact"}


def _question(rng: random.Random, seed: int) -> tuple[System, FailureModel, int]:
    """Any system, or one of alike roles."""
    if rng.random() < 0.7:
        return random_question(seed)
    system = random_symmetric_system(rng)
    return system, random_symmetric_failures(rng, system), 1


def _knobs(rng: random.Random) -> dict[str, Any]:
    return {
        "symmetry": rng.random() < 0.5,
        "symmetry_from": 0,
        "reduction": rng.random() < 0.5,
        "reduce_from": 0,
        "witness_budget": rng.choice((1, 1000)),
        "components": rng.random() < 0.5,
        "threads": rng.randint(1, 4),
        "parallel_from": rng.choice((1, 8192)),
    }


@pytest.mark.parametrize("chunk", range(2))
def test_survival_in_any_combination_as_defined(chunk: int) -> None:
    """In the ordinary store, in the compact one and on disk."""
    compared, seed = 0, chunk * 10**6
    while compared < EACH:
        seed += 1
        rng = random.Random(seed)
        model, asks, k = _survival_question(rng)
        try:
            expected = {n: spec.answer(model, ask, k, ladder=SHORT, most=150) for n, ask in asks.items()}
        except bounded.TooLarge:
            continue
        compared += 1
        for _ in range(COMBINATIONS):
            compare_survival(rng, model, asks, k, expected, f"seed {seed}, k = {k}")


def _survival_question(rng: random.Random) -> tuple[SurvivalModel, dict[str, Ask], int]:
    if rng.random() < 0.7:
        model = random_model(rng, everything=rng.random() < 0.3)
        asks = random_asks(rng, model)
        chosen = rng.sample(sorted(asks), rng.choice((1, 2, len(asks))))
        return model, {name: asks[name] for name in chosen}, rng.randint(1, 3)
    system = random_symmetric_system(rng)
    model = SurvivalModel(system, random_symmetric_failures(rng, system), rest_states(system))
    return model, {"recovers": RECOVERS, "clean": clean(system, model.rest)}, 1


def compare_survival(
    rng: random.Random,
    model: SurvivalModel,
    asks: dict[str, Ask],
    k: int,
    expected: dict[str, spec.SlowVerdict],
    where: str,
) -> None:
    knobs: dict[str, Any] = {
        "reduction": rng.random() < 0.5,
        "symmetry": rng.random() < 0.5,
        "reduce_from": 0,
        "witness_budget": rng.choice((1, 1000)),
        "threads": rng.randint(1, 3),
        "parallel_from": 1,
    }
    store = rng.choice(STORES)
    with TemporaryDirectory() as folder:
        found = survey(model, asks, k, ladder=SHORT, **knobs, **_store(rng, store, folder))
    for name, answer in found.answers.items():
        wanted, here = expected[name], f"{where}, {name}, {store}, {knobs}"
        assert (answer.holds, answer.up_to) == (wanted.holds, wanted.up_to), here
        if answer.holds is not True:
            assert answer.run is not None and answer.run.faults == wanted.faults, here
            check_run(model, asks[name], answer, here)
