"""kmc's exploration in other words: against the answers on record, and where it is wrong."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from stormproof.errors import InputError
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.languages import formats, protocols
from stormproof.oracle.bounded import explore, holds
from stormproof.surveys.paper_table import Column
from stormproof_paper import published
from stormproof_paper.kmc_answers import kmc_answers
from stormproof_paper.third_reading import kmc_reading
from tests.support.document_blocks import blocks
from tests.support.paths import DOCS
from tests.support.peer_files import peers

NO, YES = False, True


def recorded(table: Path) -> Iterator[tuple[str, int, bool, bool]]:
    """File, bound, exhaustive and safe. After a time-out the record repeats the answer before it."""
    lines = table.read_text(encoding="utf-8").splitlines(keepends=True)
    rows = [(row[0], row[1]) for row in csv.reader(lines) if len(row) > 1]
    for (name, text), (_, following) in zip(rows, [*rows[1:], ("", "")], strict=True):
        found = re.search(r"(\d)-exhaustive: (\w+).*-safe: (\w+)", text, re.DOTALL)
        if found and following != "Timeout":
            yield name.removeprefix("tests/"), int(found[1]), found[2] == "True", found[3] == "True"


@pytest.mark.parametrize(("table", "number"), [("new", 36), ("lossy", 15), ("bag", 36), ("corrupt", 7)])
def test_the_answers_that_were_recorded(table: str, number: int) -> None:
    """In the files that lost a machine some partner is nobody; they are refused here."""
    folder = peers("interference")
    compared = 0
    for name, k, exhaustive, safe in recorded(folder / f"results-{table}.csv"):
        path = folder / name
        path = path if path.exists() else folder / name.replace("corruptbenchmarks", "benchcorr")
        try:
            system = formats.load(path)
        except InputError as problem:
            assert "there is no machine" in str(problem)
            continue
        found = kmc_answers(system, k, bag=table == "bag")
        assert found is not None
        assert (found["k-exh"], found["k-er"] and found["k-pg"]) == (exhaustive, safe), (name, k)
        compared += 1
    assert compared == number


def example(name: str) -> System:
    """A small file of docs/peers.md."""
    (block,) = (b for b in blocks((DOCS / "peers.md").read_text("utf-8")) if b.save_as == name)
    return formats.loads(block.text, block.language, name)


def test_a_choice_of_receivers_hides_a_message_that_is_never_received() -> None:
    """A second `once` is in no configuration that kmc explores."""
    system = example("choice.txt")
    assert holds(explore(system, Failures().on(system), 1, 100), "k-er") is False
    assert kmc_answers(system, 1) == {"k-exh": NO, "k-er": YES, "k-pg": YES}


def test_nothing_is_sent_to_oneself() -> None:
    system = example("oneself.txt")
    assert holds(explore(system, Failures().on(system), 1, 100), "k-exh") is True
    assert kmc_answers(system, 1) == {"k-exh": NO, "k-er": YES, "k-pg": YES}


def test_a_reduced_system_that_is_too_large_has_no_answers() -> None:
    assert kmc_answers(protocols.protocol("paxos-2p1a"), 1, most=26) is None
    assert kmc_answers(protocols.protocol("paxos-2p1a"), 1, most=27) is not None


def test_an_action_that_is_put_off_until_it_is_impossible_has_no_answers() -> None:
    """Two receptions of D are put off separately, since C receives between them; the first takes D away."""
    system = formats.loads(
        "role A { 0: D!x -> 1\n 1: }\nrole B { 0: C!y -> 1\n 1: }\nrole E { 0: D!z -> 1\n 1: }\n"
        "role C { 0: B?y -> 1\n 1: }\nrole D { 0: A?x -> 1\n E?z -> 1\n 1: }"
    )
    assert kmc_answers(system, 1) is None


@pytest.mark.parametrize(
    ("name", "failures", "encoded", "answers"),
    [
        ("elevator-directed", "loss", True, (YES, YES, NO)),
        ("elevator", "loss", True, (NO, NO, NO)),
        ("elevator-dashed", "loss", True, (NO, NO, NO)),
        ("paxos-2p1a", "none", True, (YES, YES, YES)),
        ("paxos-2p1a", "reordering", True, (YES, YES, YES)),
        ("paxos-2p1a", "loss", False, (YES, YES, YES)),
        ("paxos-2p1a", "loss", True, (YES, YES, NO)),
    ],
)
def test_published_cells_from_our_automata(
    name: str, failures: str, encoded: bool, answers: tuple[bool, ...]
) -> None:
    """The elevator's published row is what kmc answers for the directed one, and the other way round."""
    system = protocols.protocol(name)
    names = ("k-exh", "k-er", "k-pg")
    assert tuple(kmc_reading(system, Column(failures, p), 2, encoded) for p in names) == answers
    assert kmc_reading(system, Column(failures, "rsc"), 2, encoded) is None


def test_the_elevators_rows_look_exchanged() -> None:
    rows = {row.protocol: row for row in published()}
    for published_as, run in (("elevator", "elevator-directed"), ("elevator-directed", "elevator")):
        for name in ("k-exh", "k-er", "k-pg"):
            column = Column("loss", name)
            assert kmc_reading(protocols.protocol(run), column, 2, True) is rows[published_as].cells[column]
