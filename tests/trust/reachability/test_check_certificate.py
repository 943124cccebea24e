"""The checker of certificates accepts what is right and refuses what is not."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import TypeVar

import pytest

from stormproof.kernel.goals.cubes import cubes
from stormproof.kernel.goals.parse import parse_goal
from stormproof.kernel.model.failures import Failures
from stormproof.languages import protocols
from stormproof.limits import Limits
from stormproof.search.reachability.answer import Answer
from stormproof.search.reachability.api import reach
from stormproof.search.reachability.portfolio import solve
from stormproof.trust.reachability.certificates import (
    Certificate,
    Closure,
    EquationCertificate,
    HalfDuplexCertificate,
    Saturated,
    Summarised,
)
from stormproof.trust.reachability.check_certificate import check_certificate
from stormproof.trust.reachability.check_equation import have_z3
from tests.support.random_systems import random_failures, random_system

EARLY = (
    "(Sender@send1 & Receiver@{expect0, take1, again1}) | (Sender@send0 & Receiver@{expect1, take0, again0})"
)


Item = TypeVar("Item")


def accepts(answer: Answer, certificate: Certificate) -> bool:
    return check_certificate(answer.system, answer.model, answer.cubes, certificate) == ""


def drops(items: tuple[Item, ...]) -> Iterator[tuple[Item, ...]]:
    """The items without one of them, each in turn."""
    for i in range(len(items)):
        yield items[:i] + items[i + 1 :]


def without_one(rng: random.Random, items: tuple[Item, ...]) -> tuple[Item, ...]:
    i = rng.randrange(len(items))
    return items[:i] + items[i + 1 :]


def proof(name: str, goal: str, failures: Failures | None = None, only: tuple[str, ...] = ()) -> Answer:
    system = protocols.protocol(name)
    model = (failures or Failures()).on(system)
    asked = cubes(parse_goal(goal, system), system, model)
    return solve(system, model, asked, goal, Limits(), only=only or None)


def test_every_element_of_a_closure_is_needed() -> None:
    answer = reach(protocols.protocol("alternating-bit-retransmit"), EARLY)
    closure = answer.certificate
    assert isinstance(closure, Closure) and len(closure.basis) > 10
    assert accepts(answer, closure)
    for rest in drops(closure.basis):
        assert not accepts(answer, replace(closure, basis=rest))
    for others in drops(closure.controls):
        assert not accepts(answer, replace(closure, controls=others))


def test_a_changed_element_of_a_closure_is_noticed() -> None:
    answer = reach(protocols.protocol("alternating-bit-retransmit"), EARLY)
    closure = answer.certificate
    assert isinstance(closure, Closure)
    for i, element in enumerate(closure.basis):
        longer = element._replace(words=((*element.words[0], "d0"), element.words[1]))
        changed = (*closure.basis[:i], longer, *closure.basis[i + 1 :])
        assert not accepts(answer, replace(closure, basis=changed))


def test_a_closure_for_one_goal_proves_no_other() -> None:
    system = protocols.protocol("alternating-bit-retransmit")
    early = reach(system, EARLY)
    other = reach(system, "Receiver@again0")
    assert isinstance(early.certificate, Closure) and other.answer == "reachable"
    assert not accepts(other, early.certificate)


def test_a_closure_for_lossy_channels_proves_nothing_of_corrupt_ones() -> None:
    system = protocols.protocol("alternating-bit-retransmit")
    early = reach(system, EARLY)
    worse = reach(system, EARLY, Failures(corrupt=True))
    assert worse.answer == "reachable"
    assert isinstance(early.certificate, Closure) and not accepts(worse, early.certificate)


def test_every_pair_of_a_half_duplex_proof_is_needed() -> None:
    answer = proof("half-duplex", "Receiver@refuse", only=("half-duplex",))
    found = answer.certificate
    assert isinstance(found, HalfDuplexCertificate) and accepts(answer, found)
    for rest in drops(found.pairs):
        assert not accepts(answer, HalfDuplexCertificate(rest))
    assert not accepts(answer, HalfDuplexCertificate((*found.pairs, ("idle", "refuse"))))


def test_every_configuration_of_a_saturated_set_is_needed_on_perfect_channels() -> None:
    answer = proof("alternating-bit", "Receiver@stray1", only=("forward search",))
    found = answer.certificate
    assert isinstance(found, Saturated) and accepts(answer, found)
    for rest in drops(found.configurations):
        assert not accepts(answer, Saturated(rest))


def test_every_configuration_of_a_summary_is_needed() -> None:
    answer = proof("client-server-logger", "deadlock", only=("summaries",))
    found = answer.certificate
    assert isinstance(found, Summarised) and accepts(answer, found)
    for rest in drops(found.configurations):
        assert not accepts(answer, replace(found, configurations=rest))
    assert not accepts(answer, replace(found, k=found.k + 1))


def test_a_linear_function_that_a_step_increases_is_refused() -> None:
    answer = proof(
        "half-duplex", "deadlock-for-good", Failures(reorder=True), ("control states", "linear invariants")
    )
    closure = answer.certificate
    assert isinstance(closure, Closure) and closure.weights and accepts(answer, closure)
    for i, weights in enumerate(closure.weights):
        others = (*closure.weights[:i], *closure.weights[i + 1 :])
        changed = replace(closure, weights=(*others, weights._replace(bound=weights.bound - 1)))
        assert not accepts(answer, changed)
        for key, value in weights.states.items():
            heavier = weights._replace(states={**weights.states, key: value + 10**6})
            changed = replace(closure, weights=(*others, heavier))
            alone = len(answer.system[key[0]].states) == 1
            assert alone or not accepts(answer, changed)
    assert not accepts(answer, replace(closure, weights=()))


@pytest.mark.skipif(not have_z3(), reason="z3 is not installed")
def test_the_state_equation_over_the_integers() -> None:
    answer = proof(
        "half-duplex", "deadlock-for-good", Failures(reorder=True), ("control states", "state equation")
    )
    found = answer.certificate
    assert isinstance(found, EquationCertificate) and accepts(answer, found)
    assert not accepts(answer, EquationCertificate(found.controls[1:]))


@pytest.mark.parametrize("chunk", range(4))
def test_certificates_of_random_systems_with_something_left_out_are_refused(chunk: int) -> None:
    seen = 0
    for seed in range(chunk * 300, (chunk + 1) * 300):
        rng = random.Random(seed)
        system = random_system(rng, processes=rng.choice((2, 2, 3)), transitions=rng.choice((4, 6)))
        model = random_failures(rng, system).on(system)
        process = rng.choice(system.processes)
        asked = cubes(parse_goal(f"{process.name}@{rng.choice(process.states)}", system), system, model)
        only = ("control states", rng.choice(("backward search", "half-duplex")))
        answer = solve(system, model, asked, "", Limits(states=1500), only=only)
        found = answer.certificate
        if isinstance(found, Closure):
            smaller: list[Certificate] = []
            if found.controls:
                smaller.append(replace(found, controls=without_one(rng, found.controls)))
            if found.basis:
                smaller.append(replace(found, basis=without_one(rng, found.basis)))
            for certificate in smaller:
                seen += 1
                assert not accepts(answer, certificate), seed
        elif isinstance(found, HalfDuplexCertificate):
            seen += 1
            assert not accepts(answer, HalfDuplexCertificate(without_one(rng, found.pairs))), seed
    assert seen > 50
