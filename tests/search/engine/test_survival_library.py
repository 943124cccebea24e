"""Survival of the library, with default rest states and without declared faults."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import Channel
from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import ChannelFailure, FailureModel
from stormproof.kernel.model.goal import At, Contains
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.languages import protocols
from stormproof.languages.protocols import catalogue
from stormproof.limits import Limits
from stormproof.oracle.survival import explore_storms
from stormproof.search.engine.survival import Survey, survey
from tests.support.library import automata

#: They fail without any fault: somebody sends for ever, or nobody comes back to where the role began.
FAILING = frozenset(
    ("client-server-logger", "elevator", "elevator-dashed", "elevator-directed", "stop-and-wait")
)
CLASSICS = tuple(
    name
    for name in protocols.names()
    if name not in catalogue.GENERATED and protocols.group(name) != catalogue.EVERYDAY
)


def model(system: System, budget: Budget | None = None, **faults: bool) -> SurvivalModel:
    failures = FailureModel({c: ChannelFailure(**faults) for c in system.channels})  # type: ignore[arg-type]
    return SurvivalModel(system, failures, rest_states(system), budget=budget or Budget())


def ask(name: str, k: int, **faults: bool) -> Survey:
    system = automata(name)
    asked = model(system, None, **faults)
    return survey(asked, {"recovers": RECOVERS, "clean": clean(system, asked.rest)}, k)


@pytest.mark.parametrize("name", CLASSICS)
@pytest.mark.parametrize("k", [1, 2])
def test_recovery_without_faults(name: str, k: int) -> None:
    answer = ask(name, k).answers["recovers"]
    assert answer.holds is (name not in FAILING)
    assert answer.run is None or (answer.run.faults == 0 and answer.fewest)


@pytest.mark.parametrize("name", sorted(set(CLASSICS) - FAILING))
def test_one_loss_breaks_all_but_the_alternating_bit_with_a_timer(name: str) -> None:
    answer = ask(name, 1, loss=True).answers["recovers"]
    if name == "alternating-bit-retransmit":
        assert (answer.holds, answer.up_to) == (True, 1)
    else:
        assert answer.holds is False and answer.run is not None and answer.run.faults == 1


@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_the_alternating_bit_with_a_timer_survives_duplication(k: int) -> None:
    answer = ask("alternating-bit-retransmit", k, duplicate=True).answers["recovers"]
    assert (answer.holds, answer.up_to) == (True, k)


def test_the_sorcerers_apprentice() -> None:
    answer = ask("alternating-bit-retransmit", 2, reorder=True).answers["recovers"]
    assert answer.holds is False and answer.run is not None
    assert (answer.run.faults, answer.run.end) == (1, "divergence")
    assert answer.run.cycle, "repetitions circulate for ever"
    assert not answer.fewest, "longer channels might break it with none"


def test_configurations_are_those_of_the_definition() -> None:
    found = ask("two-phase-commit", 1)
    assert (found.configurations, found.hit_faults, found.faults_explored) == (76, None, 1)
    lossy = ask("alternating-bit-retransmit", 2, loss=True)
    storm = explore_storms(model(protocols.protocol("alternating-bit-retransmit"), loss=True), 2)
    assert (lossy.configurations, lossy.hit_faults) == (len(storm.best), storm.hit)


def test_a_budget_is_kept() -> None:
    system = protocols.protocol("alternating-bit")
    none = survey(model(system, Budget(0), loss=True), {"recovers": RECOVERS}, 1)
    assert (none.answers["recovers"].holds, none.answers["recovers"].up_to) == (True, None)
    kinds = survey(model(system, Budget(kinds={"loss": 0}), loss=True), {"recovers": RECOVERS}, 1)
    assert kinds.answers["recovers"].holds is True
    one = survey(model(system, Budget(1), loss=True), {"recovers": RECOVERS}, 1)
    assert one.answers["recovers"].holds is False and one.answers["recovers"].fewest


def test_a_limit_is_undecided_and_named() -> None:
    system = protocols.protocol("sanitary-agency")
    found = survey(
        model(system, reorder=True, duplicate=True), {"never": NOWHERE}, 3, limits=Limits(states=5000)
    )
    assert found.stopped == "states" and found.answers["never"].holds is None


#: A goal that no configuration satisfies.
NOWHERE = Ask(False, At("Citizen", ()))


def test_goals_on_contents_are_explored_apart() -> None:
    """A channel to a role that has ended may stay as it is, except for goals that mention its content."""
    system = protocols.protocol("half-duplex")
    channel = next(iter(system.channels))
    message = system.alphabet(channel)[0]
    asked = model(system, duplicate=True)
    together = survey(asked, {"recovers": RECOVERS, "content": Ask(False, Contains(channel, message))}, 1)
    assert together.answers["recovers"] == survey(asked, {"recovers": RECOVERS}, 1).answers["recovers"]
    nowhere = survey(asked, {"content": Ask(False, Contains(Channel("no", "where"), "m"))}, 1)
    assert nowhere.answers["content"].holds is True
