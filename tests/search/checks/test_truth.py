"""`bool()` of an answer is true only where it holds: `assert sp.survives(...)` fails where it does not."""

from __future__ import annotations

import ast
from pathlib import Path

import stormproof as sp
from tests.support.paths import ROOT

LOSS = sp.Failures(loss=True)
BREAKS, SURVIVES = sp.protocol("alternating-bit"), sp.protocol("alternating-bit-retransmit")
NOTHING = sp.Limits(states=1)


def test_survival() -> None:
    assert sp.survives(SURVIVES, LOSS)
    assert not sp.survives(BREAKS, LOSS)
    undecided = sp.survives(SURVIVES, LOSS, limits=NOTHING)
    assert undecided.holds is None and not undecided


def test_a_report_and_its_verdicts() -> None:
    assert sp.check(SURVIVES, LOSS) and sp.check(SURVIVES, LOSS)["recovers"]
    broken = sp.check(BREAKS, LOSS)
    assert not broken and not broken["recovers"] and broken["clean"]
    undecided = sp.check(SURVIVES, LOSS, limits=NOTHING)
    assert undecided.exit_code == 3 and not undecided
    assert not any(verdict for verdict in undecided if verdict.holds is not True)


def test_a_report_on_nothing_does_not_hold() -> None:
    empty = sp.check(BREAKS, LOSS, properties=[])
    assert not list(empty) and empty.exit_code == 3 and not empty


def test_an_expected_violation_is_as_it_should_be() -> None:
    system = sp.require(BREAKS, "expect violated recovers under loss")
    report = sp.check(system)
    (expected,) = (v for v in report if v.requirement is not None)
    assert expected.holds is False and expected.ok and expected


def test_a_comparison_with_logs(tmp_path: Path) -> None:
    log = tmp_path / "sender.ndjson"
    log.write_text('{"role": "Sender", "do": "send", "peer": "Receiver", "message": "d0"}\n')
    assert sp.trace(BREAKS, [log])
    log.write_text('{"role": "Sender", "do": "send", "peer": "Receiver", "message": "d1"}\n')
    assert not sp.trace(BREAKS, [log])
    log.write_text('{"role": "Sender", "do": "send", "peer": "Receiver", "message": "d0"}\n' * 3)
    undecided = sp.trace(SURVIVES, [log], LOSS, cut_off=True, limits=NOTHING)
    assert undecided.conforms is not True and not undecided


def test_reachability_holds_where_the_goal_is_never_reached() -> None:
    reached = sp.reach(BREAKS, "Sender@wait0")
    assert reached.answer == "reachable" and not reached
    never = sp.reach(BREAKS, "Sender->Receiver=[d0, d0]")
    assert never.answer == "unreachable" and never
    assert sp.channel_bounds(BREAKS)
    assert not sp.channel_bounds(SURVIVES)


def test_classes_and_frontiers() -> None:
    classes = sp.classify(BREAKS, max_k=1)
    assert classes and classes["perfect"]["k-mc"] and not classes["loss"]["k-mc"]
    assert not sp.frontier(BREAKS, faults=["loss"]) and not sp.fault_counts(BREAKS, faults=["loss"])
    assert sp.fault_counts(SURVIVES, faults=["loss"])["loss"]
    assert not sp.crash_sets(sp.protocol("two-phase-commit"), max_size=1)
    assert not sp.crash_handling(BREAKS.with_unreliable(BREAKS.names))
    assert not sp.explanations(sp.check(BREAKS, LOSS))[0]


def test_equality() -> None:
    assert sp.compare(BREAKS, BREAKS) and not sp.compare(BREAKS, SURVIVES)


def with_exit_codes() -> list[ast.ClassDef]:
    """The classes of answers that a command leaves with."""
    trees = [ast.parse(path.read_text("utf-8")) for path in (ROOT / "src/stormproof").rglob("*.py")]
    classes = [node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ClassDef)]
    return [node for node in classes if "exit_code" in methods(node)]


def methods(node: ast.ClassDef) -> set[str]:
    return {n.name for n in node.body if isinstance(n, ast.FunctionDef)}


def test_no_answer_with_an_exit_code_is_true_by_itself() -> None:
    found = with_exit_codes()
    assert len(found) >= 7 and [node.name for node in found if "__bool__" not in methods(node)] == []
