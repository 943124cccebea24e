"""The RSC search of large systems: it starts at once, and keeps its limits."""

from __future__ import annotations

from stormproof.engine.rsc import rsc
from stormproof.limits import Limits
from stormproof.model.actions import Receive, Send
from stormproof.model.failures import FailureModel
from stormproof.model.process import Process
from stormproof.model.system import System


def test_a_large_alphabet_does_not_use_up_the_time_before_the_search_begins() -> None:
    """A chain of sends, each of a message of its own, to somebody who takes any of them."""
    size = 60_000
    chain = [(f"s{i}", Send("B", f"m{i}"), f"s{i + 1}") for i in range(size)]
    takes = [("s", Receive("A", f"m{i}"), "s") for i in range(size)]
    system = System([Process("A", "s0", chain), Process("B", "s", takes)])
    result = rsc(system, FailureModel({}), limits=Limits(seconds=2))
    assert result.holds is None and result.stopped == "time"
    assert result.states > 0
