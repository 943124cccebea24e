"""Random models in which links may be cut: single channels, links, partitions."""

from __future__ import annotations

import random
from dataclasses import replace

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.cuts import Cut, across, in_use, links
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.links import with_links
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.survival_questions import random_asks, random_budget, random_model


def random_cuts(rng: random.Random, system: System) -> tuple[Cut, ...]:
    """At least one where there is a channel; a channel may be in several."""
    pairs = system.pairs
    if not pairs:
        return ()
    found: list[Cut] = [(rng.choice(pairs),) for _ in range(rng.randint(0, 2))]
    found += [link for link in links(pairs) if rng.random() < 0.4]
    if rng.random() < 0.3:
        found.append(across(([n for n in system.names if rng.random() < 0.5], ()), pairs))
    return in_use(found or [(pairs[0],)], pairs)


def with_cuts(rng: random.Random, model: SurvivalModel) -> SurvivalModel:
    return with_links(replace(model, failures=replace(model.failures, cuts=random_cuts(rng, model.system))))


def random_cut_question(rng: random.Random) -> tuple[SurvivalModel, dict[str, Ask], int]:
    """The goals are about the roles: nobody names what cuts channels."""
    if rng.random() < 0.2:
        system, failures = searched(*random_mailboxes(rng.randrange(10**9)))
        model = SurvivalModel(system, failures, rest_states(system), budget=random_budget(rng))
    else:
        model = random_model(rng, everything=rng.random() < 0.2)
        if rng.random() < 0.6:  # faults of messages would mostly do what a cut does
            model = replace(model, failures=replace(model.failures, channels={}))
    asks = random_asks(rng, model)
    return with_cuts(rng, model), asks, rng.randint(1, 3)
