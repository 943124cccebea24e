"""Survival that is divided among parts gives the answers, counts and lengths of an undivided search, and
those of the definitions."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

import stormproof as sp
from stormproof import _engine
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.goal_forms import observed_channels
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SLACK, BlockSize, SurvivalModel
from stormproof.limits import Limits
from stormproof.oracle import survival as spec
from stormproof.oracle.bounded import TooLarge
from stormproof.search.engine.partitioned import LocalParts
from stormproof.search.engine.partitioned_storms import StormQuestion, StormSearch
from stormproof.search.engine.survival import Survey, SurvivalSearch
from tests.search.engine.test_compact import claims
from tests.search.engine.test_survival import check_run
from tests.support.survival_questions import random_asks, random_model

CHUNKS, EACH = 2, 400
SHORT = (BlockSize(1, 1), BlockSize(2, 2))


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_parts_together_answer_what_one_answers(chunk: int) -> None:
    violated = held = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        model = random_model(rng, everything=seed % 4 == 1)
        model = replace(model, budget=Budget()) if rng.random() < 0.5 else model
        asks, k = random_asks(rng, model), rng.randint(1, 3)
        some = {n: asks[n] for n in rng.sample(sorted(asks), rng.choice((1, 1, 2, 4)))}
        # What one goal leads to is asked by itself.
        alone = "leads" in some and (len(some) == 1 or rng.random() < 0.5)
        some = {n: a for n, a in some.items() if (a.after is not None) is alone}
        whole, there = both(model, some, k, 1 + seed % 4)
        if whole.stopped:
            continue
        where = f"seed {seed}, k = {k}"
        assert claims(there, k) == claims(whole, k), where
        for name, answer in there.answers.items():
            if answer.run is not None:
                violated += 1
                check_run(model, some[name], answer, where)
        if all(answer.run is None for answer in whole.answers.values()):
            held += 1
            assert counts(there) == counts(whole), where
    assert violated > EACH / 2 and held > EACH / 5


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_parts_answer_as_defined(chunk: int) -> None:
    compared = 0
    for seed in range(chunk * 10**6 + 5 * 10**5, chunk * 10**6 + 5 * 10**5 + EACH // 4):
        rng = random.Random(seed)
        model = random_model(rng, everything=seed % 2 == 1)
        (name, ask), k = rng.choice(sorted(random_asks(rng, model).items())), rng.randint(1, 4)
        try:
            wanted = spec.answer(model, ask, k, ladder=SHORT, most=200)
        except TooLarge:
            continue
        answer, where = both(model, {name: ask}, k, 1 + seed % 4)[1].answers[name], f"seed {seed}, k = {k}"
        assert (answer.holds, answer.up_to) == (wanted.holds, wanted.up_to), where
        assert answer.run is None or answer.run.faults == wanted.faults, where
        compared += 1
    assert compared > EACH / 5


def both(model: SurvivalModel, asks: Mapping[str, Ask], k: int, parts: int) -> tuple[Survey, Survey]:
    """In one search, and on so many parts."""
    search = question(model, asks)
    whole = search.limited(Limits(states=30_000)).survey(asks, k, SLACK)
    there = StormQuestion(search, tuple(map(search.asked, asks.values())), k, SLACK)
    judge = there.judge(_engine.Monitor(None, None, None), parts)
    divided = StormSearch(LocalParts(there, parts), judge)
    decided = whole.stopped == "" and divided.run()
    found = judge.conclude(decided, divided.expansions, divided.tally.states)
    return whole, search.read(found, asks, k)


def question(model: SurvivalModel, asks: Mapping[str, Ask]) -> SurvivalSearch:
    """One that observes at least what the asks do, of the channels whose receiver may end."""
    observed = {c for a in asks.values() for g in a.goals for c in observed_channels(g, model.system)}
    ending = {c for c in observed if model.rest.ended[c.receiver]}
    return SurvivalSearch(model, frozenset(ending), SHORT).leading_to(asks)


def counts(found: Survey) -> tuple[int, int | None]:
    return found.configurations, found.hit_faults


@pytest.mark.parametrize("parts", [1, 3])
@pytest.mark.parametrize("name", ["tcp-close", "go-back-n", "saga"])
def test_what_the_parts_know_ends_calm_runs_that_use_the_slack(name: str, parts: int) -> None:
    """From some configurations, no calm run within k leads to rest: the undivided search stores more than
    storms reach, and both asks are left open in different ones."""
    system = sp.protocol(name)
    model = SurvivalModel(system, sp.Failures().on(system), rest_states(system))
    whole, there = both(model, {"recovers": RECOVERS, "clean": clean(system, model.rest)}, 2, parts)
    assert whole.stored > whole.configurations
    assert claims(there, 2) == claims(whole, 2) and counts(there) == counts(whole)


@pytest.mark.parametrize("memory", [1000, 200_000])
def test_a_limit_of_the_judge_leaves_what_it_would_judge_undecided(memory: int) -> None:
    """What the parts list does not fit at the first number of faults, or not beside what came before."""
    system = sp.protocol("tcp-close")
    model = SurvivalModel(system, sp.Failures().on(system), rest_states(system))
    asks = {"recovers": RECOVERS, "clean": clean(system, model.rest)}
    there = StormQuestion(question(model, asks), tuple(asks.values()), 2, SLACK)
    judge = there.judge(_engine.Monitor(None, memory, None), 2)
    search = StormSearch(LocalParts(there, 2), judge)
    assert not search.run()
    found = judge.conclude(False, search.expansions, search.tally.states)
    assert found.stop is _engine.Stop.MEMORY
    assert {f.outcome for f in found.findings} == {_engine.Outcome.UNKNOWN}


class Lost(Exception):
    pass


class LossyParts(LocalParts):
    """They are lost when the judge asks them for something."""

    def call_each(self, method: str, arguments: Sequence[Any]) -> list[Any]:
        raise Lost

    def call_one(self, part: int, method: str, *arguments: Any) -> Any:
        raise Lost


@pytest.mark.parametrize(("name", "loss"), [("tcp-close", False), ("idempotent-producer", True)])
def test_parts_that_are_lost_while_it_is_judged_leave_it_undecided(name: str, loss: bool) -> None:
    """In the first, masks are asked for; in the second, a run to a violation."""
    system = sp.protocol(name)
    model = SurvivalModel(system, sp.Failures(loss=loss).on(system), rest_states(system))
    there = StormQuestion(question(model, {"recovers": RECOVERS}), (RECOVERS,), 2, SLACK)
    judge = there.judge(_engine.Monitor(None, None, None), 2)
    with pytest.raises(Lost):
        StormSearch(LossyParts(there, 2), judge).run()
    assert [f.outcome for f in judge.conclude(False, 0, 0).findings] == [_engine.Outcome.UNKNOWN]


def test_a_message_that_was_cut_off_is_refused() -> None:
    model = random_model(random.Random(1))
    there = StormQuestion(SurvivalSearch(model, frozenset()), (RECOVERS,), 1, SLACK)
    parts = LocalParts(there, 2)
    parts.call("start")
    parts.call("expand", 0, 1)
    for method in ("absorb", "take"):
        with pytest.raises(ValueError, match="cut off"):
            parts.call_one(0, method, [(1, b"x")])
    with pytest.raises(ValueError, match="cut off"):
        parts.call_one(0, "find", b"x")
