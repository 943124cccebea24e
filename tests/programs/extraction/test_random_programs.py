"""Random role programs: the automaton does exactly what CPython does, along random histories."""

from __future__ import annotations

import pytest

from stormproof.errors import ModelError
from stormproof.programs.automata.explore import explore_alone
from stormproof.programs.extraction.explore import RoleAutomaton, RoleProgram, explore
from stormproof.programs.extraction.guard import drive
from stormproof.programs.extraction.interpret import Interpreter
from stormproof.programs.extraction.requests import Received
from stormproof.programs.extraction.role import RoleCall
from tests.support.random_roles import random_protocol, random_role

#: In each of three chunks, and histories of each: 21,000 together.
PROGRAMS, HISTORIES = 100, 70
#: What the peers of `random_protocol` send, which random roles are given directly: that is quicker.
CAME = [
    Received(peer, name, fields)
    for peer in "QR"
    for name in "mn"
    for fields in ((), (0,), (1,), (True,), ("0",))
]


def alone(call: RoleCall, interpreter: Interpreter | None = None) -> RoleAutomaton | None:
    """The automaton of a random role; None where it is refused: it may never yield, or changes
    what a loop goes through."""
    try:
        return explore_alone(RoleProgram("P", call, interpreter or Interpreter()), CAME)
    except ModelError as problem:
        assert "still no yield" in problem.message or "is changed inside" in problem.message, str(problem)
        return None


@pytest.mark.parametrize("chunk", range(3))
def test_an_automaton_does_what_cpython_does(chunk: int) -> None:
    steps = refused = 0
    for seed in range(chunk * PROGRAMS, (chunk + 1) * PROGRAMS):
        automaton = alone(random_role(seed))
        refused += automaton is None
        steps += 0 if automaton is None else drive(automaton, seed, HISTORIES, length=40)
    assert steps > 10 * HISTORIES * PROGRAMS and refused < PROGRAMS // 4


@pytest.mark.parametrize("seed", range(6))
def test_a_role_alone_is_the_one_among_its_peers(seed: int) -> None:
    """The fixpoint over all roles finds the same messages, and so the same automaton."""
    protocol = random_protocol(seed)
    interpreter = Interpreter()
    single = alone(protocol["P"], interpreter)
    assert single is not None
    among = explore(protocol, interpreter)["P"]
    assert single.points.keys() == among.points.keys()
    assert {k: set(map(str, v)) for k, v in single.steps.items()} == {
        k: set(map(str, v)) for k, v in among.steps.items()
    }
