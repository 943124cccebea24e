"""A Python file or a role that ends the process is wrong input: no command leaves with 0 or says nothing."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import time
from pathlib import Path

import pytest

from stormproof.apps.cli import COMMANDS
from tests.support.paths import STORMPROOF
from tests.support.processes import Process, started

ROLES = """
import atexit, ctypes, os, signal, sys, threading, time
import stormproof as sp

@sp.role
def A():
    {role}
    yield sp.send("B", "hello")
    {later}

@sp.role
def B():
    yield sp.receive("A")
    yield sp.receive("A", timeout=1, at="waiting", rest=True)

{top}

def protocol():
    {call}
    return sp.extract(A, B)
"""

#: Ways to end a process, and what is said of them.
ENDS = {
    "os._exit(0)": "the file has ended the process: exit code 0",
    "list(map(os._exit, [0]))": "the file has ended the process: exit code 0",
    "ctypes.CDLL(None)._exit(0)": "the file has ended the process: exit code 0",
    "os.execv('/bin/true', ['true'])": "the file has ended the process: exit code 0",
    "os.kill(os.getpid(), signal.SIGKILL)": "the file has ended the process: killed by SIGKILL",
    "os.abort()": "the file has ended the process: killed by SIGABRT",
    "os.kill(os.getpid(), signal.SIGTERM); time.sleep(5)": "raises KeyboardInterrupt, or sends a signal",
    "raise KeyboardInterrupt": "raises KeyboardInterrupt, or sends a signal",
    "sys.exit(0)": "raises SystemExit: 0",
    "raise GeneratorExit": "raises GeneratorExit",
}

#: Every command that takes a protocol, and so one in Python.
COMMANDS_OF_A_FILE = {
    "check": [],
    "lint": [],
    "show": [],
    "convert": ["--to", "storm"],
    "compare": ["alternating-bit"],
    "classify": [],
    "explain": [],
    "report": [],
    "studio": ["--no-open"],
    "draw": [],
    "reach": ["deadlock"],
    "trace": ["log.ndjson"],
    "testgen": ["--role", "A"],
    "crash": [],
    "frontier": [],
    "mutate": [],
    "gate": ["--role", "A", "--run", "true"],
}
#: These read no Python; a campaign and a table carry systems to other processes.
OTHERS = {"fmt", "list", "lsp", "mcp", "replay", "generate", "table", "campaign", "completion", "project"}


def write(tmp_path: Path, **parts: str) -> None:
    filled = {"role": "pass", "later": "pass", "top": "", "call": "pass", **parts}
    text = re.sub(r"\{(\w+)\}", lambda found: filled[found[1]], ROLES)
    (tmp_path / "roles.py").write_text(text, encoding="utf-8")
    (tmp_path / "log.ndjson").write_text('{"role": "A", "do": "send", "peer": "B", "message": "hello"}\n')


def run(tmp_path: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [STORMPROOF, *arguments],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=120,
    )


def test_every_command_is_tried() -> None:
    assert COMMANDS_OF_A_FILE.keys() | OTHERS == COMMANDS.keys()


@pytest.mark.parametrize("end", ENDS)
def test_a_file_that_ends_the_process_is_an_error(tmp_path: Path, end: str) -> None:
    write(tmp_path, top=end)
    done = run(tmp_path, "check", "roles.py:protocol")
    assert (done.returncode, done.stdout) == (2, "")
    assert "roles.py" in done.stderr and ENDS[end] in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("command", COMMANDS_OF_A_FILE)
def test_no_command_leaves_with_0(tmp_path: Path, command: str) -> None:
    write(tmp_path, call="os._exit(0)")
    done = run(tmp_path, command, "roles.py:protocol", *COMMANDS_OF_A_FILE[command])
    assert done.returncode == 2, done.stderr
    assert "the file has ended the process: exit code 0" in done.stdout + done.stderr


@pytest.mark.parametrize("command", sorted(OTHERS & {"table", "campaign", "fmt", "replay", "project"}))
def test_what_reads_no_python_refuses_it(tmp_path: Path, command: str) -> None:
    write(tmp_path, top="os._exit(0)")
    more = ["-o", "results.jsonl"] if command == "campaign" else []
    done = run(tmp_path, command, "roles.py:protocol", *more)
    assert done.returncode == 2 and done.stderr


@pytest.mark.parametrize("place", ["role", "later"])
@pytest.mark.parametrize("end", ["list(map(os._exit, [0]))", "list(map(os.kill, [os.getpid()], [9]))"])
def test_a_role_that_ends_the_process_is_an_error(tmp_path: Path, place: str, end: str) -> None:
    write(tmp_path, **{place: f"x = {end}"})
    done = run(tmp_path, "check", "roles.py:protocol")
    assert (done.returncode, done.stdout) == (2, "")
    assert (
        "ends the process" in done.stderr or "ended the process" in done.stderr or "this calls" in done.stderr
    )


def test_a_role_that_ends_the_process_ends_no_other_program(tmp_path: Path) -> None:
    """A test with `sp.extract` would be green with all that follow it."""
    write(tmp_path, role="x = list(map(os._exit, [0]))")
    script = "import stormproof, roles\nroles.protocol()\n"
    (tmp_path / "script.py").write_text(script, encoding="utf-8")
    python = STORMPROOF.parent / "python"
    done = subprocess.run([python, "script.py"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert done.returncode == 1 and "evaluating a role ends the process" in done.stderr


@pytest.mark.parametrize(
    "top", ["atexit.register(os._exit, 0)", "threading.Timer(0.05, os._exit, [0]).start(); time.sleep(0.0)"]
)
def test_what_a_file_leaves_behind_changes_no_answer(tmp_path: Path, top: str) -> None:
    write(tmp_path, top=top)
    done = run(tmp_path, "check", "roles.py:protocol", "--loss")
    answered = done.returncode == 1 and "✘" in done.stdout
    assert answered or (done.returncode == 2 and "the file has ended the process" in done.stderr)


def test_another_file_was_answered_before(tmp_path: Path) -> None:
    write(tmp_path, top="os._exit(0)")
    done = run(tmp_path, "check", "alternating-bit", "roles.py:protocol")
    assert done.returncode == 2 and "alternating-bit" in done.stdout


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_from_outside_is_no_fault_of_the_file(tmp_path: Path, number: signal.Signals) -> None:
    write(tmp_path, top="open('here', 'w').close(); time.sleep(60)")
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with started([STORMPROOF, "check", "roles.py:protocol"], cwd=tmp_path, **pipes) as process:
        wait_for(tmp_path / "here", process)
        process.send_signal(number)
        _, said = process.communicate(timeout=60)
    assert process.returncode == 3 and said.strip() == "undecided: interrupted"


def test_the_copy_ends_with_the_command(tmp_path: Path) -> None:
    top = "open('here', 'w').write(str(os.getpid())); os.rename('here', 'pid'); time.sleep(60)"
    write(tmp_path, top=top)
    with started([STORMPROOF, "check", "roles.py:protocol"], cwd=tmp_path) as process:
        wait_for(tmp_path / "pid", process)
        copy = int((tmp_path / "pid").read_text())
        assert copy != process.pid
        process.kill()
        process.wait()
        for _ in range(600):
            try:
                os.kill(copy, 0)
            except ProcessLookupError:
                return
            if Path(f"/proc/{copy}/stat").exists() and ") Z " in Path(f"/proc/{copy}/stat").read_text():
                return  # nobody here collects the children of others
            time.sleep(0.1)
        pytest.fail("the copy goes on for nobody")


def wait_for(path: Path, process: Process) -> None:
    while not path.exists():
        assert process.poll() is None, "it has ended before"
        time.sleep(0.02)
