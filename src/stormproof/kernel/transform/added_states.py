"""States that completed crash handling adds: in them a role has given up.

`reach` leaves them aside where it looks for a named goal, such as `deadlock`, unless asked, and says so.
Requirements are about every configuration (definitions 10.6).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.goal import And, At, Goal, Named, Not, Or
from ..model.phrases import listed
from ..model.system import System


def added_states(given: System, completed: System) -> dict[str, tuple[str, ...]]:
    """The states that completion has added, role by role; those of a crash itself are asked for."""
    found = {}
    for process in completed:
        known = {*given[process.name].states, *process.crashed_states}
        found[process.name] = tuple(s for s in process.states if s not in known)
    return {name: states for name, states in found.items() if states}


def outside_added_states(goal: Goal, given: System, completed: System) -> Goal:
    """The goal without configurations in which somebody is in an added state; unchanged where it names no
    goal, or names such a state."""
    added = added_states(given, completed)
    atoms = list(_atoms(goal))
    asked = any(isinstance(a, At) and set(a.states) & set(added.get(a.process, ())) for a in atoms)
    if asked or not added or not any(isinstance(a, Named) for a in atoms):
        return goal
    return And((goal, *(Not(At(name, states)) for name, states in added.items())))


def _atoms(goal: Goal) -> Iterator[Goal]:
    if isinstance(goal, And | Or):
        for part in goal.parts:
            yield from _atoms(part)
    elif isinstance(goal, Not):
        yield from _atoms(goal.part)
    else:
        yield goal


def describe_added(added: Mapping[str, tuple[str, ...]]) -> str:
    """`gave_up of A, gave_up of B`."""
    return listed(f"{listed(states)} of {name}" for name, states in added.items())
