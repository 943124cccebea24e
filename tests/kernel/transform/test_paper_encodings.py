"""The paper's encodings, on systems small enough to write down what they must become."""

from __future__ import annotations

from typing import Any

from stormproof.kernel.model.actions import CRASH, Channel, Receive, Send, Transition
from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.faults import ChannelFaults, Corruption
from stormproof.kernel.model.system import System
from stormproof.kernel.transform import paper_encodings
from tests.support.engine_queries import crashing_stream
from tests.support.example_systems import process

SYSTEM = System(
    (
        process("A", ("s", Send("B", "a"), "s1"), ("s1", Send("B", "b"), "s"), ("s", Send("C", "c"), "s")),
        process("B", ("r", Receive("A", "a"), "r1"), ("r1", Receive("A", "b"), "r")),
        process("C", ("t", Receive("A", "c"), "t1")),
    )
)


def encode(**faults: Any) -> System:
    failures = Failures(**faults)
    return paper_encodings.encode(SYSTEM, paper_encodings.resolve(SYSTEM, failures))[0]


def rows(system: System, name: str) -> set[Transition]:
    return set(system[name].transitions)


def test_nothing_to_encode() -> None:
    system, model = paper_encodings.encode(SYSTEM, Failures().on(SYSTEM))
    assert system == SYSTEM and model.perfect


def test_loss_is_a_loop_on_every_message_of_the_channels_that_a_state_reads() -> None:
    """Also on the message that the state accepts; final states and other processes are left as they are."""
    encoded = encode(loss=True)
    loops = {Transition(s, Receive("A", m), s) for s in ("r", "r1") for m in ("a", "b")}
    assert rows(encoded, "B") == rows(SYSTEM, "B") | loops
    assert rows(encoded, "C") == rows(SYSTEM, "C") | {Transition("t", Receive("A", "c"), "t")}
    assert rows(encoded, "A") == rows(SYSTEM, "A")


def test_loss_of_one_channel() -> None:
    encoded = encode(loss=["A->C"])
    assert rows(encoded, "B") == rows(SYSTEM, "B")
    assert rows(encoded, "C") > rows(SYSTEM, "C")


def test_corruption_sends_whatever_its_sender_sends() -> None:
    encoded = encode(corrupt=True)
    expected = {Transition("s", Send("B", m), "s1") for m in "abc"}
    expected |= {Transition("s1", Send("B", m), "s") for m in "abc"}
    expected |= {Transition("s", Send("C", m), "s") for m in "abc"}
    assert rows(encoded, "A") == expected
    assert rows(encoded, "B") == rows(SYSTEM, "B")


def test_corruption_by_pairs_sends_what_they_say() -> None:
    encoded = encode(corrupt_map=[("A->B", "a", "b")])
    assert rows(encoded, "A") == rows(SYSTEM, "A") | {Transition("s", Send("B", "b"), "s1")}


def test_corruption_then_loss() -> None:
    """What may arrive corrupted may also be lost."""
    loops = rows(encode(corrupt=True, loss=True), "C") - rows(SYSTEM, "C")
    assert loops == {Transition("t", Receive("A", m), "t") for m in "abc"}


def test_reordering_stays_with_the_channel() -> None:
    _, model = paper_encodings.encode(SYSTEM, Failures(loss=True, reorder=["A->B"]).on(SYSTEM))
    assert set(model.channels) == {Channel("A", "B")}
    assert model.on(Channel("A", "B")).describe() == ("reordering",)


def test_faults_that_the_file_declares() -> None:
    declared = System(SYSTEM.processes, faults=(ChannelFaults("A", "C", corrupt=Corruption()),))
    encoded, _ = paper_encodings.encode(declared, paper_encodings.resolve(declared, Failures()))
    assert rows(encoded, "A") == rows(SYSTEM, "A") | {Transition("s", Send("C", m), "s") for m in "ab"}


def test_the_crash_message_is_left_alone() -> None:
    system = crashing_stream("a", "b")
    encoded, model = paper_encodings.encode(
        system, paper_encodings.resolve(system, Failures(loss=True, corrupt=True))
    )
    crashes = [t for p in encoded for t in p.transitions if getattr(t.action, "message", None) is CRASH]
    assert crashes == [
        t for p in system for t in p.transitions if getattr(t.action, "message", None) is CRASH
    ]
    assert model.unreliable == ("P",)


def test_as_it_was_run_loss_drops_any_message_of_the_process() -> None:
    """B receives a from A and x from C; wherever it waits, it drops both."""
    system = System(
        (
            process("A", ("s", Send("B", "a"), "s")),
            process("B", ("r", Receive("A", "a"), "r1"), ("r1", Receive("C", "x"), "r")),
            process("C", ("t", Send("B", "x"), "t")),
        )
    )
    model = paper_encodings.resolve(system, Failures(loss=True))
    encoded, _ = paper_encodings.encode(system, model, as_run=True)
    loops = {Transition("r", Receive("A", m), "r") for m in ("a", "x")}
    loops |= {Transition("r1", Receive("C", m), "r1") for m in ("a", "x")}
    assert rows(encoded, "B") == rows(system, "B") | loops
