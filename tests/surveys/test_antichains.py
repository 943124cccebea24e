"""Frontiers of sets of choices, against asking about every set."""

from __future__ import annotations

import random

from hypothesis import given, strategies as st

from stormproof.surveys.antichains import (
    Classified,
    FaultChoice,
    exhaustive_frontier,
    maximal_sets,
    minimal_sets,
    minimal_transversals,
    monotone_frontier,
    subsets,
)

families = st.lists(st.frozensets(st.integers(0, 5), min_size=1), max_size=6)


@given(families)
def test_minimal_transversals_by_brute_force(family: list[FaultChoice]) -> None:
    meeting = [s for s in subsets(6) if all(s & edge for edge in family)]
    assert set(minimal_transversals(family)) == set(minimal_sets(meeting))


@given(st.lists(st.frozensets(st.integers(0, 6)), max_size=6), st.integers(0, 10**6))
def test_a_monotone_frontier_is_that_of_asking_everything(bad: list[FaultChoice], seed: int) -> None:
    rng = random.Random(seed)

    def ask(choice: FaultChoice) -> Classified:
        inside = [b for b in bad if b <= choice]
        if not inside:
            return Classified(True)
        return Classified(False, rng.choice([None, *inside]))

    found = monotone_frontier(7, ask)
    everything = exhaustive_frontier(subsets(7), ask)
    assert found.complete
    assert found.minimal_bad == everything.minimal_bad == minimal_sets(bad)
    assert found.maximal_good == everything.maximal_good


@given(st.lists(st.frozensets(st.integers(0, 4), min_size=1), max_size=6), st.integers(0, 10**6))
def test_what_a_part_breaks_is_not_good(bad: list[FaultChoice], seed: int) -> None:
    """A larger set may be seen to hold up to some bound only, at which its parts are not violated yet."""
    rng = random.Random(seed)

    def ask(choice: FaultChoice) -> Classified:
        inside = [b for b in bad if b <= choice]
        return Classified(rng.choice((None, True, False)) if inside else True)

    found = monotone_frontier(5, ask, singly=True, groups=[frozenset({0, 1}), frozenset({2, 3, 4})])
    assert not any(b <= good for good in found.maximal_good for b in found.minimal_bad)


def test_a_monotone_frontier_asks_little() -> None:
    asked: list[FaultChoice] = []

    def ask(choice: FaultChoice) -> Classified:
        asked.append(choice)
        return Classified(not choice & {3, 17})

    found = monotone_frontier(24, ask)
    assert found.minimal_bad == (frozenset({3}), frozenset({17}))
    assert found.maximal_good == (frozenset(range(24)) - {3, 17},)
    assert len(asked) < 100


def test_an_undecided_set_makes_the_frontier_incomplete() -> None:
    found = monotone_frontier(3, lambda c: Classified(None if len(c) == 3 else True))
    assert not found.complete and found.undecided == (frozenset({0, 1, 2}),)


def test_maximal_sets() -> None:
    family = [frozenset({1}), frozenset({1, 2}), frozenset({3})]
    assert set(maximal_sets(family)) == {frozenset({1, 2}), frozenset({3})}


def test_where_a_candidate_is_undecided_a_smaller_set_is_grown_by_groups() -> None:
    """Sets of more than three choices are undecided; what was seen to be good stands."""

    def ask(choice: FaultChoice) -> Classified:
        return Classified(None if len(choice) > 3 else 5 not in choice)

    groups = [frozenset({0, 1}), frozenset({2}), frozenset({3, 4, 5})]
    found = monotone_frontier(6, ask, singly=True, groups=groups)
    assert not found.complete and found.minimal_bad == (frozenset({5}),)
    assert frozenset({0, 1, 2}) in found.maximal_good
    assert frozenset({0, 1, 2, 3, 4}) in found.undecided
