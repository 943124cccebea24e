"""What `print` shows of a report and of a verdict."""

from __future__ import annotations

import stormproof as sp


def lossy() -> sp.Report:
    return sp.check(
        sp.protocol("alternating-bit"), sp.Failures(loss=True), properties=["recovers", "k-er", "k-pg"]
    )


def test_a_report_is_a_table_and_the_run_of_the_first_violation() -> None:
    first, *rows, blank, run = str(lossy()).splitlines()
    assert first == "alternating-bit: 2 roles, 2 channels" and blank == ""
    assert rows[0].startswith("  ✘ recovers  breaks with 1 fault: deadlock")
    assert rows[1] == "  ✔ k-er      holds, k = 1"
    assert rows[2].startswith("  ✘ k-pg      violated: Sender waits in wait0")
    assert run == "How recovers fails (1 action, 1 fault): Sender sends d0, which is lost."


def test_a_verdict_is_a_line() -> None:
    report = lossy()
    assert str(report["k-er"]) == "✔ k-er: holds, k = 1"
    assert str(report["recovers"]).startswith("✘ recovers: breaks with 1 fault: deadlock")


def test_what_holds_says_for_which_channels() -> None:
    report = sp.check(sp.protocol("alternating-bit"), properties=["recovers"])
    assert str(report["recovers"]).endswith("(any channel length)")
    assert "How" not in str(report)


def test_a_bound_is_read_before_what_holds_up_to_it() -> None:
    system, loss = sp.protocol("alternating-bit-retransmit"), sp.Failures(loss=True)
    bounded = sp.check(system, loss, properties=["recovers"], max_k=2)["recovers"]
    assert bounded.up_to == 2
    assert str(bounded) == "◐ recovers: up to channels of length 2 · survives any number of faults"
    asked = sp.check(system, loss, properties=["recovers"], max_k=2, unbounded=True)["recovers"]
    assert str(asked).endswith("any number of faults; undecided for longer ones")


def test_a_role_that_may_spin_for_ever_is_not_said_to_rest() -> None:
    """It can (definitions 10.4), and nothing makes it."""
    spinning = sp.loads("role A { s: internal again -> s\n internal stop -> t\n t: }")
    report = sp.check(spinning, properties=["recovers"])
    assert report and "✔ recovers  can always come to rest (any channel length)" in str(report)
