"""The definitions, against hand-made systems whose verdicts follow from reading the paper."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.actions import CRASH, Action, Internal, Receive, Send
from stormproof.kernel.model.channel_faults import interfere
from stormproof.kernel.model.failures import ChannelFailure, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded


def holds(system: System, name: str, k: int, failures: Failures | None = None) -> bool:
    return bounded.holds(bounded.explore(system, (failures or Failures()).on(system), k), name)


Row = tuple[str, Action, str]


def pair(sender: list[Row], receiver: list[Row]) -> System:
    return System([Process("p", "0", sender), Process("q", "0", receiver)])


def test_interference_leaves_the_crash_message_alone() -> None:
    everything = ChannelFailure(loss=True, reorder=True, becomes={"a": frozenset("b")})
    assert set(interfere(("a", CRASH), everything)) == {(CRASH,), ("b", CRASH)}
    assert list(interfere((CRASH,), everything)) == []


def test_one_silent_step_of_each_kind() -> None:
    assert set(interfere(("a", "b"), ChannelFailure(loss=True))) == {("b",), ("a",)}
    assert set(interfere(("a", "b"), ChannelFailure(reorder=True))) == {("b", "a")}
    corrupt = ChannelFailure(becomes={"a": frozenset({"b", "c"})})
    assert set(interfere(("a", "a"), corrupt)) == {("b", "a"), ("c", "a"), ("a", "b"), ("a", "c")}


def test_a_send_into_a_full_lossy_channel_loses_something_at_once() -> None:
    system = pair([("0", Send("q", "a"), "1"), ("1", Send("q", "b"), "2")], [])
    reached = bounded.explore(system, Failures(loss=True).on(system), 1).steps
    assert {at.words for at in reached if at.states[0] == "2"} == {(("a",),), (("b",),), ((),)}


def test_a_full_perfect_channel_blocks() -> None:
    system = pair([("0", Send("q", "a"), "1"), ("1", Send("q", "b"), "2")], [])
    assert not holds(system, "k-exh", 1)
    assert holds(system, "k-exh", 2)
    assert holds(system, "k-exh", 1, Failures(loss=True))


def test_exhaustivity_leaves_the_process_itself_alone() -> None:
    """p can send its second b only when r has taken the first, which r does only after p has sent a to q: the
    literal reading lets p do that, the cited definition does not."""
    p = Process(
        "p",
        "0",
        [("0", Send("r", "b"), "1"), ("1", Send("r", "b"), "2"), ("1", Send("q", "a"), "1")],
    )
    q = Process(
        "q", "0", [("0", Receive("p", "a"), "1"), ("1", Send("r", "go"), "2"), ("2", Receive("p", "a"), "2")]
    )
    r = Process(
        "r",
        "0",
        [("0", Receive("q", "go"), "1"), ("1", Receive("p", "b"), "2"), ("2", Receive("p", "b"), "3")],
    )
    system = System([p, q, r])
    assert holds(system, "k-exh-literal", 1)
    assert not holds(system, "k-exh", 1)


def test_eventual_reception_asks_for_the_message_and_its_weak_form_for_any() -> None:
    system = pair([("0", Send("q", "a"), "0")], [("0", Receive("p", "b"), "0")])
    corrupt = Failures(corrupt=True)
    assert not holds(system, "k-er", 1)
    assert not holds(system, "k-er", 1, corrupt)
    assert holds(system, "k-wer", 1, corrupt)


def test_progress_fails_when_the_only_message_is_lost() -> None:
    system = pair([("0", Send("q", "a"), "1")], [("0", Receive("p", "a"), "1")])
    assert holds(system, "k-mc", 1)
    assert not holds(system, "k-pg", 1, Failures(loss=True))
    assert holds(system, "k-wmc", 1, Failures(loss=True))


@pytest.mark.parametrize(
    ("rows", "expected"),
    [
        ([("0", Internal("leave"), "1")], True),  # to a final state
        ([("0", Internal("again", timeout=True), "2"), ("2", Send("p", "ask"), "3")], True),
        ([("0", Internal("turn"), "2"), ("2", Receive("p", "b"), "0")], False),
        ([("0", Internal("turn"), "2"), ("2", Internal("turn"), "0"), ("2", Receive("p", "b"), "0")], False),
        ([("0", Internal("stop", fault="stop"), "1")], False),
        ([("0", Internal("restart", fault="restart"), "2"), ("2", Send("p", "ask"), "3")], False),
        ([("0", Internal("crash"), "2"), ("2", Send("p", CRASH), "3")], False),
    ],
)
def test_a_process_with_a_timer_does_not_wait_for_ever(rows: list[Row], expected: bool) -> None:
    """It waits for what never comes, but for what it does by itself; its faults do not end the waiting."""
    system = pair([], [("0", Receive("p", "a"), "1"), *rows])
    assert holds(system, "k-pg", 1) is expected


def test_a_timer_that_leads_to_a_full_channel_ends_no_waiting() -> None:
    rows: list[Row] = [("0", Send("p", "x"), "1"), ("1", Receive("p", "a"), "2"), ("1", Internal("t"), "0")]
    assert not holds(pair([], rows), "k-pg", 1)
    assert holds(pair([("0", Receive("q", "x"), "0")], rows), "k-pg", 1)


def test_messages_to_a_crashed_process_are_excused_up_to_crash() -> None:
    q: list[Row] = [
        ("0", Receive("p", "a"), "0"),
        ("0", Internal("crash"), "sink"),
        ("sink", Send("p", CRASH), "stop"),
    ]
    system = pair([("0", Send("q", "a"), "0")], q)
    assert not holds(system, "k-er", 1) and not holds(system, "k-exh", 1)
    # p never takes the crash message, so that one is not excused: p has not crashed.
    assert not holds(system, "k-er-up-to-crash", 1)
    assert holds(system, "k-exh-up-to-crash", 1)


def test_output_bound_independence() -> None:
    p = Process("p", "0", [("0", Send("q", "a"), "0"), ("0", Send("r", "b"), "0")])
    system = System(
        [p, Process("q", "0"), Process("r", "0", [("0", Receive("p", "b"), "0")])],
    )
    assert not holds(system, "k-obi", 1)


@pytest.mark.parametrize(("late", "expected"), [(False, True), (True, False)])
def test_input_bound_independence(late: bool, expected: bool) -> None:
    """r waits for q and for s. If s sends at all, it can do so after r has taken q's message."""
    r = Process("r", "0", [("0", Receive("q", "a"), "1"), ("0", Receive("s", "b"), "1")])
    q = Process("q", "0", [("0", Send("r", "a"), "1")])
    s = Process("s", "0", [("0", Send("r", "b"), "1")] if late else [])
    assert holds(System([q, s, r]), "k-sibi", 1) is expected


def test_reordering_does_nothing_within_length_one() -> None:
    system = pair(
        [("0", Send("q", "a"), "1"), ("1", Send("q", "b"), "2")],
        [
            ("0", Receive("p", "a"), "1"),
            ("1", Receive("p", "b"), "2"),
            ("0", Receive("p", "b"), "3"),
            ("3", Receive("p", "b"), "3"),
        ],
    )
    reorder = Failures(reorder=True)
    assert holds(system, "k-mc", 1, reorder)
    assert not holds(system, "k-pg", 2, reorder)
