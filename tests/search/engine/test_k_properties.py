"""The engine against the definitions, on random systems that the definitions can enumerate."""

from __future__ import annotations

import pytest

from stormproof.kernel.model.failures import Failures
from stormproof.kernel.model.system import System
from stormproof.oracle import bounded
from stormproof.search.engine.k_properties import PROPERTIES
from tests.support.engine_queries import ALWAYS, decide, random_question, stream, verdicts
from tests.support.example_systems import process

CHUNKS, EACH = 5, 500


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_every_property_as_defined(chunk: int) -> None:
    """Counts systems that were really compared: those too large to enumerate are passed over, not counted."""
    compared, seed = 0, chunk * 10**6
    while compared < EACH:
        seed += 1
        system, failures, k = random_question(seed)
        try:
            ts = bounded.explore(system, failures, k, most=150)
        except bounded.TooLarge:
            continue
        compared += 1
        names = tuple(PROPERTIES) if failures.perfect else ALWAYS
        answer = decide(system, failures, k, names)
        expected = {name: bounded.holds(ts, name) for name in names}
        assert verdicts(answer) == expected, f"seed {seed}, k = {k}"
        if failures.perfect:
            assert answer.states == len(ts.steps), f"seed {seed}, k = {k}"
            actions = sum(len(leaving) for leaving in ts.steps.values())
            assert answer.transitions == actions, f"seed {seed}, k = {k}"


@pytest.mark.parametrize("loss", [False, True])
@pytest.mark.parametrize("messages", [31, 32, 64])
def test_many_actions_in_one_state(messages: int, loss: bool) -> None:
    """Around 64 the engine finds those that are enabled in another way; one message is never received."""
    sender, receiver = stream(*(f"m{i}" for i in range(messages)))
    system = System((sender, process("Q", *receiver.transitions[:-1])))
    failures = Failures(loss=loss).on(system)
    ts = bounded.explore(system, failures, 1)
    answer = decide(system, failures, 1, ALWAYS)
    assert answer.states == messages + 1
    assert verdicts(answer) == {name: bounded.holds(ts, name) for name in ALWAYS}
    assert verdicts(answer)["k-er"] is False
