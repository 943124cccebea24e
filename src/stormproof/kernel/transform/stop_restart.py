"""Processes that stop silently or restart, as ordinary systems (definitions 9.1, 11.1, 11.2, 14.1 to 14.5).

A stop is an internal action to a new final state. A restart is an internal action to the state in which the
process recovers by what its disk holds, for which the process becomes its product with its disk (`disks`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace

from ...records import dataclass
from ..model.actions import Internal, Transition
from ..model.goal import At, Goal, map_places
from ..model.observer import IS_AT, ObservedEvent, Observer
from ..model.process import Process
from ..model.requirement import Requirement
from ..model.rest import STOPPED, RestStates, default_rest_states, ended_states
from ..model.system import System
from .disks import DiskProduct, fresh, internal_names, without_disk

STOP, RESTART = "stop", "restart"


@dataclass(frozen=True)
class Transformed:
    """A system with stops and restarts, and what it needs to be understood.

    `faults` names the internal actions that are faults: (process, action) -> kind. `origin` says for
    every state of a transformed process which of the user's states it is, or that it was `invented`, `disks`
    what its disk holds there; `unrecorded` are those that are entered and not yet recorded. `translate` is
    what else becomes of a goal.
    """

    system: System
    faults: Mapping[tuple[str, str], str] = field(default_factory=dict)
    origin: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    invented: frozenset[tuple[str, str]] = frozenset()
    disks: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    unrecorded: frozenset[tuple[str, str]] = frozenset()
    translate: Callable[[Goal], Goal] = lambda goal: goal

    def states_of(self, process: str, state: str) -> tuple[str, ...]:
        """The states that are the user's `state`, whatever the disk holds."""
        if process not in self.origin:
            return (state,)
        return tuple(new for new, old in self.origin[process].items() if old == state)

    def user_state(self, process: str, state: str) -> str:
        """The user's name of a state; an invented one has that of the state in which it stopped."""
        return self.origin.get(process, {}).get(state, state)

    def _places(self, goal: At) -> At:
        """The states in which a condition on local states, or on the disk, holds."""
        process, wanted = goal.process, goal.states
        if goal.recorded:
            held = self.disks[process].items()
            return At(process, tuple(new for new, disk in held if disk in wanted), goal.group)
        found = (new for state in wanted for new in self.states_of(process, state))
        return At(process, tuple(found), goal.group)

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
        return self.translate(map_places(goal, self._places))

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
        """A state that is not yet recorded is no rest state and has not ended (definitions 14.2)."""
        stopped = {p: frozenset(s for q, s in self.invented if q == p) for p in table}
        return {
            p: frozenset(n for s in states for n in self.states_of(p, s) if (p, n) not in self.unrecorded)
            | stopped[p]
            for p, states in table.items()
        }


def stop_restart(
    system: System,
    stop: Iterable[str] = (),
    restart: Iterable[str] = (),
    after_end: bool = False,
    recording: Iterable[str] = (),
) -> Transformed:
    """The system in which the processes of `stop` may stop at any time and those of `restart` may restart;
    `after_end`: also where they have ended. What the disks of `recording` hold is asked, too."""
    stopping, restarting = frozenset(stop), frozenset(restart)
    made = _Parts()
    processes = []
    for original in system:
        process, name = original, original.name
        if name in restarting or name in recording:
            product = DiskProduct(original, name in restarting, after_end)
            process = made.add(product)
        else:
            process = without_disk(process)
        if name in stopping:
            process = made.add_stop(process, original)
        if name in made.origin:
            process = replace(process, rest=_rest(original, process, made))
        processes.append(process)
    found = Transformed(
        replace(system, processes=tuple(processes)),
        made.faults,
        made.origin,
        frozenset(made.invented),
        made.disks,
        frozenset(made.unrecorded),
    )
    seen = tuple(map(found.observer, system.observers))
    return replace(found, system=replace(found.system, observers=seen))


@dataclass
class _Parts:
    """What is known of the transformed processes."""

    faults: dict[tuple[str, str], str] = field(default_factory=dict)
    origin: dict[str, dict[str, str]] = field(default_factory=dict)
    disks: dict[str, dict[str, str]] = field(default_factory=dict)
    invented: set[tuple[str, str]] = field(default_factory=set)
    unrecorded: set[tuple[str, str]] = field(default_factory=set)

    def add(self, product: DiskProduct) -> Process:
        name, names = product.process.name, product.names
        if product.restarts:
            self.faults[name, product.restart.name] = RESTART
        self.origin[name] = {new: at.state for at, new in names.items()}
        self.disks[name] = {new: at.disk for at, new in names.items()}
        self.unrecorded |= {(name, new) for at, new in names.items() if at.unrecorded}
        return product.as_process()

    def add_stop(self, process: Process, original: Process) -> Process:
        """One state in which it has stopped for each content of its disk."""
        name, origin = process.name, self.origin.setdefault(process.name, {s: s for s in original.states})
        action = Internal(fresh(STOP, internal_names(process)), fault=STOP)
        first, disks = original.first_disk, self.disks.get(name, {})
        stopped: dict[str, str] = {}
        rows = []
        for state in process.states:
            if origin[state] not in original.crashed_states:
                disk = disks.get(state, first)
                wanted = STOPPED if disk == first else f"{STOPPED}/{disk}"
                if disk not in stopped:
                    stopped[disk] = fresh(wanted, (*process.states, *stopped.values()))
                rows.append(Transition(state, action, stopped[disk]))
        self.faults[name, action.name] = STOP
        base = stopped.get(first, STOPPED)
        for disk, state in stopped.items():
            self.invented.add((name, state))
            origin[state] = base
            disks[state] = disk
        states = (*process.states, *stopped.values())
        return replace(process, transitions=(*process.transitions, *rows), states=states)


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
        running = (
            s
            for s, o in origin.items()
            if o not in ended
            and (process.name, s) not in changed.invented
            and where(original[process.name], o)
        )
        rows = [Transition(s, restart, s) for s in running if s not in leaving]
        processes.append(replace(process, transitions=(*process.transitions, *rows)))
    return replace(changed.system, processes=tuple(processes))


def _rest(original: Process, process: Process, made: _Parts) -> tuple[str, ...]:
    """The rest states of the original, whatever the disk holds, once it is recorded; and where it stopped."""
    rest = default_rest_states(original) if original.rest is None else original.rest
    name, origin = original.name, made.origin[original.name]
    return tuple(
        s
        for s in process.states
        if (name, s) in made.invented or (origin[s] in rest and (name, s) not in made.unrecorded)
    )
