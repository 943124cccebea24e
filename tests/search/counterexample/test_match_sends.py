"""Which send a reception takes on a channel that duplicates: a choice is found whenever there is one."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.failures import ChannelFailure
from stormproof.search.counterexample import match_sends
from stormproof.search.counterexample.match_sends import ChannelEvent, MatchingProblem, cheapest

AB = Channel("A", "B")


def random_problem(rng: random.Random) -> MatchingProblem:
    letters = "abc"[: rng.randint(1, 3)]
    becomes = {a: frozenset(b for b in letters if b != a) for a in letters if rng.random() < 0.3}
    failure = ChannelFailure(
        loss=rng.random() < 0.4, reorder=rng.random() < 0.4, duplicate=True, becomes=becomes
    )
    events = tuple(ChannelEvent(i, rng.choice(letters), rng.random() < 0.5) for i in range(rng.randint(1, 8)))
    final = tuple(rng.choices(letters, k=rng.randint(0, 2)))
    return MatchingProblem(AB, failure, events, final, rng.randint(1, 3), None)


def test_depth_first_finds_a_choice_exactly_if_the_whole_search_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the cheapest choices of each step leave out may be the only one that leads to the end."""
    narrow = 0
    for seed in range(3000):
        problem = random_problem(random.Random(seed))
        whole = cheapest(problem)
        monkeypatch.setattr(match_sends, "_beam", lambda *_, **__: None)
        found = cheapest(problem)
        monkeypatch.undo()
        assert (found is None) == (whole is None), f"seed {seed}"
        if found is not None:
            receptions = {e.move for e in problem.events if not e.send}
            assert found.taken.keys() == receptions and len(found.final) == len(problem.final or ())
            narrow += 1
    assert narrow > 300


def test_a_channel_without_a_bound_is_searched_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = replace(random_problem(random.Random(1)), bound=match_sends.FAR)
    monkeypatch.setattr(match_sends, "MOST_PARTIAL", 0)
    monkeypatch.setattr(match_sends, "_beam", lambda *_, **__: None)
    assert cheapest(problem) is None
