"""Survival in the engine against its definitions, on random systems that the definitions can enumerate."""

from __future__ import annotations

import heapq
import itertools
import random
from collections import Counter
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import Configuration
from stormproof.kernel.model.ask import RECOVERS, Ask
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.goal import At
from stormproof.kernel.model.goal_forms import NOTHING
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.storm_step import StormStep
from stormproof.kernel.model.survival import SLACK, BlockSize, SurvivalModel
from stormproof.kernel.semantics.faulty_steps import effect, stormy_steps
from stormproof.kernel.semantics.goal_meaning import at_rest, is_deadlock, satisfies
from stormproof.limits import Limits
from stormproof.oracle import survival as spec
from stormproof.oracle.bounded import TooLarge, initial
from stormproof.oracle.channel_blocks import proves_never
from stormproof.search.engine.partitioned_storms import StormQuestion
from stormproof.search.engine.survival import FoundRun, SurvivalAnswer, SurvivalSearch, survey
from tests.support.survival_questions import random_asks, random_model

CHUNKS, EACH, MOST = 2, 300, 200
#: A short ladder, so that the definitions are quick; the whole one is used against longer channels below.
SHORT = (BlockSize(1, 1), BlockSize(2, 2))
TICKET = itertools.count(1)


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_answer_as_defined(chunk: int) -> None:
    """Counts systems that were really compared: those too large to enumerate are passed over, not counted."""
    compared, seed, met = 0, chunk * 10**6, Counter[bool | None]()
    while compared < EACH:
        seed += 1
        if compare(seed, met):
            compared += 1
    assert met[False] >= 9 * met[None], "fewer than 90 % of the violations are decided"


def compare(seed: int, met: Counter[bool | None]) -> bool:
    rng = random.Random(seed)
    model = random_model(rng, everything=seed % 2 == 1)
    asks, k = random_asks(rng, model), rng.randint(1, 4)
    try:
        expected = {name: spec.answer(model, ask, k, ladder=SHORT, most=MOST) for name, ask in asks.items()}
    except TooLarge:
        return False
    found = survey(model, asks, k, ladder=SHORT)
    never = survey(model, {"never": Ask(False, NOTHING)}, k)
    assert never.configurations == len(spec.explore_storms(model, k).best), f"seed {seed}, k = {k}"
    for name, answer in found.answers.items():
        wanted, where = expected[name], f"seed {seed}, {name}, k = {k}"
        assert (answer.holds, answer.up_to) == (wanted.holds, wanted.up_to), where
        if asks[name].always:
            met[answer.holds] += 1
        if answer.holds is not True:
            assert answer.run is not None and answer.run.faults == wanted.faults, where
            check_run(model, asks[name], answer, where)
    return True


def play(model: SurvivalModel, at: Configuration, steps: tuple[StormStep, ...], where: str) -> Configuration:
    """Where the steps lead, each of which must be possible."""
    for step in steps:
        assert step in set(stormy_steps(model, at)), where
        at = effect(model, at, step)
    return at


def check_run(model: SurvivalModel, ask: Ask, answer: SurvivalAnswer, where: str) -> None:
    """The run is possible, within the budget, with the faults that it counts, and ends where it says."""
    run = answer.run
    assert run is not None
    counts: Counter[str] = sum((s.faults for s in run.steps), Counter())
    assert counts.total() == run.faults and model.budget.allows(run.faults, counts), where
    assert all(s.calm for s in (*run.steps[run.storm :], *run.cycle)), where
    stormed = play(model, initial(model.system), run.steps[: run.storm], where)
    end = play(model, stormed, run.steps[run.storm :], where)
    if answer.holds is None:
        return
    if not ask.always:
        assert satisfies(model, end, ask.goal), where
        return
    assert run.proof is not None and proves_never(model, stormed, ask.goal, run.proof), where
    check_end(model, run, end, where)


def check_end(model: SurvivalModel, run: FoundRun, end: Configuration, where: str) -> None:
    calm = any(step.calm for step in stormy_steps(model, end))
    if run.end == "deadlock":
        assert is_deadlock(model, end), where
    elif run.end == "rest":
        assert at_rest(model, end) and not calm, where
    else:
        assert run.end in ("livelock", "divergence") and calm, where
        assert run.end == "divergence" or run.cycle, where
        after = play(model, end, run.cycle, where)
        assert after.states == end.states, where
        assert all(a[: len(b)] == b for a, b in zip(after.words, end.words)), where


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_answers_for_any_length_hold_for_longer_channels(chunk: int) -> None:
    """Violated: no calm run with more slack leads to the goal. Holds for any length: also at larger k."""
    compared, seed = 0, chunk * 10**6 + 5 * 10**5
    while compared < EACH:
        seed += 1
        rng = random.Random(seed)
        model = random_model(rng)
        asks, k = random_asks(rng, model), rng.randint(1, 2)
        found = survey(model, asks, k)
        larger = survey(model, asks, k + 2)
        try:
            for name, answer in found.answers.items():
                lasts(model, asks[name], answer, larger.answers[name], k, f"seed {seed}, {name}, k = {k}")
        except TooLarge:
            continue
        compared += 1


def lasts(
    model: SurvivalModel, ask: Ask, answer: SurvivalAnswer, larger: SurvivalAnswer, k: int, where: str
) -> None:
    if answer.holds and answer.up_to is None:
        assert larger.holds and larger.up_to is None, where
    if answer.holds is not False:
        return
    assert answer.run is not None and larger.holds is False and larger.run is not None, where
    assert larger.run.faults <= answer.run.faults, where
    if answer.fewest:
        assert larger.run.faults == answer.run.faults, where
    if ask.always:
        end = play(model, initial(model.system), answer.run.steps[: answer.run.storm], where)
        calm = spec.calm_futures(model, [end], k + SLACK + 2, most=2000)
        assert not any(satisfies(model, at, ask.goal) for at in calm.after), where


def test_no_run_into_a_deadlock_is_longer_than_need_be() -> None:
    """Fewest faults, then fewest actions; calm steps may use the slack where a storm may not."""
    compared, sooner = 0, 0
    for seed, k in ((7 * 10**6 + 240 + n // 2, n % 2 + 1) for n in count()):
        if compared >= 30:
            break
        model = replace(random_model(random.Random(seed)), budget=Budget())
        try:
            within, nearest = shortest(model, k, slack=0), shortest(model, k, slack=SLACK)
        except TooLarge:
            continue
        run = survey(model, {"": RECOVERS}, k).answers[""].run
        if within is None or nearest is None or run is None or run.faults < within[0]:
            continue
        compared += 1
        sooner += nearest < within
        assert (run.faults, len(run.steps)) == nearest, f"seed {seed}, k = {k}"
    assert sooner > 0


def shortest(model: SurvivalModel, k: int, slack: int) -> tuple[int, int] | None:
    """Faults and actions of the shortest run into a deadlock: a storm with at most k messages per channel,
    then calm steps with so many more."""
    start = (initial(model.system), True)
    queue, best = [(0, 0, 0, start)], {start: (0, 0)}
    for number in itertools.count(1):
        if not queue:
            return None
        if number > 1500:
            raise TooLarge
        faults, actions, _, (at, stormy) = heapq.heappop(queue)
        if (faults, actions) > best[at, stormy]:
            continue
        if is_deadlock(model, at):
            return faults, actions
        for step in stormy_steps(model, at):
            after = effect(model, at, step)
            longest = max((len(a) for a, b in zip(after.words, at.words) if len(a) > len(b)), default=0)
            if longest > k + slack or (not step.calm and (longest > k or not stormy)):
                continue
            cost, place = (faults + step.faults.total(), actions + 1), (after, stormy and longest <= k)
            if cost < best.get(place, (faults + 99, 0)):
                best[place] = cost
                heapq.heappush(queue, (*cost, next(TICKET), place))
    raise AssertionError


def test_what_was_found_here_is_not_lost_on_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    """A system is explored here until it is not small; then the cluster may lose a worker."""
    pytest.importorskip("distributed")
    system = sp.protocol("alternating-bit")
    model = SurvivalModel(system, sp.Failures(loss=True).on(system), rest_states(system))
    asks = {"early": Ask(False, At("Sender", (system["Sender"].initial,))), "recovers": RECOVERS}

    def loses_a_worker(address: str, question: StormQuestion, *_: object) -> SimpleNamespace:
        search = SurvivalSearch(model, frozenset()).limited(Limits(states=1))
        undecided = search.plain([RECOVERS for _ in question.asks])
        nothing = search._survive(undecided, question.k, question.slack)
        return SimpleNamespace(result=nothing, memory=0, stopped="worker", traffic=None)

    monkeypatch.setattr("stormproof.search.engine.cluster.survive_on_cluster", loses_a_worker)
    found = survey(model, asks, 2, cluster="tcp://nowhere:1", reduce_from=3)
    assert found.stopped == "worker" and found.answers["recovers"].holds is None
    assert found.answers["early"].holds is False and found.answers["early"].run is not None
