"""What goals mean in a configuration: rest, deadlock (definitions 9.6, 10.3)."""

from __future__ import annotations

from collections.abc import Callable

from ..model.actions import Configuration
from ..model.goal import And, At, Contains, Goal, Head, Holds, Not, Or
from ..model.survival import SurvivalModel
from .faulty_steps import stormy_steps


def at_rest(model: SurvivalModel, at: Configuration) -> bool:
    """Every role rests, and messages wait for roles that have ended only."""
    if any(state not in model.rest.rest[p.name] for p, state in zip(model.system, at.states)):
        return False
    return all(
        not word or model.has_ended(at, channel.receiver)
        for channel, word in zip(model.system.channels, at.words)
    )


def is_deadlock(model: SurvivalModel, at: Configuration) -> bool:
    """No calm step is possible, and the configuration is not at rest."""
    return not any(step.calm for step in stormy_steps(model, at)) and not at_rest(model, at)


def satisfies(model: SurvivalModel, at: Configuration, goal: Goal) -> bool:
    if isinstance(goal, And):
        return all(satisfies(model, at, part) for part in goal.parts)
    if isinstance(goal, Or):
        return any(satisfies(model, at, part) for part in goal.parts)
    if isinstance(goal, Not):
        return not satisfies(model, at, goal.part)
    if isinstance(goal, At):
        return model.state(at, goal.process) in goal.states
    if isinstance(goal, Holds):
        return model.word(at, goal.channel) == goal.word
    if isinstance(goal, Contains):
        return goal.message in model.word(at, goal.channel)
    if isinstance(goal, Head):
        return model.word(at, goal.channel)[:1] == (goal.message,)
    return _NAMED[goal.name](model, at)


_NAMED: dict[str, Callable[[SurvivalModel, Configuration], bool]] = {
    "at rest": at_rest,
    "deadlock": is_deadlock,
}
