"""Certificates of survival: accepted for every verdict, refused for every claim that is not true."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest

from stormproof.errors import Refused
from stormproof.model.actions import Configuration
from stormproof.spec import survival as spec
from stormproof.spec.bounded import TooLarge
from stormproof.spec.channel_blocks import proves_never
from stormproof.trust.make_survival_certificate import search_out_of_reach
from stormproof.trust.replay_storm import storm_end
from stormproof.trust.survival_certificate import OutOfReach
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
                size, goal = claim.certificate.blocks, claim.ask.goal
                again = search_out_of_reach(claim.model, goal, size, claim.witness, MOST)
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


def is_true(claim: Claimed) -> bool | None:
    """By the definitions; None if they cannot enumerate it within the limit."""
    try:
        if isinstance(claim.certificate, OutOfReach):
            at = storm_end(claim.model, claim.witness)  # type: ignore[arg-type]
            end = Configuration(at.states, at.queues)
            return proves_never(claim.model, end, claim.ask.goal, claim.certificate.blocks, 20_000)
        k = claim.certificate.k
        found = spec.answer(claim.model, claim.ask, k, most=20_000)
        return found.holds is True and (found.up_to is None or claim.up_to is not None)
    except TooLarge:
        return None
    except Refused:
        return False
