"""Results as rows of a table: what pandas, polars and spreadsheets read."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import stormproof as sp
from stormproof.surveys.campaign.table_rows import COLUMNS, rows_csv
from tests.support.command_line import Run, run as run


def test_a_frontier_has_a_row_per_choice() -> None:
    found = sp.frontier(sp.protocol("client-server"), effort=1_000)
    rows = found.rows()
    assert len(rows) == len(found.atoms) > 4 and len({tuple(row) for row in rows}) == 1
    assert {row["fault"] for row in rows} >= {"loss", "stop"}
    assert all(not isinstance(value, dict | list) for row in rows for value in row.values())
    by_choice = {(row["fault"], row["from"], row["process"]): row["status"] for row in rows}
    for atom in found.atoms:
        data = atom.to_json()
        assert by_choice[data["fault"], data.get("from"), data.get("process")] == found.status(atom).value


def test_a_campaign_as_csv(run: Run, tmp_path: Path) -> None:
    table = tmp_path / "table.csv"
    asked = ("campaign", "two-buyer", "alternating-bit", "--models", "none,loss", "--processes", 1)
    done = run(*asked, "--property", "rsc", "-o", tmp_path / "rows.jsonl", "--csv", table, "--json")
    rows = list(csv.DictReader(io.StringIO(table.read_text("utf-8"))))
    verdicts = [(row, v) for row in json.loads(done.out)["rows"] for v in row["verdicts"]]
    assert [*rows[0]] == [*COLUMNS] and len(rows) == len(verdicts) == 4
    for found, (row, verdict) in zip(rows, verdicts, strict=True):
        assert (found["source"], found["failures"]) == (row["source"], row["failures"])
        assert (found["status"], found["reason"]) == (verdict["status"], verdict["reason"])


def test_a_job_without_a_verdict_says_why() -> None:
    text = rows_csv([{"source": "a.storm", "failures": "loss", "died": "out of memory", "verdicts": []}])
    (row,) = csv.DictReader(io.StringIO(text))
    assert row["problem"] == "out of memory" and row["status"] == "" and row["source"] == "a.storm"
