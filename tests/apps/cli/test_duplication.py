"""Duplication on the command line."""

from __future__ import annotations

from tests.support.command_line import Run


def test_duplication_on_the_command_line(run: Run) -> None:
    found = run("check", "two-buyer", "--duplicate-on", "Buyer1:Seller", "--property", "rsc", "-k", "1")
    assert found.code == 3 and "rsc is not defined under" in found.out
    assert "rsc" not in run("check", "two-buyer", "--duplicate", "-k", "1").out
    table = run("table", "alternating-bit", "--models", "duplication", "--processes", "1", "--max-k", "1")
    assert table.code == 0 and "dupl." in table.out and "4 cells" in table.out
    listed = run("frontier", "alternating-bit", "--property", "k-er", "--faults", "duplicate")
    assert "duplication" in listed.out
