"""The theory of RSC on the paper's own examples (its section 3), and against words in channels."""

from __future__ import annotations

import random
from typing import Any

import pytest

from stormproof.kernel.model.actions import CRASH, Internal, Receive, Send
from stormproof.kernel.model.conflict_graph import commute, conflict_graph, precedes
from stormproof.kernel.model.execution import communication_of
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.system import System
from stormproof.oracle.causal_equivalence import (
    causally_equivalent,
    is_borderline_violation,
    is_equivalent_to_rsc,
    is_rsc_execution,
    synchronised,
)
from stormproof.oracle.communications import communications, is_valid, matching_pairs, perfect_matching_pairs
from tests.support.definition_runs import Trace, traces
from tests.support.example_systems import line
from tests.support.random_systems import random_crash, random_failures, random_system

#: The paper's example on matching pairs: p!a, q!b, p?b, p!c, q?c (positions 0 to 4; the paper says 1 to 5).
E = (
    ("p", Send("q", "a")),
    ("q", Send("p", "b")),
    ("p", Receive("q", "b")),
    ("p", Send("q", "c")),
    ("q", Receive("p", "c")),
)
SYSTEM = System((line("p", E[0][1], E[2][1], E[3][1]), line("q", E[1][1], E[4][1])))
C1 = ((0, 4), (1, 2), (3,))
C2 = ((0,), (1, 2), (3, 4))


def model(**faults: Any) -> FailureModel:
    return Failures(**faults).on(SYSTEM)


def test_matching_pairs_of_the_example() -> None:
    assert perfect_matching_pairs(E) == ((1, 2),)
    assert matching_pairs(E) == ((0, 4), (1, 2), (3, 4))


def test_matching_pairs_of_the_longer_trace_of_the_example() -> None:
    longer = (*E, ("q", Receive("p", "a")))
    assert {(0, 5), (3, 4)} <= set(matching_pairs(longer))
    swapped = communication_of(longer, [(0, 5), (3, 4), (1, 2)])
    system = System((line("p", E[0][1], E[2][1], E[3][1]), line("q", E[1][1], E[4][1], Receive("p", "a"))))
    assert is_valid(longer, swapped, Failures(reorder=True).on(system))
    assert not is_valid(longer, swapped, Failures(loss=True).on(system))


@pytest.mark.parametrize(
    ("faults", "expected"),
    [
        ({}, set()),
        ({"loss": True}, {C2}),
        ({"corrupt": True}, {C1}),
        ({"reorder": True}, {C2}),
        ({"loss": True, "corrupt": True}, {C1, C2}),
        ({"corrupt": True, "reorder": True}, {C1, C2}),
        ({"loss": True, "reorder": True}, {C2}),
        ({"loss": True, "corrupt": True, "reorder": True}, {C1, C2}),
    ],
)
def test_valid_communications_of_the_example(faults: dict[str, bool], expected: set[object]) -> None:
    """The paper's example on valid communications: exactly two under corruption with loss or reordering."""
    found = list(communications(E, model(**faults)))
    assert len(found) == len(expected)
    assert set(found) == expected
    assert all(is_valid(E, c, model(**faults)) for c in found)


def test_a_communication_covers_every_action_once() -> None:
    everything = model(loss=True, corrupt=True, reorder=True)
    assert not is_valid(E, C1[:2], everything)
    assert not is_valid(E, (*C1, (3,)), everything)
    assert not is_valid(E, ((0,), (1, 2), (3,), (4,)), everything), "a reception is always matched"


def test_conflict_graph_of_the_example() -> None:
    """The paper's drawing leaves out the edge from {1,5} to {4}: p sends a before it sends c."""
    assert conflict_graph(E, C1).edges == {((0, 4), (1, 2)), ((1, 2), (0, 4)), ((1, 2), (3,)), ((0, 4), (3,))}
    assert conflict_graph(E, C1).cycle() == ((0, 4), (1, 2))
    assert conflict_graph(E, C2).edges == {((0,), (1, 2)), ((0,), (3, 4)), ((1, 2), (3, 4))}


def test_rsc_executions_of_the_example() -> None:
    """The paper's example on i-RSC: (e, C2) is an RSC execution, (e, C1) is not even equivalent to one."""
    assert is_rsc_execution(C2) and is_equivalent_to_rsc(E, C2)
    assert not is_rsc_execution(C1) and not is_equivalent_to_rsc(E, C1)
    assert synchronised(E, C1) is None
    assert synchronised(E, C2) == (E, C2)


def test_borderline_violation_of_the_example() -> None:
    both = model(loss=True, corrupt=True)
    assert is_borderline_violation(E, C1, both)
    assert not is_borderline_violation(E, C2, both)
    assert not is_borderline_violation(E[:4], ((0,), (1, 2), (3,)), both), "it ends in a reception"
    longer, unmatched = (*E, ("p", Send("q", "a"))), (*C1, (5,))
    assert not is_borderline_violation(longer, unmatched, both)


def test_causal_order() -> None:
    assert precedes(E, C1, 0, 2), "both are actions of p"
    assert precedes(E, C1, 0, 4), "a matched pair"
    assert commute(E, C2, 0, 4) and not precedes(E, C2, 0, 4)
    assert not precedes(E, C1, 2, 0)


def test_causal_equivalence_is_commutation() -> None:
    first = (("p", Send("q", "a")), ("r", Send("q", "b")), ("q", Receive("p", "a")), ("q", Receive("r", "b")))
    second = (first[1], first[0], first[2], first[3])
    other_order = (first[0], first[1], first[3], first[2])
    assert causally_equivalent((first, ((0, 2), (1, 3))), (second, ((0, 3), (1, 2))))
    assert not causally_equivalent((first, ((0, 2), (1, 3))), (other_order, ((0, 3), (1, 2))))


def test_causal_equivalence_looks_at_labels() -> None:
    assert not causally_equivalent(((E[0],), ((0,),)), ((E[3],), ((0,),)))


def test_an_internal_action_is_an_interaction_of_its_own() -> None:
    e = (("p", Send("q", "a")), ("q", Internal("tau")), ("q", Receive("p", "a")))
    (only,) = communications(e, FailureModel({}))
    assert only == ((0, 2), (1,))
    assert conflict_graph(e, only).edges == {((1,), (0, 2))}
    assert synchronised(e, only) == ((e[1], e[0], e[2]), ((0,), (1, 2)))


CRASHING = (("p", Send("q", "a")), ("p", Send("q", CRASH)), ("q", Receive("p", CRASH)))


def crashing(**faults: Any) -> FailureModel:
    return Failures(**faults).on(
        System((line("p", CRASHING[0][1], CRASHING[1][1]), line("q", Receive("p", CRASH), Receive("p", "a"))))
    )


def test_nothing_overtakes_the_crash_message_and_it_overtakes_nothing() -> None:
    """It is received when every earlier message was received or lost, and nothing is received after it."""
    assert not list(communications(CRASHING, crashing()))
    assert not list(communications(CRASHING, crashing(reorder=True)))
    assert not list(communications(CRASHING, crashing(corrupt=True)))
    assert list(communications(CRASHING, crashing(loss=True))) == [((0,), (1, 2))]
    assert list(communications(CRASHING, crashing(loss=True, reorder=True))) == [((0,), (1, 2))]
    late = (*CRASHING, ("q", Receive("p", "a")))
    assert not list(communications(late, crashing(loss=True, corrupt=True, reorder=True)))


def control_traces(system: System, length: int) -> set[Trace]:
    """What the automata alone allow, channels ignored."""
    here: set[tuple[Trace, tuple[str, ...]]] = {((), tuple(p.initial for p in system))}
    found: set[Trace] = {()}
    for _ in range(length):
        here = {
            ((*trace, (p.name, action)), (*states[:i], target, *states[i + 1 :]))
            for trace, states in here
            for i, p in enumerate(system)
            for _, action, target in p.outgoing(states[i])
        }
        found |= {trace for trace, _ in here}
    return found


@pytest.mark.parametrize("chunk", range(4))
def test_an_execution_is_a_sequence_with_a_valid_communication(chunk: int) -> None:
    """Two readings of *execution under interference*: words that change silently, and Comm(e) not empty."""
    for seed in range(chunk * 75, (chunk + 1) * 75):
        rng = random.Random(seed)
        system = random_system(rng, states=2, transitions=3)
        if seed % 3 == 0:
            system = random_crash(rng, system)
        failures = random_failures(rng, system).on(system)
        by_words = traces(system, failures, 4)
        for trace in control_traces(system, 4):
            there = next(communications(trace, failures), None) is not None
            assert there == (trace in by_words), f"seed {seed}: {trace}"


@pytest.mark.parametrize("chunk", range(4))
def test_synchronised_executions_are_executions_and_equivalent(chunk: int) -> None:
    for seed in range(chunk * 50, (chunk + 1) * 50):
        rng = random.Random(seed)
        system = random_system(rng, states=2, transitions=3)
        failures = random_failures(rng, system).on(system)
        for trace in traces(system, failures, 4):
            for communication in communications(trace, failures):
                assert is_valid(trace, communication, failures), f"seed {seed}: {trace}"
                made = synchronised(trace, communication)
                assert (made is None) == (not is_equivalent_to_rsc(trace, communication))
                if made is not None:
                    assert is_rsc_execution(made[1]) and is_valid(*made, failures), f"seed {seed}: {trace}"
                    assert causally_equivalent((trace, communication), made), f"seed {seed}: {trace}"
