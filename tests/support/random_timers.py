"""Random systems whose roles have timers of several numbers, and some that may expire at any time."""

from __future__ import annotations

import random
from dataclasses import replace

from stormproof.kernel.model.actions import ANY_TIME, Internal, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System

NUMBERS = (1, 1, 1, 2, 2, 3, ANY_TIME)


def with_timers(rng: random.Random, system: System, numbers: tuple[int, ...] = NUMBERS) -> System:
    """Some internal actions are timers now, and some states have one more way out."""
    return replace(system, processes=tuple(_with_timers(rng, p, numbers) for p in system))


def _with_timers(rng: random.Random, process: Process, numbers: tuple[int, ...]) -> Process:
    if rng.random() < 0.2:
        return process
    rows = [_perhaps_timer(rng, t, numbers) for t in process.transitions]
    places = [s for s in process.states if s not in process.crashed_states]
    for state in places:
        if rng.random() < 0.4:
            rows.append(Transition(state, _timer(rng, numbers), rng.choice(places)))
    return replace(process, transitions=tuple(rows))


def alike_timers(rng: random.Random, system: System) -> System:
    """The same timers in all roles that have the states for them."""
    places = [(rng.randrange(3), rng.choice(NUMBERS), rng.randrange(3)) for _ in range(rng.randint(1, 3))]

    def timed(process: Process) -> Process:
        states = [s for s in process.states if s.startswith("s") and s[1:].isdigit()]
        many = len(states)
        rows = [
            Transition(states[a], Internal("timeout", timeout=True, after=n), states[b])
            for a, n, b in places
            if max(a, b) < many
        ]
        return replace(process, transitions=(*process.transitions, *rows))

    return replace(system, processes=tuple(map(timed, system)))


def _perhaps_timer(rng: random.Random, transition: Transition, numbers: tuple[int, ...]) -> Transition:
    action = transition.action
    if not isinstance(action, Internal) or action.is_fault or rng.random() < 0.4:
        return transition
    return transition._replace(action=_timer(rng, numbers))


def _timer(rng: random.Random, numbers: tuple[int, ...]) -> Internal:
    return Internal(rng.choice(("timeout", "retry")), timeout=True, after=rng.choice(numbers))
