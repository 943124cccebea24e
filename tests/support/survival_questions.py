"""Random questions of survival: systems with every kind of fault, rest states, goals and budgets."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

from stormproof.kernel.model.ask import RECOVERS, Ask, clean
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.clocks import runs_timer
from stormproof.kernel.model.failures import FailureModel, Failures
from stormproof.kernel.model.goal import And, At, Contains, Goal, Head, Holds, Named, Not, Or
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.storm_step import FAULT_KINDS
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System
from stormproof.kernel.transform.stop_restart import stop_restart, with_restarts_in_place
from tests.support.random_systems import (
    random_crash,
    random_disks,
    random_failures,
    random_system,
    with_durable,
)
from tests.support.random_timers import with_timers
from tests.support.survival_examples import declare


def random_model(rng: random.Random, everything: bool = False, timers: bool = False) -> SurvivalModel:
    """A small system, perhaps with crashes, stops, restarts, disks, duplication and a budget,
    declared or default rest states. `everything`: surely with a stop, a restart, duplication and a
    budget. `timers`: with timers, and with
    restarts that start them anew."""
    system = random_system(rng, internal=rng.choice((0.0, 0.1, 0.25)))
    if rng.random() < 0.25:
        system = random_crash(rng, system)
    if timers:
        system = with_timers(rng, system)
    plain = random_failures(rng, system) if rng.random() < 0.8 else Failures()
    failures = _with_duplication(rng, plain, system, everything)
    declared = {p.name: rng.sample(p.states, 1) for p in system if rng.random() < 0.3}
    services = [n for n in system.names if rng.random() < 0.2]
    rest = rest_states(declare(system, declared, services))
    stop = _some(rng, system.names, 0.15, everything)
    restart = _some(rng, system.names, 0.2, everything)
    durable = {p.name: rng.sample(p.states, rng.randint(0, 1)) for p in system}
    apart = random.Random()
    apart.setstate(rng.getstate())
    changed = stop_restart(
        with_durable(system, durable) if apart.random() < 0.5 else random_disks(apart, system),
        stop,
        restart,
        recording=_some(apart, system.names, 0.1, False),
    )
    return SurvivalModel(
        with_restarts_in_place(changed, system, runs_timer) if timers else changed.system,
        failures,
        changed.rest(rest),
        changed.faults,
        random_budget(rng) if everything or rng.random() < 0.3 else Budget(),
    )


T = TypeVar("T")


def _some(rng: random.Random, items: Sequence[T], share: float, surely: bool) -> list[T]:
    """About this share of the items; `surely`: one at least."""
    chosen = [item for item in items if rng.random() < share]
    return [rng.choice(items)] if surely and items and not chosen else chosen


def _with_duplication(rng: random.Random, failures: Failures, system: System, surely: bool) -> FailureModel:
    model = failures.on(system)
    chosen = _some(rng, system.channels, rng.choice((0.0, 0.0, 0.5, 1.0)), surely)
    channels = dict(model.channels) | {c: replace(model.on(c), duplicate=True) for c in chosen}
    unreliable = tuple(n for n in model.unreliable if rng.random() < 0.9)
    return FailureModel(channels, unreliable)


def random_budget(rng: random.Random) -> Budget:
    """In all, by kind, or both."""
    kinds = {kind: rng.randint(0, 2) for kind in FAULT_KINDS if rng.random() < 0.2}
    return Budget(rng.choice((None, 0, 1, 2, 3)) if kinds else rng.randint(0, 3), kinds)


def random_goal(rng: random.Random, system: System, depth: int = 2) -> Goal:
    dice = rng.random()
    if depth and dice < 0.5:
        parts = tuple(random_goal(rng, system, depth - 1) for _ in range(rng.randint(1, 2)))
        return rng.choice((And(parts), Or(parts), Not(parts[0])))
    if dice < 0.75 or not system.channels:
        process = rng.choice(system.processes)
        return At(process.name, tuple(rng.sample(process.states, rng.randint(1, len(process.states)))))
    if dice < 0.82:
        return Named(rng.choice(("at rest", "deadlock")))
    channel = rng.choice(system.channels)
    messages = system.alphabet(channel)
    word = tuple(m for m in rng.choices(messages, k=rng.randint(0, 3)) if isinstance(m, str))
    return rng.choice(
        (
            Holds(channel, ()),
            Holds(channel, word),
            Contains(channel, messages[0]),
            Head(channel, messages[-1]),
        )
    )


def random_asks(rng: random.Random, model: SurvivalModel) -> dict[str, Ask]:
    """Of each kind. What one goal leads to is drawn apart."""
    apart = random.Random()
    apart.setstate(rng.getstate())
    return {
        "recovers": RECOVERS,
        "clean": clean(model.system, model.rest),
        "never": Ask(False, random_goal(rng, model.system)),
        "possible": Ask(True, random_goal(rng, model.system)),
        "leads": Ask(True, random_goal(apart, model.system), random_goal(apart, model.system)),
    }
