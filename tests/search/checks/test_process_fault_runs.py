"""Runs with stops, restarts and duplication: replayed, from a saved report too, and refused once forged."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import Internal
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.run import Act, Witness
from stormproof.kernel.model.system import System
from stormproof.trust.saved.replay_report import replay_result
from stormproof.trust.saved.saved_report import SavedResult, result_from_json
from tests.support.random_systems import random_duplication, random_failures, random_system

EACH = 6
ASKED = ["recovers", "clean", "k-pg", "k-er"]


def question(rng: random.Random) -> tuple[System, Failures]:
    """With a stop, a restart and durable states."""
    system = random_system(rng, processes=2, internal=rng.choice((0.0, 0.2)))
    durable = tuple(replace(p, durable=tuple(rng.sample(p.states, rng.randint(0, 1)))) for p in system)
    faults = (random_failures if rng.random() < 0.5 else random_duplication)(rng, system)
    stop, restart = ((rng.choice(system.names),) for _ in range(2))
    return replace(system, processes=durable), replace(faults, stop=stop, restart=restart)


def forgeries(rng: random.Random, system: System, witness: Witness) -> Iterator[Witness]:
    """A fault of a process that is no fault, that leads elsewhere, or of a role that has stopped."""
    for i, step in enumerate(witness.steps):
        if not isinstance(step, Act) or not isinstance(step.action, Internal) or not step.action.fault:
            continue
        before, after = witness.steps[:i], witness.steps[i + 1 :]
        unmarked = Act(step.process, Internal(step.action.name), step.state)
        yield replace(witness, steps=(*before, unmarked, *after))
        elsewhere = [s for s in system[step.process].states if s != step.state]
        for state in elsewhere[:1]:
            yield replace(witness, steps=(*before, replace(step, state=state), *after))
        if step.action.fault == "stop":
            yield replace(witness, steps=(*before, step, step, *after))
            again = Act(step.process, Internal("restart", fault="restart"), system[step.process].initial)
            yield replace(witness, steps=(*before, step, again, *after))


def forged(saved: SavedResult, number: int, witness: Witness) -> SavedResult:
    verdict = replace(saved.verdicts[number], witness=witness)
    return replace(saved, verdicts=(verdict,))


@pytest.mark.parametrize("chunk", range(2))
def test_a_saved_run_replays_and_a_forged_one_is_refused(chunk: int) -> None:
    refused = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system, failures = question(rng)
        report = sp.check(
            system, failures, max_k=2, properties=ASKED, effort=10_000, replay=False, polish=False
        )
        saved = result_from_json(json.dumps(report.to_json()))
        assert all(a.proved is not False for a in replay_result(saved, budget=2000)), f"seed {seed}"
        for number, verdict in enumerate(saved.verdicts):
            for witness in forgeries(rng, report.system, verdict.witness) if verdict.witness else ():
                answer, *_ = replay_result(forged(saved, number, witness))
                assert answer.proved is False, f"seed {seed}, {verdict.property}"
                refused += 1
    assert refused > EACH
