"""Folders on the command line: the protocols in them, and nothing else."""

from __future__ import annotations

import json
from pathlib import Path

from stormproof.languages.formats import dumps, loads
from tests.support.command_line import Run

HOLDS = "role A { a: B!x -> b\n b: }\nrole B { a: A?x -> b\n b: }\n"


def test_other_files_in_a_folder_are_no_mistakes(run: Run, tmp_path: Path) -> None:
    (tmp_path / "holds.storm").write_text(HOLDS)
    (tmp_path / "again.json").write_text(dumps(loads(HOLDS), "json"))
    (tmp_path / "types.txt").write_text("A: B!x; end\nB: A?x; end\n")
    (tmp_path / "saved.json").write_text(run("check", tmp_path / "holds.storm", "--json").out)
    (tmp_path / "package.json").write_text('{"name": "shop"}')
    (tmp_path / "requirements.txt").write_text("stormproof\n")
    (tmp_path / "bytes.txt").write_bytes(b"\xff\x00")
    (tmp_path / ".git").mkdir()
    (tmp_path / ".git" / "old.storm").write_text("role")
    found = run("check", tmp_path, "--json")
    assert found.code == 0, found.err
    files = [Path(report["file"]).name for report in json.loads(found.out)["reports"]]
    assert files == ["again.json", "holds.storm", "types.txt"]
    assert run("lint", tmp_path).code == 0


def test_a_broken_protocol_in_a_folder_is_a_mistake(run: Run, tmp_path: Path) -> None:
    (tmp_path / "holds.storm").write_text(HOLDS)
    (tmp_path / "empty.storm").write_text("")
    (tmp_path / "broken.json").write_text('{"stormproof": 1, "processes": [')
    found = run("check", tmp_path)
    assert found.code == 2 and "empty.storm: it is empty" in found.err and "broken.json:1" in found.err
    assert found.out.count("not read: ".strip()) == 2 and "2 not read" in found.out
    assert run("lint", tmp_path).code == 2
