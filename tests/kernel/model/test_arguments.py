"""Arguments of another type are refused in words."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import stormproof as sp

SYSTEM = sp.protocol("client-server")
ON_SYSTEMS: list[Callable[..., Any]] = [
    sp.check,
    sp.survives,
    sp.frontier,
    sp.fault_counts,
    sp.suggest,
    sp.classify,
    sp.channel_bounds,
    sp.crash_handling,
    sp.crash_sets,
    sp.survey,
    lambda system: sp.reach(system, "deadlock"),
]
UNDER_FAILURES: list[Callable[..., Any]] = [
    sp.check,
    sp.survives,
    sp.suggest,
    sp.channel_bounds,
    sp.crash_sets,
    sp.survey,
    lambda system, failures: sp.reach(system, "deadlock", failures),
]


@pytest.mark.parametrize("given", ["client-server", None, 3, SYSTEM.processes[0]])
def test_what_is_no_system(given: object) -> None:
    for function in ON_SYSTEMS:
        with pytest.raises(TypeError, match=r"expected a sp\.System, not .*: read one with sp\.load"):
            function(given)


@pytest.mark.parametrize("given", ["loss", 3, SYSTEM])
def test_what_are_no_failures(given: object) -> None:
    for function in UNDER_FAILURES:
        with pytest.raises(
            TypeError, match=r"expected sp\.Failures, not .*: write sp\.Failures\(loss=True\)"
        ):
            function(SYSTEM, given)


def test_what_is_no_goal() -> None:
    with pytest.raises(TypeError, match=r"expected a goal in words, such as 'deadlock', not 3"):
        sp.reach(SYSTEM, 3)  # type: ignore[arg-type]
