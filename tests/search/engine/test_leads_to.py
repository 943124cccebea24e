"""`G leads to H` in the engine against its definition, on random systems with every kind of fault."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.semantics.faulty_steps import effect
from stormproof.limits import Limits
from stormproof.oracle import survival as spec
from stormproof.oracle.bounded import TooLarge, initial
from stormproof.oracle.leads_to import is_pending
from stormproof.search.engine.survival import SurvivalAnswer, survey
from tests.search.engine.test_survival import SHORT, check_run
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.survival_questions import random_budget, random_goal, random_model

CHUNKS, EACH, MOST = 2, 120, 200


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_answer_is_as_defined(chunk: int) -> None:
    compared, seed, met = 0, chunk * 10**6, Counter[bool | None]()
    while compared < EACH:
        seed += 1
        compared += compare(seed, met)
    assert min(met[True], met[False]) > EACH // 10


def compare(seed: int, met: Counter[bool | None]) -> bool:
    rng = random.Random(seed)
    model = _mailboxes(seed) if seed % 5 == 0 else random_model(rng, everything=seed % 2 == 1)
    ask = Ask(True, random_goal(rng, model.system), random_goal(rng, model.system))
    k = rng.randint(1, 3)
    knobs = rng.choice(({}, {"compact": True}, {"threads": 2, "parallel_from": 1}))
    try:
        expected = spec.answer(model, ask, k, ladder=SHORT, most=MOST)
    except TooLarge:
        return False
    found = survey(model, {"": ask}, k, ladder=SHORT, limits=Limits(), **knobs).answers[""]
    where = f"seed {seed}, k = {k}, {knobs}: {ask}"
    assert (found.holds, found.up_to) == (expected.holds, expected.up_to), where
    met[found.holds] += 1
    if found.holds is not True:
        assert found.run is not None and found.run.faults == expected.faults, where
        check_run(model, ask, found, where)
        assert pending_where_it_is_stuck(model, ask, found), where
    return True


def _mailboxes(seed: int) -> SurvivalModel:
    system, failures = searched(*random_mailboxes(seed))
    return SurvivalModel(system, failures, rest_states(system), budget=random_budget(random.Random(seed)))


def pending_where_it_is_stuck(model: SurvivalModel, ask: Ask, answer: SurvivalAnswer) -> bool:
    assert answer.run is not None
    at = initial(model.system)
    pending = is_pending(model, ask, at, False)
    for step in answer.run.steps[: answer.run.storm]:
        at = effect(model, at, step)
        pending = is_pending(model, ask, at, pending)
    return pending
