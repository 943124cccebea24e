"""Symmetry against exploration without it, and against the definitions, on random systems of alike roles."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof import _engine
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.goal import At, Or
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import BlockSize, SurvivalModel
from stormproof.languages.protocols.generators.rings import dining_philosophers
from stormproof.limits import Limits
from stormproof.oracle import bounded
from stormproof.search.engine.k_properties import PROPERTIES, explore
from stormproof.search.engine.lowering import lower
from stormproof.search.engine.survival import Survey, survey
from tests.search.engine.test_survival import check_run
from tests.support.engine_queries import ALWAYS, decide, perfect, verdicts
from tests.support.symmetric_systems import random_symmetric_failures, random_symmetric_system

EACH = 120
SHORT = (BlockSize(1, 1), BlockSize(2, 2))
MOST = 20_000


@pytest.mark.parametrize("chunk", range(2))
def test_k_properties_are_the_same_with_and_without_symmetry(chunk: int) -> None:
    """Verdicts and lengths of runs; alone and with reduction."""
    used = Counter[bool]()
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system = random_symmetric_system(rng)
        failures, k = random_symmetric_failures(rng, system), rng.randint(1, 2)
        names = tuple(PROPERTIES) if failures.perfect else ALWAYS
        plain = decide(system, failures, k, names, most=MOST)
        if plain.stop != _engine.Stop.NONE:
            continue
        where = f"seed {seed}, k = {k}"
        found = decide(system, failures, k, names, symmetry=True, symmetry_from=0)
        both = decide(
            system,
            failures,
            k,
            names,
            symmetry=True,
            symmetry_from=0,
            reduction=True,
            reduce_from=0,
            witness_budget=1,
        )
        components = decide(system, failures, k, names, symmetry=True, symmetry_from=0, components=True)
        assert verdicts(found) == verdicts(plain) == verdicts(both) == verdicts(components), where
        assert _lengths(found) == _lengths(plain), where
        used[found.symmetries > 1 and found.states < plain.states] += 1
    assert used[True] > EACH / 4


def _lengths(answer: _engine.Answer) -> dict[_engine.Property, int]:
    return {v.which: len(v.firings) for v in answer.violations}


@pytest.mark.parametrize("chunk", range(1))
def test_k_properties_up_to_symmetry_as_defined(chunk: int) -> None:
    compared = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system = random_symmetric_system(rng)
        failures = random_symmetric_failures(rng, system)
        try:
            whole = bounded.explore(system, failures, 1, most=150)
        except bounded.TooLarge:
            continue
        found = decide(system, failures, 1, ALWAYS, symmetry=True, symmetry_from=0)
        assert verdicts(found) == {n: bounded.holds(whole, n) for n in ALWAYS}, f"seed {seed}"
        compared += 1
    assert compared > EACH / 10


@pytest.mark.parametrize("chunk", range(2))
def test_survival_is_the_same_with_and_without_symmetry(chunk: int) -> None:
    """Answers, faults and lengths of runs; every run is a run of the roles as the user named them."""
    used = Counter[bool]()
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system = random_symmetric_system(rng)
        model = SurvivalModel(system, random_symmetric_failures(rng, system), rest_states(system))
        asks, k = _asks(rng, model), rng.randint(1, 2)
        plain = survey(
            model, asks, k, ladder=SHORT, reduction=False, symmetry=False, limits=Limits(states=MOST)
        )
        if plain.stopped:
            continue
        where = f"seed {seed}, k = {k}"
        found = survey(model, asks, k, ladder=SHORT, reduction=False, reduce_from=0)
        both = survey(model, asks, k, ladder=SHORT, reduce_from=0, witness_budget=1)
        assert _answers(found) == _answers(plain), where
        assert [a.holds for a in both.answers.values()] == [a.holds for a in plain.answers.values()], where
        for survey_ in (found, both):
            for name, answer in survey_.answers.items():
                if answer.run is not None:
                    check_run(model, asks[name], answer, f"{where}, {name}")
        used[found.symmetries > 1 and found.configurations < plain.configurations] += 1
    assert used[True] > EACH / 4


def _asks(rng: random.Random, model: SurvivalModel) -> dict[str, Ask]:
    """One goal speaks of all roles alike, another of one role only: few permutations respect that one."""
    system = model.system
    some = [At(p.name, (p.states[-1],)) for p in system]
    asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)}
    asks["any"] = Ask(rng.random() < 0.5, Or(tuple(some)))
    begin = Or(tuple(At(p.name, p.states[1:2]) for p in system))
    asks["leads"] = Ask(True, Or(tuple(some)), begin)
    if rng.random() < 0.3:
        asks["one"] = Ask(rng.random() < 0.5, rng.choice(some))
    return asks


def _answers(found: Survey) -> dict[str, tuple[object, ...]]:
    return {
        name: (a.holds, a.up_to, a.fewest, a.run and (a.run.faults, a.run.storm, a.run.end))
        for name, a in found.answers.items()
    }


@pytest.mark.parametrize("chunk", range(2))
def test_rsc_is_the_same_with_and_without_symmetry(chunk: int) -> None:
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        system = random_symmetric_system(rng)
        failures = random_symmetric_failures(rng, system)
        native = lower(system, failures).native
        plain = _engine.search_rsc(native, _engine.Monitor(None, None, MOST))
        found = _engine.search_rsc(native, _engine.Monitor(None, None, MOST), True, wide_from=0)
        if plain.stop != _engine.Stop.NONE or found.stop != _engine.Stop.NONE:
            continue
        where = f"seed {seed}"
        assert (found.violated, len(found.firings)) == (plain.violated, len(plain.firings)), where
        lowered = lower(system, failures)
        at = {p.name: p.initial for p in system}
        for process, number in found.firings:
            name, transition = system.names[process], lowered.transitions[process][number]
            assert at[name] == transition.source, where
            at[name] = transition.target


def test_philosophers_turn_round_the_table() -> None:
    system = dining_philosophers(6)
    found = explore(system, perfect(system), 1, properties=["k-exh"], reduction=False, threads=1)
    assert (found.symmetries, found.holds) == (6, {"k-exh": True})
    assert found.states < 180_000, "a sixth of 1,060,172"
    whole = explore(system, perfect(system), 1, properties=["k-er"], limits=Limits(states=9), symmetry=False)
    assert whole.symmetries == 1


def test_a_left_handed_philosopher_breaks_the_symmetry() -> None:
    system = dining_philosophers(5, left_handed=True)
    found = explore(system, perfect(system), 1, properties=["k-exh"], reduction=False, threads=1)
    assert found.symmetries == 1
