"""The whole of the paper's table that the library has, both semantics: what docs/results.md says of it."""

from __future__ import annotations

from stormproof.languages import protocols
from stormproof.languages.protocols.catalogue import TABLE
from stormproof.surveys.paper_table import PaperComparison, run_table
from stormproof_paper import compare


def test_the_whole_table() -> None:
    """One test, so that the table is computed once, however the tests are shared out."""
    rows = protocols.groups()[TABLE]
    whole = compare(run_table(rows, semantics=("definition", "encoding"), processes=2))
    no_cell_is_undecided_and_every_difference_has_its_certificate(whole)
    columns_that_agree_in_every_row_and_the_counts(whole)
    every_difference_has_a_cause(whole)
    the_paper_s_time_outs_are_decided(whole)
    rsc_only_gets_worse_with_more_faults(whole)


def no_cell_is_undecided_and_every_difference_has_its_certificate(whole: PaperComparison) -> None:
    assert len(whole.matrix.cells) == 16 * 12 * 2 and not whole.matrix.undecided
    for difference in whole.differences:
        assert difference.kind in ("witness", "runs", "theorem"), difference
        assert "not replayed" not in difference.certificate
        if difference.kind == "theorem":
            assert "the automaton is that of" in difference.certificate, difference


def columns_that_agree_in_every_row_and_the_counts(whole: PaperComparison) -> None:
    assert whole.total("definition", "none", "k-mc") == (16, 16)
    assert whole.total("definition", "reordering", "k-mc") == (16, 16)
    assert whole.total("definition", "reordering", "rsc") == (16, 16)
    bounded = ("k-exh", "k-er", "k-pg")
    assert whole.total("encoding", "loss", *bounded) == (45, 48)
    assert whole.total("encoding", "corruption", *bounded) == (40, 44)
    assert whole.total("definition", "loss", *bounded) == (40, 48)
    assert whole.total("definition", "corruption", *bounded) == (34, 44)


def every_difference_has_a_cause(whole: PaperComparison) -> None:
    """The sums are those of docs/results.md, without Paxos."""
    found = {b.semantics: (b.cells, b.agreeing, b.reproduced, b.impossible) for b in whole.balances}
    assert found == {"definition": (188, 166, 21, 1), "encoding": (188, 177, 10, 1)}
    assert not any(b.open or b.conjectured or b.undecided for b in whole.balances)


def the_paper_s_time_outs_are_decided(whole: PaperComparison) -> None:
    for name, row in whole.rows.items():
        for column, value in row.cells.items():
            if value == "timeout":
                for semantics in ("definition", "encoding"):
                    cell = whole.matrix.cell(name, column, semantics)
                    assert cell.holds is False and cell.replayed


def rsc_only_gets_worse_with_more_faults(whole: PaperComparison) -> None:
    """The theorem that some published cells contradict holds of ours, in both semantics."""
    for name in whole.matrix.protocols:
        for semantics in whole.matrix.semantics:
            cells = {
                c.failures: whole.matrix.cell(name, c, semantics).holds
                for c in whole.matrix.columns
                if c.property == "rsc"
            }
            if not cells["none"]:
                assert not any(cells.values()), (name, semantics)
