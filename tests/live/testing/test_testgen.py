"""`testgen`: the generated tests pass for the role itself, and fail for mutants of it."""

from __future__ import annotations

import json
import subprocess
import sys
import unittest
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis.stateful import run_state_machine_as_test

import stormproof as sp
from stormproof.errors import UsageError
from stormproof.live.testing import (
    AutomatonImplementation,
    Implementation,
    RoleImplementation,
    RoleTest,
    receives,
    restarts,
)
from stormproof.programs.extraction.load import import_file, load_protocol
from tests.support.command_line import Run
from tests.support.role_runs import EXAMPLES

QUICK = settings(
    stateful_step_count=30,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
    phases=[Phase.generate],
    report_multiple_bugs=False,
)

ASK = """protocol Ask
faults *: loss, duplicate
faults B: restart
role A { start: B!ask -> wait
         wait: B?answer -> done
               B?refusal -> start
               timeout -> start
         done: B?answer -> done
               B?refusal -> done }
role B { idle: A?ask -> busy
         busy: internal agree -> yes
               internal refuse -> no
         yes: A!answer -> told
         no: A!refusal -> idle
         told: A?ask -> yes }
rest A@done, B@{idle, told}
durable B@told
"""


def loaded(text: str) -> dict[str, Any]:
    """The generated file as a module."""
    names: dict[str, Any] = {"__name__": "generated", "__file__": str(EXAMPLES / "test_generated.py")}
    exec(compile(text, "test_generated.py", "exec"), names)
    return names


def failing(text: str, make: Callable[[], Implementation] | None = None, examples: int = 15) -> list[str]:
    """The generated tests that fail for this implementation, or for the one that the file names."""
    names = loaded(text)
    given = names["TEST"]
    test = names["TEST"] = given if make is None else replace(given, implementation=make)
    machine = next(
        thing for name, thing in names.items() if name.endswith("Machine") and name != "RoleMachine"
    )
    machine.test = test
    tests = {name: thing for name, thing in names.items() if name.startswith("test_")}
    chosen = settings(QUICK, max_examples=examples)
    tests["machine"] = lambda: run_state_machine_as_test(machine, settings=chosen)
    return [name for name, thing in tests.items() if not passes(thing)]


def passes(test: Callable[[], None]) -> bool:
    try:
        test()
    except AssertionError:
        return False
    except unittest.SkipTest:
        return True
    return True


@lru_cache
def generated(example: str, role: str) -> str:
    """The tests of a role of an example; a little effort gives as many runs."""
    file = str(EXAMPLES / f"{example}.py")
    system = load_protocol(file, "protocol")
    return sp.testgen(system, role, source=(f"{example}.py", "protocol"), effort=0)


MUTANTS = [
    ("mqtt_qos2", "Publisher", 'yield from Insist("pubrel", "pubcomp", packet)', "pass"),
    (
        "mqtt_qos2",
        "Publisher",
        "if reply is None:\n            yield sp.send",
        "if reply is None:\n            sp.send",
    ),
    (
        "mqtt_qos2",
        "Broker",
        'yield sp.send("Publisher", "pubcomp", packet)',
        'yield sp.send("Publisher", "pubrec", packet)',
    ),
    ("go_back_n", "Sender", "following = base\n", "following = base + 1\n"),
    ("go_back_n", "Sender", "base + window, items", "base + window + 1, items"),
    (
        "go_back_n",
        "Receiver",
        'yield sp.send("Sender", "ack", expected % (window + 1))',
        'yield sp.send("Sender", "ack", number)',
    ),
    ("lease", "Store", "if token >= last:", "if True:"),
    ("raft_election", "N1", "voted in (None, message.peer)", "True"),
    ("raft_election", "N1", ", durable=True", ""),
]


def test_what_a_role_does_alike_is_tested_once() -> None:
    """A deadlock violates survival and several of the k-properties, all with one run."""
    text = """
role A { start: B!x -> wait
         wait: B?y -> done
         done: }
role B { idle: A?x -> stuck
         stuck: A?z -> late
         late: A!y -> done
         done: }
"""
    found = sp.testgen(sp.loads(text), "A", effort=500_000)
    assert found.count("def test_violated") == 1
    assert "A does the same in the runs for: violated k-" in " ".join(found.split())


def test_odd_names_are_written_over_several_lines() -> None:
    message = r"""x('1', \"q\", \\)"""
    text = f'role A {{ a: B!"{message}" -> b\n b: }}\nrole B {{ a: A?"{message}" -> b\n b: }}'
    found = sp.testgen(sp.loads(text), "A", effort=0)
    assert 'PROTOCOL = """\\\n' in found
    assert sp.loads(loaded(found)["PROTOCOL"]).messages == sp.loads(text).messages
    assert not failing(found)


@pytest.mark.parametrize(("example", "role"), sorted({(m[0], m[1]) for m in MUTANTS}))
def test_a_role_passes_its_own_tests(example: str, role: str) -> None:
    assert failing(generated(example, role)) == []


@pytest.mark.parametrize(("example", "role", "before", "after"), MUTANTS)
def test_a_mutant_fails(example: str, role: str, before: str, after: str, tmp_path: Path) -> None:
    source = (EXAMPLES / f"{example}.py").read_text("utf-8")
    assert before in source
    (tmp_path / "mutant.py").write_text(source.replace(before, after), "utf-8")
    call = import_file(str(tmp_path / "mutant.py")).ROLES[role]
    assert failing(generated(example, role), lambda: RoleImplementation(call)) != []


#: Changes to a line of ASK, by the role that they make wrong.
LINES = [
    ("A", "timeout -> start", "timeout -> done"),
    ("A", "         wait: B?answer -> done", "         wait: B?answer -> start"),
    ("A", "B?refusal -> start\n", ""),
    ("A", "               timeout -> start\n", ""),
    ("B", "yes: A!answer -> told", "yes: A!answer -> idle"),
    ("B", "no: A!refusal -> idle", "no: A!refusal -> yes"),
    ("B", "told: A?ask -> yes", "told: A?ask -> busy"),
    ("B", "durable B@told\n", ""),
]


@pytest.mark.parametrize("role", ["A", "B"])
def test_an_automaton_passes_its_own_tests(role: str) -> None:
    text = sp.testgen(sp.loads(ASK, "storm"), role)
    assert failing(text) == []
    names = [name for name in loaded(text) if name.startswith("test_")]
    assert any(n.startswith("test_violated") for n in names)
    # What B does in the sample run, a question and its answer, it does in the violating one.
    assert any(n.startswith("test_sample") for n in names) == (role == "A")


def test_which_of_two_timers_expires_is_up_to_the_implementation() -> None:
    """After it the role may have to send first, and then refuses what it would take otherwise."""
    assert failing(sp.testgen(sp.protocol("tcp-open-two-way"), "Client", effort=0)) == []


@pytest.mark.parametrize(("role", "before", "after"), LINES)
def test_a_mutated_automaton_fails(role: str, before: str, after: str) -> None:
    assert ASK.count(before) == 1
    mutant = ASK.replace(before, after)
    text = sp.testgen(sp.loads(ASK, "storm"), role)
    assert failing(text, lambda: AutomatonImplementation(mutant, role), examples=100), "no test fails"


def test_the_file_runs_as_it_is(run: Run, tmp_path: Path) -> None:
    """And names what is wrong with an implementation that it imports."""
    (tmp_path / "ask.storm").write_text(ASK, "utf-8")
    written = tmp_path / "test_ask.py"
    told = json.loads(run("testgen", str(tmp_path / "ask.storm"), "--role", "A", "--json").out)
    done = run("testgen", str(tmp_path / "ask.storm"), "--role", "A", "-o", str(written))
    assert done.code == 0, done.err
    assert told["role"] == "A" and "class " in told["text"]
    assert pytest_in(tmp_path, written).returncode == 0
    mute = "class Mute:\n    def send(self): return None\n    def receive(self, peer, message): pass\n"
    (tmp_path / "mute.py").write_text(mute + "    def timer(self): pass\n", "utf-8")
    again = ("testgen", str(tmp_path / "ask.storm"), "--role", "A", "--implementation", "mute:Mute")
    refused = run(*again, "-o", str(written))
    assert refused.code == 2 and "--force" in refused.err
    assert run(*again, "-o", str(written), "--force").code == 0
    failed = pytest_in(tmp_path, written)
    assert failed.returncode == 1
    assert "A waits; the protocol allows: sends ask to B. Before: nothing" in failed.stdout


def pytest_in(folder: Path, file: Path) -> subprocess.CompletedProcess[str]:
    options = ["-qx", "-p", "no:cacheprovider", "--rootdir", str(folder)]
    command = [sys.executable, "-m", "pytest", *options, str(file)]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)


def test_mistakes_are_reported_in_words(run: Run, tmp_path: Path) -> None:
    (tmp_path / "ask.storm").write_text(ASK, "utf-8")
    wrong = run("testgen", str(tmp_path / "ask.storm"), "--role", "C")
    assert wrong.code == 2 and "the protocol has no role 'C'" in wrong.err
    wrong = run("testgen", str(tmp_path / "ask.storm"), "--role", "A", "--implementation", "a b")
    assert wrong.code == 2 and "write it module:name" in wrong.err


def test_a_restart_needs_a_method() -> None:
    class Forgetful:
        def send(self) -> tuple[str, str] | None:
            return None

        def receive(self, peer: str, message: str) -> None: ...

        def timer(self) -> None: ...

    test = RoleTest(ASK, "B", Forgetful)
    with pytest.raises(UsageError, match="no method 'restart'"):
        test.follow(receives("A", "ask"), restarts())


TWO_LOSSES = """
role A { s: B!x -> t t: B!x -> u u: B!y -> e e: B?late -> e B?odd -> e }
role B { w: A?x -> got A?y -> alarm got: A?x -> got A?y -> d alarm: A!late -> d d: }
"""


@pytest.mark.parametrize(("budget", "met"), [(None, True), (2, True), (1, False), ("loss=1", False)])
def test_a_budget_limits_the_faults_of_the_tests(budget: int | str | None, met: bool) -> None:
    """The mutant is wrong where y comes first, for which both messages before it must be lost."""
    text = sp.testgen(sp.loads(TWO_LOSSES), "B", sp.Failures(loss=["A->B"], budget=budget), effort=0)
    assert failing(text) == []
    mutant = TWO_LOSSES.replace("A!late", "A!odd")
    assert bool(failing(text, lambda: AutomatonImplementation(mutant, "B"), 60)) is met


def test_mailboxes_are_refused() -> None:
    with pytest.raises(UsageError, match="generated for the channels of pairs only"):
        sp.testgen(sp.loads("communication mailbox\n" + ASK.partition("\n")[2], "storm"), "A")
