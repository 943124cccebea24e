"""What a command reports of the vectors, judged: nothing that was not run passes."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.limits import Limits, within
from stormproof.live.testing.generate import RoleUnderTest, what_is_tested
from stormproof.live.testing.run_vectors import HANDLERS, CodeReport, judge_report, run_vectors
from stormproof.live.testing.vectors import RUNNERS, runner, vector_scenarios, vectors_of, vectors_text
from tests.live.testing.test_vectors import (
    RELAY,
    Forgets,
    NeverAgain,
    Right,
    Twice,
    load_runner,
)


@cache
def role_runs() -> RoleUnderTest:
    return what_is_tested(sp.loads(RELAY, format="storm"), "Relay", None, effort=1_000)


def reported(make: Any, folder: Path, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """What the runner in Python says of an implementation."""
    (folder / RUNNERS["python"]).write_text(runner("python"), "utf-8")
    (folder / "v.json").write_text(vectors_text(vectors_of(role_runs())), "utf-8")
    report = folder / "report.ndjson"
    monkeypatch.setenv("STORMPROOF_REPORT", str(report))
    suite = load_runner(folder / RUNNERS["python"]).Vectors(folder / "v.json")
    for name in suite.names:
        try:
            suite.follow(name, make)
        except BaseException as problem:
            assert type(problem).__name__ in ("AssertionError", "SkipTest")
    return [json.loads(line) for line in report.read_text("utf-8").splitlines()]


def judged(rows: Any, code: int = 0) -> CodeReport:
    written = "".join(json.dumps(row) + "\n" for row in rows)
    return judge_report(role_runs(), written.encode(), code)


@pytest.fixture
def right(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[list[dict[str, Any]]]:
    yield reported(Right, tmp_path, monkeypatch)


def test_a_right_implementation_passes_and_realises_what_it_does(right: list[dict[str, Any]]) -> None:
    found = judged(right)
    assert found.exit_code == 0 and len(found.with_verdict("passed")) == len(found.results) > 2
    handlers = {row.words: row.handlers for row in found.coverage}
    assert {*handlers["begin: sends publish to Broker -> waiting"]} == {*HANDLERS}
    assert handlers["waiting: times out -> begin"] == ("expire",)
    assert handlers["done: receives busy from Broker -> done"] == ("receive",)
    # What it sends, it sends at once: it is never restarted before.
    assert handlers["begin: restarts -> begin"] == ()
    assert [row.words for row in found.never] == [w for w, h in handlers.items() if not h]


@pytest.mark.parametrize("wrong", [NeverAgain, Forgets, Twice])
def test_a_wrong_one_fails_with_its_run(
    wrong: type[Right], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = judged(reported(wrong, tmp_path, monkeypatch), code=1)
    assert found.exit_code == 1 and not found.problems
    failed = found.with_verdict("failed")
    assert failed and all("the protocol allows" in result.why for result in failed)
    assert all(result.answer is not None and result.answer.run is not None for result in failed)


def test_what_was_not_run_fails(right: list[dict[str, Any]]) -> None:
    found = judged(right[1:])
    assert found.exit_code == 1 and [r.name for r in found.with_verdict("not run")] == [right[0]["vector"]]
    for written in (None, b"", b"\n"):
        found = judge_report(role_runs(), written, 0)
        assert found.exit_code == 1 and "STORMPROOF_REPORT" in found.problems[0]
        assert len(found.with_verdict("not run")) == len(found.results)


def test_a_report_is_not_believed(right: list[dict[str, Any]]) -> None:
    """A vector that is said to pass must do what its run says."""
    for steps in ([], right[0]["steps"][:1], "all", [{"transition": "send"}]):
        found = judged([{**right[0], "steps": steps}, *right[1:]])
        assert found.exit_code == 1, steps
        (failed,) = found.with_verdict("failed")
        assert "not to do what the vector says" in failed.why
    twice = [{"transition": ["send", "Broker", "publish"], "handler": "start"}] * 2
    found = judged([{**right[0], "steps": twice}, *right[1:]])
    (failed,) = found.with_verdict("failed")
    assert failed.why.startswith("it sends publish to Broker; the protocol allows: ")
    assert failed.answer is not None and failed.answer.conforms is False


def test_lines_that_say_nothing_fail(right: list[dict[str, Any]]) -> None:
    written = "".join(json.dumps(row) + "\n" for row in right)
    for line, what in (
        ("{", "names no vector"),
        ("[]", "names no vector"),
        ('{"vector": "covering"}', "names no vector"),
        ('{"vector": "other", "verdict": "passed"}', "speaks of a vector 'other'"),
    ):
        found = judge_report(role_runs(), (written + line + "\n").encode(), 0)
        assert found.exit_code == 1 and what in found.problems[0]


def test_the_worst_of_several_reports_counts(right: list[dict[str, Any]]) -> None:
    undecided = {**right[0], "verdict": "undecided", "why": "in 100 attempts it waits", "steps": []}
    for rows in ([*right, undecided], [undecided, *right]):
        found = judged(rows)
        assert found.exit_code == 3 and len(found.with_verdict("undecided")) == 1
    failed = {**right[0], "verdict": "failed", "why": "it waits"}
    assert judged([*right, undecided, failed]).exit_code == 1


def test_a_command_that_fails_otherwise_fails(right: list[dict[str, Any]]) -> None:
    found = judged(right, code=7)
    assert found.exit_code == 1 and "ended with code 7, though no vector failed" in found.problems[0]


def test_no_vector_restarts_before_what_is_sent(right: list[dict[str, Any]]) -> None:
    """And none is the beginning of another."""
    runs = [scenario.events for scenario in vector_scenarios(role_runs())]
    assert len(runs) > 2 and any(event.do == "restart" for run in runs for event in run)
    for run in runs:
        assert not any(other != run and other[: len(run)] == run for other in runs)


def test_a_command_that_takes_too_long_is_ended() -> None:
    """What it started is ended, too, and the answer is undecided."""
    from stormproof.limits import interrupting

    sleep = f"{shlex.quote(sys.executable)} -c 'import time; time.sleep(60)'"
    limits = Limits(seconds=1)
    with within(limits.seconds), interrupting():
        found = run_vectors(role_runs(), sleep)
    assert found.exit_code == 3 and "time limit" in found.stopped
