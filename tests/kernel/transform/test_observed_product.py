"""Products of roles with their observers have the same runs (definitions 17.4)."""

from __future__ import annotations

import random

import pytest

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.observer import ObserverAlternative
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.kernel.transform.extras import with_observers
from stormproof.kernel.transform.observed_product import observed_product
from stormproof.oracle import bounded, survival as spec
from tests.support.random_observers import goal_with_observer, random_observer
from tests.support.survival_questions import random_asks, random_model

EACH, MOST, SHORT = 120, 150, (BlockSize(1, 1),)


def watched_alone(rng: random.Random) -> SurvivalModel:
    """A model of which each observer watches one role, perhaps two the same."""
    model = random_model(rng, everything=rng.random() < 0.3)
    found = [random_observer(rng, model.system, f"O{i}") for i in range(rng.randint(1, 2))]
    role = rng.choice(model.system.names)
    kept = []
    for observer in found:
        rows = [row for row in observer.alternatives if row.event.role == role]
        other = ObserverAlternative(
            observer.initial, rng.choice(observer.alternatives).event, observer.states[-1]
        )
        rows = rows or [other]
        kept.append(type(observer)(observer.name, observer.initial, rows, observer.states, observer.rest))
    return with_observers(model, tuple(kept))


@pytest.mark.parametrize("chunk", range(2))
def test_a_product_answers_as_the_observers_do(chunk: int) -> None:
    compared, seed, changed = 0, chunk * 10**6, 0
    while compared < EACH:
        seed += 1
        rng = random.Random(seed)
        model = watched_alone(rng)
        product = observed_product(model)
        assert product is not None and not product.model.extras
        k = rng.randint(1, 2)
        try:
            for name, ask in random_asks(rng, model).items():
                asked = Ask(ask.always, goal_with_observer(rng, model, ask.goal), ask.after)
                after = None if ask.after is None else product.goal(ask.after)
                other = Ask(ask.always, product.goal(asked.goal), after)
                one = spec.answer(model, asked, k, ladder=SHORT, most=MOST)
                two = spec.answer(product.model, other, k, ladder=SHORT, most=MOST)
                assert (one.holds, one.up_to, one.faults) == (two.holds, two.up_to, two.faults), (seed, name)
                changed += one.holds is False
        except bounded.TooLarge:
            continue
        compared += 1
    assert changed > EACH
