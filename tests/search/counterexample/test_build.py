"""Concretise: every run of the definitions gets explicit faults, as few as Dijkstra over words finds."""

from __future__ import annotations

import random

import pytest

from stormproof.errors import InternalError
from stormproof.kernel.model.actions import (
    CRASH,
    Channel,
    Firing,
    Receive,
    Send,
    Transition,
    Word,
)
from stormproof.kernel.model.channel_faults import Lose, Overtake
from stormproof.kernel.model.failures import ChannelFailure, FailureModel, Failures
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act, Witness
from stormproof.kernel.model.system import System
from stormproof.search.counterexample.build import build_witness
from stormproof.search.counterexample.end_contents import exactly
from tests.support.definition_runs import (
    events_on,
    fewest_faults,
    is_run,
    matching,
    random_run,
    random_script,
)
from tests.support.random_systems import random_crash, random_failures, random_system

AB = Channel("A", "B")
Words = dict[Channel | None, Word]


@pytest.mark.parametrize("chunk", range(4))
def test_random_runs_become_runs_with_the_fewest_faults(chunk: int) -> None:
    for seed in range(chunk * 500, (chunk + 1) * 500):
        rng = random.Random(seed)
        system = random_system(rng, messages=3)
        system = random_crash(rng, system) if rng.random() < 0.3 else system
        failures = random_failures(rng, system).on(system)
        bound = rng.choice([1, 2, 3, None])
        moves, channels = random_run(rng, system, failures, bound, rng.randint(1, 14))
        witness = build_witness(system, failures, moves, exactly(channels), bound)
        assert dict(witness.channels) == channels, seed
        assert is_run(system, failures, witness, bound), seed
        for channel in system.channels:
            events = events_on(moves, channel)
            if len(events) <= 9:
                least = fewest_faults(failures.on(channel), events, channels.get(channel, ()), bound)
                assert least == sum(f.channel == channel for f in witness.faults), seed


def moves_of(system: System, witness: Witness) -> tuple[Firing, ...]:
    states = {p.name: p.initial for p in system}
    moves = []
    for act in witness.acts:
        moves.append(Firing(act.process, Transition(states[act.process], act.action, act.state)))
        states[act.process] = act.state
    return tuple(moves)


def random_channel(rng: random.Random, letters: str) -> ChannelFailure:
    sender = Process("A", "s", tuple(Transition("s", Send("B", m), "s") for m in letters))
    kind = rng.choice(("none", "pairs", "all"))
    pairs = [("A->B", a, b) for a in letters for b in letters if a < b and rng.random() < 0.4]
    failures = Failures(
        loss=rng.random() < 0.6,
        reorder=rng.random() < 0.6,
        corrupt=kind == "all",
        corrupt_map=pairs if kind == "pairs" else (),
    )
    return failures.on(System((sender, Process("B", "s")))).on(AB)


@pytest.mark.parametrize("chunk", range(2))
def test_one_channel_under_heavy_interference(chunk: int) -> None:
    for seed in range(chunk * 500, (chunk + 1) * 500):
        rng = random.Random(seed)
        failure = random_channel(rng, "abc")
        k = rng.randint(1, 3)
        system, moves, final = random_script(rng, failure, k, rng.randint(1, 12), "abc")
        model = FailureModel({AB: failure})
        witness = build_witness(system, model, moves, exactly({AB: final}), k)
        assert is_run(system, model, witness, k), seed
        assert len(witness.faults) == fewest_faults(failure, events_on(moves, AB), final, k), seed


@pytest.mark.parametrize("chunk", range(2))
def test_a_given_matching_is_realised(chunk: int) -> None:
    """The matching of any run, given as its communication, comes out again, with no more faults."""
    for seed in range(chunk * 500, (chunk + 1) * 500):
        rng = random.Random(seed)
        failure = random_channel(rng, "ab")
        system, moves, final = random_script(rng, failure, 4, rng.randint(1, 12), "ab")
        model = FailureModel({AB: failure})
        first = build_witness(system, model, moves, exactly({AB: final}), None)
        moves = moves_of(system, first)
        index = {s: i for i, s in enumerate(i for i, s in enumerate(first.steps) if isinstance(s, Act))}
        pairs = [(index[r], index[s]) for r, s in matching(first.steps)]
        again = build_witness(system, model, moves, exactly({AB: final}), None, pairs)
        anyhow = build_witness(system, model, moves, None, None, pairs)
        for witness in (again, anyhow):
            assert is_run(system, model, witness, None), seed
            assert witness.communication == matching(witness.steps), seed
        assert len(anyhow.faults) <= len(again.faults) == len(first.faults), seed


@pytest.mark.parametrize("seed", range(6))
def test_long_runs_with_ten_messages_a_channel_are_valid(seed: int) -> None:
    rng = random.Random(seed)
    failure = random_channel(rng, "abcde")
    system, moves, final = random_script(rng, failure, 10, 150, "abcde")
    witness = build_witness(system, FailureModel({AB: failure}), moves, exactly({AB: final}), 10)
    assert is_run(system, FailureModel({AB: failure}), witness, 10), seed


def lines(sender: str, receiver: str = "") -> tuple[System, list[Firing]]:
    a = [Transition(str(i), Send("B", m), str(i + 1)) for i, m in enumerate(sender)]
    b = [Transition(str(i), Receive("A", m), str(i + 1)) for i, m in enumerate(receiver)]
    system = System((Process("A", "0", tuple(a)), Process("B", "0", tuple(b))))
    return system, [*(Firing("A", t) for t in a), *(Firing("B", t) for t in b)]


def test_a_send_into_a_full_lossy_channel_is_lost_at_once() -> None:
    system, moves = lines("ab")
    witness = build_witness(system, Failures(loss=True).on(system), moves, exactly({AB: ("a",)}), 1)
    assert [type(s) for s in witness.steps] == [Act, Act, Lose]
    assert witness.steps[2] == Lose(AB, 1, "b")


def test_a_message_that_overtakes_two_is_one_fault() -> None:
    system, moves = lines("abc", "ca")
    witness = build_witness(system, Failures(reorder=True).on(system), moves, exactly({AB: ("b",)}), 3)
    assert list(witness.faults) == [Overtake(AB, 2, "c", 2)]


def test_a_crash_message_goes_into_a_full_channel_when_another_is_lost() -> None:
    rows = (Transition("0", Send("B", "a"), "1"), Transition("1", Send("B", CRASH), "2"))
    system = System((Process("A", "0", rows), Process("B", "0", (Transition("0", Receive("A", "a"), "0"),))))
    moves = [Firing("A", r) for r in rows]
    witness = build_witness(system, Failures(loss=True).on(system), moves, exactly({AB: (CRASH,)}), 1)
    assert witness.steps[1] == Lose(AB, 0, "a")
    with pytest.raises(InternalError, match="A->B"):
        build_witness(system, Failures().on(system), moves, exactly({AB: (CRASH,)}), 1)


def test_what_no_interference_allows_is_an_internal_error() -> None:
    system, moves = lines("ab", "b")
    for failures in (Failures(), Failures(corrupt=True, corrupt_map=[])):
        with pytest.raises(InternalError, match="no interference"):
            build_witness(system, failures.on(system), moves, exactly({AB: ()}), None)
