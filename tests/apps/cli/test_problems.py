"""Outcomes without an answer: one clear message, in JSON with --json, in colour on a terminal."""

from __future__ import annotations

import json
from importlib import resources
from pathlib import Path
from typing import Any

import click
import jsonschema
import pytest

from stormproof.apps.cli import COMMANDS, GROUPS
from stormproof.apps.cli.problems import coloured
from stormproof.errors import ParseError, Place
from tests.support.command_line import Outcome, Run

WRONG = "role A {\n  a: Bb!m -> b\n  b:\n}\nrole B {\n  a: A?m -> c\n}\n"


def refusal(result: Outcome) -> dict[str, Any]:
    text = (resources.files("stormproof") / "schemas" / "refusal.schema.json").read_text("utf-8")
    data: dict[str, Any] = json.loads(result.out)
    jsonschema.validate(data, json.loads(text))
    assert data["exit_code"] == result.code
    assert data["error"] == result.err.strip("\n")
    return data


@pytest.mark.parametrize(
    "command",
    [
        "check",
        "classify",
        "explain",
        "report",
        "frontier",
        "mutate",
        "show",
        "draw",
        "convert",
        "crash",
        "project",
        "fmt",
    ],
)
def test_mistakes_in_the_input_are_json_with_their_places(run: Run, tmp_path: Path, command: str) -> None:
    path = tmp_path / "wrong.storm"
    path.write_text("role A {\n  a: B m -> b\n  b:\n}\n")
    data = refusal(run(command, path, "--json"))
    assert next((p["file"], p["line"]) for p in data["problems"]) == (str(path), 2)


def test_every_mistake_of_a_file_is_a_problem(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wrong.storm"
    path.write_text(WRONG)
    data = refusal(run("check", path, "--json"))
    assert [(p["line"], p["message"].split(" '")[0]) for p in data["problems"]] == [
        (2, "unknown role"),
        (6, "unknown state"),
    ]


@pytest.mark.parametrize("command", [name for name in COMMANDS if name not in ("studio", "lsp", "mcp")])
def test_a_wrong_flag_is_json_in_every_command(run: Run, command: str) -> None:
    result = run(command, "--no-such-flag", "--json")
    data = refusal(result)
    assert result.code == 2 and "no-such-flag" in data["problems"][0]["message"].casefold()


def test_a_missing_file_is_json(run: Run, tmp_path: Path) -> None:
    missing = tmp_path / "missing.storm"
    assert refusal(run("check", missing, "--json"))["problems"][0]["file"] == str(missing)
    lists = json.loads(run("check", "half-duplex", missing, "--json").out)["reports"]
    assert "problems" in lists[1] and lists[1]["problems"][0]["message"] == "there is no such file"


def test_a_limit_before_any_answer_is_json(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("stormproof.apps.cli.explain._asked", interrupted)
    assert refusal(run("explain", "half-duplex", "--json"))["error"] == "undecided: interrupted"


def test_a_defect_is_json(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("stormproof.apps.cli.explain._asked", lambda *_, **__: 1 / 0)
    assert "ZeroDivisionError" in refusal(run("explain", "half-duplex", "--json"))["error"]


def test_without_json_standard_output_stays_empty(run: Run, tmp_path: Path) -> None:
    assert run("check", tmp_path / "missing.storm").out == ""
    assert run("check", "--", "--json").out == ""


def test_a_mistake_in_colour_says_the_same() -> None:
    place = Place("a.storm", 3, 5, "  a: Bb!m -> b", 2)
    problem = ParseError("unknown role 'Bb'", place=place, hint="did you mean 'B'?")
    plain = problem.report()
    shown = coloured(plain)
    assert click.unstyle(shown) == plain
    assert click.style("error: ", fg="red", bold=True) in shown
    assert click.style("^^", fg="red", bold=True) in shown


def test_colour_is_for_terminals_only(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "wrong.storm"
    path.write_text(WRONG)
    assert "\x1b" not in run("check", path).err + run("lint", path).out + run("--help").out


def test_the_help_lists_each_command_once_in_a_group(run: Run) -> None:
    out = run("--help").out
    assert sum(len(commands) for commands in GROUPS.values()) == len(COMMANDS)
    for title, commands in GROUPS.items():
        rest = out.split(f"{title}:\n")[1]
        assert [line.split()[0] for line in rest.splitlines()[: len(commands)]] == list(commands)
    assert run().err == out


def test_a_misspelt_requirement_has_a_hint(run: Run) -> None:
    result = run("check", "lock", "--property", "mutx")
    assert result.code == 2 and "did you mean 'mutex'?" in result.err


def test_lint_says_when_there_is_nothing(run: Run) -> None:
    assert run("lint", "half-duplex").out == "no mistakes and no warnings in 1 file\n"


def test_fmt_shows_what_would_change(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.storm"
    path.write_text("role A { a: B!m -> b\n b: }\nrole B { a: A?m -> b\n b: }\n")
    result = run("fmt", "--diff", path)
    assert result.code == 1 and result.out.startswith(f"--- {path}\n+++ {path} (canonical)\n@@ ")
    assert "+  a: B!m -> b\n" in result.out
    assert json.loads(run("fmt", "--diff", "--json", path).out)["files"][0]["diff"] == result.out
    assert run("fmt", "--write", path).code == 0
    result = run("fmt", "--diff", path)
    assert (result.code, result.out) == (0, "")
    assert run("fmt", "--diff", "--check", path).code == 2
