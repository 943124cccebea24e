"""Timers on time, read literally (definitions 16.2 to 16.4).

How long the present state of each role has lasted stands in the configuration, as the state of its clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..kernel.model.actions import Configuration, Internal, Transition
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import SurvivalModel

#: A step, and where it leads.
Leading = tuple[StormStep, Configuration]


class Timer(NamedTuple):
    """A timer that runs: whose, how long it has run, and when it is due."""

    role: str
    ran: int
    due: int


def on_time(model: SurvivalModel, at: Configuration, steps: Iterable[Leading]) -> Iterator[Leading]:
    """Of all steps, with timers at any time, those that are possible if timers are on time, and where they
    lead."""
    clocks = model.extras.clocks
    assert clocks is not None
    all_steps = list(steps)
    timers = list(_running(model, at))
    busy = any(_takes_no_time(step, clocks.time) for step, _ in all_steps)
    left = min((t.due - t.ran for t in timers), default=None)
    for step, after in all_steps:
        if step.process == clocks.time:
            if not busy and left is not None and left > 0:
                yield step, _later(model, at, {t.role for t in timers})
            continue
        expires = _timer(step.transition)
        if expires is not None:
            mine = [t.ran for t in timers if t.role == step.process]
            if busy or left != 0 or mine[0] != expires:
                continue
        yield step, _anew(model, after, step.process)


def _timer(transition: Transition) -> int | None:
    """After how many units of time it expires, if this is a timer with a number."""
    action = transition.action
    if isinstance(action, Internal) and action.timeout and action.after > 0:
        return action.after
    return None


def _takes_no_time(step: StormStep, time: str) -> bool:
    """A calm step that is no timer, whether with a number or at any time. A send is possible always."""
    action = step.transition.action
    return step.calm and step.process != time and not (isinstance(action, Internal) and action.timeout)


def _running(model: SurvivalModel, at: Configuration) -> Iterator[Timer]:
    clocks = model.extras.clocks
    assert clocks is not None
    now = dict(zip(model.system.names, at.states))
    for role, clock in clocks.of:
        for transition in model.system[role].outgoing(now[role]):
            due = _timer(transition)
            if due is not None:
                yield Timer(role, int(now[clock]), due)


def _later(model: SurvivalModel, at: Configuration, running: set[str]) -> Configuration:
    clocks = model.extras.clocks
    assert clocks is not None
    ticking = {clock for role, clock in clocks.of if role in running}
    rows = zip(model.system.names, at.states)
    return Configuration(tuple(str(int(s) + 1) if n in ticking else s for n, s in rows), at.words)


def _anew(model: SurvivalModel, after: Configuration, role: str) -> Configuration:
    clocks = model.extras.clocks
    assert clocks is not None
    mine = {clock for owner, clock in clocks.of if owner == role}
    rows = zip(model.system.names, after.states)
    return Configuration(tuple("0" if name in mine else state for name, state in rows), after.words)
