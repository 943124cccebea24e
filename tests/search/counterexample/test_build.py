"""Concretise: every run of the definitions gets explicit faults, as few as Dijkstra over words finds."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from stormproof.errors import InternalError
from stormproof.kernel.model.actions import (
    CRASH,
    Action,
    Channel,
    Configuration,
    Firing,
    Receive,
    Send,
    Transition,
    Word,
    channel_of,
)
from stormproof.kernel.model.failures import ChannelFailure, FailureModel, Failures
from stormproof.kernel.model.fault_steps import Lose, Swap
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.run import Act, Witness
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded
from stormproof.search.counterexample.build import build_witness
from stormproof.search.counterexample.group_actions import changes
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
        witness = build_witness(system, failures, moves, channels, bound, polish=0)
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
        witness = build_witness(system, model, moves, {AB: final}, k, polish=0)
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
        first = build_witness(system, model, moves, {AB: final}, None, polish=0)
        moves = moves_of(system, first)
        index = {s: i for i, s in enumerate(i for i, s in enumerate(first.steps) if isinstance(s, Act))}
        pairs = [(index[r], index[s]) for r, s in matching(first.steps)]
        again = build_witness(system, model, moves, {AB: final}, None, pairs)
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
    witness = build_witness(system, FailureModel({AB: failure}), moves, {AB: final}, 10)
    assert is_run(system, FailureModel({AB: failure}), witness, 10), seed


def _into_full(system: System, at: Configuration, event: bounded.FiredAction, k: int) -> bool:
    """A send into a full channel, which takes one loss."""
    if not isinstance(event.action, Send):
        return False
    return len(at.words[system.channel_index[Channel(event.process, event.action.peer)]]) == k


def fewest_to(system: System, failures: FailureModel, k: int, end: Configuration) -> tuple[int, int]:
    """The least (actions, faults) of any run to a configuration, by Bellman and Ford over the definitions."""
    best = {bounded.initial(system): (0, 0)}
    queue = list(best)
    for at in queue:
        for step in bounded.steps(system, failures, at, k):
            event = step.event
            price = (0, 1) if event is None else (1, int(_into_full(system, at, event, k)))
            cost = (best[at][0] + price[0], best[at][1] + price[1])
            if cost < best.get(step.after, (99, 99)) and cost[0] <= 6:
                best[step.after] = cost
                queue.append(step.after)
    return best[end]


@pytest.mark.parametrize("chunk", range(2))
def test_no_run_to_the_same_end_is_shorter_or_has_fewer_faults(chunk: int) -> None:
    checked = 0
    for seed in range(chunk * 300, (chunk + 1) * 300):
        rng = random.Random(seed)
        system = random_system(rng, processes=2)
        failures = random_failures(rng, system).on(system)
        moves, channels = random_run(rng, system, failures, 2, rng.randint(1, 6))
        witness = build_witness(system, failures, moves, channels, 2, shortest=False, polish=100_000)
        if not witness.faults:
            continue
        words = tuple(channels.get(c, ()) for c in system.channels)
        end = Configuration(tuple(witness.states[n] for n in system.names), words)
        assert (len(witness.acts), len(witness.faults)) == fewest_to(system, failures, 2, end), seed
        checked += 1
    assert checked > 5


@pytest.mark.parametrize("chunk", range(2))
def test_no_commuting_of_the_same_actions_has_fewer_changes_of_process(chunk: int) -> None:
    """Against all interleavings of what each process does, each a run without faults by the definitions."""
    checked = 0
    for seed in range(chunk * 150, (chunk + 1) * 150):
        rng = random.Random(seed)
        system = random_system(rng)
        perfect = FailureModel({})
        moves, channels = random_run(rng, system, perfect, 2, 7)
        witness = build_witness(system, perfect, moves, channels, 2)
        own = {n: [t.action for p, t in moves if p == n] for n in system.names}
        least = min(changes(order) for order in interleavings(own, 2))
        assert changes([a.process for a in witness.acts]) == least, seed
        checked += least > 0
    assert checked > 20


def interleavings(own: dict[str, list[Action]], k: int) -> Iterator[list[str]]:
    """The orders in which the processes can do what they did, channels being perfect."""

    def extend(
        left: dict[str, list[Action]], words: dict[Channel | None, Word], order: list[str]
    ) -> Iterator[list[str]]:
        if not any(left.values()):
            yield order
        for name, (action, *rest) in ((n, a) for n, a in left.items() if a):
            channel = channel_of(name, action)
            word = words.get(channel, ())
            if isinstance(action, Send) and len(word) < k:
                yield from extend(
                    {**left, name: rest}, {**words, channel: (*word, action.message)}, [*order, name]
                )
            elif isinstance(action, Receive) and word[:1] == (action.message,):
                yield from extend({**left, name: rest}, {**words, channel: word[1:]}, [*order, name])
            elif channel is None:
                yield from extend({**left, name: rest}, words, [*order, name])

    yield from extend(own, {}, [])


def lines(sender: str, receiver: str = "") -> tuple[System, list[Firing]]:
    a = [Transition(str(i), Send("B", m), str(i + 1)) for i, m in enumerate(sender)]
    b = [Transition(str(i), Receive("A", m), str(i + 1)) for i, m in enumerate(receiver)]
    system = System((Process("A", "0", tuple(a)), Process("B", "0", tuple(b))))
    return system, [*(Firing("A", t) for t in a), *(Firing("B", t) for t in b)]


def test_a_send_into_a_full_lossy_channel_is_lost_at_once() -> None:
    system, moves = lines("ab")
    witness = build_witness(system, Failures(loss=True).on(system), moves, {AB: ("a",)}, 1)
    assert [type(s) for s in witness.steps] == [Act, Act, Lose]
    assert witness.steps[2] == Lose(AB, 1, "b")


def test_each_overtaking_is_one_swap() -> None:
    system, moves = lines("abc", "ca")
    witness = build_witness(system, Failures(reorder=True).on(system), moves, {AB: ("b",)}, 3)
    assert list(witness.faults) == [Swap(AB, 1), Swap(AB, 0)]


def test_a_crash_message_goes_into_a_full_channel_when_another_is_lost() -> None:
    rows = (Transition("0", Send("B", "a"), "1"), Transition("1", Send("B", CRASH), "2"))
    system = System((Process("A", "0", rows), Process("B", "0", (Transition("0", Receive("A", "a"), "0"),))))
    moves = [Firing("A", r) for r in rows]
    witness = build_witness(system, Failures(loss=True).on(system), moves, {AB: (CRASH,)}, 1)
    assert witness.steps[1] == Lose(AB, 0, "a")
    with pytest.raises(InternalError, match="A->B"):
        build_witness(system, Failures().on(system), moves, {AB: (CRASH,)}, 1)


def test_what_no_interference_allows_is_an_internal_error() -> None:
    system, moves = lines("ab", "b")
    for failures in (Failures(), Failures(corrupt=True, corrupt_map=[])):
        with pytest.raises(InternalError, match="no interference"):
            build_witness(system, failures.on(system), moves, {AB: ()}, None)
