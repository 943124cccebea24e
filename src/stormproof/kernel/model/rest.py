"""The states in which a role is at rest, and those in which it has ended (definitions 10.1, 10.2)."""

from __future__ import annotations

from collections.abc import Mapping

from ...records import dataclass
from .actions import Action, Crash, Internal, Receive, Send, Transition
from .faults import STOP
from .process import Process
from .system import System

#: What goals call the state of a role that has stopped silently, unless it has a state of that name itself.
STOPPED = "stopped"


@dataclass(frozen=True)
class RestStates:
    """For each process the states in which it rests, has ended, and has crashed or stopped."""

    rest: Mapping[str, frozenset[str]]
    ended: Mapping[str, frozenset[str]]
    crashed: Mapping[str, frozenset[str]]


def rest_states(system: System) -> RestStates:
    """The rest states of every role: those that it declares, else the default ones."""
    rest = {}
    for process in system:
        chosen = default_rest_states(process) if process.rest is None else process.rest
        rest[process.name] = frozenset(chosen) | process.crashed_states
    crashed = {p.name: p.crashed_states | stopped_states(p) for p in system}
    return RestStates(rest, {p.name: ended_states(p) for p in system}, crashed)


def stopped_states(process: Process) -> frozenset[str]:
    """Where the process is after it has stopped silently."""
    rows = process.transitions
    return frozenset(
        t.target for t in rows if isinstance(t.action, Internal) and t.action.fault == STOP.keyword
    )


def is_crash(action: Action) -> bool:
    """Is this the internal action by which a process crashes?"""
    return isinstance(action, Internal) and action.crashes


def ended_states(process: Process) -> frozenset[str]:
    """From here the process sends nothing more and takes at most crash messages, or it has crashed."""

    def silent(state: str) -> bool:
        return (
            state not in unmade
            and not process.sends(state)
            and all(isinstance(r.message, Crash) for r in process.receives(state))
        )

    unmade = frozenset(process.unmade)  # what is not known yet may still send (definitions 18.3)
    ended = {s for s in process.states if silent(s)}
    while True:
        leaving = [t for t in process.transitions if t.target not in ended and not is_crash(t.action)]
        if ended.isdisjoint(t.source for t in leaving):
            return frozenset(ended) | process.crashed_states
        ended.difference_update(t.source for t in leaving)


def default_rest_states(process: Process) -> frozenset[str]:
    """Without a `rest` line: final states, states that only take messages and stay, for a service those
    that only receive; and the initial state, if a message leads back into it or if no other rest state
    can be reached."""

    def rests(state: str) -> bool:
        leaving = [t for t in process.outgoing(state) if not is_crash(t.action)]
        only_receives = all(isinstance(t.action, Receive) for t in leaving)
        return only_receives and (process.service or all(t.target == state for t in leaving))

    found = {s for s in process.states if s not in process.unmade and rests(s)}
    reached = _without_crashes(process)
    back = any(
        t.target == process.initial and t.source in reached and _is_ordinary_message(t)
        for t in process.transitions
    )
    if back or not found & reached:
        found.add(process.initial)
    return frozenset(found)


def _is_ordinary_message(transition: Transition) -> bool:
    return isinstance(transition.action, Send | Receive) and not isinstance(transition.action.message, Crash)


def _without_crashes(process: Process) -> set[str]:
    """The states that the automaton reaches while nobody crashes."""
    seen, queue = {process.initial}, [process.initial]
    for state in queue:
        for transition in process.outgoing(state):
            if isinstance(transition.action, Internal):
                allowed = not is_crash(transition.action)
            else:
                allowed = not isinstance(transition.action.message, Crash)
            if allowed and transition.target not in seen:
                seen.add(transition.target)
                queue.append(transition.target)
    return seen
