"""The explorer of small graphs: what is reached, the nearest and the cheapest first, and where it stops."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from stormproof.kernel.semantics.explore import TooLarge, cheapest, explore, reached

#: Two ways from a to d: one of two dear edges, one of three cheap ones.
EDGES = {"a": [("b", 5), ("c", 1)], "b": [("d", 5)], "c": [("e", 1)], "e": [("d", 1)], "d": [("a", 1)]}


def leaving(node: str) -> Iterator[tuple[int, str]]:
    return ((price, other) for other, price in EDGES[node])


def dearer(node: str, cost: int) -> Iterator[tuple[int, int, str]]:
    return ((cost + price, price, other) for price, other in leaving(node))


def test_what_is_reached_comes_the_nearest_first() -> None:
    assert reached(["a"], lambda node: (other for _, other in leaving(node))) == ["a", "b", "c", "d", "e"]
    assert reached(["c", "e", "c"], lambda node: ()) == ["c", "e"]


def test_more_nodes_than_wanted_are_refused() -> None:
    assert len(reached([0], lambda n: [(n + 1) % 5], most=5)) == 5
    with pytest.raises(TooLarge):
        reached([0], lambda n: [n + 1], most=5)


def test_the_nearest_way_has_the_fewest_edges() -> None:
    found = explore(["a"], leaving, lambda node: node == "d")
    assert found.end == "d" and found.path("d") == [(5, "b"), (5, "d")] and found.path("a") == []


def test_the_cheapest_way_costs_least() -> None:
    found = cheapest("a", 0, dearer, lambda node: node == "d")
    assert found.end == "d" and found.path("d") == [(1, "c"), (1, "e"), (1, "d")]


def test_a_search_says_whether_something_is_left() -> None:
    whole = explore(["a"], leaving)
    assert whole.end is None and whole.complete and list(whole.came) == ["a", "b", "c", "d", "e"]
    cut = explore(["a"], leaving, goes_on=lambda seen: seen < 2)
    assert cut.end is None and not cut.complete and list(cut.came) == ["a", "b", "c"]
    assert (
        cheapest("a", 0, dearer).complete and not cheapest("a", 0, dearer, goes_on=lambda n: n < 2).complete
    )
