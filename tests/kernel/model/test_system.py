"""Actions, processes, systems: validated when made, classified with the offending states named."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from stormproof.errors import ModelError
from stormproof.kernel.equivalence.isomorphism import isomorphism
from stormproof.kernel.model.actions import CRASH, Action, Channel, Internal, Receive, Send
from stormproof.kernel.model.faults import ChannelFaults, Corruption
from stormproof.kernel.model.process import Process, StateKind
from stormproof.kernel.model.system import System
from tests.support.equality import rename_states, same_up_to_states
from tests.support.random_systems import random_system, systems


def one(*rows: tuple[str, Action, str], **options: Any) -> Process:
    return Process("A", "s", rows, **options)


def test_states_keep_their_order_and_the_initial_one_is_first() -> None:
    process = Process("A", "b", [("x", Send("B", "m"), "y"), ("b", Internal("i"), "x")], states=("z", "b"))
    assert process.states == ("b", "z", "x", "y")


def test_equal_transitions_count_once() -> None:
    assert len(one(("s", Send("B", "m"), "s"), ("s", Send("B", "m"), "s")).transitions) == 1


def test_processes_and_systems_are_hashable_values() -> None:
    first, second = (System([one(("s", Internal("i"), "s"))], name="n") for _ in range(2))
    assert first == second and hash(first) == hash(second)
    with pytest.raises(AttributeError):
        setattr(first, "name", "other")  # noqa: B010 (a type checker refuses the assignment)


@pytest.mark.parametrize(
    ("rows", "kind"),
    [
        ([Send("B", "m")], StateKind.SENDING),
        ([Receive("B", "m")], StateKind.RECEIVING),
        ([Send("B", "m"), Receive("B", "m")], StateKind.MIXED),
        ([], StateKind.FINAL),
        ([Internal("i")], StateKind.FINAL),
        ([Internal("i"), Receive("B", "m")], StateKind.RECEIVING),
    ],
)
def test_internal_actions_do_not_count_for_a_states_kind(rows: list[Action], kind: StateKind) -> None:
    assert one(*(("s", action, "t") for action in rows)).kind("s") is kind


def test_the_offending_states_are_named() -> None:
    a = one(
        ("s", Send("B", "m"), "t"),
        ("s", Receive("B", "m"), "t"),
        ("t", Send("B", "m"), "u"),
        ("t", Send("C", "m"), "u"),
        ("u", Internal("i"), "s"),
        ("u", Internal("i"), "t"),
    )
    system = System([a, Process("B", "s"), Process("C", "s")])
    found = system.classification
    assert found.mixed == (("A", "s"),)
    assert found.undirected == (("A", "t"),)
    assert found.nondeterministic == (("A", "u"),)
    assert not (system.csa or system.directed or system.deterministic)


def test_directedness_looks_at_sends_and_receptions_apart() -> None:
    system = System(
        [one(("s", Send("B", "m"), "s"), ("s", Receive("C", "m"), "s")), Process("B", "s"), Process("C", "s")]
    )
    assert system.directed


@pytest.mark.parametrize(
    ("make", "sentence"),
    [
        (lambda: one(("s", Send("A", CRASH), "s")), "A sends itself the crash message in state s"),
        (lambda: one(("s", Receive("A", CRASH), "s")), "A receives from itself the crash message"),
        (lambda: System([]), "at least one process"),
        (lambda: System([Process("A", "s"), Process("A", "s")]), "two processes are called 'A'"),
        (lambda: System([one(("s", Send("Bob", "m"), "s")), Process("Bop", "s")]), "did you mean 'Bop'"),
        (lambda: System([Process("A", "s")], faults=[ChannelFaults("A", "B")]), "unknown process 'B'"),
        (
            lambda: System([Process("A", "s"), Process("B", "s")], faults=[ChannelFaults("A", "B")] * 2),
            "declared twice for A->B",
        ),
        (
            lambda: one(("s", Send("B", CRASH), "t"), ("t", Send("B", "m"), "t")),
            "always the last message to B",
        ),
    ],
)
def test_what_cannot_be_is_refused_in_a_sentence(make: Callable[[], object], sentence: str) -> None:
    with pytest.raises(ModelError, match=sentence):
        make()


def test_no_users_message_is_the_crash_message() -> None:
    assert Send("B", "crash") != Send("B", CRASH)
    assert Send("B", "⚡") != Send("B", CRASH)


def test_alphabets_are_read_before_trimming() -> None:
    a = Process("A", "s", [("s", Send("B", "m"), "s"), ("lost", Send("B", "n"), "s")])
    system = System([a, Process("B", "s", [("s", Receive("A", "o"), "s")])])
    assert set(system.alphabet(Channel("A", "B"))) == {"m", "n", "o"}
    assert set(system.trim().alphabet(Channel("A", "B"))) == {"m", "o"}


def test_trim_keeps_what_the_automaton_reaches() -> None:
    a = one(("s", Internal("i"), "t"), ("u", Internal("i"), "s"))
    assert a.trim().states == ("s", "t")


def test_crashed_states_are_the_broadcast_and_stop() -> None:
    a = one(
        ("s", Send("B", "m"), "end"),
        ("s", Internal("crash"), "sink"),
        ("sink", Send("B", CRASH), "stop"),
        ("stop", Receive("B", CRASH), "stop"),
    )
    assert a.crashed_states == {"sink", "stop"}


def test_product_size_and_channels() -> None:
    a = one(("s", Send("B", "m"), "t"))
    system = System([a, Process("B", "s", [("s", Receive("A", "m"), "s")])])
    assert system.product_size == 2
    assert system.channels == (Channel("A", "B"),)


def test_renaming_processes_messages_and_faults() -> None:
    system = System(
        [one(("s", Send("B", "m"), "s")), Process("B", "s", [("s", Receive("A", CRASH), "s")])],
        faults=[ChannelFaults("A", "B", corrupt=Corruption(pairs=(("m", "m"),)))],
    )
    renamed = system.rename({"A": "X"}, {"m": "n"})
    assert renamed["X"].transitions[0].action == Send("B", "n")
    assert renamed["B"].transitions[0].action == Receive("X", CRASH)
    assert renamed.faults == (ChannelFaults("X", "B", corrupt=Corruption(pairs=(("n", "n"),))),)


@given(systems(internal=0.3), st.randoms(use_true_random=False))
def test_a_system_is_equal_to_itself_with_its_states_renamed(system: System, rng: random.Random) -> None:
    processes = []
    for process in system:
        fresh = [f"q{i}" for i in range(len(process.states))]
        rng.shuffle(fresh)
        processes.append(rename_states(process, dict(zip(process.states, fresh, strict=True))))
    assert same_up_to_states(system, System(tuple(processes)))


def brute_isomorphic(a: Process, b: Process) -> bool:
    """All bijections of the reachable states that keep the initial one."""
    from itertools import permutations

    a, b = a.trim(), b.trim()
    if len(a.states) != len(b.states):
        return False
    for image in permutations(b.states):
        names = dict(zip(a.states, image, strict=True))
        if names[a.initial] == b.initial and {
            (names[s], act, names[t]) for s, act, t in a.transitions
        } == set(b.transitions):
            return True
    return False


def test_isomorphism_agrees_with_all_bijections() -> None:
    rng, equal = random.Random(7), 0
    for _ in range(2000):
        a, b = (random_system(rng, processes=2, messages=1)["P0"] for _ in range(2))
        expected = brute_isomorphic(a, b)
        equal += expected
        assert (isomorphism(a, b) is not None) == expected
    assert equal > 20
