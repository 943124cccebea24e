"""What holds up to some length is put to the methods without a bound: a run that they find is the verdict."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.tell.draw.page.notebook import report_html
from tests.support.command_line import Run, run
from tests.support.long_queues import eight_ticks

__all__ = ["run"]

FAILURES: list[dict[str, Any]] = [
    {},
    {"reorder": True},
    {"corrupt": True},
    {"duplicate": True},
    {"reorder": True, "duplicate": True},
    {"loss": [("C", "B")]},
    {"stop": ["A"]},
    {"restart": ["C"]},
    {"crash": ["A"]},
    {"budget": 1, "duplicate": True},
]
GOALS = [
    "B@early",
    "B@early & A->B contains tick",
    "B@early & C@end",
    "deadlock & B@early",
    "orphan | B@early",
]


@pytest.mark.parametrize("failures", FAILURES, ids=str)
def test_a_run_that_needs_longer_channels_is_the_verdict(failures: dict[str, Any]) -> None:
    report = sp.check(sp.loads(eight_ticks("require order: never B@early")), sp.Failures(**failures))
    verdict = report["order"]
    assert verdict.holds is False and verdict.replayed and report.exit_code == 1
    assert verdict.faults == 0 and verdict.fewest and verdict.up_to is None
    assert verdict.witness is not None and len(verdict.witness.acts) == 12


@pytest.mark.parametrize("goal", GOALS)
def test_whatever_the_goal(goal: str) -> None:
    verdict = sp.check(sp.loads(eight_ticks(f"require order: never {goal}")))["order"]
    assert verdict.holds is False and verdict.replayed and verdict.faults == 0


@pytest.mark.parametrize("failures", FAILURES, ids=str)
def test_a_deadlock_that_needs_longer_channels(failures: dict[str, Any]) -> None:
    more = "require more: always possible B@done | B@t | A@a0"
    system = sp.loads(eight_ticks(f"{more}\nrequire follows: B@early leads to B@done"))
    report = sp.check(system, sp.Failures(**failures), certificates=True)
    for name in ("recovers", "more", "follows"):
        verdict = report[name]
        assert verdict.holds is False and verdict.replayed, name
        assert verdict.witness is not None and verdict.certificate is not None


def test_fewer_faults_are_found_beyond_the_bounds() -> None:
    """With a loss it is violated at k = 6 already, and without any from k = 8 on."""
    system = sp.loads(eight_ticks("require order: never B@early"))
    for failures in (sp.Failures(loss=True), sp.Failures(restart=["B"])):
        verdict = sp.check(system, failures)["order"]
        assert verdict.faults == 0 and verdict.fewest and verdict.replayed
        answer = sp.reach(system, "B@early", failures)
        assert answer.run is not None and answer.run.fault_count == 0 and answer.fewest


def test_a_known_limit_is_one_and_not_a_surprise() -> None:
    system = sp.loads(eight_ticks("expect violated order: never B@early under none"))
    report = sp.check(system, properties=["order"])
    assert report["order"].holds is False and report["order"].ok and report.exit_code == 0


def test_a_requirement_with_failures_of_its_own() -> None:
    system = sp.loads(eight_ticks("require order: never B@early under duplicate, reorder"))
    verdict = sp.check(system)["order"]
    assert verdict.holds is False and verdict.own is not None and verdict.replayed


def test_a_budget_excludes_the_run_and_not_the_answer() -> None:
    """Without a budget the methods find the run that loses all eight ticks."""
    system = sp.loads(eight_ticks("require order: never B@early & A->B=[]"))
    for budget, broken in (("loss=7", False), ("loss=8", True)):
        verdict = sp.check(system, sp.Failures(loss=[("A", "B")], budget=budget))["order"]
        assert (verdict.holds is False) == broken, budget
        assert not broken or (verdict.faults == 8 and verdict.replayed)


@pytest.mark.parametrize("budget", [0, 1, "loss=0", "loss=1,duplicate=0"])
def test_a_run_with_too_many_faults_does_not_hide_one_with_few(budget: int | str) -> None:
    system = sp.loads(eight_ticks("require order: never B@early"))
    failures = sp.Failures(loss=[("A", "B")], duplicate=True, budget=budget)
    report = sp.check(system, failures)
    for name in ("order", "recovers"):
        verdict = report[name]
        assert verdict.holds is False and verdict.faults == 0 and verdict.replayed, name


def test_what_the_terminal_prints_and_what_is_saved(
    run: Run,
    tmp_path: Path,
) -> None:
    file, saved, junit, sarif = (tmp_path / f"e.{end}" for end in ("storm", "json", "xml", "sarif"))
    file.write_text(eight_ticks("require order: never B@early"))
    asked = ("check", file, "--property", "order", "--certificate", "--unbounded")
    printed = run(*asked, "--junit", junit, "--sarif", sarif)
    assert printed.code == 1 and "fails without any fault" in printed.out and "12 actions" in printed.out
    assert 'failures="1"' in junit.read_text() and json.loads(sarif.read_text())["runs"][0]["results"]
    found = run(*asked, "--json")
    (verdict,) = json.loads(found.out)["verdicts"]
    assert found.code == 1 and (verdict["holds"], verdict["faults"], verdict["fewest"]) == (False, 0, True)
    saved.write_text(found.out)
    assert run("replay", saved).code == 0


def test_in_words_and_on_the_page() -> None:
    report = sp.check(sp.loads(eight_ticks("require order: never B@early")), properties=["order"])
    assert "✘ order" in str(report) and "fails without any fault" in report_html(report)


#: A may crash where the failures say so, and sends without end: no search of the runs ends.
CRASHES = """role A { a: B!m -> a  internal crash -> told
  told: B!crash -> gone
  gone: }
role B { a: A?m -> a  A?crash -> late
  late: }
require never_late: never B@late
"""


def test_who_is_reliable_does_not_crash(run: Run, tmp_path: Path) -> None:
    """Definitions 9.1. The methods without a bound know no reliable processes, and are given a system without
    the action; so is who checks their certificates."""
    path = tmp_path / "crashes.storm"
    path.write_text(CRASHES)
    done = run("check", path, "--as-written", "--certificate", "--json")
    late = {v["property"]: v for v in json.loads(done.out)["verdicts"]}["never_late"]
    assert late["holds"] is True and late["up_to"] is None
    path.with_name("result.json").write_text(done.out)
    assert "✔ proved  never_late" in run("replay", path.with_name("result.json")).out
    crashing = json.loads(run("check", path, "--as-written", "--crash", "A", "--json").out)
    assert {v["property"]: v for v in crashing["verdicts"]}["never_late"]["holds"] is False


def test_a_frontier_in_which_a_process_does_not_crash() -> None:
    """It ended with a run in which the reliable primary crashes."""
    found = sp.frontier(sp.protocol("heartbeat-failover"), faults=["stop"])
    assert found.breaking
    assert all(b.verdict.replayed and "crash" not in str(b.verdict.witness) for b in found.breaking)
