"""A violation that is said to last does last: compared with the definitions at larger bounds."""

from __future__ import annotations

import random

import pytest

from stormproof.kernel.model.actions import Configuration, Receive, Send, Transition
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.paper_encodings import encode, resolve
from stormproof.oracle import bounded
from stormproof.search.checks.all_bounds import persists
from stormproof.search.checks.api import check
from stormproof.surveys.paper_table.corruption_shortcut import twin
from tests.support.example_systems import process
from tests.support.random_systems import random_failures, random_process_faults, random_system

NAMES = ("k-er", "k-wer", "k-pg", "k-exh")


def violations(ts: bounded.TransitionSystem, name: str) -> list[tuple[Configuration, dict[str, str]]]:
    """Some violating configurations, each with a culprit as the engine would name it."""
    found = []
    for at in list(bounded.VIOLATIONS[name](ts))[:3]:
        for culprit in culprits(ts, at, name):
            found.append((at, culprit))
    return found


def culprits(ts: bounded.TransitionSystem, at: Configuration, name: str) -> list[dict[str, str]]:
    system = ts.system
    if name in ("k-er", "k-wer"):
        return [{"channel": str(c)} for c, word in zip(system.channels, at.words, strict=True) if word]
    return [{"process": p} for p in system.names]


def lasting(
    system: System, model: FailureModel, ts: bounded.TransitionSystem, name: str, k: int, max_k: int
) -> bool:
    return any(
        persists(
            system,
            model,
            name,
            dict(zip(system.names, at.states, strict=True)),
            dict(zip(system.channels, at.words, strict=True)),
            culprit,
            k,
            max_k,
            most=500,
        )
        for at, culprit in violations(ts, name)
    )


@pytest.mark.parametrize("chunk", range(8))
def test_what_lasts_is_violated_at_larger_bounds(chunk: int) -> None:
    """Sound: whatever configuration and culprit it is asked about, `persists` never claims too much."""
    claims = 0
    for seed in range(chunk * 100, chunk * 100 + 100):
        rng = random.Random(seed)
        system = random_system(rng, processes=rng.choice((2, 2, 3)))
        model = random_failures(rng, system).on(system)
        if rng.random() < 0.3:
            system = random_process_faults(rng, system)
        try:
            now = bounded.explore(system, model, 1, 600)
            later = [bounded.explore(system, model, k, 4000) for k in (2, 3)]
        except bounded.TooLarge:
            continue
        for name in NAMES:
            if lasting(system, model, now, name, 1, 3):
                claims += 1
                assert not any(bounded.holds(ts, name) for ts in later), (seed, name)
    assert claims > 20


def test_a_wait_that_a_larger_bound_ends_does_not_last() -> None:
    """Both send two messages before they listen: stuck at k = 1, fine at k = 2."""

    def side(name: str, peer: str) -> Process:
        send, receive = Send(peer, "x"), Receive(peer, "x")
        return process(name, ("a", send, "b"), ("b", send, "c"), ("c", receive, "d"), ("d", receive, "a"))

    system = System((side("A", "B"), side("B", "A")))
    model = Failures().on(system)
    ts = bounded.explore(system, model, 1)
    assert not bounded.holds(ts, "k-exh")
    assert not any(lasting(system, model, ts, name, 1, 2) for name in NAMES)


def test_an_endless_sender_to_nobody_fills_every_channel() -> None:
    rows = (Transition("a", Send("B", "x"), "a"),)
    system = System((Process("A", "a", rows), Process("B", "b")))
    report = check(system, max_k=10, properties=["k-exh", "k-er"])
    assert [t.holds for t in report["k-exh"].tried] == [False] * 10
    assert report["k-exh"].states == 2, "one exploration, at k = 1, is enough"
    witness = report["k-exh"].witness
    assert witness is not None and len(witness.steps) == 1, "shown at the smallest bound"
    assert report["k-exh"].witness_k == 1
    assert report["k-exh"].replayed
    assert any("no larger bound" in note for note in report["k-exh"].notes)


@pytest.mark.parametrize("chunk", range(4))
def test_the_encoding_of_corruption_refines_the_definitions(chunk: int) -> None:
    """What is violated under corruption as defined is violated in the encoding, at each k."""
    compared = 0
    for seed in range(chunk * 100, chunk * 100 + 100):
        rng = random.Random(seed)
        system = random_system(rng, processes=rng.choice((2, 3)))
        asked = Failures(corrupt=True, corrupt_scope="sender")
        encoded, left = encode(system, resolve(system, asked))
        other = twin(system)
        if other is None:
            continue
        for k in (1, 2):
            try:
                defined = bounded.explore(other, asked.on(other), k, 3000)
                coded = bounded.explore(encoded, left, k, 3000)
            except bounded.TooLarge:
                break
            for name in ("k-exh", "k-er", "k-pg"):
                if not bounded.holds(defined, name):
                    compared += 1
                    assert not bounded.holds(coded, name), (seed, k, name)
    assert compared > 20
