"""The examples: extracted, checked, and run in storms, in memory and over sockets between processes."""

from __future__ import annotations

from pathlib import Path

import pytest

import stormproof as sp
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


@pytest.mark.parametrize("name", NAMES)
def test_an_example_holds_what_it_requires(name: str) -> None:
    """And no message is unexpected, on which the runs below rely."""
    system = sp.require(example(name).protocol(), "require never unspecified")
    bound = 2 if name == "mqtt_qos2" else 1  # one message alone cannot be reordered
    report = sp.check(system, k=bound, effort=0)
    assert report.exit_code == 0, str(report)
    assert len([v for v in report if v.requirement is not None]) >= 2, "it requires something itself"


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
