"""Sample runs are runs, complete, as short and as thrifty as any; coverage is that of the definitions."""

from __future__ import annotations

import json
import random

import pytest
from click.testing import CliRunner
from trust_evidence import random_pair
from trust_runs import path

from stormproof import semantics
from stormproof.cli import group
from stormproof.examples import coverage, examples, rests
from stormproof.failures import FailureModel
from stormproof.model import Transition
from stormproof.protocols import protocol
from stormproof.replay import replay
from strategies import random_system


@pytest.mark.parametrize("chunk", range(4))
def test_coverage_is_that_of_the_definitions(chunk: int) -> None:
    dead = 0
    for seed in range(chunk * 250, (chunk + 1) * 250):
        rng = random.Random(seed)
        system, failures = random_pair(rng)
        k = rng.choice((1, 2))
        taken = set()
        for at, steps in semantics.explore(system, failures, k).steps.items():
            for event, after in steps:
                if event is not None:
                    i = system.names.index(event.process)
                    taken.add((event.process, Transition(at.states[i], event.action, after.states[i])))
        found = coverage(system, failures, k)
        every = {(p.name, t) for p in system for t in p.transitions}
        if not found.complete:  # a few large systems need more than the usual budget
            found = coverage(system, failures, k, budget=2_000_000)
        assert found.complete and set(found.never) == every - taken, seed
        assert (found.taken, found.total) == (len(taken), len(every)), seed
        dead += bool(found.never)
    assert dead > 50


def test_a_spent_budget_claims_nothing() -> None:
    found = coverage(protocol("elevator"), FailureModel({}), 2, budget=5)
    assert not found.complete and found.never and "not seen" in str(found) and "warning" not in str(found)


@pytest.mark.parametrize("chunk", range(4))
def test_sample_runs(chunk: int) -> None:
    """Complete runs on perfect channels: valid, shortest, and at the least bound, by the definitions."""
    ended = 0
    for seed in range(chunk * 500, (chunk + 1) * 500):
        system = random_system(random.Random(seed), processes=2, csa=True)
        perfect = FailureModel({})
        found = examples(system, perfect, 2)
        if found.sample is None:
            continue
        assert replay(system, perfect, "reach", found.sample.k, found.sample.witness).ok, seed
        best = shortest_end(system, 2)
        assert (found.sample.kind == "ends") == (best is not None and best > 0), seed
        if found.sample.kind == "ends" and found.thrifty is not None:
            assert len(found.sample.witness.acts) == best, seed
            assert replay(system, perfect, "reach", found.thrifty.k, found.thrifty.witness).ok, seed
            assert (found.thrifty.k == 1) == (shortest_end(system, 1) is not None), seed
            ended += 1
        if found.sample.kind == "round":
            acts = {a.process for a in found.sample.witness.acts}
            assert acts == {p.name for p in system if p.transitions} and not found.sample.witness.channels
            assert found.sample.witness.states == {p.name: p.initial for p in system}
    assert ended > 5


def shortest_end(system: object, k: int) -> int | None:
    ts = semantics.explore(system, FailureModel({}), k)  # type: ignore[arg-type]
    ends = {
        at for at in ts.steps if not any(at.words) and all(rests(p, s) for p, s in zip(ts.system, at.states))
    }
    return len(path(ts, ends)[0]) if ends else None


@pytest.mark.parametrize("chunk", range(2))
def test_sample_runs_under_failures_replay(chunk: int) -> None:
    for seed in range(chunk * 150, (chunk + 1) * 150):
        system, failures = random_pair(random.Random(seed))
        found = examples(system, failures, 2, budget=3_000)
        for sample in (found.sample, found.thrifty):
            if sample is not None:
                assert replay(system, failures, "reach", sample.k, sample.witness).ok, seed
        json.dumps(found.to_json())
        assert "coverage at k = 2" in str(found)


def test_figure_ex1() -> None:
    found = examples(protocol("half-duplex"), FailureModel({}), 1)
    assert found.sample is not None and found.sample.kind == "round" and len(found.sample.witness.acts) == 6
    assert {f"{name}.{t.source}" for name, t in found.coverage.never} == {
        "Sender.idle",
        "Sender.repair",
        "Receiver.idle",
        "Receiver.refuse",
    }, "the error branches are never taken without faults"


def test_the_command() -> None:
    found = CliRunner().invoke(group, ["check", "half-duplex", "--examples"], standalone_mode=False)
    assert "sample run" in found.output and "warning" in found.output
    found = CliRunner().invoke(group, ["check", "half-duplex", "--examples", "--json"], standalone_mode=False)
    assert json.loads(found.output)["examples"]["coverage"]["total"] == 12
