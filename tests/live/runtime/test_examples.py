"""The examples: extracted, checked, and run in storms, in memory and over sockets between processes."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest

import stormproof as sp
from stormproof.programs.extraction.load import load_protocol
from tests.support import role_runs
from tests.support.role_runs import (
    EXAMPLES,
    assert_follows,
    example,
    extracted_example,
    in_memory,
    over_sockets,
)

NAMES = sorted(path.stem for path in EXAMPLES.glob("*.py"))


def test_the_examples_are_short() -> None:
    assert NAMES == ["go_back_n", "lease", "mqtt_qos2", "paxos", "raft_election"]
    for name in NAMES:
        assert len((EXAMPLES / f"{name}.py").read_text("utf-8").splitlines()) < 80


#: Messages in a channel: reordering needs two, and no channel of Paxos ever has more.
BOUNDS = {"mqtt_qos2": 2, "paxos": 2}


def checked(system: sp.System, name: str) -> sp.Report:
    """Survival and everything that is required, under the storm that the system declares."""
    asked = ["recovers", *(r.title for r in system.requirements)]
    return sp.check(system, properties=asked, k=BOUNDS.get(name, 1), effort=0)


@pytest.mark.parametrize("name", NAMES)
def test_an_example_holds_what_it_requires(name: str) -> None:
    """And no message is unexpected, on which the runs below rely."""
    system = example(name).protocol()
    assert system.requirements and not example(name).STORM.budget.limited
    report = checked(sp.require(system, "require never unspecified"), name)
    assert report.exit_code == 0, str(report)
    if name == "paxos":
        assert report["agreement"].up_to is None, "for channels of any length"


@pytest.mark.parametrize(
    ("name", "before", "after"),
    [
        ("lease", "if token >= last:", "if True:"),
        ("raft_election", ", durable=True", ""),
        ("raft_election", "voted in (None, message.peer)", "True"),
        ("go_back_n", "(window + 1)", "window"),
        ("mqtt_qos2", "if packet != pending:", "if True:"),
        ("paxos", "best = max(best, reply.fields)", "best = max(best, reply.fields) if heard == 1 else best"),
        ("paxos", "MAJORITY = 2", "MAJORITY = 1"),
    ],
)
def test_a_mistake_in_an_example_is_found(name: str, before: str, after: str, tmp_path: Path) -> None:
    text = (EXAMPLES / f"{name}.py").read_text("utf-8")
    assert before in text
    (tmp_path / f"{name}.py").write_text(text.replace(before, after), "utf-8")
    system = load_protocol(str(tmp_path / f"{name}.py"), "protocol")
    required = [r.title for r in system.requirements if r.under is None]
    report = sp.check(system, sp.Failures(budget=2), properties=required, k=1, effort=0)
    assert report.exit_code == 1, str(report)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(4))
def test_an_example_rests_after_a_storm(name: str, seed: int, tmp_path: Path) -> None:
    module = example(name)
    runners = in_memory(module.ROLES, module.STORM, seed, 0.15, tmp_path)
    assert not any(runner.unexpected for runner in runners.values())
    _assert_conforms(name, tmp_path)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("seed", range(3))
def test_an_example_rests_after_a_storm_over_sockets(name: str, seed: int, tmp_path: Path) -> None:
    assert over_sockets(name, seed, 0.3, tmp_path) == 0
    _assert_conforms(name, tmp_path)


def _assert_conforms(name: str, folder: Path) -> None:
    """Each log follows its automaton, and together they are a run in the storm."""
    system = extracted_example(name)
    logs = [folder / f"{role}.ndjson" for role in system.names]
    assert sum(assert_follows(p, log) for p, log in zip(system, logs, strict=True)) >= len(system.names)
    assert sp.trace(system, logs, example(name).STORM).conforms


@sp.role
def Impatient() -> Any:
    """Takes the answer to its current question only, so that a second answer to an older one blocks it."""
    for number in range(4):
        reply = None
        while reply is None:
            yield sp.send("Server", "ask", number)
            reply = yield sp.receive(("Server", "answer", number), timeout=0.02)


@sp.role
def Patient() -> Any:
    """Asks once, and waits for ever."""
    for number in range(4):
        yield sp.send("Server", "ask", number)
        yield sp.receive("Server")


@sp.role
def Server(client: str) -> Any:
    while True:
        asked = yield sp.receive(client, rest=True)
        yield sp.send(client, "answer", *asked.fields)


def test_the_runs_would_notice_an_unexpected_message(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roles = {"Impatient": Impatient(), "Server": Server("Impatient")}
    system = sp.require(sp.extract(roles, second_process=False), "require never unspecified")
    assert sp.check(system, sp.Failures(duplicate=True), k=1, effort=0).exit_code == 1
    assert _goes_wrong(roles, sp.Failures(duplicate=True), tmp_path, monkeypatch) > 0


def test_the_runs_would_notice_a_protocol_that_does_not_recover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    roles = {"Patient": Patient(), "Server": Server("Patient")}
    assert sp.survives(sp.extract(roles, second_process=False), sp.Failures(loss=True)).holds is False
    assert _goes_wrong(roles, sp.Failures(loss=True), tmp_path, monkeypatch) > 0


def _goes_wrong(roles: Any, storm: sp.Failures, folder: Path, monkeypatch: pytest.MonkeyPatch) -> int:
    """In how many of some seeds a message is unexpected, or the roles do not come to rest."""
    monkeypatch.setattr(role_runs, "PATIENCE", 0.5)
    wrong = 0
    for seed in range(5):
        own = folder / str(seed)
        own.mkdir()
        try:
            wrong += any(runner.unexpected for runner in in_memory(roles, storm, seed, 0.1, own).values())
        except asyncio.TimeoutError:
            wrong += 1
    return wrong
