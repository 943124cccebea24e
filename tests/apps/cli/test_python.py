"""`module.py:protocol` on the command line: checks, conversions, and places in the Python source."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from tests.support.command_line import Run

MODULE = """
import stormproof as sp

@sp.role
def A():
    yield sp.send("B", "hello")
    yield sp.receive("B", timeout=1, at="waiting")

@sp.role
def B():
    got = yield sp.receive("A")
    {extra}
    yield sp.send("A", "bye")

def protocol():
    return sp.extract(A, B)
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "path", list(sys.path))
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "greet.py"
    path.write_text(MODULE.replace("{extra}", "pass"), encoding="utf-8")
    return path


def test_check_and_convert(run: Run, file: Path) -> None:
    answer = run("check", "greet.py:protocol", "--loss")
    assert answer.code == 1 and "B waits in line11" in run("explain", "greet.py:protocol", "--loss").out
    text = run("convert", "greet.py:protocol", "--to", "storm").out
    assert "waiting: B?bye -> ended\n           timeout -> ended" in text


def test_what_a_file_prints_is_no_part_of_the_output(run: Run, file: Path) -> None:
    file.write_text('print("hello")\n' + file.read_text("utf-8"), encoding="utf-8")
    answer = run("convert", "greet.py:protocol", "--to", "json")
    assert json.loads(answer.out) and "hello" in answer.err


def test_a_refusal_shows_its_line(run: Run, file: Path) -> None:
    file.write_text(MODULE.replace("{extra}", "print(got)"), encoding="utf-8")
    answer = run("check", "greet.py:protocol")
    wrong = "greet.py:12:5: error: this calls print, which depends or acts on more than its arguments"
    assert answer.code == 2 and wrong in answer.err
    assert "   12 |     print(got)" in answer.err


def test_files_are_named_as_the_command_names_them(
    run: Run, file: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those that it imports from the same folder too, in errors and in warnings."""
    imported = MODULE.replace("{extra}", "pass").partition("@sp.role\ndef B")[2]
    file.write_text(MODULE.replace("{extra}", "import os"), encoding="utf-8")
    file.with_name("other.py").write_text(
        "import stormproof as sp\nfrom greet import A\n@sp.role\ndef B"
        + imported.replace('"A")', '("A", "hi"))'),
        encoding="utf-8",
    )
    folder = file.parent
    (folder / "inner").mkdir()
    for here, prefix in ((folder, ""), (folder, "./"), (folder.parent, f"{folder.name}/")):
        monkeypatch.chdir(here)
        assert run("check", f"{prefix}greet.py:protocol").err.startswith(f"{prefix}greet.py:12:5: error: ")
        warnings = run("lint", f"{prefix}other.py:protocol").out
        assert f"{prefix}other.py:5:5: warning: B does nothing" in warnings
        assert f"{prefix}greet.py:6:5: warning: B never receives 'hello' from A" in warnings
    monkeypatch.chdir(folder / "inner")
    for prefix in ("../", f"{folder}/"):
        assert run("check", f"{prefix}greet.py:protocol").err.startswith(f"{prefix}greet.py:12:5: error: ")


def test_what_is_missing_is_said(run: Run, file: Path) -> None:
    assert "write greet.py:protocol" in run("check", "greet.py").err
    assert run("check", "greet.py:protokol").code == 2
    assert "no such file" in run("check", "great.py:protocol").err


def test_lint_points_to_lines_of_the_source(run: Run, file: Path) -> None:
    file.write_text(MODULE.replace('"bye")', '"bye")\n    yield sp.send("A", "again")'), encoding="utf-8")
    file.write_text(
        file.read_text("utf-8")
        .replace("{extra}", "pass")
        .replace('"B", timeout=1', '("B", "bye"), timeout=1')
    )
    answer = run("lint", "greet.py:protocol")
    assert "greet.py:14:5: warning: A never receives 'again' from B" in answer.out


def test_sarif_points_to_lines_of_the_source(run: Run, file: Path) -> None:
    """Requirements at their calls, an exception where it is raised, and the file as it was named."""
    text = MODULE.replace("{extra}", "assert not got").replace(
        "extract(A, B)", 'extract(A, B).require("r", never="A@waiting")'
    )
    file.write_text(text, encoding="utf-8")
    assert run("check", "greet.py:protocol", "--sarif", "out.sarif").code == 1
    found = json.loads(Path("out.sarif").read_text("utf-8"))["runs"][0]["results"]
    places = [result["locations"][0]["physicalLocation"] for result in found]
    lines = {
        r["message"]["text"].split(":")[0]: p["region"]["startLine"]
        for r, p in zip(found, places, strict=True)
    }
    assert lines["no exception in B"] == 12 and lines["r"] == 16
    assert {p["artifactLocation"]["uri"] for p in places} == {"greet.py"}
