"""The RSC search within limits: of states, memory and time, on large systems, and when it is interrupted."""

from __future__ import annotations

import threading
import time
from typing import Any

import pytest

from stormproof import _engine
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.limits import Limits
from stormproof.options import Progress
from stormproof.oracle.communications import is_valid
from stormproof.search.engine.rsc import rsc
from tests.support.example_systems import clients, figure_ex1
from tests.support.rsc_answers import ask, violation_of


def test_a_large_alphabet_does_not_use_up_the_time_before_the_search_begins() -> None:
    """A chain of sends, each of a message of its own, to somebody who takes any of them."""
    size = 60_000
    chain = [(f"s{i}", Send("B", f"m{i}"), f"s{i + 1}") for i in range(size)]
    takes = [("s", Receive("A", f"m{i}"), "s") for i in range(size)]
    system = System([Process("A", "s0", chain), Process("B", "s", takes)])
    result = rsc(system, FailureModel({}), limits=Limits(seconds=2))
    assert result.holds is None and result.stopped == "time"
    assert result.states > 0


def test_a_limit_on_states_gives_undecided() -> None:
    system = clients(6)
    result = ask(system, states=50)
    assert (result.holds, result.stopped, result.states) == (None, "states", 50)
    enough = ask(system)
    assert ask(system, states=enough.states).holds is True


def test_a_violation_that_was_seen_is_told_even_when_a_limit_stops_the_search() -> None:
    """The least limit under which it is seen leaves open whether a shorter one exists."""
    system = figure_ex1()
    failures = Failures(corrupt=True).on(system)
    answers = [ask(system, failures, states=most) for most in range(1, 40)]
    seen = [a for a in answers if a.violation is not None]
    assert any(a.holds is None and a.stopped == "states" for a in answers)
    assert all(a.holds is False for a in seen) and violation_of(seen[-1]).shortest
    for violation in map(violation_of, seen):
        assert is_valid(violation.execution, violation.interactions, failures)
        assert violation.cycle


def test_a_limit_on_memory_gives_undecided() -> None:
    result = ask(clients(9), memory=200_000)
    assert (result.holds, result.stopped) == (None, "memory")
    assert result.memory <= 200_000


def test_a_limit_on_time_gives_undecided() -> None:
    started = time.monotonic()
    result = ask(clients(14), seconds=0.05)
    assert (result.holds, result.stopped) == (None, "time")
    assert time.monotonic() - started < 20


def broadcaster(leaves: int) -> System:
    """One process that tells everybody, in any order and for ever."""
    names = [f"L{i}" for i in range(leaves)]
    hub = Process("Hub", "0", tuple(Transition("0", Send(n, "x"), "0") for n in names))
    return System((hub, *(Process(n, "0", (Transition("0", Receive("Hub", "x"), "0"),)) for n in names)))


def test_the_verdict_does_not_wait_for_shortest_ways() -> None:
    """Any set of leaves can depend on the pending send, but only the largest set matters."""
    result = ask(broadcaster(40), seconds=60)
    assert result.holds is True and result.states < 10_000


def chooser(length: int) -> System:
    """One process that tells the left or the right of each pair: alone it can block any choice of them."""
    pairs = [(f"L{i}", f"R{i}") for i in range(length)]
    rows = tuple(Transition(str(i), Send(n, "x"), str(i + 1)) for i, pair in enumerate(pairs) for n in pair)
    leaves = [Process(n, "0", (Transition("0", Receive("Hub", "x"), "0"),)) for pair in pairs for n in pair]
    return System((Process("Hub", "0", rows), *leaves))


def test_limits_are_kept_while_one_process_acts_alone() -> None:
    assert ask(chooser(3)).holds is True
    assert ask(chooser(30), seconds=0.2).stopped == "time"
    small = ask(chooser(30), memory=1_000_000)
    assert (small.holds, small.stopped) == (None, "memory")


def test_progress_is_told_while_it_runs() -> None:
    seen: list[Progress] = []
    for seconds in (1.5, 6, 24):  # on a busy machine the search may not have begun in time
        rsc(clients(14), FailureModel({}), limits=Limits(seconds=seconds), progress=seen.append)
        if seen[-1].states > 0:
            break
    assert seen and seen[-1].task == "rsc" and seen[-1].states > 0 and seen[-1].memory > 0


def test_ctrl_c_stops_the_search_and_leaves_it_undecided(monkeypatch: pytest.MonkeyPatch) -> None:
    """The main thread waits for an event; what Ctrl-C raises there must stop the native search."""
    real, waited = threading.Event.wait, []

    def wait(self: threading.Event, timeout: float | None = None) -> bool:
        happened = real(self, timeout)
        waited.append(timeout)
        if len(waited) == 8:
            raise KeyboardInterrupt
        return happened

    monkeypatch.setattr(threading.Event, "wait", wait)
    result = ask(clients(15), seconds=60)
    assert (result.holds, result.stopped) == (None, "interrupted")
    assert result.seconds < 10


def crossing(beside: System, length: int) -> System:
    """Two processes that, after a while, send to each other at once."""

    def process(name: str, peer: str, kind: type[Send] | type[Receive]) -> Process:
        rows = [Transition(str(i), kind(peer, "m"), str(i + 1)) for i in range(length)]
        rows += [Transition(str(length), Send(peer, "x"), "w"), Transition("w", Receive(peer, "x"), "end")]
        return Process(name, "0", rows)

    return System((*beside.processes, process("X", "Y", Send), process("Y", "X", Receive)))


def test_ctrl_c_while_a_shorter_violation_is_searched_for_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    """The violation stays, and whoever asks several questions learns that no more are to be asked."""
    search = _engine.search_rsc

    def interrupted(
        native: _engine.System, monitor: _engine.Monitor, *arguments: Any, **named: Any
    ) -> _engine.RscResult:
        def interrupt() -> None:
            while monitor.phase is not _engine.Phase.SHORTENING:
                time.sleep(0.001)
            monitor.interrupt()

        threading.Thread(target=interrupt, daemon=True).start()
        return search(native, monitor, *arguments, **named)

    monkeypatch.setattr(_engine, "search_rsc", interrupted)
    result = ask(crossing(clients(8), 12))
    assert (result.holds, result.stopped) == (False, "interrupted")
    assert violation_of(result).cycle and not violation_of(result).shortest
