"""The RSC search keeps its limits where one state has millions of successors."""

from __future__ import annotations

import time

import stormproof as sp


def test_a_time_limit_is_kept_among_the_successors_of_one_state() -> None:
    """A chain of sends, each of a message of its own, to somebody who takes any of them."""
    size = 6000
    chain = [(f"s{i}", sp.Send("B", f"m{i}"), f"s{i + 1}") for i in range(size)]
    takes = [("s", sp.Receive("A", f"m{i}"), "s") for i in range(size)]
    system = sp.System([sp.Process("A", "s0", chain), sp.Process("B", "s", takes)])
    started = time.monotonic()
    verdict = sp.check(system, properties=["rsc"], limits=sp.Limits(seconds=0.5))["rsc"]
    assert time.monotonic() - started < 10
    assert verdict.holds is None and "time limit" in verdict.reason
