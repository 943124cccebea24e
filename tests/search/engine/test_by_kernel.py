"""What the kernel's own explorer decides of small systems is what the definitions decide."""

from __future__ import annotations

import random
from collections import Counter

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.goal import At, Named
from stormproof.kernel.model.goal_forms import observed_channels
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.semantics.faulty_steps import bounded_steps
from stormproof.kernel.semantics.silent_steps import initial
from stormproof.limits import Limits
from stormproof.oracle import survival as oracle
from stormproof.oracle.bounded import TooLarge
from stormproof.search.engine import by_kernel, survival
from stormproof.search.reachability import proofs
from tests.support.random_systems import random_failures, random_process_faults, random_system

SMALL = Limits(states=1_000)


def observed(model: SurvivalModel, ask: Ask) -> frozenset[Channel]:
    return frozenset().union(*(observed_channels(goal, model.system) for goal in ask.goals))


@pytest.mark.parametrize("chunk", range(2))
def test_the_same_answers_as_the_definitions(chunk: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival, "has_engine", lambda: False)
    for seed in range(chunk * 60, chunk * 60 + 60):
        rng = random.Random(seed)
        system = random_process_faults(rng, random_system(rng))
        model = SurvivalModel(system, random_failures(rng, system).on(system), rest_states(system))
        goal = At(system.processes[0].name, (rng.choice(system.processes[0].states),))
        asks = {"recovers": RECOVERS, "clean": clean(system, model.rest), "never": Ask(False, goal)}
        asks |= {"possible": Ask(True, goal), "stuck": Ask(False, Named("deadlock"))}
        found = survival.survey(model, asks, 1, ladder=())
        for name, ask in asks.items():
            try:
                expected = oracle.answer(model, ask, 1, ladder=(), most=1_500)
            except TooLarge:
                continue
            answer = found.answers[name]
            assert (answer.holds, answer.up_to) == (expected.holds, expected.up_to), (seed, name)
            if answer.run is None:
                continue
            assert answer.run.faults == expected.faults, (seed, name)
            at = initial(system)
            for step in answer.run.steps[: answer.run.storm]:
                after = dict(bounded_steps(model, at, 1, observed(model, ask)))[step]
                assert after is not None
                at = after
            assert at in expected.violations, (seed, name)


def test_what_is_larger_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(survival, "has_engine", lambda: False)
    monkeypatch.setattr(proofs, "has_engine", lambda: False)
    monkeypatch.setattr(by_kernel, "MOST", 20)
    report = sp.check(sp.protocol("raft-election"), classes=False, effort=100)
    assert {v.holds for v in report} <= {None, False} and None in {v.holds for v in report}


def test_a_whole_check(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same verdicts and the same numbers of faults as with the engine, where both decide."""
    compared = Counter[bool | None]()
    for name in ("lock-forgetful", "alternating-bit", "stop-and-wait", "outbox", "tcp-close-short-wait"):
        system, failures = sp.protocol(name), sp.Failures(loss=True)
        known = sp.check(system, failures, classes=False)
        with monkeypatch.context() as without:
            for module in (survival, proofs):
                without.setattr(module, "has_engine", lambda: False)
            found = sp.check(system, failures, classes=False, effort=1_000, limits=SMALL)
        for verdict, other in zip(known, found, strict=True):
            assert None in (other.holds, verdict.holds) or verdict.holds == other.holds, (name, verdict)
            if other.holds is False:
                assert (verdict.faults, True) == (other.faults, other.replayed), (name, verdict)
            compared[other.holds] += 1
    assert compared[True] > 3 and compared[False] > 2, compared
