"""Certificates of random questions of survival, and claims that are forged from them."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.run import Witness
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.transform.extras import with_clocks
from stormproof.search.certificates.survival import closed_set, out_of_reach
from stormproof.search.counterexample.storm_run import storm_witness
from stormproof.search.engine.survival import SurvivalAnswer, survey
from stormproof.trust.check_out_of_reach import check_violated
from stormproof.trust.check_survival import SurvivalCheck, check_holds
from stormproof.trust.survival_certificate import ClosedSet, OutOfReach, survival_certificate_from_json
from tests.support.random_observers import observed
from tests.support.survival_questions import random_asks, random_goal, random_model

#: Larger certificates are passed over.
MOST = 1500


@dataclass(frozen=True)
class Claimed:
    """A verdict with its certificate: `witness` for a violation, `up_to` for what holds."""

    model: SurvivalModel
    ask: Ask
    certificate: ClosedSet | OutOfReach
    up_to: int | None = None
    witness: Witness | None = None

    def check(self) -> SurvivalCheck:
        if isinstance(self.certificate, ClosedSet):
            return check_holds(self.model, self.ask, self.certificate)
        assert self.witness is not None
        return check_violated(self.model, self.ask, self.witness, self.certificate)

    @property
    def accepted(self) -> bool:
        return self.check().covers(self.up_to)


def claims(seed: int, most: int = MOST, watching: bool = False) -> Iterator[Claimed]:
    """Every verdict on a random question that has a certificate, which is read back from its JSON form;
    `watching`: with observers."""
    rng = random.Random(seed)
    model = random_model(rng, everything=seed % 2 == 1, timers=seed % 3 == 2)
    model = with_clocks(model) if seed % 3 == 2 else model
    model = observed(rng, model) if watching else model
    asks, k = random_asks(rng, model), rng.randint(1, 3)
    for name, answer in survey(model, asks, k, certified=most).answers.items():
        found = claimed(model, asks[name], k, answer)
        if found is not None:
            text = json.dumps(found.certificate.to_json())
            yield replace(found, certificate=survival_certificate_from_json(json.loads(text)))


def claimed(model: SurvivalModel, ask: Ask, k: int, answer: SurvivalAnswer) -> Claimed | None:
    if answer.listed is None or answer.listed.too_large or answer.holds is None:
        return None
    if answer.holds:
        return Claimed(model, ask, closed_set(model, ask, k, answer.listed), answer.up_to)
    if answer.run is None or answer.run.proof is None:
        return None
    witness = storm_witness(model, answer.run)
    return Claimed(model, ask, out_of_reach(model, answer.run.proof, answer.listed), witness=witness)


# ---- forgeries -----------------------------------------------------------------------------------------


def forged(rng: random.Random, claim: Claimed) -> Claimed:
    """The claim with one change; some of them leave it true."""
    certificate = claim.certificate
    if rng.random() < 0.4:
        return _other_question(rng, claim)
    if isinstance(certificate, ClosedSet):
        return _other_set(rng, claim, certificate)
    return _other_proof(rng, claim, certificate)


def _other_question(rng: random.Random, claim: Claimed) -> Claimed:
    model = claim.model
    what = rng.randrange(4)
    if what == 0:
        goal = random_goal(rng, model.system)
        if claim.ask.after is not None and rng.random() < 0.5:
            return replace(claim, ask=replace(claim.ask, after=goal))
        return replace(claim, ask=replace(claim.ask, goal=goal))
    if what == 1:
        return replace(claim, model=replace(model, failures=_other_failures(rng, model)))
    if what == 2:
        total, kinds = rng.choice((None, 0, 1, 2)), dict(model.budget.kinds)
        if kinds and rng.random() < 0.5:
            kinds[rng.choice(list(kinds))] += rng.choice((1, -1)) if min(kinds.values()) else 1
        return replace(claim, model=replace(model, budget=Budget(total, kinds)))
    rest = dict(model.rest.rest)
    process = rng.choice(model.system.processes)
    rest[process.name] = frozenset(rng.sample(process.states, rng.randint(0, len(process.states))))
    return replace(claim, model=replace(model, rest=replace(model.rest, rest=rest)))


def _other_failures(rng: random.Random, model: SurvivalModel) -> Any:
    if not model.system.channels:
        return model.failures
    channel = rng.choice(model.system.channels)
    before = model.failures.on(channel)
    kind = rng.choice(("loss", "reorder", "duplicate"))
    after = replace(before, **{kind: not getattr(before, kind)})  # type: ignore[arg-type]
    return replace(model.failures, channels={**model.failures.channels, channel: after})


def _other_set(rng: random.Random, claim: Claimed, certificate: ClosedSet) -> Claimed:
    storms, beyond = [list(r) for r in certificate.storms], [list(r) for r in certificate.beyond]
    what, ranks = rng.randrange(6), rng.choice([part for part in (storms, beyond) if any(part)])
    rank = rng.choice([numbers for numbers in ranks if numbers])
    if what == 0:  # a configuration less
        rank.pop(rng.randrange(len(rank)))
    elif what == 1:  # another configuration
        rank[rng.randrange(len(rank))] += rng.choice((-3, -2, -1, 1, 2, 3))
    elif what == 2:  # another rank
        number = rank.pop(rng.randrange(len(rank)))
        rng.choice([*ranks, *([[]] if ranks is not storms else [])]).append(number)
    elif what == 3:
        return replace(claim, up_to=None)
    elif what == 4:
        k = max(0, certificate.k + rng.choice((-1, 1)))
        up_to = None if claim.up_to is None else max(k, claim.up_to)
        return replace(claim, certificate=replace(certificate, k=k), up_to=up_to)
    else:
        return replace(claim, certificate=replace(certificate, contents=_other_contents(rng, certificate)))
    changed = replace(certificate, storms=tuple(storms), beyond=tuple(beyond))
    return replace(claim, certificate=changed)


def _other_contents(rng: random.Random, certificate: ClosedSet | OutOfReach) -> Any:
    """Two contents of a channel exchanged, one left out, or the tables of two channels exchanged."""
    contents: dict[Any, tuple[Any, ...]] = dict(certificate.contents)
    if not contents:
        return contents
    a, b = rng.choice(list(contents)), rng.choice(list(contents))
    table = list(contents[a])
    if rng.random() < 0.2:
        return {**contents, a: contents[b], b: contents[a]}
    if rng.random() < 0.5:
        table.pop(rng.randrange(len(table)))
    else:
        i, j = rng.randrange(len(table)), rng.randrange(len(table))
        table[i], table[j] = table[j], table[i]
    return {**contents, a: tuple(table)}


def _other_proof(rng: random.Random, claim: Claimed, certificate: OutOfReach) -> Claimed:
    assert claim.witness is not None
    what, numbers, witness = rng.randrange(6), list(certificate.numbers), claim.witness
    if what == 0:
        numbers.pop(rng.randrange(len(numbers)))
    elif what == 1:
        numbers[rng.randrange(len(numbers))] += rng.choice((-2, -1, 1, 2))
    elif what == 2:  # calm from another step on
        return replace(claim, witness=replace(witness, calm_from=rng.randint(-1, len(witness.steps) + 1)))
    elif what == 3 and witness.steps:  # a step less
        i = rng.randrange(len(witness.steps))
        return replace(claim, witness=replace(witness, steps=witness.steps[:i] + witness.steps[i + 1 :]))
    elif what == 4:
        size = certificate.blocks._replace(**{rng.choice(("blocks", "counted")): rng.randint(0, 3)})
        return replace(claim, certificate=replace(certificate, blocks=size))
    else:
        return replace(claim, certificate=replace(certificate, contents=_other_contents(rng, certificate)))
    return replace(claim, certificate=replace(certificate, numbers=numbers))
