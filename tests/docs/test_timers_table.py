"""docs/timers.md says of every command what it does with timers on time."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import stormproof as sp
from stormproof.apps.cli import COMMANDS
from stormproof.languages.formats.plain import plain
from stormproof.live.testing.interface import Implementation
from stormproof.live.testing.role_test import RoleTest
from tests.support.command_line import Run, run as run
from tests.support.paths import ROOT

TABLE = (ROOT / "docs" / "timers.md").read_text("utf-8").partition("<!-- timers -->")[2]
ROWS = {
    tuple(re.findall(r"`([\w-]+)`", commands)): what
    for commands, what in re.findall(
        r"^\| (`[^|]+) \| ([^|]+) \|$", TABLE.partition("<!-- /timers -->")[0], re.MULTILINE
    )
}
TEXT = """protocol wait
timers on time
role Client { idle: Server!ask -> asked
  asked: Server?answer -> served  timeout after 2 -> late  late:  served: }
role Server { ready: Client?ask -> busy
  busy: timeout work after 1 -> answer  answer: Client!answer -> done  done: }
require in-time: never Client@late
"""


def row(what: str) -> tuple[str, ...]:
    return next(commands for commands, said in ROWS.items() if what in said)


def test_every_command_stands_there_once() -> None:
    assert sorted(name for commands in ROWS for name in commands) == sorted(COMMANDS)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "wait.storm"
    found.write_text(TEXT, "utf-8")
    return found


def test_a_check_is_one_on_time_unless_told_otherwise(run: Run, path: Path) -> None:
    assert "check" in row("as the file or the flags say")
    assert run("check", path).code == 0 and "timers on time" in run("check", path).out
    assert run("check", path, "--timers", "any-time").code == 1


def test_what_is_refused_says_so(run: Run, path: Path) -> None:
    for command in row("refused"):
        found = run(command, path, "Client@late")
        assert found.code == 2 and "knows no clocks" in found.err and "any-time" in found.err


def test_other_languages_are_told_what_becomes_of_timers(run: Run, path: Path) -> None:
    assert "convert" in row("in other languages a timer is an internal action")
    assert "timers on time" in run("convert", path, "--to", "storm").out
    kept, said = plain(sp.loads(TEXT), mailboxes=True, process_faults=True)
    assert "timers, which become internal actions" in said and kept.timers == "any-time"


def test_generated_tests_let_timers_expire_early(path: Path) -> None:
    assert "testgen" in row("timers are real")
    test = RoleTest(TEXT, "Client", Implementation)
    assert not test.model.failures.on_time and test.model.extras.clocks is None
