"""Groups of states in goals: `Sender@waiting` is every state that the author calls `waiting`."""

from __future__ import annotations

from collections.abc import Set
from dataclasses import replace

from ..model.goal import And, At, Goal, Not, Or
from ..model.system import System


def expand_groups(goal: Goal, system: System, quoted: Set[tuple[str, str]]) -> Goal:
    """The goal with groups replaced by their states; a name in `quoted` is one state."""
    if isinstance(goal, At):
        return _expand(goal, system, quoted)
    if isinstance(goal, Not):
        return Not(expand_groups(goal.part, system, quoted))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(expand_groups(part, system, quoted) for part in goal.parts))
    return goal


def grown(goal: Goal, system: System) -> Goal:
    """The goal with the states that a group has now, where it names one."""
    if isinstance(goal, At):
        states = system[goal.process].group(goal.group) if goal.group else ()
        return replace(goal, states=states) if states else goal
    if isinstance(goal, Not):
        return replace(goal, part=grown(goal.part, system))
    if isinstance(goal, And | Or):
        return replace(goal, parts=tuple(grown(part, system) for part in goal.parts))
    return goal


def _expand(goal: At, system: System, quoted: Set[tuple[str, str]]) -> At:
    process = system[goal.process]
    members = {s: process.group(s) for s in goal.states if (goal.process, s) not in quoted}
    states = dict.fromkeys(t for s in goal.states for t in members.get(s) or (s,))
    only = goal.states[0] if len(goal.states) == 1 and members.get(goal.states[0]) else ""
    return At(goal.process, tuple(states), only, recorded=goal.recorded)
