"""Processes that stop silently or restart, as ordinary systems (definitions 9.1, 11.1, 11.2).

A stop is an internal action to a new final state. A restart is an internal action to the recovery state: the
initial one, or the last durable state that was entered, for which the process becomes its product with them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from ...records import dataclass
from ..model.actions import Internal, Transition
from ..model.goal import Goal, map_states
from ..model.observer import IS_AT, ObservedEvent, Observer
from ..model.process import Process
from ..model.requirement import Requirement
from ..model.rest import STOPPED, RestStates, default_rest_states, ended_states
from ..model.system import System

STOP, RESTART = "stop", "restart"

#: A state of the product: the user's state and the recovery state that is remembered.
_Pair = tuple[str, str]


@dataclass(frozen=True)
class Transformed:
    """A system with stops and restarts, and what it needs to be understood.

    `faults` names the internal actions that are faults: (process, action) -> kind. `origin` says for
    every state of a transformed process which of the user's states it is; states that were invented have
    none. `translate` is what else becomes of a goal.
    """

    system: System
    faults: Mapping[tuple[str, str], str] = field(default_factory=dict)
    origin: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    invented: frozenset[tuple[str, str]] = frozenset()
    translate: Callable[[Goal], Goal] = lambda goal: goal

    def states_of(self, process: str, state: str) -> tuple[str, ...]:
        """The states that are the user's `state`, with whatever is remembered."""
        if process not in self.origin or (process, state) in self.invented:
            return (state,)
        return tuple(new for new, old in self.origin[process].items() if old == state)

    def user_state(self, process: str, state: str) -> str:
        """The user's name of a state; an invented one keeps its own."""
        return self.origin.get(process, {}).get(state, state)

    def idle_restarts(self) -> tuple[str, ...]:
        """Whose restarts are never a step: wherever they are, they have ended or restart to there."""
        restarts = [(p, action) for (p, action), kind in self.faults.items() if kind == RESTART]
        return tuple(p for p, action in restarts if not self._may_take(p, Internal(action, fault=RESTART)))

    def _may_take(self, process: str, action: Internal) -> bool:
        automaton = self.system[process]
        reached = set(automaton.reachable())
        return any(t.source in reached and t.action == action for t in automaton.transitions)

    def goal(self, goal: Goal) -> Goal:
        """A goal on the user's states as one on these."""
        return self.translate(map_states(goal, self.states_of))

    def requirement(self, requirement: Requirement) -> Requirement:
        """A requirement whose goal is on the user's states as one on these."""
        return replace(requirement, claim=requirement.claim.map_goals(self.goal))

    def observer(self, observer: Observer) -> Observer:
        """An observer of the user's states as one of these."""

        def translated(event: ObservedEvent) -> ObservedEvent:
            if event.kind != IS_AT or event.names is None:
                return event
            names = tuple(new for s in event.names for new in self.states_of(event.role, str(s)))
            return replace(event, names=names)

        return observer.with_events(translated)

    def rest(self, original: RestStates) -> RestStates:
        """The rest states of the original system in this one; a stopped process rests and has ended."""
        return RestStates(
            self._mapped(original.rest), self._mapped(original.ended), self._mapped(original.crashed)
        )

    def _mapped(self, table: Mapping[str, frozenset[str]]) -> dict[str, frozenset[str]]:
        stopped = {p: frozenset(s for q, s in self.invented if q == p) for p in table}
        return {
            p: frozenset(new for s in states for new in self.states_of(p, s)) | stopped[p]
            for p, states in table.items()
        }


def stop_restart(
    system: System,
    stop: Iterable[str] = (),
    restart: Iterable[str] = (),
    durable: Mapping[str, Iterable[str]] | None = None,
    after_end: bool = False,
) -> Transformed:
    """The system in which the processes of `stop` may stop at any time and those of `restart` may restart;
    `after_end`: also where they have ended."""
    stopping, restarting, kept = frozenset(stop), frozenset(restart), dict(durable or {})
    faults: dict[tuple[str, str], str] = {}
    origin: dict[str, dict[str, str]] = {}
    invented: set[tuple[str, str]] = set()
    processes = []
    for original in system:
        process, name = original, original.name
        if name in restarting:
            action = _fresh(RESTART, _actions(original))
            process, origin[name] = _restarting(original, frozenset(kept.get(name, ())), action, after_end)
            faults[name, action] = RESTART
        if name in stopping:
            action, state = _fresh(STOP, _actions(process)), _fresh(STOPPED, process.states)
            origin.setdefault(name, {s: s for s in original.states})
            process = _stopping(process, original, origin[name], action, state)
            faults[name, action] = STOP
            invented.add((name, state))
        if name in origin:
            process = replace(process, rest=_rest(original, process, origin[name]))
        processes.append(process)
    made = Transformed(replace(system, processes=tuple(processes)), faults, origin, frozenset(invented))
    return replace(made, system=replace(made.system, observers=tuple(map(made.observer, system.observers))))


def with_restarts_in_place(
    changed: Transformed,
    original: System,
    where: Callable[[Process, str], bool] = lambda process, state: True,
) -> System:
    """The changed system with restarts that lead to where the process is already. They are no steps
    (definitions 11.1), and yet a process that runs may be restarted there, and log it; and where a timer runs
    that is on time, its clock begins anew (definitions 16.2). `where`: in these states only."""
    processes = []
    for process in changed.system:
        action = next(
            (a for (p, a), kind in changed.faults.items() if (p, kind) == (process.name, RESTART)), ""
        )
        restart = Internal(action, fault=RESTART)
        leaving = {t.source for t in process.transitions if t.action == restart}
        ended = ended_states(original[process.name]) if action else frozenset()
        origin = changed.origin.get(process.name, {}) if action else {}
        rows = [
            Transition(s, restart, s)
            for s, o in origin.items()
            if s not in leaving and o not in ended and where(original[process.name], o)
        ]
        processes.append(replace(process, transitions=(*process.transitions, *rows)))
    return replace(changed.system, processes=tuple(processes))


def _rest(original: Process, process: Process, origin: Mapping[str, str]) -> tuple[str, ...]:
    """The rest states of the original, whatever is remembered, and those that were invented."""
    rest = default_rest_states(original) if original.rest is None else original.rest
    return tuple(s for s in process.states if s not in origin or origin[s] in rest)


def _stopping(
    process: Process, original: Process, origin: Mapping[str, str], action: str, stopped: str
) -> Process:
    rows = [
        Transition(s, Internal(action, fault=STOP), stopped)
        for s in process.states
        if origin[s] not in original.crashed_states
    ]
    return replace(process, transitions=(*process.transitions, *rows), states=(*process.states, stopped))


def _restarting(
    process: Process, durable: frozenset[str], action: str, after_end: bool
) -> tuple[Process, dict[str, str]]:
    """The product with the remembered recovery state. A process that has ended or crashed never restarts; a
    restart that changes nothing is left out."""
    ended = process.crashed_states if after_end else ended_states(process)
    start = (process.initial, process.initial)
    rows: list[tuple[_Pair, Transition, _Pair]] = []
    # States that the automaton does not reach stay too: alphabets are read off the system as given.
    seen = dict.fromkeys((s, process.initial) for s in process.states)
    queue = list(seen)
    for pair in queue:
        for transition in _leaving(process, pair, ended, action):
            target = transition.target
            after = (target, target if target in durable else pair[1])
            rows.append((pair, transition, after))
            if after not in seen:
                seen[after] = None
                queue.append(after)
    names = _names(process, seen)
    return (
        replace(
            process,
            initial=names[start],
            transitions=tuple(Transition(names[a], t.action, names[b]) for a, t, b in rows),
            states=tuple(names.values()),
        ),
        {new: state for (state, _), new in names.items()},
    )


def _leaving(process: Process, pair: _Pair, ended: frozenset[str], action: str) -> list[Transition]:
    state, memory = pair
    rows = list(process.outgoing(state))
    if state not in ended and state != memory:
        rows.append(Transition(state, Internal(action, fault=RESTART), memory))
    return rows


def _names(process: Process, pairs: Iterable[_Pair]) -> dict[_Pair, str]:
    """A state with the initial one remembered keeps its name."""
    taken = set(process.states)
    names: dict[_Pair, str] = {}
    for state, memory in pairs:
        if memory == process.initial:
            names[state, memory] = state
        else:
            names[state, memory] = _fresh(f"{state}/{memory}", taken)
            taken.add(names[state, memory])
    return names


def _actions(process: Process) -> set[str]:
    return {t.action.name for t in process.transitions if isinstance(t.action, Internal)}


def _fresh(name: str, taken: Iterable[str]) -> str:
    """The name, with as many primes as it takes to be new."""
    used = set(taken)
    while name in used:
        name += "'"
    return name
