"""Certificates and runs under cuts (definitions 15.7): accepted, and refused where they are not true."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from stormproof.kernel.model.cuts import link
from stormproof.kernel.model.run import LinkCut
from stormproof.search.counterexample.storm_run import storm_witness
from stormproof.search.engine.survival import survey
from stormproof.trust.replay_storm import replay_storm
from stormproof.trust.survival_certificate import survival_certificate_from_json
from tests.support.random_cuts import random_cut_question
from tests.support.survival_certificates import Claimed, claimed, forged
from tests.trust.test_check_survival import is_true

SYSTEMS, FORGERIES = 30, 3


def claims(seed: int, most: int = 300) -> Iterator[Claimed]:
    model, asks, k = random_cut_question(random.Random(seed))
    for name, answer in survey(model, asks, k, certified=most).answers.items():
        found = claimed(model, asks[name], k, answer)
        if found is not None:
            text = json.dumps(found.certificate.to_json())
            yield replace(found, certificate=survival_certificate_from_json(json.loads(text)))


def test_the_certificate_of_every_verdict_under_cuts_is_accepted() -> None:
    met: Counter[tuple[str, bool]] = Counter()
    for seed in range(SYSTEMS):
        for claim in claims(seed):
            found = claim.check()
            assert found.ok and found.up_to == claim.up_to, f"seed {seed}: {found.message}"
            met[claim.certificate.kind, claim.ask.always] += 1
    assert min(met[kind] for kind in (("closed set", True), ("closed set", False))) > 10
    assert met["out of reach", True] > 10


def test_a_forged_claim_under_cuts_is_refused_unless_it_is_true() -> None:
    met: Counter[bool | None] = Counter()
    for seed in range(10**6, 10**6 + SYSTEMS):
        rng = random.Random(seed)
        for claim in claims(seed, most=100):
            for _ in range(FORGERIES):
                mutant = forged(rng, claim)
                true = is_true(mutant) if mutant.accepted else False
                assert true is not False or not mutant.accepted, f"seed {seed}: {mutant}"
                met[true] += 1
    assert met[False] > 30


def test_runs_with_other_cuts_are_refused() -> None:
    """Of no channel, of one that no cut takes down, and of one that is down already."""
    replayed = forgeries = 0
    for seed in range(2 * 10**6, 2 * 10**6 + 3 * SYSTEMS):
        model, asks, _ = random_cut_question(random.Random(seed))
        for name, answer in survey(model, asks, 1, most=400).answers.items():
            if answer.run is None or answer.holds is not False:
                continue
            run = storm_witness(model, answer.run)
            assert replay_storm(model, asks[name], run, budget=100).ok, f"seed {seed}, {name}"
            replayed += bool(run.cuts)
            for i, step in enumerate(run.steps):
                if not isinstance(step, LinkCut):
                    continue
                for other in (LinkCut(()), LinkCut((*step.channels, *link("P0", "nobody")))):
                    steps = (*run.steps[:i], other, *run.steps[i + 1 :])
                    assert not replay_storm(model, None, replace(run, steps=steps)).ok
                steps = (*run.steps[: i + 1], step, *run.steps[i + 1 :])
                assert not replay_storm(model, None, replace(run, steps=steps)).ok
                forgeries += 1
    assert replayed > 5 and forgeries >= replayed
