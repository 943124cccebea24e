"""The campaign over the readings of the published Paxos: its plan and its table in docs/results.md."""

from __future__ import annotations

import re
from pathlib import Path

from stormproof.surveys.campaign import Results, jobs_of, plan_from_toml, run_campaign
from stormproof.surveys.campaign.expected import agreements
from stormproof.surveys.paper_table import PAPER_COLUMNS
from stormproof_paper import published
from tests.support.document_blocks import blocks
from tests.support.paths import DOCS

#: Readings that take no second.
QUICK = ("one ballot, acceptors 1", "in turn, acceptors 1, serve on", "any order, acceptors 1, drop late")


def page() -> tuple[str, dict[str, list[str]]]:
    """The plan, and the lines of the table: for each reading the cells that it reproduces."""
    found = blocks((DOCS / "results.md").read_text("utf-8"))
    (plan,) = (block.text for block in found if block.save_as == "paxos.toml")
    (output,) = (block.text for block in found if "stormproof campaign paxos.toml" in block.text)
    rows = [re.split(r"\s{2,}", line.strip()) for line in output.splitlines()[2:-2]]
    return plan, {name: columns for name, *columns in rows}


def test_the_page_has_the_plan_and_its_table(tmp_path: Path) -> None:
    text, table = page()
    path = tmp_path / "paxos.toml"
    path.write_text(text)
    plan = plan_from_toml(str(path))
    jobs = jobs_of(plan)
    assert list(dict.fromkeys(job.source for job in jobs)) == list(table) and len(table) == 33
    row = next(row for row in published() if row.row.startswith("2-Paxos"))
    cells = {(*column, row.cells[column]) for column in PAPER_COLUMNS}
    assert [set(expected.cells) == cells for expected in plan.expect] == [True, True, False]
    without_loss = {("none" if failures == "loss" else failures, name, v) for failures, name, v in cells}
    assert set(plan.expect[2].cells) == without_loss and len(plan.expect[2].cells) == 12
    asked = [job for job in jobs if job.source in QUICK]
    with Results(tmp_path / "r.jsonl") as results:
        run_campaign(asked, results, processes=1)
        found = agreements([results.rows[job.key] for job in asked], plan.expect)
    assert {name: [str(a) for a in columns.values()] for name, columns in found.items()} == {
        name: table[name] for name in QUICK
    }
