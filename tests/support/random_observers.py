"""Random observers of random systems, and goals that ask for them."""

from __future__ import annotations

import random
from itertools import pairwise

from stormproof.kernel.model.actions import Internal, Send
from stormproof.kernel.model.goal import And, At, Goal, Not, Or
from stormproof.kernel.model.observer import HAPPENINGS, IS_AT, RECEIVES, SENDS, ObservedEvent, Observer
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.extras import with_observers


def observed(rng: random.Random, model: SurvivalModel) -> SurvivalModel:
    """With one observer or two, which perhaps count for rest."""
    many = rng.choice((1, 1, 2))
    return with_observers(model, tuple(random_observer(rng, model.system, f"O{i}") for i in range(many)))


def random_observer(rng: random.Random, system: System, name: str) -> Observer:
    states = [f"o{i}" for i in range(rng.randint(2, 3))]
    rows = [
        (rng.choice(states), random_event(rng, system), rng.choice(states)) for _ in range(rng.randint(1, 5))
    ]
    rest = rng.sample(states, 1) if rng.random() < 0.3 else None
    return Observer(name, states[0], [("o0", *rows[0][1:]), *rows[1:]], states, rest)


def random_event(rng: random.Random, system: System) -> ObservedEvent:
    """Something that a role does, or what happens to it."""
    role = rng.choice([p for p in system if p.transitions] or [*system])
    dice = rng.random()
    actions = [t.action for t in role.transitions if not isinstance(t.action, Internal)]
    named = [a for a in actions if isinstance(a.message, str)]
    if named and dice < 0.6:
        action = rng.choice(named)
        kind = SENDS if isinstance(action, Send) else RECEIVES
        messages = None if rng.random() < 0.3 else (str(action.message),)
        return ObservedEvent(kind, role.name, action.peer, messages)
    if dice < 0.85:
        states = tuple(rng.sample(role.states, min(len(role.states), rng.randint(1, 2))))
        return ObservedEvent(IS_AT, role.name, names=states)
    return ObservedEvent(rng.choice(HAPPENINGS), role.name)


def alike_observer(rng: random.Random, system: System, name: str = "Count") -> Observer:
    """One that takes alike events of all roles for the same, and counts them up to two."""
    place = rng.randrange(max(len(p.states) for p in system))
    events = [ObservedEvent(IS_AT, p.name, names=(p.states[place],)) for p in system if place < len(p.states)]
    count = ("none", "one", "more")
    return Observer(name, "none", [(a, e, b) for a, b in pairwise(count) for e in events], count)


def goal_with_observer(rng: random.Random, model: SurvivalModel, goal: Goal) -> Goal:
    """The goal, joined with where an observer is."""
    observer = rng.choice(model.extras.observers)
    at: Goal = At(observer.name, (rng.choice(observer.states),))
    return rng.choice((And((goal, at)), Or((goal, at)), at, Not(at)))
