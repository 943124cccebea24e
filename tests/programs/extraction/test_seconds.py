"""Seconds of timeouts in Python become numbers of timers (definitions 16.1)."""

from __future__ import annotations

import pytest

import stormproof as sp
from stormproof.kernel.model.actions import ANY_TIME, Internal, Transition
from stormproof.kernel.model.process import Process
from stormproof.programs.extraction.seconds import microseconds, with_numbers


@sp.role
def Client(seconds: int) -> sp.Steps:
    yield sp.send("Server", "ask")
    yield sp.receive("Server", timeout=seconds, at="waiting")


@sp.role
def Server(seconds: int | str) -> sp.Steps:
    yield sp.receive("Client", timeout=seconds, at="idle")


def numbers(*timeouts: float | bool | str) -> tuple[int, ...]:
    actions = [Internal("timeout", timeout=True, after=microseconds(given)) for given in timeouts]
    made = with_numbers(
        Process(f"P{i}", "s", (Transition("s", action, "t"),)) for i, action in enumerate(actions)
    )
    found = [t.action for p in made for t in p.transitions]
    return tuple(action.after for action in found if isinstance(action, Internal))


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        ((0.5, 0.5), (1, 1)),
        ((30, 5), (6, 1)),
        ((0.75, 0.5), (3, 2)),
        ((2.5, True), (1, 1)),
        ((4, 0, 6), (2, 1, 3)),
        ((4, "any time"), (1, ANY_TIME)),
        ((True, "any time"), (1, ANY_TIME)),
    ],
)
def test_numbers_have_the_proportions_of_the_seconds(
    seconds: tuple[float, ...], expected: tuple[int, ...]
) -> None:
    assert numbers(*seconds) == expected


def test_seconds_without_a_common_unit_are_refused() -> None:
    with pytest.raises(sp.UsageError, match="no common unit"):
        numbers(100000, 0.5)


def test_a_system_says_that_its_timers_are_on_time() -> None:
    system = sp.extract(Client(30), Server(5), timers="on-time", second_process=False)
    assert system.timers == "on-time" and sp.check(system).model.on_time
    assert Internal("timeout", timeout=True, after=6) in [t.action for t in system["Client"].transitions]
    again = sp.extract(Client(30), Server("any time"), second_process=False)
    assert Internal("timeout", timeout=True, after=ANY_TIME) in [
        t.action for t in again["Server"].transitions
    ]
