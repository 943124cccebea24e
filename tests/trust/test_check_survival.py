"""Certificates of survival: accepted for every verdict, refused for every claim that is not true."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace
from math import prod

import pytest

import stormproof as sp
from stormproof.errors import Refused
from stormproof.kernel.model.actions import Configuration
from stormproof.kernel.model.ask import RECOVERS
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.extras import Extras
from stormproof.kernel.model.observer import Observer
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.oracle import survival as spec
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.channel_blocks import proves_never
from stormproof.search.certificates.survival import search_out_of_reach
from stormproof.trust.check_survival import check_holds
from stormproof.trust.replay_storm import storm_end
from stormproof.trust.survival_certificate import ClosedSet, OutOfReach, bases
from tests.support.survival_certificates import MOST, Claimed, claims, forged

CHUNKS, SYSTEMS, FORGERIES = 2, 60, 4


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_the_certificate_of_every_verdict_is_accepted(chunk: int) -> None:
    met: Counter[tuple[str, bool]] = Counter()
    for seed in range(chunk * 10**6, chunk * 10**6 + SYSTEMS):
        for claim in claims(seed):
            found = claim.check()
            assert found.ok and found.up_to == claim.up_to, f"seed {seed}: {found.message}"
            met[claim.certificate.kind, claim.ask.always] += 1
            if isinstance(claim.certificate, OutOfReach) and claim.witness is not None:
                size = claim.certificate.blocks
                again = search_out_of_reach(claim.model, claim.ask, size, claim.witness, MOST)
                assert again is not None and replace(claim, certificate=again).accepted, f"seed {seed}"
    assert min(met[kind] for kind in (("closed set", True), ("closed set", False))) > 20
    assert met["out of reach", True] > 20


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_forged_claim_is_refused_unless_it_is_true(chunk: int) -> None:
    met: Counter[bool | None] = Counter()
    for seed in range(chunk * 10**6 + 5 * 10**5, chunk * 10**6 + 5 * 10**5 + SYSTEMS):
        rng = random.Random(seed)
        for claim in claims(seed, most=150):
            for _ in range(FORGERIES):
                mutant = forged(rng, claim)
                true = is_true(mutant) if mutant.accepted else False
                assert true is not False or not mutant.accepted, f"seed {seed}: {mutant}"
                met[true] += 1
    assert met[False] > 100 and met[True] > 9 * met[None]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_certificates_with_observers_are_accepted_and_forged_ones_refused(chunk: int) -> None:
    """Also where the observers of the model move otherwise than those of the certificate."""
    met: Counter[bool | None] = Counter()
    for seed in range(chunk * 10**6 + 7 * 10**5, chunk * 10**6 + 7 * 10**5 + SYSTEMS // 2):
        rng = random.Random(seed)
        for claim in claims(seed, most=150, watching=True):
            assert claim.accepted, f"seed {seed}: {claim.check()}"
            for mutant in (forged(rng, claim), moving_otherwise(rng, claim)):
                true = is_true(mutant) if mutant.accepted else False
                assert true is not False or not mutant.accepted, f"seed {seed}: {mutant}"
                met[true] += 1
    assert met[False] > 20 and met[True] > 9 * met[None]


def moving_otherwise(rng: random.Random, claim: Claimed) -> Claimed:
    """One alternative of an observer leads elsewhere."""
    first, *others = claim.model.extras.observers
    rows = [*first.alternatives]
    at = rng.randrange(len(rows))
    rows[at] = rows[at]._replace(target=rng.choice(first.states))
    changed = Observer(first.name, first.initial, rows, first.states, first.rest)
    extras = Extras((changed, *others))
    return replace(claim, model=replace(claim.model, extras=extras))


def test_the_run_begins_before_any_fault() -> None:
    """One loss breaks it: a set in which the only fault is spent from the beginning on proves nothing."""
    system = sp.loads("role A { s: B!x -> t\n t: }\nrole B { w: A?x -> v\n v: }")
    sure = sp.survives(system, sp.Failures(loss=True, budget=0), certificates=True).certificate
    assert isinstance(sure, ClosedSet)
    none = SurvivalModel(system, sp.Failures(loss=True).on(system), rest_states(system), budget=Budget(0))
    one = replace(none, budget=Budget(1))
    spent = prod(bases(system, [sure.contents[c] for c in system.channels], one.budget)[:-1])
    changed = replace(sure, storms=tuple(tuple(n + spent for n in rank) for rank in sure.storms))
    assert check_holds(none, RECOVERS, sure).covers(None)
    assert check_holds(one, RECOVERS, changed).message.startswith(
        "the initial configuration, before any fault"
    )


def is_true(claim: Claimed) -> bool | None:
    """By the definitions; None if they cannot enumerate it within the limit."""
    try:
        if isinstance(claim.certificate, OutOfReach):
            at = storm_end(claim.model, claim.witness, claim.ask)  # type: ignore[arg-type]
            end = Configuration(at.states, at.queues)
            return proves_never(claim.model, end, claim.ask.goal, claim.certificate.blocks, 20_000)
        k = claim.certificate.k
        found = spec.answer(claim.model, claim.ask, k, most=20_000)
        return found.holds is True and (found.up_to is None or claim.up_to is not None)
    except TooLarge:
        return None
    except Refused:
        return False
