"""Mailboxes: RSC, the k-properties and survival by the engine, compared with the definitions."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.conflict_graph import conflict_graph
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import And, At, Contains, Holds
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.mailboxes import mailbox_goal
from stormproof.oracle import bounded, survival as slow
from stormproof.oracle.communications import is_valid
from stormproof.oracle.rsc import enumerate_rsc
from stormproof.search.engine.k_properties import explore
from stormproof.search.engine.survival import survey
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.rsc_answers import ask_wide

#: k-obi and k-sibi are not defined with mailboxes.
K_PROPERTIES = [name for name in bounded.VIOLATIONS if name not in ("k-obi", "k-sibi")]


def shared(system: System) -> bool:
    """Has some mailbox several senders?"""
    return any(sum(c.receiver == name for c in system.channels) > 1 for name in system.names)


@pytest.mark.parametrize("chunk", range(2))
def test_rsc_is_the_definition(chunk: int) -> None:
    """Verdict and length, against all executions and communications up to length 7, in 1 to 4 threads."""
    several = violated = 0
    for seed in range(chunk * 60, chunk * 60 + 60):
        given, failures = random_mailboxes(seed, transitions=3 if seed % 2 else 4)
        system, model = searched(given, failures)
        result, slowly = ask_wide(system, model, 1 + seed % 4), enumerate_rsc(system, model, 7, 2_000)
        several += shared(given)
        if result.violation is None:
            assert slowly.violation is None, seed
            continue
        violated += 1
        execution, communication = result.violation.execution, result.violation.interactions
        assert is_valid(execution, communication, model), seed
        assert not conflict_graph(execution, communication, model.bags).acyclic, seed
        if slowly.violation is None:
            assert slowly.depth < len(execution), seed
        else:
            assert len(slowly.violation[0]) == len(execution), seed
    assert several > 15 and violated > 3


def with_duplication(seed: int) -> tuple[System, Failures]:
    """Faults of all kinds, mixed by sender and receiver."""
    rng = random.Random(seed)
    system, failures = random_mailboxes(seed)
    chosen = tuple(c for c in system.channels if rng.random() < 0.6)
    return system, replace(failures, duplicate=chosen) if seed % 3 == 0 else failures


@pytest.mark.parametrize("chunk", range(2))
def test_k_properties_are_the_definition(chunk: int) -> None:
    compared = violated = 0
    for seed in range(chunk * 80, chunk * 80 + 80):
        system, model = searched(*with_duplication(seed))
        k = random.Random(seed).choice((1, 2, 2, 3))
        try:
            ts = bounded.explore(system, model, k, most=600)
        except bounded.TooLarge:
            continue
        found = explore(system, model, k, properties=K_PROPERTIES)
        assert not found.reduced
        for name in K_PROPERTIES:
            holds = bounded.holds(ts, name)
            assert found.holds[name] is holds, (seed, k, name)
            compared += 1
            violated += not holds
    assert compared > 300 and violated > 50


@pytest.mark.parametrize("chunk", range(2))
def test_survival_is_the_definition(chunk: int) -> None:
    compared = violated = 0
    for seed in range(chunk * 25, chunk * 25 + 25):
        given, failures = with_duplication(seed)
        system, model = searched(given, failures)
        asked = SurvivalModel(system, model, rest_states(system))
        rng = random.Random(seed)
        k, asks = rng.choice((1, 1, 2)), {"recovers": RECOVERS, "clean": clean(system, asked.rest)}
        if given.channels:
            channel = rng.choice(given.channels)
            place = At(channel.receiver, (rng.choice(given[channel.receiver].states),))
            held = And((place, Contains(channel, rng.choice(given.alphabet(channel)))))
            asks["never"] = Ask(False, mailbox_goal(held, given, model))
            asks["always"] = Ask(True, mailbox_goal(Holds(channel, ()), given, model))
        try:
            expected = {name: slow.answer(asked, ask, k, most=400) for name, ask in asks.items()}
        except bounded.TooLarge:
            continue
        answers = survey(asked, asks, k).answers
        for name, wanted in expected.items():
            answer = answers[name]
            assert answer.holds is wanted.holds, (seed, name)
            compared += 1
            if wanted.holds:
                assert answer.up_to == wanted.up_to, (seed, name)
            elif wanted.holds is False:
                assert answer.run is not None and answer.run.faults == wanted.faults, (seed, name)
                violated += 1
    assert compared > 40 and violated > 10
