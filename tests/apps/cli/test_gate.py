"""`stormproof gate`: the three parts, one exit code, JUnit and the summary."""

from __future__ import annotations

import json
import shlex
import sys
from pathlib import Path

import pytest
from junitparser import JUnitXml

from stormproof.live.testing.vectors import RUNNERS, runner
from tests.support.command_line import Run, run  # noqa: F401

#: Every mistake of the kind `delete` is noticed.
ASK = """\
protocol Ask
faults *: loss
role Client { start: Server!ask -> wait
              wait: Server?answer -> done
                    timeout -> start
              done: Server?answer -> done }
service role Server { idle: Client?ask -> busy
                      busy: Client!answer -> idle }
rest Client@done
require taken: always possible Server->Client=[]
"""

TESTS = """\
import sys, unittest
from stormproof_vectors import Vectors
class Client:
    def __init__(self): self.answered = False
    def start(self): return [("Server", "ask")]
    def receive(self, peer, message): self.answered = True; return []
    def expire(self): return None if self.answered else EXPIRE
failed = 0
suite = Vectors()
for name in suite.names:
    try: suite.follow(name, Client)
    except AssertionError: failed = 1
    except unittest.SkipTest: pass
sys.exit(failed)
"""


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("ask.storm").write_text(ASK)
    Path(RUNNERS["python"]).write_text(runner("python"))
    Path("right.py").write_text(TESTS.replace("EXPIRE", '[("Server", "ask")]'))
    Path("wrong.py").write_text(TESTS.replace("EXPIRE", "[]"))
    return tmp_path


def asked(file: str, *more: str) -> tuple[str, ...]:
    command = f"{shlex.quote(sys.executable)} {file}"
    few = ("--operator", "delete", "--effort", "1000", "--jobs", "1")
    return ("gate", "ask.storm", "--role", "Client", "--run", command, *few, *more)


def test_all_three_parts_hold(run: Run, here: Path) -> None:  # noqa: F811
    found = run(*asked("right.py", "--junit", "gate.xml", "--summary", "gate.md"))
    assert found.code == 0, found.out + found.err
    assert found.out.startswith("Ask passes the gate\n")
    assert "vectors pass, 4 of 4 transitions realised" in found.out
    suites = list(JUnitXml.fromfile("gate.xml"))
    assert [suite.name for suite in suites] == ["ask.storm", "ask.storm", "implementation of Client"]
    assert all(suite.tests > 0 and not suite.failures and not suite.errors for suite in suites)
    page = Path("gate.md").read_text("utf-8")
    assert page.startswith("# Ask passes the gate\n")
    assert "| wait: times out -> start | expire |" in page


def test_code_that_drifts_fails_with_its_chart(run: Run, here: Path) -> None:  # noqa: F811
    found = run(*asked("wrong.py", "--junit", "gate.xml", "--summary", "gate.md"))
    assert found.code == 1 and found.out.startswith("Ask does not pass the gate: the code\n")
    said = "it waits; the protocol allows: sends ask to Server. Before: sends ask to Server, times out"
    assert said in found.out.replace("\n  ", " ")
    failing = [case for suite in JUnitXml.fromfile("gate.xml") for case in suite if case.result]
    assert (
        failing and said in failing[0].result[0].message and "◷ timeout" in (failing[0].result[0].text or "")
    )
    assert "◷ timeout" in Path("gate.md").read_text("utf-8")


def test_requirements_that_notice_nothing_fail(run: Run, here: Path) -> None:  # noqa: F811
    Path("ask.storm").write_text(ASK.partition("require taken")[0])
    found = run(*asked("right.py"))
    assert found.code == 1 and found.out.startswith("Ask does not pass the gate: the mutants\n")
    assert run(*asked("right.py", "--survivors", "1")).code == 0
    assert run(*asked("right.py", "--no-mutants")).code == 0


def test_a_protocol_that_breaks_fails(run: Run, here: Path) -> None:  # noqa: F811
    Path("ask.storm").write_text(ASK + "require wrong: never Client@done\n")
    found = run(*asked("wrong.py", "--no-mutants"))
    assert found.code == 1 and "the check and the code" in found.out.splitlines()[0]


def test_no_report_is_a_failure(run: Run, here: Path) -> None:  # noqa: F811
    Path("silent.py").write_text("")
    found = run(*asked("silent.py", "--no-mutants", "--json"))
    answer = json.loads(found.out)
    assert found.code == 1 and answer["gate"] == "failed" and answer["code"]["exit_code"] == 1
    assert {row["verdict"] for row in answer["code"]["vectors"]} == {"not run"}
    assert all(row["handlers"] == [] for row in answer["code"]["coverage"])


def test_the_summary_is_added_to_the_page_of_a_run(
    run: Run,  # noqa: F811
    here: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    Path("page.md").write_text("before\n")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "page.md")
    assert run(*asked("right.py", "--github")).code == 0
    assert Path("page.md").read_text("utf-8").startswith("before\n# Ask passes the gate")


def test_out_of_time_keeps_what_is_known(run: Run, here: Path) -> None:  # noqa: F811
    Path("slow.py").write_text("import time; time.sleep(60)")
    found = run(*asked("slow.py", "--no-mutants", "--timeout", "4"))
    assert found.code == 3 and "Ask is undecided at the gate" in found.out
    assert "survives" in found.out


def test_mistakes(run: Run, here: Path) -> None:  # noqa: F811
    assert run(*asked("right.py", "--junit", "-", "--json")).code == 2
    refused = run("gate", "ask.storm", "--role", "Clients", "--run", "true")
    assert refused.code == 2 and "no role 'Clients'" in refused.err
    Path("data.storm").write_text("protocol D\nconst n = 1\n" + ASK.partition("\n")[2])
    refused = run("gate", "data.storm", "--role", "Client", "--run", "true")
    assert refused.code == 2 and "--no-mutants" in refused.err
