"""Goals with negation: their normal form, and the channels whose content they mention."""

from __future__ import annotations

from .actions import Channel
from .goal import And, Contains, Goal, Head, Holds, Not, Or

#: A goal that no configuration satisfies, and one that all do.
NOTHING, ANYTHING = Or(()), And(())


def normal_form(goal: Goal, negated: bool = False) -> Goal:
    """The same goal with negations in front of atoms only."""
    if isinstance(goal, Not):
        return normal_form(goal.part, not negated)
    if isinstance(goal, And | Or):
        parts = tuple(normal_form(p, negated) for p in goal.parts)
        return And(parts) if isinstance(goal, And) is not negated else Or(parts)
    return Not(goal) if negated else goal


def observed_channels(goal: Goal) -> frozenset[Channel]:
    """The channels of whose content the goal says more than whether there is any."""
    if isinstance(goal, Not):
        return observed_channels(goal.part)
    if isinstance(goal, And | Or):
        return frozenset().union(*(observed_channels(p) for p in goal.parts))
    if isinstance(goal, Contains | Head) or (isinstance(goal, Holds) and goal.word):
        return frozenset({goal.channel})
    return frozenset()
