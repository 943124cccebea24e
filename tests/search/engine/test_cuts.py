"""Links that stay down, in the engine, in every store, and in the kernel, against the definitions (15)."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof.kernel.model.faults import CUT
from stormproof.kernel.model.survival import BlockSize
from stormproof.kernel.semantics import faulty_steps
from stormproof.oracle import bounded, steps, survival as spec
from stormproof.search.engine.survival import survey
from tests.search.engine.test_combinations import compare_survival
from tests.search.engine.test_survival import check_run
from tests.support.random_cuts import random_cut_question

EACH, MOST, SHORT = 40, 120, (BlockSize(1, 1), BlockSize(2, 2))


@pytest.mark.parametrize("chunk", range(2))
def test_every_answer_under_cuts_is_as_defined(chunk: int) -> None:
    compared, seed, met, cut = 0, chunk * 10**6, Counter[tuple[str, bool | None]](), 0
    while compared < EACH:
        seed += 1
        model, asks, k = random_cut_question(random.Random(seed))
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
                cut += any(CUT.noun in step.faults for step in answer.run.steps)
                check_run(model, asks[name], answer, where)
    assert all(met[name, holds] > EACH // 30 for name in asks for holds in (True, False))
    assert cut > 2


@pytest.mark.parametrize("chunk", range(2))
def test_cuts_in_any_combination_as_defined(chunk: int) -> None:
    """Every store and several threads."""
    compared, seed = 0, chunk * 10**6
    while compared < EACH // 2:
        seed += 1
        rng = random.Random(seed)
        model, asks, k = random_cut_question(rng)
        try:
            expected = {n: spec.answer(model, ask, k, ladder=SHORT, most=MOST) for n, ask in asks.items()}
        except bounded.TooLarge:
            continue
        compared += 1
        for _ in range(3):
            compare_survival(rng, model, asks, k, expected, f"seed {seed}, k = {k}")


@pytest.mark.parametrize("chunk", range(2))
def test_steps_of_the_kernel_with_cuts_as_defined(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model, _, _ = random_cut_question(rng)
        at = bounded.initial(model.system)
        for _ in range(12):
            literal = dict(steps.faulty_steps(model, at))
            found = {s: faulty_steps.effect(model, at, s) for s in faulty_steps.stormy_steps(model, at)}
            assert found == literal, f"seed {seed}"
            if not found:
                break
            at = rng.choice([*found.values()])
