"""The run to a reachable goal has the fewest faults: compared with a search over the definitions."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.goal import And, At, Goal, Holds
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.semantics.goal_meaning import satisfies
from stormproof.kernel.transform.prepare import with_process_faults
from stormproof.languages import formats
from stormproof.limits import Limits
from stormproof.oracle.bounded import TooLarge
from stormproof.oracle.survival import explore_storms
from stormproof.search.reachability.api import reach
from tests.support.random_systems import random_duplication, random_failures, random_system
from tests.support.survival_questions import random_goal

EACH, BOUND = 12, 2


class Storms:
    """All storms of a random system within the bound."""

    def __init__(self, rng: random.Random) -> None:
        self.system = random_system(rng, internal=rng.choice((0.0, 0.2)))
        faults = (random_failures if rng.random() < 0.6 else random_duplication)(rng, self.system)
        stop, restart = (tuple(n for n in self.system.names if rng.random() < 0.2) for _ in range(2))
        self.failures = replace(faults, stop=stop, restart=restart)
        model = self.failures.on(self.system)
        self.searched = with_process_faults(self.system, model)
        self.asked = SurvivalModel(self.searched.system, model, rest_states(self.searched.system))
        self.storm = explore_storms(self.asked, BOUND, frozenset(self.system.channels), most=300)

    def goal(self, rng: random.Random) -> Goal:
        """Some of what holds in a configuration that takes faults; where there is none, anything."""
        struck = [at for (at, _), (faults, _) in self.storm.best.items() if faults]
        if not struck or rng.random() < 0.3:
            return random_goal(rng, self.system)
        at = rng.choice(struck)
        parts: list[Goal] = [
            Holds(c, w) for c, w in zip(self.system.channels, at.words) if rng.random() < 0.6
        ]
        for name, state in zip(self.system.names, at.states):
            if (name, state) not in self.searched.invented:
                parts.append(At(name, (self.searched.user_state(name, state),)))
        return And(tuple(parts))

    def costs(self, goal: Goal) -> list[tuple[int, int]]:
        """What each configuration of the goal costs: faults, then actions."""
        mapped = self.searched.goal(goal)
        return [c for (at, _), c in self.storm.best.items() if satisfies(self.asked, at, mapped)]


@pytest.mark.parametrize("chunk", range(2))
def test_no_run_of_the_definitions_has_fewer_faults(chunk: int) -> None:
    compared, seed = 0, chunk * 10**6
    while compared < EACH:
        seed += 1
        compared += compare(seed)


def compare(seed: int) -> bool:
    """False: the question was too large, or no faults are needed."""
    rng = random.Random(seed)
    try:
        storms = Storms(rng)
    except TooLarge:
        return False
    goal = storms.goal(rng)
    costs = storms.costs(goal)
    answer = reach(storms.system, goal, storms.failures, limits=Limits(seconds=10))
    if answer.run is None:
        assert not costs or answer.answer == "undecided", f"seed {seed}"
        return False
    cost = answer.run.fault_count, len(answer.run.acts)
    if costs:
        assert cost[0] <= min(costs)[0], f"seed {seed}"
        assert not answer.fewest or cost[0] == min(costs)[0], f"seed {seed}"
    if storms.storm.hit is None:
        assert cost[0] == min(costs)[0] and answer.fewest, f"seed {seed}"
        assert cost == min(costs) or cost[0] == 0, f"seed {seed}"
    return cost[0] > 0


SWAPPED = """
role A { s: B!x -> t  t: B!y -> end }
role B { w: A?x -> g  A?y -> bad  g: A?y -> end  bad: A?x -> end }
"""


@pytest.mark.parametrize(
    ("failures", "faults"), [(Failures(reorder=True), 1), (Failures(loss=True), 1), (Failures(), None)]
)
def test_overtaking_counts_once(failures: Failures, faults: int | None) -> None:
    answer = reach(formats.loads(SWAPPED), "B@bad", failures)
    if faults is None:
        assert answer.run is None and answer.to_json()["fewest"] is None
    else:
        assert answer.run is not None and answer.run.fault_count == faults and answer.fewest
        assert answer.to_json()["faults"] == faults and answer.to_json()["fewest"] is True


def test_a_channel_without_end_does_not_hide_that_a_fault_is_needed() -> None:
    """No bound shows all runs without faults, and a method without a bound excludes them."""
    text = "role A { s: B!x -> s  B!y -> end }\nrole B { w: A?x -> w  A?y -> d  d: A?x -> bad  bad: }"
    answer = reach(formats.loads(text), "B@bad", Failures(reorder=True))
    assert answer.run is not None and answer.run.fault_count == 1 and answer.fewest


def test_a_goal_that_speaks_of_futures_keeps_the_run_that_was_found() -> None:
    system = formats.loads("role A { s: B!x -> end }\nrole B { w: A?x -> end }")
    answer = reach(system, "deadlock-for-good", Failures(loss=True))
    assert answer.run is not None and answer.run.fault_count == 1 and not answer.fewest
