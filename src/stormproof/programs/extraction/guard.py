"""Drive the real generators along random histories: CPython must do exactly what the automaton does."""

from __future__ import annotations

import random
from typing import Any

from ...errors import ModelError
from .explore import RoleAutomaton, call_of
from .interpret import Returned, RolePoint, Waiting
from .logs import nothing_logged
from .requests import ChooseRequest, ReceiveRequest, SaveRequest, SendRequest
from .role import RoleGenerator

#: Histories of a role in each extraction, and their length.
HISTORIES, LENGTH = 10, 40


def drive(automaton: RoleAutomaton, seed: int, histories: int = HISTORIES, length: int = LENGTH) -> int:
    """How many steps agreed; ModelError at the first that does not."""
    chance = random.Random(seed)
    with nothing_logged():
        return sum(_history(automaton, chance, length) for _ in range(histories))


def _history(automaton: RoleAutomaton, chance: random.Random, length: int) -> int:
    generator = call_of(automaton).generator()
    point, given = automaton.start, None
    took: list[str] = []
    try:
        for _ in range(length):
            _compare(automaton, point, generator, given, took)
            leaving = automaton.steps[point.key]
            if not leaving:
                break
            answer, after = chance.choice(leaving)
            took.append(str(answer.action))
            point, given = automaton.points[after], answer.value
    finally:
        generator.close()
    return len(took)


def _compare(
    automaton: RoleAutomaton, point: RolePoint, generator: RoleGenerator, given: Any, took: list[str]
) -> None:
    expected, found = _expected(point), _real(generator, given)
    if _key(expected) != _key(found):
        after = f" after {', '.join(took)}" if took else ""
        raise ModelError(
            f"Python runs {call_of(automaton).role.name} otherwise than its source says: {found} instead of "
            f"{expected}{after}",
            place=point.place,
            hint="it depends on chance or on the order of a set, or its file has changed since the import",
        )


def _expected(point: RolePoint) -> object:
    if isinstance(point, Waiting):
        return point.request
    return "returns" if isinstance(point, Returned) else f"raises {point.kind}"


def _real(generator: RoleGenerator, given: Any) -> object:
    """What the generator does next."""
    try:
        return generator.send(given)
    except StopIteration:
        return "returns"
    except Exception as problem:
        return f"raises {type(problem).__name__}"


def _key(done: object) -> object:
    """As a value that can be compared."""
    return (
        done.key() if isinstance(done, SendRequest | ReceiveRequest | ChooseRequest | SaveRequest) else done
    )
