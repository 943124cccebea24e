"""The line on a terminal while a search runs: how far it is, what is saved, what is known."""

from __future__ import annotations

from typing import Any

import pytest

from stormproof import _engine
from stormproof.apps.cli.console import _line
from stormproof.kernel.model.ask import RECOVERS, clean
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.options import Progress
from stormproof.search.engine.k_properties import PROPERTIES
from stormproof.search.engine.lowering import lower
from stormproof.search.engine.survival import survey
from tests.support.engine_queries import perfect


def test_the_line_while_configurations_are_found() -> None:
    state = Progress("k = 3", 41_203_118, 812_000, 2 * 2**30, 13.0, known="k-er ✔1", most_memory=16 * 2**30)
    assert str(_line(state)) == (
        "k = 3 ━━━  41.2 M configurations · 3.2 M/s · frontier 812.0 k · 2.0 GiB of 16.0 GiB · 0:13\n"
        "known so far: k-er ✔1"
    )


def test_the_line_while_they_are_judged() -> None:
    state = Progress("k = 1", 1_000_000, 0, 2**20, 5.0, phase="judging", unjudged=1_500)
    assert str(_line(state)) == (
        "k = 1 ━━━  1.0 M configurations · judging what they can reach, 1.5 k open · 1.0 MiB · 0:05"
    )
    state = Progress("k = 1", 7_000, 0, 2**20, 5.0, phase="shortening")
    assert "looking for a shortest run" in str(_line(state))


def test_the_line_says_what_is_saved() -> None:
    state = Progress("k = 1", 1_000, 9, 2**20, 1.0, represented=5_900, postponed=0.714)
    saved = str(_line(state)).splitlines()[1]
    assert saved == "saved: symmetry, these stand for 5.9 k · reduction, 71% of the actions postponed"
    state = Progress("k = 1", 1_000, 9, 13_100, 1.0, compact=True)
    assert str(_line(state)).splitlines()[1] == "saved: compact store, 13 bytes per configuration"


def test_what_is_saved_was_counted() -> None:
    """Orbits of philosophers together are all their configurations."""
    system = dining_philosophers(5)
    native, asked = lower(system, perfect(system)).native, {PROPERTIES["k-exh"]}
    turned, reduced = (_engine.Monitor(None, None, None) for _ in range(2))
    found = _engine.decide(native, turned, 1, asked, 1, symmetry=True, symmetry_from=0)
    assert found.states == turned.states and turned.represented == 104_806 and turned.enabled == 0
    _engine.decide(native, reduced, 1, asked, 1, True, reduce_from=0)
    assert 0 < reduced.taken < reduced.enabled and reduced.represented == 0


def test_what_survival_saves_was_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monitors = []

    def monitor(*limits: Any) -> _engine.Monitor:
        monitors.append(real(*limits))
        return monitors[-1]

    real = _engine.Monitor
    monkeypatch.setattr(_engine, "Monitor", monitor)
    system = dining_philosophers(5)
    model = SurvivalModel(system, perfect(system), rest_states(system))
    survey(model, {"clean": clean(system, model.rest)}, 1, reduction=False, reduce_from=0)
    assert monitors[-1].represented == 104_806
    survey(model, {"recovers": RECOVERS}, 1, symmetry=False, reduce_from=0)
    assert 0 < monitors[-1].taken < monitors[-1].enabled
