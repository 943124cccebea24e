"""How many faults break it: what one kind of fault does, all kinds together do."""

from __future__ import annotations

import stormproof as sp
from stormproof.surveys.fault_counts import TOGETHER, FaultCount, _counted


def test_what_one_kind_breaks_all_kinds_together_break() -> None:
    """Together they may have been explored up to a smaller bound, at which nothing was found."""
    system = sp.protocol("alternating-bit")
    broken = sp.check(system, sp.Failures(loss=True), properties=["recovers"])
    held = sp.check(system, properties=["recovers"])
    assert held["recovers"].holds and broken["recovers"].holds is False
    losses = FaultCount("loss", broken, broken["recovers"])
    found = _counted(TOGETHER, held, [losses])
    assert found.verdict.holds is False and found.report is broken and found.sentence == "1 fault breaks it"
    assert _counted("corrupt", held, [losses]).verdict.holds
