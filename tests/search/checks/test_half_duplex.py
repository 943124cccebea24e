"""Half-duplex against brute force over words in channels, the paper's Figure 2, and the limits."""

from __future__ import annotations

import random
from typing import Any

import pytest

from stormproof.kernel.model.actions import CRASH, Configuration, Receive, Send
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.run import Witness
from stormproof.kernel.model.system import System
from stormproof.limits import Limits
from stormproof.oracle.bounded import TooLarge, initial, steps
from stormproof.search.checks.half_duplex import HalfDuplex, half_duplex
from stormproof.trust.replay import replay
from tests.support.definition_runs import is_run
from tests.support.example_systems import figure_ex1, figure_exkmc, line
from tests.support.random_systems import random_crash, random_failures, random_system

DEPTH = 6


def silent_closure(
    failures: FailureModel, system: System, start: set[Configuration], most: int
) -> set[Configuration]:
    seen, stack = set(start), list(start)
    while stack:
        for event, after in steps(system, failures, stack.pop(), None):
            if event is None and after not in seen:
                seen.add(after)
                stack.append(after)
        if len(seen) > most:
            raise TooLarge
    return seen


def shortest_violation(system: System, failures: FailureModel, depth: int, most: int = 3000) -> int | None:
    """The least number of actions after which both channels are non-empty, by definitions 2.5 with words."""
    here = {initial(system)}
    for length in range(1, depth + 1):
        closed = silent_closure(failures, system, here, most)
        here = {
            after for at in closed for event, after in steps(system, failures, at, None) if event is not None
        }
        if any(all(at.words) for at in here):
            return length
    return None


def play(system: System, failures: FailureModel, witness: Witness) -> None:
    """The witness is a run by definitions 2.5 that ends with both channels non-empty."""
    assert is_run(system, failures, witness, None)
    assert all(witness.end(system).words)


@pytest.mark.parametrize("chunk", range(5))
def test_against_brute_force(chunk: int) -> None:
    """Both ways, for every mixture of faults: a violation of at most 6 actions is found, of the same length,
    and every witness is a run."""
    compared = violated = 0
    for seed in range(chunk * 800, (chunk + 1) * 800):
        rng = random.Random(seed)
        system = random_system(rng, processes=2, transitions=5, to_self=0)
        if seed % 4 == 0:
            system = random_crash(rng, system)
        if len(system.channels) < 2:
            continue
        failures = random_failures(rng, system).on(system)
        answer = half_duplex(system, failures)
        if answer.witness is not None:
            play(system, failures, answer.witness)
            replayed = replay(system, failures, "half-duplex", None, answer.witness)
            assert replayed.ok and replayed.established, f"seed {seed}: {replayed.message}"
            violated += 1
        try:
            least = shortest_violation(system, failures, DEPTH)
        except TooLarge:
            continue
        compared += 1
        length = len(answer.witness.acts) if answer.witness else None
        assert least == (length if length is not None and length <= DEPTH else None), f"seed {seed}: {length}"
    assert compared >= 400 and violated >= 150, (compared, violated)


def ask(system: System, **faults: Any) -> HalfDuplex:
    return half_duplex(system, Failures(**faults).on(system))


def test_figure_ex1_is_half_duplex_on_perfect_channels_only() -> None:
    ex1 = figure_ex1()
    assert ask(ex1).holds is True
    for fault in ("loss", "corrupt", "reorder"):
        failures: dict[str, Any] = {fault: True}
        answer = ask(ex1, **failures)
        assert answer.holds is False, fault
        assert answer.witness is not None
        play(ex1, Failures(**failures).on(ex1), answer.witness)
        assert answer.witness.faults


def test_reordering_needs_counters() -> None:
    """p: !a !b !c, q: ?b ?a !x: after rendezvous alone q never sends, with a overtaken by b it does."""
    p = line("p", Send("q", "a"), Send("q", "b"), Send("q", "c"))
    q = line("q", Receive("p", "b"), Receive("p", "a"), Send("p", "x"))
    assert ask(System((p, q))).holds is True
    answer = ask(System((p, q)), reorder=True)
    assert answer.holds is False and answer.witness is not None and len(answer.witness.acts) == 6
    assert ask(System((p, q)), reorder=True, corrupt=True).holds is False


def test_an_unread_crash_message_fills_its_channel() -> None:
    p = line("p", Send("q", CRASH))
    talker = line("q", Send("p", "x"))
    assert ask(System((p, talker))).holds is False
    assert ask(System((p, line("q", Receive("p", CRASH), Send("p", "x"))))).holds is True
    assert ask(System((p, line("q", Receive("p", CRASH), Send("p", "x")))), reorder=True).holds is True


def test_systems_of_other_sizes_are_undecided_with_the_reason() -> None:
    answer = ask(figure_exkmc())
    assert answer.holds is None and "two processes" in answer.reason and "4" in answer.reason


def test_one_channel_is_half_duplex() -> None:
    assert ask(System((line("p", Send("q", "a")), line("q", Receive("p", "a"))))).holds is True


def test_limits_give_undecided() -> None:
    ex1 = figure_ex1()
    answer = half_duplex(ex1, FailureModel({}), limits=Limits(states=1))
    assert answer.holds is None and "limit of 1 configurations" in answer.reason
    slow = half_duplex(ex1, Failures(reorder=True).on(ex1), limits=Limits(seconds=1e-9))
    assert slow.holds is None and "time limit" in slow.reason
    small = half_duplex(ex1, Failures(reorder=True).on(ex1), limits=Limits(memory=20_000))
    assert small.holds is None and "memory limit" in small.reason
