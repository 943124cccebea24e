"""`stormproof replay` on the command line: what it reads, what it says, and how it ends."""

from __future__ import annotations

import json
import sys
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from stormproof.apps.cli.replay import PYTHON_ROLES
from stormproof.trust.saved.saved_report import RESULT_KEYS, VERDICT_KEYS
from tests.support.command_line import Run

ROLES = """
import pathlib
import stormproof as sp

pathlib.Path("trace").touch()

@sp.role
def A():
    yield sp.send("B", "hello")

@sp.role
def B():
    got = yield sp.receive("A")

def protocol():
    return sp.extract(A, B)
"""
SURVIVAL = ("--property", "recovers", "--property", "clean", "--certificate", "--json")


def saved(run: Run, *arguments: str) -> Any:
    return json.loads(run("check", *arguments, *SURVIVAL).out)


def replay(run: Run, data: Any, *flags: str) -> tuple[int, str]:
    found = run("replay", "-", *flags, stdin=data if isinstance(data, str) else json.dumps(data))
    said = found.out + found.err
    return found.code, said if "--json" in flags else " ".join(said.split())


def test_what_is_proved_is_said(run: Run) -> None:
    code, out = replay(run, saved(run, "alternating-bit", "--loss"))
    assert code == 0
    assert "✔ proved recovers is violated: " in out and "no run has fewer faults" in out
    assert "✔ proved clean holds: " in out and "any channel length" in out


def test_the_rows_in_json(run: Run) -> None:
    code, out = replay(run, saved(run, "alternating-bit", "--loss"), "--json")
    found = json.loads(out)
    assert code == 0 and found["notes"] == []
    assert [(row["property"], row["holds"], row["proved"]) for row in found["replays"]] == [
        ("recovers", False, True),
        ("clean", True, True),
    ]


def test_help_lists_the_exit_codes(run: Run) -> None:
    out = run("replay", "--help").out
    for line in ("0 everything", "1 something is refused", "2 the file is not", "3 something is not proved"):
        assert line in out
    assert "--certificate --json" in out


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('"verdicts": [], "verdicts"', "the key 'verdicts' stands twice in one object"),
        ('"verdicts": [{"property": "clean", "property": "recovers"}], "more"', "'property' stands twice"),
    ],
)
def test_a_key_that_stands_twice_leaves_all_unproved(run: Run, text: str, said: str) -> None:
    whole = json.dumps(saved(run, "alternating-bit"))
    code, out = replay(run, whole.replace('"verdicts"', text, 1))
    assert code == 3 and "? not proved" in out and said in out


LONG = {"digits": "1" * 5000, "negative": "-" + "1" * 5000, "1e999": "1e999"}


@pytest.mark.parametrize("name", [*LONG, "NaN", "Infinity"])
def test_a_number_that_is_too_long_is_refused_with_a_sentence(run: Run, name: str) -> None:
    number = LONG.get(name, name)
    whole = json.dumps({**saved(run, "alternating-bit"), "seconds": "HERE"})
    code, out = replay(run, whole.replace('"HERE"', number))
    assert code == 2 and ("too large" if name in LONG else name) in out
    assert "1" * 200 not in out and "Traceback" not in out


@pytest.mark.parametrize("digits", ["9" * 5000, "1 " + "9" * 5000, "1_0", "-1", "٣"], ids=range(5))
def test_a_number_of_a_certificate_that_is_none_is_refused(run: Run, digits: str) -> None:
    data = saved(run, "alternating-bit", "--loss")
    data["verdicts"][1]["certificate"]["storms"] = [digits]
    code, out = replay(run, data)
    assert code == 1 and "✘ refused clean holds: " in out


@pytest.mark.parametrize(
    ("whole", "said"),
    [
        ({"stormproof": 1, "reports": []}, "there is no result in it"),
        ({"stormproof": 1, "models": {}}, "there is no result in it"),
        ({"stormproof": 1, "reports": [{"file": "a.storm", "error": "no such file"}]}, "could not be read"),
    ],
)
def test_nothing_is_not_proved(run: Run, whole: Any, said: str) -> None:
    code, out = replay(run, whole)
    assert code == 3 and said in out
    (row,) = json.loads(replay(run, whole, "--json")[1])["replays"]
    assert row["proved"] is None


def test_what_stands_beside_several_results_is_named(run: Run) -> None:
    one = saved(run, "alternating-bit")
    whole = {"stormproof": 1, "reports": [{"file": "a", **one}]}
    assert replay(run, whole)[0] == 0
    code, out = replay(run, {**whole, "verdicts": one["verdicts"]})
    assert code == 3 and "'verdicts' beside 'reports'" in out
    assert replay(run, {**whole, "stormproof": 2})[0] == 2
    first, second = {"file": "a", **one}, {"file": "b", **saved(run, "half-duplex", "--loss")}
    two = {"stormproof": 1, "reports": [first, second]}
    first["verdicts"], second["verdicts"] = second["verdicts"], first["verdicts"]
    assert replay(run, two)[0] == 1


def test_certificates_of_k_properties(run: Run, tmp_path: Path) -> None:
    run("table", "alternating-bit", "--certificates", str(tmp_path))
    (*_, file) = sorted(tmp_path.glob("*.json"))
    data = json.loads(file.read_text("utf-8"))
    code, out = replay(run, data)
    assert code == 0 and "✔ proved" in out
    assert replay(run, {**data, "checked": True})[0] == 2
    assert replay(run, {**data, "k": 0})[0] == 1
    assert replay(run, {**data, "runs": [*data["runs"], *data["runs"][:1]]})[0] == 2
    assert replay(run, json.dumps(data).replace('"k"', '"k": 1, "k"', 1))[0] in (2, 3)


def test_python_of_the_file_is_never_run(run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """And it is said that the automata of Python roles are taken as given."""
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "greet.py").write_text(ROLES, encoding="utf-8")
    data = saved(run, "greet.py:protocol")
    assert data["roles"] == "python" and (tmp_path / "trace").exists()
    (tmp_path / "trace").unlink()
    several = {"stormproof": 1, "reports": [{"file": "greet.py:protocol", **data}]}
    for whole in (data, several):
        code, out = replay(run, whole)
        assert code == 0 and f"note: {PYTHON_ROLES}" in " ".join(out.split())
        assert json.loads(replay(run, whole, "--json")[1])["notes"] == [PYTHON_ROLES]
    assert not (tmp_path / "trace").exists()
    assert PYTHON_ROLES not in replay(run, saved(run, "alternating-bit"))[1]
    assert replay(run, {**data, "roles": "greet.py"})[0] == 2


def test_every_key_of_a_result_is_known() -> None:
    """Whoever adds a key decides what replaying it means."""
    schema = json.loads((resources.files("stormproof") / "schemas" / "report.schema.json").read_text("utf-8"))
    assert {*schema["properties"]} == {*RESULT_KEYS} - {"reproducer", "file"}
    assert {*schema["$defs"]["verdict"]["properties"]} == {*VERDICT_KEYS}
