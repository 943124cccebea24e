"""Named goals, such as `deadlock`, are about the protocol as its author wrote it.

Completed crash handling adds states in which a role has given up. Where such a state takes part, it is the
completion that deadlocks, so a named goal does not match there unless the goal names the state itself.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..model.goal import And, At, Goal, Named, Not, Or
from ..model.phrases import listed
from ..model.requirement import NEVER, Requirement
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


def as_written(requirement: Requirement, given: System, completed: System) -> Requirement:
    """A requirement whose goal is never to be reached, without what completion has added."""
    claim = requirement.claim
    if claim.what != NEVER or claim.goal is None:
        return requirement
    return replace(requirement, claim=replace(claim, goal=outside_added_states(claim.goal, given, completed)))


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
