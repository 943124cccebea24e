"""Checks that the state equation has no solution in the natural numbers: z3 is asked about new ones.

The unknowns are how often each transition fires and how often each fault occurs. In each local state, and
for each message in a channel, what came less what went is what is there at the end. Whatever is reachable
is a solution.
"""

from __future__ import annotations

import builtins
import sys
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from ...kernel.goals.cubes import Cube
from ...kernel.model.actions import CRASH, Internal, Send, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from .certificates import Control
from .channel_forms import ChannelReading, channel_forms
from .check_closure import controls_problem, enabled
from .goal_configurations import LeastConfiguration, goal_configurations

RowChange = Counter[Hashable]


def have_z3() -> bool:
    return find_spec("z3") is not None


def load_z3() -> Any:
    """z3, which would load its library from the current folder before its own."""
    spec = find_spec("z3")
    own = Path(spec.origin or "").parent if spec is not None else Path(sys.prefix)
    builtins.Z3_LIB_DIRS = [str(own), str(own / "lib"), str(Path(sys.prefix, "lib"))]  # type: ignore[attr-defined]
    import z3  # type: ignore[import-untyped,unused-ignore]

    return z3


def check_equation(
    system: System, failures: FailureModel, cubes: Sequence[Cube], controls: Sequence[Control]
) -> str:
    """ "" when the equation has no solution for any configuration of the goal among these control states."""
    if not have_z3():
        return "the state equation over the integers needs z3 (install stormproof[smt])"
    problem = controls_problem(system, failures, controls)
    if problem:
        return problem
    z3 = load_z3()
    readings = channel_forms(system, failures)
    changes = list(_changes(system, failures, readings, controls))
    start: RowChange = Counter((p.name, p.initial) for p in system)
    for goal in goal_configurations(system, readings, cubes, controls):
        solver: Any = z3.Solver()
        times = [z3.Int(f"x{i}") for i in range(len(changes))]
        solver.add(*[x >= 0 for x in times])
        for row, least, exact in _ends(system, readings, goal):
            total: Any = start[row] + sum(x * c[row] for x, c in zip(times, changes, strict=True) if c[row])
            solver.add(total == least if exact else total >= least)
        if solver.check() != z3.unsat:
            return f"the state equation has a solution for ({', '.join(goal.element.states)})"
    return ""


def _changes(
    system: System, failures: FailureModel, readings: Sequence[ChannelReading], controls: Sequence[Control]
) -> Iterator[RowChange]:
    """What each transition and each fault adds to local states and to messages in channels."""
    for name, (source, action, target) in enabled(system, failures, set(controls)):
        change: RowChange = Counter()
        change[name, source] -= 1
        change[name, target] += 1
        if not isinstance(action, Internal):
            change[channel_of(name, action), action.message] += 1 if isinstance(action, Send) else -1
        yield change
    for channel, failure, letters, _ in readings:
        if failure.loss:
            yield from (RowChange({(channel, m): -1}) for m in letters)
        for m, others in failure.becomes.items():
            yield from (RowChange({(channel, m): -1, (channel, other): 1}) for other in others)


def _ends(
    system: System, readings: Sequence[ChannelReading], goal: LeastConfiguration
) -> Iterator[tuple[Hashable, int, bool]]:
    """How many must be there at the end of each, and whether no more."""
    element, fixed = goal
    for process, state in zip(system, element.states, strict=True):
        for s in process.states:
            yield (process.name, s), int(s == state), True
    rows = zip(readings, element.marks, element.words, fixed, strict=True)
    for (channel, _, letters, _), mark, word, exactly in rows:
        if CRASH in system.alphabet(channel):
            yield (channel, CRASH), int(mark), True
        for m in letters:
            yield (channel, m), word.count(m), m in exactly
