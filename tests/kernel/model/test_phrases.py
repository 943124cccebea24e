"""Sentences that are put together from parts."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.phrases import clauses


@pytest.mark.parametrize(
    ("parts", "sentence"),
    [
        ([], ""),
        (["A waits"], "A waits"),
        (["A waits", "A waits"], "A waits"),
        (["A waits", "B has ended"], "A waits and B has ended"),
        (
            ["A waits for a, or for its timer", "B has ended"],
            "A waits for a, or for its timer, and B has ended",
        ),
        (["A has ended", "B waits for a, or for b from C"], "A has ended and B waits for a, or for b from C"),
    ],
)
def test_clauses_with_commas_are_told_apart(parts: list[str], sentence: str) -> None:
    assert clauses(parts) == sentence
