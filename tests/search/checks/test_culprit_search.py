"""Runs against k-properties have the fewest faults: compared with a search over the definitions."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.rest import RestStates
from stormproof.kernel.model.run import blamed
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.languages import formats
from stormproof.limits import Limits
from stormproof.oracle import bounded
from stormproof.oracle.survival import explore_storms
from stormproof.search.checks.culprit_search import culprit_runs
from stormproof.tell.explain.explanation import explanations
from stormproof.trust.replay import replay
from tests.support.engine_queries import ALWAYS, random_question

EACH = 40


def duplicating(rng: random.Random, failures: FailureModel, system: System) -> FailureModel:
    chosen = {c: replace(failures.on(c), duplicate=True) for c in system.channels if rng.random() < 0.5}
    return replace(failures, channels={**failures.channels, **chosen})


def compare(seed: int) -> int:
    """How many properties were violated, with at least one fault."""
    system, failures, k = random_question(seed)
    rng = random.Random(seed)
    if rng.random() < 0.3:
        failures = duplicating(rng, failures, system)
    nowhere = {name: frozenset[str]() for name in system.names}
    anybody = replace(failures, unreliable=system.names)
    model = SurvivalModel(system, anybody, RestStates(nowhere, nowhere, nowhere))
    try:
        ts = bounded.explore(system, failures, k, most=120)
        storm = explore_storms(model, k, most=600)
    except bounded.TooLarge:
        return 0
    compared = 0
    for name in ALWAYS:
        bad = set(bounded.VIOLATIONS[name](ts))
        found = culprit_runs(system, failures, k, name, Limits())
        assert (found is None) == (not bad), f"seed {seed}, {name}"
        if found is None:
            continue
        least = min(cost for (at, _), cost in storm.best.items() if at in bad)
        best = found.runs[0]
        assert (best.fault_count, len(best.acts)) == least and found.all_ends, f"seed {seed}, {name}"
        assert len({blamed(run.culprit) for run in found.runs}) == len(found.runs), f"seed {seed}, {name}"
        for run in found.runs:
            answer = replay(system, failures, name, k, run)
            assert answer.established, f"seed {seed}, {name}: {answer.message}"
        compared += least[0] > 0
    return compared


@pytest.mark.parametrize("chunk", range(2))
def test_no_run_of_the_definitions_has_fewer_faults(chunk: int) -> None:
    compared, seed = 0, chunk * 10**6
    while compared < EACH:
        seed += 1
        compared += compare(seed)


def test_a_longer_run_without_faults_is_shown() -> None:
    """One loss leaves B waiting at once; without any fault A gives up after two steps of its own."""
    system = formats.loads(
        "role A { s: B!x -> end  internal a -> t  t: internal b -> end }\nrole B { w: A?x -> end }"
    )
    verdict = sp.check(system, sp.Failures(loss=True), k=1, properties=["k-pg"])["k-pg"]
    assert verdict.faults == 0 and verdict.fewest and verdict.replayed
    assert verdict.to_json()["faults"] == 0 and verdict.to_json()["fewest"] is True


def test_everybody_who_waits_is_listed_with_a_run() -> None:
    report = sp.check(
        sp.protocol("two-phase-commit"), sp.Failures(loss=True), properties=["k-er", "k-pg", "k-mc"]
    )
    verdict = report["k-pg"]
    names = {verdict.witness.culprit["process"]} if verdict.witness else set()
    assert names | {other.name for other in verdict.others} == {"Coordinator", "A", "B"}
    assert all(other.reason.startswith(f"{other.name} waits in") for other in verdict.others)
    assert [o["culprit"] for o in verdict.to_json()["others"]] == [o.name for o in verdict.others]
    assert report["k-mc"].part == "k-er" and report["k-mc"].others == report["k-er"].others
    (told,) = [e for e in explanations(report) if "k-pg" in e.properties]
    assert all(f"{other.name}, too: {other.reason}." in told.text for other in verdict.others)
