"""Commands on files with constants, variables and families."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import stormproof as sp
from tests.support.command_line import Run

COUNTER = """protocol counter
const most = 3

role A {
  var sent: 0..most
  run: B!tick(sent) -> run { sent = sent + 1 }
       timeout stop -> done
  done:
}

role B {
  idle: A?tick(_) -> idle
}

require small: never A.sent > 1
"""


@pytest.fixture
def counter(tmp_path: Path) -> str:
    path = tmp_path / "counter.storm"
    path.write_text(COUNTER)
    return str(path)


def test_a_value_out_of_its_domain_is_a_violation_with_a_run_and_its_line(run: Run, counter: str) -> None:
    done = run("check", counter)
    assert done.code == 1
    assert "sent leaves 0..3 with 4 in line 6" in " ".join(done.out.split())
    assert "counter.storm:6" in done.out


def test_constants_are_set_by_commands_and_in_python(run: Run, counter: str) -> None:
    shown = json.loads(run("convert", counter, "--set", "most=1", "--to", "json", "--json").out)
    assert "run{sent=1}" in shown["text"] and "run{sent=2}" not in shown["text"]
    again = run("convert", counter, "--set", "most=1", "--to", "storm").out
    assert again == COUNTER.replace("most = 3", "most = 1")
    system = sp.load(counter, constants={"most": 1})
    assert len(system["A"].states) == 5, "two numbers, each at its end, too, and the mistake"
    assert run("check", counter, "--set", "most=0", "--property", "small").code == 0
    assert run("check", counter, "--property", "small").code == 1


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ("mots=3", "there is no constant 'mots'"),
        ("most", "'most' sets no constant"),
        ("most=", "'most=' sets no constant"),
        ("most=x", "unknown name 'x'"),
        ("most=true", "the constant 'most' is a number, and true is bool"),
        ("most=-1", "there is nothing in 0..-1"),
    ],
)
def test_what_cannot_be_set_is_said(run: Run, counter: str, given: str, said: str) -> None:
    done = run("check", counter, "--set", given)
    assert done.code == 2 and said in done.err and "Traceback" not in done.err


def test_only_storm_files_have_constants(run: Run, tmp_path: Path) -> None:
    (tmp_path / "a.kmc").write_text("A: B!x;end\nB: A?x;end\n")
    assert "constants are those of .storm files" in run("check", str(tmp_path / "a.kmc"), "--set", "n=1").err
    assert "the file has none" in run("check", "alternating-bit", "--set", "n=1").err


def test_goals_by_hand_name_values(run: Run, counter: str) -> None:
    assert "run: 2 steps" in run("reach", counter, "A.sent = 2 & A->B contains tick(1)").out
    assert "run: 3 steps" in run("reach", counter, "A@run{sent=3}").out
    assert run("reach", counter, "A.sent = 0 & A->B contains tick(1)").code == 0
    done = run("reach", counter, "A.snet = 2")
    assert done.code == 2 and "A has no variable 'snet'" in done.err
    done = run("reach", counter, "A.sent = true")
    assert done.code == 2 and "0..3 is never equal to bool" in done.err


def test_a_value_that_is_not_kept_is_no_part_of_a_goal(run: Run, counter: str) -> None:
    Path(counter).write_text(COUNTER.replace("require small: never A.sent > 1", ""))
    done = run("reach", counter, "A@done & A.sent = 2")
    assert done.code == 2 and "nobody reads sent in A@done" in done.err


def test_saved_results_are_made_again_from_their_text(run: Run, counter: str, tmp_path: Path) -> None:
    saved = json.loads(run("check", counter, "--set", "most=2", "--property", "small", "--json").out)
    assert saved["source"] == {"text": COUNTER, "constants": {"most": "2"}}
    path = tmp_path / "result.json"
    path.write_text(json.dumps(saved))
    assert run("replay", str(path)).code == 0
    for forged in ({"most": "3"}, {}):
        path.write_text(json.dumps(saved | {"source": saved["source"] | {"constants": forged}}))
        done = run("replay", str(path))
        assert done.code == 1 and "not what its text describes with these constants" in done.out
    path.write_text(json.dumps(saved | {"source": {"text": "role A {", "constants": {}}}))
    assert run("replay", str(path)).code == 1


@pytest.mark.parametrize("command", ["explain", "classify", "frontier", "show", "lint", "report"])
def test_commands_take_files_with_data(run: Run, counter: str, tmp_path: Path, command: str) -> None:
    more = ["-o", str(tmp_path / "report.html")] if command == "report" else []
    done = run(command, counter, *more)
    assert done.code in (0, 1, 3), done.err
    assert "Traceback" not in done.err and "internal error" not in done.err


def test_repairs_are_not_searched_for_and_that_is_said(run: Run, counter: str) -> None:
    assert "Repairs are not searched for" in run("explain", counter).out
