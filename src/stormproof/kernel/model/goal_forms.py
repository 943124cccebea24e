"""Goals with negation: their normal form, and the channels whose content they mention."""

from __future__ import annotations

from .actions import Channel
from .goal import And, At, Contains, Goal, Head, Holds, Not, Or
from .system import System

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


def stays_with_more_messages(goal: Goal) -> bool:
    """Does a goal on states, and on what is in channels or at their heads, stay true where channels that are
    empty have content instead?"""
    form = normal_form(goal)
    if isinstance(form, And | Or):
        return all(stays_with_more_messages(part) for part in form.parts)
    return isinstance(form.part, At) if isinstance(form, Not) else isinstance(form, At | Contains | Head)


def observed_channels(goal: Goal, system: System) -> frozenset[Channel]:
    """The channels of whose content more counts than whether there is any: the goal says so, or it is a
    mailbox, where a message may be received after the crash message of another sender."""
    return _observed(goal) | frozenset(c for c in system.channels if c.is_mailbox)


def _observed(goal: Goal) -> frozenset[Channel]:
    if isinstance(goal, Not):
        return _observed(goal.part)
    if isinstance(goal, And | Or):
        return frozenset().union(*(_observed(p) for p in goal.parts))
    if isinstance(goal, Contains | Head) or (isinstance(goal, Holds) and goal.word):
        return frozenset({goal.channel})
    return frozenset()
