"""Some faults that explain actions are found whenever there are any, messages that stay included."""

from __future__ import annotations

import random

import pytest

from stormproof.errors import InternalError
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.failures import ChannelFailure, FailureModel
from stormproof.kernel.model.run import Witness
from stormproof.search.counterexample import explain_firings
from stormproof.search.counterexample.build import build_witness
from stormproof.search.counterexample.end_contents import EndContent
from stormproof.trust.replay import replay
from tests.support.definition_runs import lines_of

AB = Channel("A", "B")


def explained(seed: int, bounded: bool = True) -> tuple[Witness | None, bool]:
    """The run that these actions make, if they make one; whether it replays."""
    rng = random.Random(seed)
    letters = "abc"[: rng.randint(1, 3)]
    becomes = {a: frozenset(b for b in letters if b != a) for a in letters if rng.random() < 0.3}
    failure = ChannelFailure(
        loss=rng.random() < 0.4,
        reorder=rng.random() < 0.6,
        duplicate=rng.random() < 0.5,
        becomes=becomes,
    )
    done = [(rng.random() < 0.5, rng.choice(letters)) for _ in range(rng.randint(1, 8))]
    system, moves = lines_of(done)
    word = tuple(rng.choices(letters, k=rng.randint(0, 2)))
    model, k = FailureModel({AB: failure}), rng.randint(1, 3) if bounded else None
    try:
        made = build_witness(system, model, moves, {AB: EndContent(word)}, k)
    except InternalError:
        return None, True
    return made, made.channels.get(AB, ()) == word and replay(system, model, "reach", k, made).established


def test_an_explanation_is_found_exactly_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    possible = 0
    for seed in range(3000):
        whole, right = explained(seed)
        monkeypatch.setattr(explain_firings, "MOST_CONTENTS", 0)
        found, also_right = explained(seed)
        monkeypatch.undo()
        assert (found is None) == (whole is None) and right and also_right, f"seed {seed}"
        if found is not None and whole is not None:
            assert len(whole.faults) <= len(found.faults), f"seed {seed}"
            possible += 1
    assert possible > 300


def test_a_channel_without_a_bound_is_searched_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    possible = next(s for s in range(3000) if explained(s)[0] and explained(s, bounded=False)[0])
    monkeypatch.setattr(explain_firings, "MOST_CONTENTS", 0)
    monkeypatch.setattr(explain_firings, "MOST_AT_ALL", 0)
    assert explained(possible, bounded=False)[0] is None and explained(possible)[0] is not None
