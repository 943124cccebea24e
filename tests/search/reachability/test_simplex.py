"""Farkas' lemma on random systems: either a solution or a proof that there is none, never neither."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import product

import pytest

from stormproof.search.reachability.simplex import TableWork, WorkDone, farkas


def test_a_refutation_refutes_and_small_solutions_are_never_refuted() -> None:
    refuted = 0
    for seed in range(600):
        rng = random.Random(seed)
        rows, count = rng.randint(1, 4), rng.randint(1, 4)
        columns = [{i: rng.randint(-2, 2) for i in range(rows)} for _ in range(count)]
        right = [rng.randint(-3, 3) for _ in range(rows)]
        y = farkas(rows, columns, right)
        if y is not None:
            refuted += 1
            for column in columns:
                assert sum((y[i] * n for i, n in column.items()), Fraction(0)) <= 0, seed
            assert sum((a * b for a, b in zip(y, right, strict=True)), Fraction(0)) > 0, seed
        for x in product(range(4), repeat=count):
            sums = [sum(x[j] * columns[j][i] for j in range(count)) for i in range(rows)]
            assert sums != right or y is None, seed
    assert 100 < refuted < 590


def test_solvable_systems_are_never_refuted() -> None:
    for seed in range(200):
        rng = random.Random(seed)
        rows, count = rng.randint(1, 6), rng.randint(1, 8)
        columns = [{i: rng.randint(-3, 3) for i in range(rows)} for _ in range(count)]
        x = [rng.randrange(4) for _ in range(count)]
        right = [sum(x[j] * columns[j][i] for j in range(count)) for i in range(rows)]
        assert farkas(rows, columns, right) is None, seed


def test_it_stops_when_told() -> None:
    with pytest.raises(WorkDone):
        farkas(1, [{0: 1}], [1], TableWork(0))
