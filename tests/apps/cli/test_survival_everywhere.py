"""Survival, requirements and budgets in every command that takes properties and failures."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.surveys.campaign import jobs_of, plan_from_toml
from stormproof.surveys.failure_models import survey
from tests.support.command_line import Run

TWICE = """\
protocol Twice
role A {
  first:  B!x -> second
  second: B!x -> done
  done:
}
role B {
  wait: A?x -> got
  got:  A?x -> got
}
require arrives: always possible B@got
expect violated stopped: recovers under stop A
"""


@pytest.fixture
def twice(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "twice.storm").write_text(TWICE)
    return tmp_path


def test_budgets_in_every_command(run: Run, twice: Path) -> None:
    for command in (["check"], ["explain", "--suggest", "0"], ["report", "-o", "r.html", "--force"]):
        codes = [run(*command, "twice.storm", "--loss", "--budget", n).code for n in ("1", "loss=2")]
        assert codes == [0, 1], command
    drawn = run("draw", "twice.storm", "--what", "chart", "--loss", "--budget", "1", "--property", "recovers")
    assert drawn.code == 2 and "there is no run to draw" in drawn.err
    result = run("check", "twice.storm", "--loss", "--budget", "1", "--property", "k-mc")
    assert result.code == 3
    assert "k-mc is defined for any number of faults only" in " ".join(result.out.split())


def test_a_report_has_the_budget_under_every_model() -> None:
    reports = survey(sp.loads(TWICE), sp.Failures(loss=True, budget=1))
    assert set(reports) == {"none", "loss", "corruption", "reordering"}
    assert all(r.failures.budget == sp.Failures(budget=1).budget for r in reports.values())
    assert reports["loss"]["recovers"].holds
    assert not any(v.property == "k-mc" for v in reports["none"]), "it has no budget"


def test_budgets_in_campaigns(run: Run, twice: Path) -> None:
    (twice / "plan.toml").write_text(
        'files = ["twice.storm"]\nproperties = ["recovers", "arrives"]\n'
        '[[failures]]\nname = "one"\nloss = true\nbudget = 1\n'
        '[[failures]]\nname = "two"\nloss = true\nbudget = { loss = 2 }\n'
    )
    assert [dict(job.failures)["budget"] for job in jobs_of(plan_from_toml("plan.toml"))] == [1, {"loss": 2}]
    result = run("campaign", "plan.toml", "-o", "rows.jsonl", "--processes", "1")
    assert result.code == 1 and "arrives ✘2  recovers ✘2" in result.out
    rows = {row["failures"]: row for row in map(json.loads, Path("rows.jsonl").read_text().splitlines())}
    assert [v["holds"] for v in rows["one"]["verdicts"]] == [True, True]
    assert [v["faults"] for v in rows["two"]["verdicts"]] == [2, 2]
    again = run("campaign", "plan.toml", "-o", "rows.jsonl", "--processes", "1")
    assert "(2 from an earlier run)" in again.out


def test_a_known_limit_is_a_success_of_a_campaign(run: Run, twice: Path) -> None:
    flags = ["--models", "none", "-o", "rows.jsonl", "--processes", "1"]
    result = run("campaign", "twice.storm", *flags)
    assert result.code == 0 and "stopped ◇1" in result.out and "0 violated" in result.out


def test_a_requirement_is_asked_for_by_its_name(run: Run, twice: Path) -> None:
    data = json.loads(run("check", "twice.storm", "--loss", "--property", "arrives", "--json").out)
    assert [(v["property"], v["holds"], v["faults"]) for v in data["verdicts"]] == [("arrives", False, 2)]
    assert run("check", "twice.storm", "--property", "arives").code == 2
    drawn = run("draw", "twice.storm", "--what", "chart", "--loss", "--property", "arrives")
    assert drawn.code == 0 and drawn.out.count("lost") == 2
    both = sp.check(sp.loads(TWICE), properties=["arrives", "rsc"])
    assert [v.property for v in both] == ["arrives", "rsc"]


def test_survival_in_a_table(run: Run) -> None:
    flags = ["--models", "none,loss", "--property", "recovers", "--property", "k-mc", "--processes", "1"]
    result = run("table", "alternating-bit", *flags, "--json")
    cells = {(c["failures"], c["property"]): c for c in json.loads(result.out)["cells"]}
    assert cells["none", "recovers"]["up_to"] is None and cells["none", "recovers"]["holds"]
    assert cells["loss", "recovers"]["witness"]["faults"] == 1
    assert "✘1" in run("table", "alternating-bit", *flags).out


def test_the_report_page_says_how_many_faults(run: Run, twice: Path) -> None:
    assert run("report", "twice.storm", "--loss", "-o", "r.html").code == 1
    page = Path("r.html").read_text()
    cells = re.findall(r'<td class="([-\w]+)">(?:<a [^>]*>)?([^<]*)', page)
    assert ("violated", "✘ breaks with 2 faults") in cells
    assert ("known-limit", "◇ known limit: breaks with 1 fault") in cells
    assert ("holds", "✔ any channel length") in cells
    assert "--property stopped" in page


def test_survival_beside_the_classes(run: Run, twice: Path) -> None:
    result = run("classify", "twice.storm", "--survival", "--max-k", "2")
    rows = {line.split()[0]: line.split()[1:] for line in result.out.splitlines() if line.strip()}
    assert rows["recovers"] == rows["arrives"] == ["✔", "✘", "2", "✔", "✔"]
    data = json.loads(run("classify", "twice.storm", "--survival", "--max-k", "2", "--json").out)
    lost = next(s for s in data["standings"] if s["interference"] == "loss")
    assert [(v["property"], v["faults"]) for v in lost["survival"]] == [
        ("arrives", 2),
        ("recovers", 2),
        ("clean", None),
    ]
    plain = json.loads(run("classify", "twice.storm", "--max-k", "1", "--json").out)
    assert "survival" not in plain["standings"][0]


def test_known_limits_are_told_as_such(run: Run, twice: Path) -> None:
    told = " ".join(run("explain", "twice.storm", "--suggest", "0").out.split())
    assert "Known limit stopped, recovers: it breaks with 1 fault." in told
    held = ("arrives", "recovers", "clean")
    assert all(f"{name} (any channel length)" in told.partition("What holds: ")[2] for name in held)
    holds = TWICE.replace("under stop A", "under none")
    assert "stopped was expected to be violated, and holds." in " ".join(
        run("explain", "-", "--suggest", "0", stdin=holds).out.split()
    )


def test_the_headline_says_that_crashes_are_announced(run: Run) -> None:
    out = " ".join(run("check", "two-phase-commit", "--crash", "Coordinator").out.split())
    assert "Coordinator may crash, announced to everybody" in out
    assert "survives any number of faults · any channel length crashes are announced to everybody" in out
    stopped = " ".join(run("check", "two-phase-commit", "--stop", "Coordinator").out.split())
    assert "Coordinator may stop silently, and nobody is informed" in stopped
