"""The record is a stutter: where nobody restarts, every verdict is that without records, with as many faults
(definitions 14.7)."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.stop_restart import Transformed, stop_restart
from stormproof.oracle import bounded
from stormproof.oracle.survival import answer
from tests.support.engine_queries import ALWAYS
from tests.support.random_systems import random_crash, random_disks, random_failures, random_system
from tests.support.survival_questions import random_budget, random_goal

EACH, MOST = 25, 200


def question(rng: random.Random) -> tuple[System, FailureModel, tuple[str, ...]]:
    system = random_disks(rng, random_system(rng, internal=rng.choice((0.0, 0.2))))
    if rng.random() < 0.2:
        system = random_crash(rng, system)
    stop = tuple(n for n in system.names if rng.random() < 0.2)
    return system, random_failures(rng, system).on(system), stop


def small(made: Transformed, failures: FailureModel, k: int) -> bool:
    try:
        bounded.explore(made.system, failures, k, most=MOST)
    except bounded.TooLarge:
        return False
    return True


@pytest.mark.parametrize("chunk", range(2))
def test_records_change_no_verdict(chunk: int) -> None:
    compared, seed, met = 0, chunk * 10**6, Counter[str]()
    while compared < EACH:
        seed += 1
        rng = random.Random(seed)
        system, failures, stop = question(rng)
        without, recording = (stop_restart(system, stop, recording=names) for names in ((), system.names))
        k = rng.randint(1, 2)
        if not (recording.unrecorded and small(recording, failures, k)):
            continue
        compared += 1
        rest, budget = rest_states(system), random_budget(rng)
        goals = [random_goal(rng, system) for _ in range(4)]
        for ask in (Ask(False, goals[0]), Ask(True, goals[1]), Ask(True, goals[2], goals[3]), RECOVERS, None):
            found = []
            for made in (without, recording):
                resting = made.rest(rest)
                model = SurvivalModel(made.system, failures, resting, made.faults, budget)
                asked = clean(made.system, resting) if ask is None else through(made, ask)
                found.append(answer(model, asked, k))
            assert (found[0].holds, found[0].faults) == (found[1].holds, found[1].faults), (
                f"seed {seed}: {ask}"
            )
            met[str(found[0].holds)] += 1
        properties = [
            bounded.explore(made.system, failures, k, most=10 * MOST) for made in (without, recording)
        ]
        for name in ALWAYS:
            plain, recorded = (bounded.holds(ts, name) for ts in properties)
            assert plain == recorded, f"seed {seed}: {name}"
    assert min(met["True"], met["False"]) > EACH


def through(made: Transformed, ask: Ask) -> Ask:
    """The question about the system with records."""
    after = None if ask.after is None else made.goal(ask.after)
    return replace(ask, goal=made.goal(ask.goal), after=after)
