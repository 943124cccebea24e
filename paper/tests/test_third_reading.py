"""The encodings as they were run: against the files that were run, and against the published cells."""

from __future__ import annotations

import pytest

from stormproof import compare as compare_systems
from stormproof.errors import InputError
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.lost_machine import NOBODY, without_first
from stormproof.kernel.transform.prepare import prepare
from stormproof.languages import formats, protocols
from stormproof.limits import Limits
from stormproof.surveys.paper_table import PAPER_COLUMNS, Column
from stormproof.surveys.paper_table.comparison import CONJECTURED, IMPOSSIBLE, REPRODUCED, Cause
from stormproof.surveys.paper_table.matrix import AS_RUN_MAX_K, Cell
from stormproof_paper import published
from stormproof_paper.peer_rows import missing_rows, peer_rows
from stormproof_paper.third_reading import (
    EXCHANGED,
    KMC,
    LOST,
    LOST_TOO,
    NO_LOSS,
    TIMED_OUT,
    as_run,
    cause,
    lost_reading,
)
from tests.languages.protocols.test_peers import FILES
from tests.support.example_systems import process
from tests.support.library import automata
from tests.support.peer_files import peers

ROWS = {name: row for row in published() if (name := row.protocol or row.part)}
LOST_ROWS = ("alternating-bit-boigelot", "client-server-logger", "four-player-game")
LIMITS = Limits()


def test_numbers_stay_where_the_first_machine_is_lost() -> None:
    a = process("A", ("0", Send("B", "x"), "0"))
    b = process("B", ("0", Receive("A", "x"), "1"), ("1", Send("C", "y"), "2"), ("2", Receive("C", "z"), "2"))
    c = process("C", ("0", Receive("B", "y"), "0"), ("0", Send("A", "z"), "0"))
    lost = without_first(System((a, b, c)))
    assert lost.system.names == ("B", "C", NOBODY)
    # C is now number 1, where B was, and number 0 is B itself; nobody has number 2.
    assert lost.system["B"].transitions == (
        Transition("0", Receive("B", "x"), "1"),
        Transition("2", Receive(NOBODY, "z"), "2"),
    )
    assert lost.stuck == {("B", "1")}
    assert lost.system["C"].transitions == (
        Transition("0", Receive("C", "y"), "0"),
        Transition("0", Send("B", "z"), "0"),
    )


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("failures", ["loss", "corruption"])
def test_the_encoding_is_the_file_that_was_run(name: str, failures: str) -> None:
    """Up to names; where the file lost its first machine, ours without it. One file is empty."""
    folders = ("lossybenchmarks",) if failures == "loss" else ("benchcorr", "corruptbenchmarks")
    paths = [p for folder in folders if (p := peers("interference", folder) / FILES[name]).exists()]
    fault = Failures(loss=True) if failures == "loss" else Failures(corrupt=True, corrupt_scope="sender")
    assert paths
    ours, _, _ = prepare(automata(name), fault, "as-run")
    if name in LOST_ROWS[1:]:
        with pytest.raises(InputError, match="there is no machine"):
            formats.load(paths[0])
        return
    if name in LOST_ROWS:
        ours = without_first(ours).system
    theirs = formats.load(paths[0])
    assert compare_systems(ours, theirs, any_roles=True), name


@pytest.mark.parametrize("name", LOST_ROWS)
def test_a_lost_machine_reproduces_every_cell_of_its_row_under_loss_and_corruption(name: str) -> None:
    system, row = protocols.protocol(name), ROWS[name]
    for column in PAPER_COLUMNS:
        if column.failures in row.lost_machine:
            found = lost_reading(system, column, AS_RUN_MAX_K, LIMITS)
            assert found is row.cells[column], column


def differing(name: str, failures: str, wanted: str, here: bool) -> tuple[str, str]:
    cell = Cell(name, failures, wanted, "encoding", here)
    found = cause(cell, not here, ROWS[name], protocols.protocol(name), LIMITS)
    return found.status, found.words


def test_causes_of_the_cells_that_differ_from_the_encodings() -> None:
    assert differing("logistic", "corruption", "k-exh", True) == (REPRODUCED, TIMED_OUT)
    assert differing("four-player-game", "loss", "k-er", False) == (REPRODUCED, LOST)
    assert differing("alternating-bit-boigelot", "none", "rsc", True)[0] == IMPOSSIBLE
    exchanged = EXCHANGED.format(other="elevator-directed")
    assert differing("elevator", "loss", "k-er", False) == (REPRODUCED, exchanged)
    assert differing("paxos-2p1a", "none", "k-mc", False) == (REPRODUCED, KMC)
    assert differing("paxos-2p1a", "loss", "k-pg", False) == (REPRODUCED, NO_LOSS + KMC)


def test_only_two_bounds_were_asked() -> None:
    """Logistic is 2-exhaustive under the encoding of corruption, and not 1-exhaustive."""
    system, column = protocols.protocol("logistic"), Column("corruption", "k-exh")
    assert as_run(system, column, 2, LIMITS) is True and as_run(system, column, 1, LIMITS) is False


def test_starred_rows_from_files_of_rescu() -> None:
    rows = peer_rows(str(peers("rescu")))
    assert len(rows) == 14
    names = {row.row for row in missing_rows({**ROWS, **rows})}
    assert names == {"Online Computer Sale*"}
    path, ssh = next((path, row) for path, row in rows.items() if row.row == "SSH*")
    system = formats.load(path)
    assert all(lost_reading(system, c, AS_RUN_MAX_K, LIMITS) is ssh.cells[c] for c in PAPER_COLUMNS)
    cell = Cell(path, "corruption", "k-er", "encoding", False)
    assert cause(cell, True, ssh, system, LIMITS) == Cause(CONJECTURED, LOST_TOO)


def test_a_folder_without_the_files_is_refused(tmp_path: object) -> None:
    with pytest.raises(InputError, match="no model of ReSCu is in"):
        peer_rows(str(tmp_path))
    with pytest.raises(InputError, match="there is no folder at nowhere"):
        peer_rows("nowhere")
