"""Survival in the ordinary store: whatever is found does not depend on the number of threads."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from stormproof.kernel.model.ask import RECOVERS, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.options import Progress
from stormproof.search.engine.survival import Survey, survey
from tests.support.survival_questions import random_asks, random_model
from tests.support.symmetric_systems import random_symmetric_failures, random_symmetric_system

EACH = 300
SHORT = (BlockSize(1, 1), BlockSize(2, 2))


@pytest.mark.parametrize("chunk", range(2))
def test_random_systems(chunk: int) -> None:
    """Runs are the same step by step, and so are all counts."""
    violated = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        if rng.random() < 0.3:
            system = random_symmetric_system(rng)
            model = SurvivalModel(system, random_symmetric_failures(rng, system), rest_states(system))
        else:
            model = random_model(rng, everything=seed % 4 == 1)
        model = replace(model, budget=Budget()) if rng.random() < 0.5 else model
        asks, k = random_asks(rng, model), rng.randint(1, 3)
        some = {n: asks[n] for n in rng.sample(sorted(asks), rng.choice((1, 2, len(asks))))}
        knobs: dict[str, Any] = {
            "reduction": rng.random() < 0.5,
            "symmetry": rng.random() < 0.5,
            "reduce_from": 0,
            "certified": rng.choice((0, 0, 500)),
        }
        limits = Limits(states=rng.choice((200, 3000, 3000)))
        asked = partial(survey, model, some, k, ladder=SHORT, limits=limits, **knobs)
        one = asked(threads=1)
        many = asked(threads=rng.randint(2, 4), parallel_from=rng.choice((1, 5)))
        assert _found(many) == _found(one), f"seed {seed}, k = {k}, {knobs}"
        violated += any(answer.holds is False for answer in one.answers.values())
    assert violated > EACH / 5


@pytest.mark.parametrize("loss", [False, True])
def test_large_layers(loss: bool) -> None:
    """Large enough for several threads without being told so."""
    asked = _philosophers(4 if loss else 5, loss)
    one = asked(threads=1)
    assert one.configurations > 50_000
    for threads in (2, 3, 4):
        assert _found(asked(threads=threads)) == _found(one)


@pytest.mark.parametrize("most", [1_000, 30_000, 60_000])
def test_a_limit_on_configurations_stops_at_the_same_place(most: int) -> None:
    asked = _philosophers(5, limits=Limits(states=most))
    one = asked(threads=1)
    assert one.stopped == "states"
    for threads in (2, 3, 4):
        assert _found(asked(threads=threads)) == _found(one)


@pytest.mark.parametrize("threads", [2, 3])
@pytest.mark.parametrize(
    ("limits", "stopped"), [(Limits(seconds=0.1), "time"), (Limits(memory=10 * 2**20), "memory")]
)
def test_another_limit_claims_nothing(limits: Limits, stopped: str, threads: int) -> None:
    """What is to be certified does not go on in the compact store."""
    found = _philosophers(6, limits=limits, certified=500)(threads=threads)
    assert found.stopped == stopped
    assert found.configurations > 0 and all(answer.holds is None for answer in found.answers.values())


@pytest.mark.parametrize("threads", [2, 3])
def test_control_c(threads: int) -> None:
    def interrupt(_: Progress) -> None:
        raise KeyboardInterrupt

    found = _philosophers(6, progress=interrupt)(threads=threads)
    assert found.stopped == "interrupted"
    assert all(answer.holds is None for answer in found.answers.values())


def _philosophers(count: int, loss: bool = False, **knobs: Any) -> Callable[..., Survey]:
    """Neither reduction nor symmetry, and all of them recover."""
    system = dining_philosophers(count, left_handed=True)
    model = SurvivalModel(system, Failures(loss=loss).on(system), rest_states(system))
    asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)}
    return partial(survey, model, asks, 1, reduction=False, symmetry=False, **knobs)


def _found(survey: Survey) -> tuple[object, ...]:
    """All that may not depend on the threads, and what certificates list, as the engine writes it."""
    listed = {
        name: (answer.listed.native.codes, answer.listed.native.ranks, answer.listed.native.faults)
        for name, answer in survey.answers.items()
        if answer.listed is not None
    }
    plain = {name: replace(answer, listed=None) for name, answer in survey.answers.items()}
    return listed, replace(survey, answers=plain, seconds=0.0, memory=0)
