"""The search for the least k: what smaller bounds have answered is not lost with a larger one."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.search.checks import bound_search
from stormproof.search.engine.k_properties import explore


def test_a_bound_that_the_engine_does_not_hold_ends_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def holds_small_ones(system: sp.System, model: object, k: int, **options: object) -> object:
        if k > 2:
            raise UsageError(f"at k = {k} a configuration of this system takes more than 4096 bits")
        return explore(system, model, k, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(bound_search, "explore", holds_small_ones)
    system, loss = sp.protocol("ssh"), sp.Failures(loss=True)
    verdict = sp.check(system, loss, properties=["k-er"])["k-er"]
    assert verdict.holds is False and [t.k for t in verdict.tried] == [1, 2] and verdict.replayed
    assert any("more bits than the engine takes at k = 3" in note for note in verdict.notes)
    with pytest.raises(UsageError, match="4096 bits"):
        sp.check(system, loss, k=3, properties=["k-er"])
