"""No tick over a violation that any method of the tool finds within the same limits: `check`, `reach`, larger
bounds and the definitions are asked the same of random systems."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.ask import Ask
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import AT_REST, And, Goal, Named, Not
from stormproof.kernel.model.message_tracking import longest_content
from stormproof.kernel.model.requirement import ALWAYS_POSSIBLE, NEVER, Claim, Requirement
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.limits import Limits
from stormproof.options import Options
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.survival import answer
from stormproof.search.checks.api import check, report_on
from stormproof.search.checks.recovery import name_of, survival_asks, survival_model
from stormproof.search.checks.report import Verdict
from stormproof.search.checks.request import Request, make_request
from stormproof.search.engine.survival import survey
from stormproof.search.reachability.answer import REACHABLE
from stormproof.search.reachability.api import reach
from tests.support.random_systems import random_crash, random_failures, random_system
from tests.support.survival_questions import random_budget, random_goal

CHUNKS, EACH = 3, 60
#: Ended by counts and not by the clock, so that a slow machine gives the same answers.
LIMITS = Limits(seconds=300, states=1_500)
OPTIONS = Options(LIMITS)


def question(rng: random.Random) -> tuple[System, Failures]:
    """A system with requirements, and what may go wrong."""
    system = random_system(rng, internal=rng.choice((0.0, 0.1, 0.25)))
    if rng.random() < 0.2:
        system = random_crash(rng, system)
    failures = random_failures(rng, system) if rng.random() < 0.7 else Failures()
    duplicate = rng.choice((False, False, True))
    stop, restart = (tuple(n for n in system.names if rng.random() < 0.15) for _ in range(2))
    budget = random_budget(rng) if rng.random() < 0.3 else Budget()
    failures = replace(failures, duplicate=duplicate, stop=stop, restart=restart, budget=budget)
    required = (
        Requirement(Claim(NEVER, random_goal(rng, system)), name="never"),
        Requirement(Claim(NEVER, random_goal(rng, system)), name="also never"),
        Requirement(Claim(ALWAYS_POSSIBLE, random_goal(rng, system)), name="possible"),
    )
    return replace(system, requirements=required), failures


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_no_answer_is_better_than_what_another_method_finds(chunk: int) -> None:
    for seed in range(chunk * 10**6 + 2_900, chunk * 10**6 + 2_900 + EACH):
        rng = random.Random(seed)
        system, failures = question(rng)
        agrees(system, failures, rng.choice((1, 1, 2)), f"seed {seed}")


def test_a_budget_that_the_run_of_another_method_exceeds() -> None:
    """A deadlock that needs longer channels was found with faults first, which the budget forbids."""
    system, failures = question(random.Random(213959))
    verdict = check(system, failures, max_k=1)["possible"]
    assert verdict.holds is False and verdict.faults == 0 and verdict.replayed


def agrees(system: System, failures: Failures, max_k: int, where: str) -> None:
    request = make_request(
        system, failures, k=None, max_k=max_k, properties=None, semantics="definition", options=OPTIONS
    )
    request = replace(request, properties=("recovers", "clean"))
    report, model = report_on(request), survival_model(request)
    asks = survival_asks(request, model)
    goals = {name_of(r): r.claim.goal for r in request.required}
    for verdict in report:
        ask, place = asks[verdict.property], f"{where}, {verdict.property}: {verdict}"
        if verdict.holds:
            no_run_is_found(request, ask, goals.get(verdict.property), place)
            larger_bounds_agree(model, ask, verdict, max_k, place)
            definitions_agree(model, ask, verdict, place)
        elif verdict.holds is False:
            assert verdict.replayed or verdict.replay_words.startswith("replayed"), place
            fewest_is_true(model, ask, verdict, max_k, place)


def no_run_is_found(request: Request, ask: Ask, goal: Goal | None, where: str) -> None:
    """By `reach`: the goal that must never happen, or a deadlock where another goal must stay possible."""
    if ask.always:
        goal = And((Named("deadlock"), Not(goal or AT_REST)))
    if goal is None:  # clean
        return
    limits = replace(LIMITS, seconds=20)
    found = reach(request.asked, goal, request.failures, limits=limits, with_added_states=ask.always)
    if found.run is not None and found.because.startswith("found by a search of the runs"):
        # Bounds alone decide what goals exclude and how many faults are allowed: `reach` has larger ones.
        assert longest_content(found.run.steps) > (request.survival_max_k or 0), f"{where}, reached: {found}"
        return
    assert found.answer != REACHABLE, f"{where}, reached: {found}"


def larger_bounds_agree(model: SurvivalModel, ask: Ask, verdict: Verdict, max_k: int, where: str) -> None:
    for k in range(1, max_k + 4):
        found = survey(model, {"": ask}, k, limits=LIMITS)
        if found.stopped:
            return
        within = verdict.up_to is None or k <= verdict.up_to
        assert found.answers[""].holds is not False or not within, f"{where}, k = {k}"
        if within:
            assert found.answers[""].holds, f"{where}, k = {k}"


def definitions_agree(model: SurvivalModel, ask: Ask, verdict: Verdict, where: str) -> None:
    for k in range(1, min(verdict.up_to or 3, 3) + 1):
        try:
            assert answer(model, ask, k, most=1_000).holds, f"{where}, k = {k} by the definitions"
        except TooLarge:
            return


def fewest_is_true(model: SurvivalModel, ask: Ask, verdict: Verdict, max_k: int, where: str) -> None:
    if verdict.fewest and verdict.faults:
        fewer = replace(model, budget=model.budget.at_most(verdict.faults - 1))
        for k in range(1, max_k + 3):
            found = survey(fewer, {"": ask}, k, limits=LIMITS)
            assert found.stopped or found.answers[""].holds, f"{where}, fewer faults at k = {k}"
