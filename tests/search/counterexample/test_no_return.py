"""The point of no return: where the definitions see it, on random systems and on one that is simple."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import stormproof as sp
from stormproof.kernel.model.ask import RECOVERS, Ask
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.options import Options
from stormproof.oracle import survival as spec
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.rest import satisfies
from stormproof.search.counterexample.no_return import MOST, from_no_return, sooner
from stormproof.search.engine.effort import Effort
from stormproof.search.engine.survival import survey
from stormproof.tell.draw.chart.build import chart
from stormproof.tell.draw.chart.data import NO_RETURN
from tests.support.survival_questions import random_goal, random_model

#: A loss of `go` is enough: A and B only find out after they have counted to three.
LATE = """
role A { a0: B!go -> a1  a1: C!one -> a2  a2: C!two -> a3  a3: B?ok -> a4  a4: }
role B { b0: A?go -> b1  b1: A!ok -> b2  b2: }
role C { c0: A?one -> c1  c1: A?two -> c2  c2: }
"""


def test_it_is_the_moment_of_the_loss_and_not_of_the_deadlock() -> None:
    report = sp.check(sp.loads(LATE), sp.Failures(loss=[("A", "B")]), classes=False)
    run = report["recovers"].witness
    assert run is not None and report["recovers"].replayed
    assert run.calm_from == 2, "A sends, and the message is lost"
    assert len(run.steps) == 6 and run.ending == "deadlock", "one and two are sent and received"
    picture = chart(report.system, run)
    assert picture.no_return == 2 and picture.to_json()["no_return"] == 2
    lines = picture.to_text().splitlines()
    (mark,) = [i for i, line in enumerate(lines) if NO_RETURN in line]
    assert "go" in "".join(lines[:mark]) and "one" not in "".join(lines[:mark])
    assert NO_RETURN in picture.to_svg() and NO_RETURN in picture.to_mermaid()


#: One loss is enough at once: A and B go on to a deadlock after it, or swap messages for ever. The nearest
#: deadlock of all is that of a message that is lost after three actions.
SOON = """
role A { a0: B!go -> a1  a1: B?ok -> a2  a2: B!now -> a3  a3: B?end -> a4  a4: }
role B { b0: A?go -> b1  C!beat -> b5  b5: C?beat -> b0  b1: A!ok -> b2  b2: A?now -> b3
         b3: A!end -> b4  b4: }
role C { c0: B?beat -> c1  c1: B!beat -> c0 }
"""


def test_the_loss_comes_as_soon_as_it_can() -> None:
    """The loss of `go` leaves B and C, which beat for ever; that of `now` a deadlock, two actions later."""
    report = sp.check(sp.loads(SOON), sp.Failures(loss=[("A", "B")]), properties=["recovers"])
    run = report["recovers"].witness
    assert run is not None and report["recovers"].replayed
    assert run.calm_from == 2 and run.fault_count == 1, "A sends, and the message is lost"
    assert run.ending == "livelock"


def test_no_run_with_as_few_faults_gets_there_with_fewer_actions() -> None:
    compared = 0
    for seed in range(150):
        rng = random.Random(seed)
        model, k = random_model(rng), rng.choice((1, 2))
        goal = RECOVERS if seed % 2 else replace(RECOVERS, goal=random_goal(rng, model.system))
        answer = survey(model, {"": goal}, k, most=5_000).answers[""]
        if answer.holds is not False or answer.run is None or model.budget.limited:
            continue
        marked = replace(answer, run=from_no_return(model, goal, answer.run), k=k)
        now = sooner(model, goal, marked, Options(), Effort(100_000), 0)
        least = _fewest_actions(model, goal, k, answer.run.faults)
        if least is None:
            continue
        assert now.run is not None
        assert (now.run.faults, now.run.storm) == (answer.run.faults, least), seed
        compared += 1
    assert compared > 15, compared


#: Configurations of storms that are compared.
FEW = 100


def _fewest_actions(model: SurvivalModel, ask: Ask, k: int, faults: int) -> int | None:
    """Of the runs with so many faults to a configuration from which no calm run leads to the goal, by the
    definitions; None where that takes too much, or longer channels might help."""
    every = frozenset(model.system.channels)
    try:
        storms = spec.explore_storms(model, k, every, FEW)
        calm = spec.calm_futures(model, storms.faults, k + 6, every, 10 * FEW)
    except TooLarge:
        return None
    hopeful = calm.can_reach(at for at in calm.after if satisfies(model, at, ask.goal))
    unclear = calm.can_reach(calm.hits)
    hopeless = [(at, n) for (at, _), (f, n) in storms.best.items() if f == faults and at not in hopeful]
    if any(at in unclear for at, _ in hopeless):
        return None
    return min(n for _, n in hopeless)


def test_a_run_that_ends_there_has_no_mark() -> None:
    report = sp.check(sp.protocol("alternating-bit"), sp.Failures(loss=True), properties=["recovers"])
    run = report["recovers"].witness
    assert run is not None and run.calm_from == len(run.steps)
    assert chart(report.system, run).no_return is None


def test_random_systems_agree_with_the_definition() -> None:
    told: Counter[str] = Counter()
    for seed in range(500):
        rng = random.Random(seed)
        model, k = random_model(rng), rng.choice((1, 2))
        ask = RECOVERS if seed % 3 else replace(RECOVERS, after=random_goal(rng, model.system))
        found = survey(model, {"": ask}, k).answers[""]
        if found.holds is not False or found.run is None:
            continue
        moved = from_no_return(model, ask, found.run)
        try:
            here = spec.no_return(model, ask, found.run.steps, k + 6, MOST)
        except TooLarge:
            continue
        if here is not None:
            told["earlier" if moved.storm < found.run.storm else "as found"] += 1
            assert moved.storm == here, seed
            assert moved.steps == found.run.steps
    assert told["earlier"] >= 15 and told["as found"] >= 50, told
