"""Where roles rest and have ended, and what goals mean, read literally (definitions 9.6, 10.1 to 10.3)."""

from __future__ import annotations

from collections.abc import Callable

from ..kernel.model.actions import Configuration, Crash, Internal, Receive, Send, Transition
from ..kernel.model.goal import And, At, Contains, Goal, Head, Holds, Not, Or
from ..kernel.model.process import Process
from ..kernel.model.survival import SurvivalModel
from .steps import faulty_steps


def ended(process: Process) -> frozenset[str]:
    """Definitions 10.2: no path from here, crashes aside, sends anything or receives an ordinary message."""
    found = set(process.crashed_states)
    for state in process.states:
        later = _reached(process, state, lambda t: not _is_crash(t))
        leaving = [t for s in later for t in process.outgoing(s)]
        if not any(_sends_or_receives(t) for t in leaving):
            found.add(state)
    return frozenset(found)


def _sends_or_receives(transition: Transition) -> bool:
    action = transition.action
    return isinstance(action, Send) or (isinstance(action, Receive) and not isinstance(action.message, Crash))


def _is_crash(transition: Transition) -> bool:
    return isinstance(transition.action, Internal) and transition.action.crashes


def _reached(process: Process, start: str, may: Callable[[Transition], bool]) -> set[str]:
    seen = {start}
    while True:
        more = {t.target for s in seen for t in process.outgoing(s) if may(t)} - seen
        if not more:
            return seen
        seen |= more


def rests(process: Process) -> frozenset[str]:
    """Definitions 10.1: what the `rest` line names, or the default; where it has crashed in any case."""
    if process.rest is not None:
        return frozenset(process.rest) | process.crashed_states
    leaving = {s: [t for t in process.outgoing(s) if not _is_crash(t)] for s in process.states}
    receives = {s for s, ts in leaving.items() if all(isinstance(t.action, Receive) for t in ts)}
    found = {s for s in receives if process.service or all(t.target == s for t in leaving[s])}
    calm = _reached(process, process.initial, lambda t: not _is_crash(t) and not _of_crash_message(t))
    ordinary = [t for s in calm for t in process.outgoing(s) if isinstance(t.action, (Send, Receive))]
    returns = any(t.target == process.initial and not _of_crash_message(t) for t in ordinary)
    if returns or not found & calm:
        found.add(process.initial)
    return frozenset(found) | process.crashed_states


def _of_crash_message(transition: Transition) -> bool:
    action = transition.action
    return not isinstance(action, Internal) and isinstance(action.message, Crash)


def at_rest(model: SurvivalModel, at: Configuration) -> bool:
    """Definitions 10.3: every role rests, and every message waits for a role that has ended."""
    system = model.system
    states = dict(zip(system.names, at.states))
    resting = all(states[name] in model.rest.rest[name] for name in system.names)
    waiting = [channel.receiver for channel, word in zip(system.channels, at.words) if word]
    return resting and all(states[name] in model.rest.ended[name] for name in waiting)


def is_deadlock(model: SurvivalModel, at: Configuration) -> bool:
    """Definitions 9.6: no fault-free step is possible, and the configuration is not at rest."""
    return not at_rest(model, at) and not any(step.calm for step, _ in faulty_steps(model, at))


def satisfies(model: SurvivalModel, at: Configuration, goal: Goal) -> bool:
    """Definitions 6.1, 6.2: what a goal means in a configuration."""
    words = dict(zip(model.system.channels, at.words))
    if isinstance(goal, (And, Or)):
        parts = [satisfies(model, at, part) for part in goal.parts]
        return all(parts) if isinstance(goal, And) else any(parts)
    if isinstance(goal, Not):
        return not satisfies(model, at, goal.part)
    if isinstance(goal, At):
        return dict(zip(model.system.names, at.states))[goal.process] in goal.states
    if isinstance(goal, Holds):
        return words.get(goal.channel, ()) == goal.word
    if isinstance(goal, Contains):
        return goal.message in words.get(goal.channel, ())
    if isinstance(goal, Head):
        return words.get(goal.channel, ())[:1] == (goal.message,)
    return {"at rest": at_rest, "deadlock": is_deadlock}[goal.name](model, at)
