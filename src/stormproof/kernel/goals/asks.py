"""What a requirement asks of survival, with named goals spelt out."""

from __future__ import annotations

from ..model import requirement as claims
from ..model.ask import RECOVERS as ALWAYS_AT_REST, Ask, clean
from ..model.goal import AT_REST, And, Goal, Named, Not, Or
from ..model.requirement import Requirement
from ..model.survival import SurvivalModel
from .cubes import letters
from .named import Meanings

#: Named goals that the searches of survival know by themselves.
_BUILT_IN = (AT_REST.name, "deadlock")


def ask_of(model: SurvivalModel, requirement: Requirement) -> Ask | None:
    """What a requirement asks of survival; None where it claims one of the other properties."""
    claim = requirement.claim
    if claim.what == claims.RECOVERS:
        return ALWAYS_AT_REST
    if claim.what == claims.CLEAN:
        return clean(model.system, model.rest)
    if claim.goal is None:
        return None
    after = None if claim.after is None else spelt_out(model, claim.after)
    return Ask(claim.what != claims.NEVER, spelt_out(model, claim.goal), after)


def spelt_out(model: SurvivalModel, goal: Goal) -> Goal:
    """The goal with named ones replaced by what they mean."""
    if isinstance(goal, Not):
        return Not(spelt_out(model, goal.part))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(spelt_out(model, part) for part in goal.parts))
    if isinstance(goal, Named) and goal.name not in _BUILT_IN:
        return Meanings(model.system, lambda c: letters(model.system, model.failures, c)).of(goal.name)
    return goal
