"""`check --jobs`: several files at a time, with the same answers as one after the other."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from stormproof.languages import formats
from stormproof.languages.protocols.generators import generate
from tests.support.processes import started

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system")

COMMAND = [sys.executable, "-c", "from stormproof_command import main; main()", "check"]
RIGHT = "protocol right\nrole A {\n  s: B!m -> t\n  t:\n}\nrole B {\n  s: A?m -> t\n  t:\n}\n"
WRONG = "protocol wrong\nrole A {\n  s: B!m -> t\n  t:\n}\nrole B {\n  s: A?other -> t\n  t:\n}\n"
ROLES = """
import stormproof as sp

@sp.role
def A():
    yield sp.send("B", "m")

@sp.role
def B():
    yield sp.receive("A")

def protocol():
    return sp.extract(A(), B())
"""
#: A role that raises a signal against the process that checks it.
DEADLY = "import os, signal\nos.kill(os.getpid(), signal.SIGKILL)\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "a.storm").write_text(RIGHT, "utf-8")
    (tmp_path / "b.storm").write_text(WRONG, "utf-8")
    (tmp_path / "c.storm").write_text("protocol broken\nrole A {", "utf-8")
    (tmp_path / "d.storm").write_text(RIGHT.replace("right", "last"), "utf-8")
    return tmp_path


@pytest.fixture
def endless(tmp_path: Path) -> list[str]:
    """A command line that is at work on two files for minutes."""
    (tmp_path / "large.storm").write_text(
        formats.dumps(generate("dining-philosophers", philosophers=9), "storm"), "utf-8"
    )
    (tmp_path / "other.storm").write_text(
        formats.dumps(generate("dining-philosophers", philosophers=8), "storm"), "utf-8"
    )
    files = [str(tmp_path / "large.storm"), str(tmp_path / "other.storm")]
    return [*COMMAND, *files, "--jobs", "2", "--effort", str(10**9), "--no-reduction", "--no-symmetry"]


def call(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    command = [*COMMAND, *map(str, arguments)]
    with started(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        out, err = process.communicate(timeout=120)
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def without_times(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: without_times(inner) for key, inner in value.items() if key != "seconds"}
    return [without_times(inner) for inner in value] if isinstance(value, list) else value


def test_the_same_answers_in_the_same_order(folder: Path) -> None:
    serial, parallel = call(folder, "--json"), call(folder, "--json", "--jobs", "3")
    assert without_times(json.loads(parallel.stdout)) == without_times(json.loads(serial.stdout))
    assert (parallel.returncode, parallel.stderr) == (serial.returncode, serial.stderr)
    names = [Path(row["file"]).name for row in json.loads(parallel.stdout)["reports"]]
    assert names == ["a.storm", "b.storm", "c.storm", "d.storm"]


def test_the_same_text_and_summary(folder: Path) -> None:
    def lines(out: str) -> list[str]:
        return [line for line in out.splitlines() if " configurations in " not in line]

    assert lines(call(folder, "--jobs", "2").stdout) == lines(call(folder).stdout)


def test_nothing_more_is_asked_after_a_violation(folder: Path) -> None:
    found = call(folder, "--jobs", "2", "--fail-fast")
    assert "--fail-fast: 2 files not checked" in found.stdout
    assert found.returncode == 1


def test_roles_in_python_run_in_their_own_process(folder: Path) -> None:
    (folder / "roles.py").write_text(ROLES, "utf-8")
    (folder / "deadly.py").write_text(DEADLY, "utf-8")
    found = call(f"{folder}/deadly.py:p", f"{folder}/roles.py:protocol", folder / "a.storm", "--jobs", "3")
    assert "the file has ended the process: killed by SIGKILL" in found.stderr
    assert "3 files: 2 survive, 1 not read" in found.stdout
    assert found.returncode == 2


def test_a_process_that_is_killed_costs_one_answer(endless: list[str], folder: Path) -> None:
    endless[len(COMMAND) + 1] = str(folder / "a.storm")
    with started(endless, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        for child in _children(process.pid, 1):
            os.kill(child, signal.SIGKILL)
        out, err = process.communicate(timeout=60)
    assert "undecided: its process was killed by SIGKILL" in err
    assert "2 files: 1 survive, 1 undecided" in out
    assert process.returncode == 3


def test_no_process_outlives_the_command(endless: list[str]) -> None:
    with started(endless, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        children = _children(process.pid, 2)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)
        assert process.returncode == 3
        assert len(children) == 2
        assert not [child for child in children if Path(f"/proc/{child}").exists()]


def _children(parent: int, wanted: int) -> list[int]:
    """Those that have lived for a moment, so that they are at work."""
    listed = Path(f"/proc/{parent}/task/{parent}/children")
    if not Path("/proc/self/task").exists():
        pytest.skip("there is no /proc")
    for _ in range(600):
        found = [int(word) for word in listed.read_text().split()]
        if len(found) >= wanted:
            time.sleep(0.5)
            return [int(word) for word in listed.read_text().split()]
        time.sleep(0.05)
    raise AssertionError("no process was started")
