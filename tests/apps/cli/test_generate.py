"""list, generate and table, as a shell sees them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from stormproof.languages import formats, protocols
from stormproof.languages.protocols.generators import FAMILIES, generate
from tests.support.command_line import Run


def test_list_groups_everything(run: Run) -> None:
    done = run("list")
    assert done.code == 0
    for word in (*protocols.groups(), *protocols.names(), *FAMILIES):
        assert word in done.out
    data = json.loads(run("list", "--json").out)
    assert [p["name"] for p in data["protocols"]] == list(protocols.names())
    assert {f["name"] for f in data["families"]} == set(FAMILIES)


def test_list_one(run: Run) -> None:
    assert "Origin:" in run("list", "two-buyer").out
    assert run("list", "two-buyer", "--source").out == protocols.source("two-buyer")
    assert json.loads(run("list", "two-buyer", "--json").out)["group"] == "Classics"
    wrong = run("list", "two-buyers")
    assert wrong.code == 2 and "did you mean 'two-buyer'" in wrong.err
    assert run("list", "--source").code == 2


def test_generate_the_paper_s_paxos(run: Run) -> None:
    done = run("generate", "paxos", "--proposers", 2, "--acceptors", 3, "--retries", 2)
    assert done.code == 0
    system = formats.loads(done.out, format="storm")
    assert system.processes == generate("paxos", proposers=2, acceptors=3, retries=2).processes


@pytest.mark.parametrize("name", FAMILIES)
def test_generate_every_family(name: str, run: Run) -> None:
    small = ["--retries", "1", "--acceptors", "1"] if name == "paxos" else []
    done = run("generate", name, *small, "--format", "json")
    assert done.code == 0
    assert formats.loads(done.out, format="json").names


def test_generate_into_a_file(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "ring.json"
    assert run("generate", "ring", "--size", 5, "-o", path).code == 0
    assert formats.load(path).processes == generate("ring", size=5).processes
    again = run("generate", "ring", "-o", path)
    assert again.code == 2 and "already" in again.err
    assert run("generate", "ring", "-o", path, "--force").code == 0
    assert json.loads(run("generate", "star", "--json").out)["name"] == "star-4"


@pytest.mark.parametrize(
    "arguments, words",
    [
        (("generate", "paxoss"), "did you mean 'paxos'"),
        (("generate", "ring", "--size", "1"), "2<=x<=1000"),
        (("generate", "ring", "--size", "2", "--tokens", "3"), "at most 2 tokens"),
        (("generate", "ring", "--format", "jsn"), "did you mean 'json'"),
        (("generate", "branching", "--branches", "999", "--bound", "999"), "more than 200,000 transitions"),
        (("table", "--models", "los"), "did you mean 'loss'"),
        (("table", "--property", "rcs"), "did you mean 'rsc'"),
        (("table", "ssh", "-o", "x.pdf"), "does not determine the language"),
        (("table", "no-such-protocol"), "no built-in protocol of that name"),
    ],
)
def test_wrong_use_is_told(arguments: tuple[str, ...], words: str, run: Run) -> None:
    done = run(*arguments)
    assert done.code == 2 and words in done.err and "Traceback" not in done.err


def test_table_prints_and_writes(run: Run, tmp_path: Path) -> None:
    asked = ("table", "client-server", "ssh", "--models", "none", "--processes", 1, "--max-k", 2)
    done = run(*asked)
    assert done.code == 0
    assert "client-server" in done.out and "✔2" in done.out and "6 cells" in done.out
    path = tmp_path / "t.html"
    assert run(*asked, "-o", path).code == 0 and path.read_text(encoding="utf-8").startswith(
        "<!DOCTYPE html>"
    )
    limited = run("table", "elevator", "--models", "none", "--property", "k-mc", "--max-states", 5)
    assert limited.code == 3 and "1 undecided" in limited.out
    data = json.loads(run(*asked, "--json").out)
    cells = {(c["protocol"], c["property"]): c["holds"] for c in data["cells"]}
    assert [cells[name, p] for name in ("client-server", "ssh") for p in ("k-mc", "rsc")] == [
        *(True, True),
        *(True, False),
    ]
    assert cells["client-server", "recovers"] is not None, "survival is asked of protocols that are named"


def test_a_table_fits_a_terminal(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    """Failure models that have no room side by side stand below each other; no column is lost."""
    asked = ("table", "alternating-bit", "two-buyer", "--processes", 1, "--max-k", 1)
    tables = {}
    for columns in (80, 50, 200):
        monkeypatch.setenv("COLUMNS", str(columns))
        out = run(*asked).out
        assert max(map(cell_len, out.splitlines())) <= columns
        tables[columns] = [line.split() for line in out.splitlines() if line.startswith(" two-buyer")]
    assert len(tables[200]) == 1 and len(tables[80]) == 3 and len(tables[50]) > 3
    flat = {columns: [mark for row in rows for mark in row[1:]] for columns, rows in tables.items()}
    assert flat[80] == flat[50] == flat[200] and len(flat[80]) == 2 * 3 + 2 * 5


def test_certificates_are_written_and_checked_again(run: Run, tmp_path: Path) -> None:
    """Every bounded cell that holds has a file that `replay` proves, and refuses once it is changed."""
    where = tmp_path / "new" / "proofs"
    asked = ("table", "client-server", "--models", "none,corruption", "--processes", 1, "--max-k", 2)
    done = run(*asked, "--certificates", where)
    assert done.code == 0 and f"2 certificates in {where}" in done.err
    names = {f"client-server-{cell}-definition.json" for cell in ("none-k-mc", "corruption-k-exh")}
    assert {p.name for p in where.iterdir()} == names
    path = where / "client-server-none-k-mc-definition.json"
    proved = run("replay", path)
    assert proved.code == 0 and "✔ proved  k-mc holds: at k = 1, " in proved.out
    data = json.loads(path.read_text(encoding="utf-8"))
    data["configurations"].pop()
    path.write_text(json.dumps(data), encoding="utf-8")
    refused = run("replay", path, "--json")
    assert refused.code == 1 and json.loads(refused.out)["replays"][0]["proved"] is False
    path.write_text(json.dumps({**data, "k": "one"}), encoding="utf-8")
    assert run("replay", path).code == 2
    again = run(*asked, "--certificates", where)
    assert again.code == 2 and "already" in again.err
    assert run(*asked, "--certificates", path).code == 2


def test_table_beside_the_paper(run: Run) -> None:
    done = run(
        "table", "alternating-bit-boigelot", "--compare", "paper", "--processes", 1, "--to", "markdown"
    )
    assert done.code == 0
    assert "published ✘, here ✔; the automaton is that of alternating-bit" in done.out
    assert "under the paper's encodings, loss: k-exh 1 of 1" in done.out


def test_the_published_answers_that_are_not_installed_are_named(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    def missing(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr("stormproof.apps.cli.table.import_module", missing)
    done = run("table", "alternating-bit-boigelot", "--compare", "paper")
    assert done.code == 2
    assert "the published answers are not installed" in done.err and "pip install ./paper" in done.err
