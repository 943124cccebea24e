"""Runs with so many faults at most; named goals and the states that crash handling adds."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.apps.cli import main
from stormproof.search.reachability.answer import REACHABLE, UNDECIDED, UNREACHABLE

TWICE = """
role A { s0: B!x -> s1
  s1: B!x -> s2
  s2: }
role B { w: A?x -> d
  d: A?x -> d }
"""
RELAY = """
role C { c: A!go -> d
  d: }
role A { a: C?go -> b
  b: B!x -> e
  e: }
role B { w: A?x -> v
  v: }
"""


@pytest.mark.parametrize(
    ("budget", "answer"),
    [(0, UNREACHABLE), (1, UNREACHABLE), (2, REACHABLE), ("loss=1", UNREACHABLE), ("reorder=0", REACHABLE)],
)
def test_a_goal_within_a_budget(budget: int | str, answer: str) -> None:
    found = sp.reach(sp.loads(TWICE), "deadlock", sp.Failures(loss=True, reorder=True, budget=budget))
    assert found.answer == answer
    if found.run is not None:
        assert found.run.fault_count == 2 and found.run.fault_counts == {"loss": 2} and found.fewest


@pytest.mark.parametrize(("budget", "answer"), [("crash=0", UNREACHABLE), ("crash=1,loss=0", REACHABLE)])
def test_an_announced_crash_counts_as_one(budget: str, answer: str) -> None:
    text = (
        "unreliable role A { s: internal crash -> x\n x: B!crash -> z\n z: }\nrole B { w: A?crash -> d\n d: }"
    )
    assert sp.reach(sp.loads(text), "A@z", sp.Failures(as_written=True, budget=budget)).answer == answer


def test_a_longer_mailbox_may_need_fewer_faults() -> None:
    """With one message in the mailbox of B, B has lost the other; with two, nothing needs to be lost."""
    text = "communication mailbox\n" + TWICE
    found = sp.reach(sp.loads(text), "A@s2 & B@w", sp.Failures(loss=True))
    assert found.run is not None and found.run.fault_count == 0 and found.fewest


@pytest.mark.parametrize(
    ("goal", "faults"), [("!A->B=[x] & A->B contains x", 0), ("A@s2 & !A->B contains x & B@w", 2)]
)
def test_what_a_goal_excludes_is_searched_for(goal: str, faults: int) -> None:
    found = sp.reach(sp.loads(TWICE), goal, sp.Failures(loss=True))
    assert found.answer == REACHABLE and found.run is not None and found.run.fault_count == faults


def test_a_proof_for_any_number_of_faults_stands() -> None:
    system = sp.protocol("alternating-bit-retransmit")
    goal = "Sender@send1 & Receiver@expect0"
    found = sp.reach(system, goal, sp.Failures(loss=True, budget=3))
    assert found.answer == UNREACHABLE and found.certificate is not None


def test_longer_channels_are_not_excluded() -> None:
    """It is reached with one overtaking, which the budget forbids; the sender may send for ever."""
    text = "role A { s: B!x -> s\n B!y -> t\n t: }\nrole B { w: A?x -> w\n A?y -> d\n d: A?x -> bad\n bad: }"
    found = sp.reach(sp.loads(text), "B@bad", sp.Failures(reorder=True, loss=True, budget="reorder=0"))
    assert found.answer in (UNDECIDED, UNREACHABLE)
    assert sp.reach(sp.loads(text), "B@bad", sp.Failures(reorder=True, budget=1)).answer == REACHABLE


def test_what_has_no_budget_says_so(capsys: pytest.CaptureFixture[str]) -> None:
    for flag in (["--bounds"], ["deadlock", "--pnml", "-"]):
        with pytest.raises(SystemExit) as leaving:
            main(["reach", "alternating-bit", *flag, "--loss", "--budget", "1"])
        assert leaving.value.code == 2 and "is for any number of faults" in capsys.readouterr().err
    with pytest.raises(sp.UsageError, match="cannot be asked within a budget"):
        sp.reach(sp.loads(TWICE), "deadlock-for-good", sp.Failures(loss=True, budget=1))


def test_deadlock_does_not_match_states_that_were_added() -> None:
    crash = sp.Failures(crash="C")
    found = sp.reach(sp.loads(RELAY), "deadlock", crash)
    assert found.answer == UNREACHABLE
    assert "not looked for in states that crash handling added (gave_up of A)" in found.notes
    assert sp.reach(sp.loads(RELAY), "deadlock", crash, with_added_states=True).answer == REACHABLE
    assert sp.reach(sp.loads(RELAY), "deadlock & A@gave_up", crash).answer == REACHABLE
    assert sp.reach(sp.loads(RELAY), "A@gave_up", crash).answer == REACHABLE, "it is not a named goal"
    silent = sp.reach(sp.loads(RELAY), "deadlock", sp.Failures(stop="C"))
    assert silent.answer == REACHABLE, "nothing was added for a silent stop"
    assert "C may stop silently, and nobody is informed" in silent.notes


def test_requirements_are_about_every_configuration() -> None:
    """Definitions 10.6: those in which somebody is where completion has led it, too."""
    system = sp.require(sp.loads(RELAY), "require never deadlock")
    report = sp.check(system, sp.Failures(crash="C"))
    for verdict in (report["never deadlock"], report["recovers"]):
        assert verdict.holds is False and verdict.replayed
        assert "crash handling has added gave_up of A" in verdict.notes


def test_as_written_adds_nothing() -> None:
    report = sp.check(sp.protocol("crash-commit"), sp.Failures(as_written=True), properties=["recovers"])
    assert report.given is not None and report.system.names == report.given.names
    assert report.assumed == "A may crash, announced to everybody"
    assert report.to_json()["failures"]["as_written"] is True


def test_who_cannot_crash_as_written_does_not_survive_its_crash() -> None:
    with pytest.raises(sp.UsageError, match="as written, C cannot crash: there is no action crash in C"):
        sp.survives(sp.loads(RELAY), sp.Failures(crash="C", as_written=True))
