"""The examples: extracted, checked, and run in storms, in memory and over sockets between processes."""

from __future__ import annotations

from pathlib import Path

import pytest

import stormproof as sp
from stormproof.extraction.load import load_protocol
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
    system = extracted_example(name)
    assert sum(assert_follows(p, tmp_path / f"{p.name}.ndjson") for p in system) >= len(system.names)


@pytest.mark.parametrize("name", ["mqtt_qos2", "go_back_n"])
def test_what_an_example_logs_conforms(name: str, tmp_path: Path) -> None:
    module, system = example(name), extracted_example(name)
    in_memory(module.ROLES, module.STORM, 5, 0.15, tmp_path)
    logs = [tmp_path / f"{role}.ndjson" for role in system.names]
    assert sp.trace(system, logs, module.STORM).conforms


@pytest.mark.parametrize("name", NAMES)
def test_an_example_rests_after_a_storm_over_sockets(name: str, tmp_path: Path) -> None:
    assert over_sockets(name, 1, 0.4, tmp_path) == 0
    system = extracted_example(name)
    assert sum(assert_follows(p, tmp_path / f"{p.name}.ndjson") for p in system) >= len(system.names)
