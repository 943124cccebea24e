"""RSC with mailboxes in many threads: the same for any number of threads, and within limits."""

from __future__ import annotations

import random
import threading
import time
from dataclasses import replace
from typing import Any

import pytest

from stormproof import _engine
from stormproof.kernel.model.conflict_graph import conflict_graph
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.system import MAILBOX, System
from stormproof.limits import Limits
from stormproof.oracle.communications import is_valid
from stormproof.search.engine.rsc import RscResult
from tests.search.engine.test_rsc_limits import crossing
from tests.search.engine.test_rsc_threads import all_that_is_found
from tests.support.example_systems import clients
from tests.support.random_mailboxes import random_mailboxes, searched
from tests.support.rsc_answers import ask, ask_wide, violation_of

EACH = 150


def by_mailbox(system: System, failures: Failures | None = None) -> tuple[System, FailureModel]:
    return searched(replace(system, communication=MAILBOX), failures or Failures())


def check_run(system: System, failures: FailureModel, found: RscResult, where: str) -> None:
    violation = violation_of(found)
    states = {p.name: p.initial for p in system}
    for process, transition in violation.firings:
        assert states[process] == transition.source and transition in system[process].transitions, where
        states[process] = transition.target
    assert is_valid(violation.execution, violation.interactions, failures), where
    assert not conflict_graph(violation.execution, violation.interactions, failures.bags).acyclic, where


@pytest.mark.parametrize("chunk", range(2))
def test_threads_change_nothing(chunk: int) -> None:
    """Nor where a limit on states ends the search."""
    violated = held = stopped = 0
    for seed in range(chunk * 10**6, chunk * 10**6 + EACH):
        rng = random.Random(seed)
        given, failures = random_mailboxes(seed, transitions=rng.choice((4, 5, 6)))
        system, model = searched(given, failures)
        limits = Limits(states=rng.choice((20, 200, 3_000, 3_000)))
        one, *several = (ask_wide(system, model, n, limits=limits) for n in (1, 2, 3, 4))
        for found in several:
            assert all_that_is_found(found) == all_that_is_found(one), f"seed {seed}"
        held, stopped = held + (one.holds is True), stopped + bool(one.stopped)
        if one.violation is not None:
            violated += 1
            check_run(system, model, several[-1], f"seed {seed}")
    assert violated > 10 and held > 10 and stopped > 5


LARGE = {
    "clients": (clients(6), Failures()),
    "clients, reordered": (clients(6), Failures(reorder=True)),
    "clients, under loss": (clients(6), Failures(loss=True)),
    "clients beside a violation": (crossing(clients(4), 5), Failures()),
}


@pytest.mark.parametrize("name", LARGE)
def test_threads_that_meet_change_nothing(name: str) -> None:
    """Thousands of states, in blocks that are large enough for every thread to get some."""
    system, model = by_mailbox(*LARGE[name])
    one, several = (ask_wide(system, model, n) for n in (1, 4))
    assert one.states > 1_000 and not one.stopped
    assert all_that_is_found(one) == all_that_is_found(several)
    if one.violation is not None:
        check_run(system, model, several, name)


def test_a_limit_on_states_is_kept_exactly() -> None:
    system, model = by_mailbox(clients(5))
    whole = ask_wide(system, model, 2)
    limits = [whole.states - 1, whole.states]
    found = [ask_wide(system, model, 2, limits=Limits(states=n)) for n in limits]
    assert [(r.holds, r.stopped, r.states) for r in found] == [
        (None, "states", limits[0]),
        (True, "", limits[1]),
    ]


def test_limits_on_memory_and_time_give_undecided() -> None:
    system, model = by_mailbox(clients(12))
    small = ask_wide(system, model, 3, limits=Limits(memory=3_000_000))
    assert (small.holds, small.stopped) == (None, "memory")
    assert small.memory <= 3_000_000
    late = ask_wide(system, model, 3, limits=Limits(seconds=0.1))
    assert (late.holds, late.stopped) == (None, "time")


def test_an_interrupted_search_is_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    search = _engine.search_rsc

    def interrupted(
        native: _engine.System, monitor: _engine.Monitor, *more: Any, **named: Any
    ) -> _engine.RscResult:
        def interrupt() -> None:
            while monitor.states == 0:
                time.sleep(0.001)
            monitor.interrupt()

        threading.Thread(target=interrupt, daemon=True).start()
        return search(native, monitor, *more, **named)

    monkeypatch.setattr(_engine, "search_rsc", interrupted)
    system, model = by_mailbox(clients(14))
    found = ask(system, model, seconds=60)
    assert (found.holds, found.stopped) == (None, "interrupted")
