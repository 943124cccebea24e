"""The compact store: the same answers as the ordinary one, in a fraction of the memory."""

from __future__ import annotations

import random
from dataclasses import replace
from functools import partial

import pytest

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import And, At, Or
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SLACK, BlockSize, SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.survival import Survey, SurvivalAnswer, survey
from tests.search.engine.test_survival import check_run
from tests.support.survival_questions import random_asks, random_model

EACH = 400
SHORT = (BlockSize(1, 1), BlockSize(2, 2))


@pytest.mark.parametrize("chunk", range(2))
def test_the_compact_store_gives_the_answers_of_the_ordinary_one(chunk: int) -> None:
    """Every kind of fault, with reduction and symmetry or without, in up to three threads."""
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model = random_model(rng, everything=seed % 4 == 1)
        model = replace(model, budget=Budget()) if rng.random() < 0.5 else model
        asks, k = random_asks(rng, model), rng.randint(1, 3)
        some = {n: asks[n] for n in rng.sample(sorted(asks), rng.choice((1, 1, 2, 4)))}
        reduces, turns, threads = rng.random() < 0.5, rng.random() < 0.5, rng.randint(1, 3)
        asked = partial(
            survey, model, some, k, ladder=SHORT, reduction=reduces, symmetry=turns, reduce_from=0
        )
        ordinary = asked(limits=Limits(states=3000))
        if ordinary.stopped:
            continue
        compact = asked(threads=threads, compact=True, parallel_from=1)
        where = f"seed {seed}, k = {k}, reduction {reduces}, symmetry {turns}, {threads} threads"
        assert compact.compact and not compact.stopped, where
        assert claims(compact, k) == claims(ordinary, k), where
        for name, answer in compact.answers.items():
            if answer.run is not None:
                violated += 1
                check_run(model, some[name], answer, where)
    assert violated > EACH / 5


def claims(found: Survey, k: int) -> dict[str, tuple[object, ...]]:
    """What is claimed; of a violation also how many faults and actions it takes. A proof by blocks is tried
    on a few configurations only, so the run to one of them need not be the shortest."""
    exact = BlockSize(k + SLACK, k + SLACK)
    return {name: (a.holds, a.up_to, a.fewest, *_size(a, exact)) for name, a in found.answers.items()}


def _size(answer: SurvivalAnswer, exact: BlockSize) -> tuple[int, ...]:
    if answer.run is None:
        return ()
    steps = (len(answer.run.steps),) if answer.run.proof in (None, exact) else ()
    return answer.run.faults, *steps


def philosophers(n: int) -> tuple[SurvivalModel, dict[str, Ask]]:
    """`n` philosophers, of whom no two neighbours ever eat at the same time."""
    system = dining_philosophers(n)
    pairs = [(f"Philosopher{i}", f"Philosopher{i % n + 1}") for i in range(1, n + 1)]
    goal = Or(tuple(And((At(a, ("eating",)), At(b, ("eating",)))) for a, b in pairs))
    model = SurvivalModel(system, Failures().on(system), rest_states(system))
    return model, {"apart": Ask(False, goal)}


def test_memory_that_runs_short_is_no_end() -> None:
    """Five philosophers have 104,806 configurations, which take 30 MB in the ordinary store."""
    model, asks = philosophers(5)
    found = survey(model, asks, 1, limits=Limits(memory="4MB"), reduction=False, symmetry=False)
    assert found.compact and not found.stopped and found.answers["apart"].holds
    assert found.configurations == found.stored == 104_806
    assert found.memory < 4_000_000


def test_memory_that_does_not_suffice_is_a_limit() -> None:
    model, asks = philosophers(5)
    found = survey(model, asks, 1, limits=Limits(memory="1MB"), reduction=False, symmetry=False)
    assert found.compact and found.stopped == "memory" and found.answers["apart"].holds is None
