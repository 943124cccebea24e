"""Survival with reduction against the whole search, on random systems and on philosophers."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.ask import RECOVERS, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.survival import Survey, survey
from tests.support.survival_questions import random_asks, random_model

EACH = 400
SHORT = (BlockSize(1, 1), BlockSize(2, 2))


@pytest.mark.parametrize("chunk", range(2))
def test_reduction_gives_the_answers_of_the_whole_search(chunk: int) -> None:
    """Every kind of fault; some of the asks, so that different goals hold up the reduction."""
    smaller = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model = replace(random_model(rng, everything=seed % 4 == 1), budget=Budget())
        asks, k = random_asks(rng, model), rng.randint(1, 3)
        chosen = rng.sample(sorted(asks), rng.choice((1, 1, 2, 4)))
        some = {name: asks[name] for name in chosen}
        whole = survey(model, some, k, ladder=SHORT, reduction=False, limits=Limits(states=3000))
        if whole.stopped:
            continue
        reduced = survey(model, some, k, ladder=SHORT, reduce_from=0)
        assert _answers(reduced) == _answers(whole), f"seed {seed}, k = {k}"
        smaller += reduced.configurations < whole.configurations
    assert smaller > EACH / 20


def _answers(found: Survey) -> dict[str, tuple[object, ...]]:
    """What is claimed; of a violation also the number of faults."""
    return {
        name: (a.holds, a.up_to, a.fewest, None if a.run is None else a.run.faults)
        for name, a in found.answers.items()
    }


def test_left_handed_philosophers_recover() -> None:
    """Six have half a million configurations at k = 1; nothing is proved for longer channels."""
    system = dining_philosophers(6, left_handed=True)
    rest = rest_states(system)
    model = SurvivalModel(system, Failures().on(system), rest)
    found = survey(model, {"recovers": RECOVERS, "clean": clean(system, rest)}, 1)
    assert all(a.holds and a.up_to == 1 for a in found.answers.values())
    assert found.configurations < 25_000
