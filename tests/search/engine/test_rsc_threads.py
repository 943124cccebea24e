"""The RSC search in many threads: as in depth, and the same for any number of threads."""

from __future__ import annotations

import random

import pytest

from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.system import System
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.search.engine.rsc import RscResult, rsc
from tests.search.engine.test_rsc import check_concrete, check_witness
from tests.search.engine.test_rsc_limits import broadcaster, chooser, crossing
from tests.support.example_systems import clients
from tests.support.random_systems import random_crash, random_failures, random_system
from tests.support.rsc_answers import ask, ask_wide, violation_of
from tests.support.symmetric_systems import random_symmetric_failures, random_symmetric_system

EACH = 200
MOST = Limits(states=20_000)


def random_case(rng: random.Random) -> tuple[System, FailureModel]:
    if rng.random() < 0.4:
        system = random_symmetric_system(rng)
        return system, random_symmetric_failures(rng, system)
    system = random_system(rng, states=rng.choice((3, 4)), transitions=rng.choice((4, 6)))
    if rng.random() < 0.25:
        system = random_crash(rng, system)
    return system, random_failures(rng, system).on(system)


def all_that_is_found(result: RscResult) -> tuple[object, ...]:
    run = result.violation and (result.violation.firings, result.violation.communication)
    return (result.holds, result.stopped, result.states, result.transitions, run)


@pytest.mark.parametrize("chunk", range(3))
def test_threads_change_nothing(chunk: int) -> None:
    """Nor does the wide search change the verdict or the length of the shortest run."""
    violated = held = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system, failures = random_case(rng)
        symmetry = rng.random() < 0.5
        plain = rsc(system, failures, limits=MOST, symmetry=False, threads=1)
        one, two, three = (ask_wide(system, failures, n, limits=MOST, symmetry=symmetry) for n in (1, 2, 3))
        where = f"seed {seed}, symmetry {symmetry}"
        if plain.stopped or one.stopped:
            continue
        assert all_that_is_found(one) == all_that_is_found(two) == all_that_is_found(three), where
        assert one.holds is plain.holds, where
        held += plain.holds is True
        if plain.violation is None:
            continue
        violated += 1
        assert len(violation_of(one).firings) == len(plain.violation.firings), where
        check_witness(system, failures, one)
        if seed % 5 == 0:
            check_concrete(system, failures, one)
    assert violated > 10 and held > 10


LARGE = {
    "philosophers": (dining_philosophers(5), Failures()),
    "philosophers under loss": (dining_philosophers(5), Failures(loss=True)),
    "clients": (clients(8), Failures()),
    "clients beside a violation": (crossing(clients(6), 12), Failures()),
    "clients beside a violation, reordered": (crossing(clients(6), 12), Failures(reorder=True)),
}


@pytest.mark.parametrize("name", LARGE)
def test_threads_that_meet_change_nothing(name: str) -> None:
    """Thousands of states, in rounds that are large enough for every thread to get some."""
    system, faults = LARGE[name]
    failures = faults.on(system)
    in_depth = rsc(system, failures, limits=Limits(), symmetry=False, threads=1, wide_from=10**9)
    one, several = (ask_wide(system, failures, n, symmetry=False) for n in (1, 4))
    assert all_that_is_found(one) == all_that_is_found(several)
    assert one.holds is in_depth.holds
    if one.violation is not None:
        assert len(one.violation.firings) == len(violation_of(in_depth).firings)
        check_witness(system, failures, several)


def test_states_that_others_subsume_are_left_out() -> None:
    """Of the sets that depend on the pending send only the largest matters. It is built up one by one for
    each message that can be pending; the hub may block more channels than a word has bits."""
    for leaves in (40, 70):
        system = broadcaster(leaves)
        wide = ask_wide(system, FailureModel({}), 2, symmetry=False)
        assert ask(system).states == wide.states == 1 + leaves**2
    for system in (clients(9), chooser(8)):
        in_depth = rsc(system, FailureModel({}), limits=Limits(), symmetry=False, wide_from=10**9)
        assert ask_wide(system, FailureModel({}), 2, symmetry=False).states < in_depth.states


def test_a_limit_on_states_is_kept_exactly() -> None:
    system = clients(8)
    whole = ask_wide(system, FailureModel({}), 2, symmetry=False)
    limits = [whole.states - 1, whole.states]
    found = [ask_wide(system, FailureModel({}), 2, limits=Limits(states=n), symmetry=False) for n in limits]
    assert [(r.holds, r.stopped, r.states) for r in found] == [
        (None, "states", limits[0]),
        (True, "", limits[1]),
    ]


def test_limits_on_memory_and_time_give_undecided() -> None:
    small = ask_wide(clients(11), FailureModel({}), 3, limits=Limits(memory=3_000_000), symmetry=False)
    assert (small.holds, small.stopped) == (None, "memory")
    assert small.memory <= 3_000_000
    late = ask_wide(clients(16), FailureModel({}), 3, limits=Limits(seconds=0.1), symmetry=False)
    assert (late.holds, late.stopped) == (None, "time")
