"""Random role programs: the automaton does exactly what CPython does, along random histories."""

from __future__ import annotations

import pytest

from stormproof.errors import ModelError
from stormproof.extraction.api import named_calls
from stormproof.extraction.explore import explore
from stormproof.extraction.guard import drive
from stormproof.extraction.interpret import Interpreter
from tests.support.random_roles import random_protocol

PROGRAMS = 25


@pytest.mark.parametrize("chunk", range(3))
def test_an_automaton_does_what_cpython_does(chunk: int) -> None:
    steps = refused = 0
    for seed in range(chunk * PROGRAMS, (chunk + 1) * PROGRAMS):
        calls = named_calls(random_protocol(seed))
        try:
            automata = explore(calls, Interpreter())
        except ModelError as problem:
            assert "still no yield" in problem.message, (seed, str(problem))
            refused += 1
            continue
        steps += drive(automata["P"], seed, histories=8, length=40)
    assert steps > 50 * PROGRAMS and refused < PROGRAMS // 4
