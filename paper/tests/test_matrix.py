"""The table: the paper's cells as data, the comparison, and every language it is written in."""

from __future__ import annotations

import csv
import io
import json
import random
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from stormproof.errors import InternalError, StormproofError, UsageError
from stormproof.kernel.model.failures import Failures
from stormproof.languages import protocols
from stormproof.limits import Limits
from stormproof.oracle.bounded import TooLarge, explore, holds
from stormproof.search.checks.api import check
from stormproof.surveys.paper_table import (
    PAPER_COLUMNS,
    Cell,
    CellDifference,
    Column,
    Matrix,
    run_table,
)
from stormproof.surveys.paper_table.comparison import TIMEOUT
from stormproof.tell.draw.paper_table import render
from stormproof_paper import compare, impossible, published
from stormproof_paper.differences import (
    DRAINED,
    LOSSY_SENDS,
    MONOTONE,
    NOTHING_NEW,
    ONE_MESSAGE,
    confirmed,
)
from tests.support.peer_files import SHARED
from tests.support.random_systems import random_failures, random_system


def made(semantics: tuple[str, ...] = ("definition",), **differing: bool | None) -> Matrix:
    """A matrix that says what the paper says of two rows, but for `differing` cells `failures_property`."""
    names = ("bargain", "elevator")
    rows = {r.protocol: r for r in published() if r.protocol in names}
    cells = {}
    for name in names:
        for column in PAPER_COLUMNS:
            for each in semantics:
                value = rows[name].cells[column]
                key = f"{column.failures}_{column.property.replace('-', '_')}"
                holds = (
                    differing.get(key, False if value == TIMEOUT else value) if name == "bargain" else value
                )
                cell = Cell(name, *column, each, holds is True if holds is not None else None)
                bounded = column.property != "rsc"
                if cell.holds:
                    cell = replace(cell, k=1 if bounded else None, states=7)
                elif cell.holds is False:
                    cell = replace(
                        cell,
                        reason="A waits",
                        steps=3,
                        faults=1,
                        replayed=True,
                        witness_k=10 if bounded else None,
                    )
                cells[name, column, each] = cell
    return Matrix(names, PAPER_COLUMNS, semantics, cells, 10, 1.5)


def test_the_paper_s_table_is_whole() -> None:
    rows = published()
    assert len(rows) == 32 and all(set(r.cells) == set(PAPER_COLUMNS) for r in rows)
    assert sum(r.protocol is not None for r in rows) == 16
    assert sum(r.row.endswith("*") for r in rows) == 15
    timeouts = [(r.protocol, c) for r in rows for c, v in r.cells.items() if v == TIMEOUT]
    assert timeouts == [
        (name, Column("corruption", "k-er"))
        for name in ("elevator", "elevator-dashed", "elevator-directed", "sanitary-agency-mod")
    ]


def test_the_paper_s_table_is_what_the_paper_prints() -> None:
    source = SHARED / "paper" / "unreliability-fsttcs2025.tex"
    if not source.exists():
        pytest.skip(f"the paper is not beside the repository: {source}")
    text = source.read_text(encoding="utf-8")
    lines = [line.split("&") for line in text.splitlines() if line.count("&") == 12 and "\\\\" in line]
    lines = [line for line in lines if "Yea" in line[5] or "Nay" in line[5]]
    assert len(lines) == 32
    for line, row in zip(lines, published(), strict=True):
        assert line[0].strip().startswith(row.row)
        words = {True: "\\Yea", False: "\\Nay", TIMEOUT: "textsc{to}"}
        for printed, column in zip(line[1:], PAPER_COLUMNS, strict=True):
            assert words[row.cells[column]] in printed, (row.row, column)


def test_impossible_cells_of_the_paper() -> None:
    """RSC without errors fails and under interference holds: four rows; k-exh fails under loss: five rows."""
    found = impossible()
    assert len({i.row for i in found if i.theorem == MONOTONE}) == 4
    assert len({i.row for i in found if i.theorem == LOSSY_SENDS}) == 5
    twins = {i.row for i in found if "the automaton is that of" in i.theorem}
    assert twins == {"Alternating Bit [PEngineering]", "Alternating Bit [boigelot_symbolic_1996]"}


def _as_published() -> Matrix:
    rows = {r.protocol: r for r in published() if r.protocol is not None}
    cells = {
        (name, column, "definition"): Cell(
            name, *column, "definition", None if row.cells[column] == TIMEOUT else bool(row.cells[column])
        )
        for name, row in rows.items()
        for column in PAPER_COLUMNS
    }
    return Matrix(tuple(rows), PAPER_COLUMNS, ("definition",), cells, 10, 0.0)


def test_agreement_counts_decided_cells_only() -> None:
    whole = compare(_as_published())
    assert not whole.differences
    assert whole.total("definition", "loss", "k-exh", "k-er", "k-pg") == (48, 48)
    assert whole.total("definition", "corruption", "k-exh", "k-er", "k-pg") == (44, 44)


def test_a_witness_is_the_certificate_of_a_violation() -> None:
    (difference,) = compare(made(reordering_rsc=False)).differences
    assert difference.kind == "witness" and difference.published
    assert difference.certificate == "a replayed run of 3 steps, 1 of them faults: A waits"


def _one_difference(name: str, column: Column) -> CellDifference:
    """The paper's table, but that this cell holds at k = 1."""
    matrix = _as_published()
    key = (name, column, "definition")
    cells = {**matrix.cells, key: replace(matrix.cells[key], holds=True, k=1)}
    (difference,) = compare(replace(matrix, cells=cells)).differences
    return difference


@pytest.mark.parametrize(
    ("name", "column", "theorem"),
    [
        ("four-player-game", Column("loss", "k-exh"), LOSSY_SENDS),
        ("four-player-game", Column("corruption", "k-exh"), DRAINED),
        ("four-player-game", Column("corruption", "k-pg"), NOTHING_NEW.format(max_k=10)),
        ("health-system", Column("corruption", "k-er"), NOTHING_NEW.format(max_k=10)),
        ("commit-protocol", Column("corruption", "k-er"), ONE_MESSAGE),
        ("filter-collaboration", Column("corruption", "k-er"), ""),
        ("filter-collaboration", Column("corruption", "k-pg"), ""),
        ("logistic", Column("corruption", "k-exh"), ""),
    ],
)
def test_what_holds_is_replayed_and_the_theorem_named(name: str, column: Column, theorem: str) -> None:
    difference = _one_difference(name, column)
    replayed, _, also = difference.certificate.partition("; and ")
    assert difference.kind == "runs" and replayed.startswith("replayed: at k = 1, ")
    assert also == theorem


def test_a_cell_that_does_not_hold_has_no_certificate() -> None:
    """Bargain under corruption is not 1-ER: the definitions contradict a table that says so anyway."""
    with pytest.raises(InternalError, match="the definitions say otherwise"):
        compare(made(corruption_k_er=True))


def test_a_certificate_that_would_be_too_large_is_left_out() -> None:
    cell = Cell("logistic", "corruption", "k-exh", "definition", True, k=1)
    assert confirmed(cell, most=524) is None
    found = confirmed(cell, most=525)
    assert found is not None and found.ok and found.configurations == 525


@pytest.mark.parametrize("chunk", range(4))
def test_a_directed_system_that_loses_nothing_drains_its_channels(chunk: int) -> None:
    """The theorem by which a published k-er contradicts a published k-exh (DRAINED), by the definitions."""
    seen = 0
    for seed in range(chunk * 500, (chunk + 1) * 500):
        rng = random.Random(seed)
        system = random_system(rng, csa=True, internal=0)
        if not system.directed:
            continue
        asked = random_failures(rng, system)
        model = Failures(corrupt=asked.corrupt, reorder=asked.reorder, corrupt_scope=asked.corrupt_scope).on(
            system
        )
        try:
            whole = explore(system, model, rng.choice((1, 2)), 400)
        except TooLarge:
            continue
        if holds(whole, "k-er"):
            seen += 1
            assert holds(whole, "k-exh"), seed
    assert seen > 20


@pytest.mark.parametrize("both", [False, True])
@pytest.mark.parametrize("language", ["json", "csv", "markdown", "latex", "html"])
def test_every_language_has_every_cell(language: str, both: bool) -> None:
    semantics = ("definition", "encoding") if both else ("definition",)
    matrix = made(semantics, reordering_rsc=False, loss_k_er=None)
    text = render(compare(matrix), language)
    count = len(matrix.cells)
    if language == "json":
        data = json.loads(text)
        assert len(data["cells"]) == count and data["paper"]["differences"]
    elif language == "csv":
        rows = list(csv.DictReader(io.StringIO(text)))
        assert len(rows) == count
        assert {r["holds"] for r in rows} == {"holds", "violated", "undecided"}
        assert {r["published"] for r in rows} == {"holds", "violated", "timeout"}
    elif language == "markdown":
        body = [line for line in text.splitlines() if line.startswith(("| bargain", "| elevator"))]
        assert sum(line.count("|") - 2 for line in body) == count
        assert "**✘** (✔) [1]" in text and "✘ (to)" in text
    elif language == "latex":
        assert text.count("\\begin{tabular}") == text.count("\\end{tabular}") == len(semantics)
        assert (
            sum(line.count(" & ") for line in text.splitlines() if line.startswith(("bargain", "elev")))
            == count
        )
        assert "✔" not in text and "✘" not in text
        assert "$\\times$\\,(to)" in text and "$\\times$}\\,($\\checkmark$)$^{1}$" in text
    else:
        parser = Cells()
        parser.feed(text)
        assert parser.marks == count and parser.depth == 0
        assert "✘ <small>(to)</small>" in text and "</span> <small>(✔)</small><sup>" in text


class Cells(HTMLParser):
    """Counts the marked cells, and that every element is closed."""

    def __init__(self) -> None:
        super().__init__()
        self.marks = 0
        self.depth = 0

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.depth += 1
        if tag == "td" and any(name == "class" for name, _ in attributes):
            self.marks += 1

    def handle_endtag(self, tag: str) -> None:
        self.depth -= 1


def test_html_and_latex_escape_names() -> None:
    cell = Cell("a<b>&_", "none", "rsc", "definition", True)
    column = Column("none", "rsc")
    matrix = Matrix(("a<b>&_",), (column,), ("definition",), {("a<b>&_", column, "definition"): cell}, 1, 0.0)
    assert "a&lt;b&gt;&amp;_" in render(matrix, "html")
    assert "a$<$b$>$\\&\\_" in render(matrix, "latex")


def test_a_small_table_runs(tmp_path: Path) -> None:
    columns = (Column("none", "k-mc"), Column("none", "rsc"), Column("loss", "k-pg"))
    kept = tmp_path / "rows.jsonl"
    matrix = run_table(["client-server", "ssh"], columns, max_k=2, processes=1, results=kept)
    assert matrix.protocols == ("client-server", "ssh") and not matrix.undecided
    assert matrix.cell("ssh", Column("none", "k-mc")).mark == "✔2"
    assert matrix.cell("ssh", Column("none", "rsc")).mark == "✘"
    assert matrix.cell("client-server", Column("none", "rsc")).mark == "✔"
    lost = matrix.cell("client-server", Column("loss", "k-pg"))
    assert lost.holds is False and lost.replayed and lost.faults
    seen: list[object] = []
    again = run_table(
        ["client-server", "ssh"],
        columns,
        max_k=2,
        processes=1,
        results=kept,
        on_row=lambda r, n: seen.append(r),
    )
    assert not seen and again.cells == matrix.cells


def test_a_limit_gives_undecided_cells() -> None:
    matrix = run_table(["elevator"], (Column("none", "k-mc"),), max_k=2, limits=Limits(states=5), processes=1)
    assert [c.mark for c in matrix.undecided] == ["?"]


def test_a_run_without_errors_refutes_rsc_under_every_failure_model() -> None:
    """With a limit that only the search without errors keeps: the same run, and so no cell is undecided."""
    columns = (Column("none", "rsc"), Column("corruption", "rsc"))
    least = check(protocols.protocol("paxos-2p3a-figure"), properties=["rsc"])["rsc"].states
    limited = Limits(states=least)
    alone = run_table(["paxos-2p3a-figure"], columns[1:], limits=limited, processes=1)
    assert [c.mark for c in alone.undecided] == ["?"]
    both = run_table(["paxos-2p3a-figure"], columns, limits=limited, processes=1)
    none, corrupted = (both.cell("paxos-2p3a-figure", column) for column in columns)
    assert not both.undecided and corrupted == replace(none, failures="corruption")
    assert corrupted.replayed and corrupted.faults == 0
    assert run_table(["alternating-bit"], columns, limits=Limits(states=1), processes=1).undecided


def test_unknown_columns_and_files_are_told() -> None:
    with pytest.raises(UsageError, match="unknown failure model 'los'"):
        run_table(["ssh"], (Column("los", "rsc"),))
    with pytest.raises(UsageError, match="unknown semantics"):
        run_table(["ssh"], semantics=["both"])
    with pytest.raises(StormproofError):
        run_table(["no-such-file.storm"], (Column("none", "rsc"),))


def test_check_and_table_mean_the_same_encoding() -> None:
    """A channel of one message is corrupted too, into what its sender sends elsewhere."""
    found = check(
        protocols.protocol("commit-protocol"),
        Failures(corrupt=True),
        max_k=1,
        properties=["k-er"],
        semantics="encoding",
    )
    assert found["k-er"].holds is False
