"""One role: how much of its log its automaton can do, and through which states."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ...kernel.model.actions import Transition
from ...kernel.model.process import Process
from ...kernel.semantics.explore import explore, reached
from .log import RoleLog, fits, is_silent

StateSet = frozenset[str]


@dataclass
class RolePath:
    """`before[i]`: the states in which the role may be before event i, silent actions included; `length`: how
    many events its automaton can do."""

    process: Process
    log: RoleLog
    before: list[StateSet]
    transitions: dict[int, list[Transition]]

    @property
    def length(self) -> int:
        return len(self.before) - 1

    def possible(self, index: int) -> list[Transition]:
        """The logged actions that the role could do before event `index`."""
        states = self.before[index]
        return [t for t in self.process.transitions if t.source in states and not is_silent(t.action)]

    def transitions_to(self, length: int) -> list[Transition]:
        """A path through the automaton that does the first `length` events, silent actions included."""
        goals: StateSet = self.before[length]
        back: list[Transition] = []
        for i in range(length - 1, -1, -1):
            taken, goals = self._last(i, goals)
            back += [*taken]
        start = silent_path(self.process, self.process.initial, goals)
        assert start is not None
        return [*start, *back[::-1]]

    def _last(self, i: int, goals: StateSet) -> tuple[list[Transition], StateSet]:
        """A transition that does event i, then silent ones to a goal; latest first, and where it starts."""
        for transition in self.transitions[self.log.codes[i]]:
            if transition.source in self.before[i]:
                way = silent_path(self.process, transition.target, goals)
                if way is not None:
                    return [*reversed(way), transition], frozenset({transition.source})
        raise AssertionError("the path was checked before")


def silent_path(process: Process, start: str, goals: StateSet) -> list[Transition] | None:
    """The fewest silent actions from a state to one of the goals."""

    def leaving(state: str) -> Iterator[tuple[Transition, str]]:
        return ((t, t.target) for t in process.outgoing(state) if is_silent(t.action))

    found = explore([start], leaving, goals.__contains__)
    return None if found.end is None else [t for t, _ in found.path(found.end)]


def role_path(process: Process, log: RoleLog, anywhere: bool = False) -> RolePath:
    """Follow the log through the automaton, in all states at once; `anywhere`: it may begin in any state."""
    closure = {s: silently_reached(process, [s]) for s in process.states}
    by_code: dict[int, list[Transition]] = {code: [] for code in range(len(log.kinds))}
    for transition in process.transitions:
        for code in fits(log, transition.action):
            by_code[code].append(transition)
    start = frozenset(process.states) if anywhere else closure[process.initial]
    before, memory = [start], dict[tuple[StateSet, int], StateSet]()
    for code in log.codes:
        key = (before[-1], code)
        if key not in memory:
            targets = [t.target for t in by_code[code] if t.source in key[0]]
            memory[key] = frozenset().union(*(closure[s] for s in targets))
        if not memory[key]:
            break
        before.append(memory[key])
    return RolePath(process, log, before, by_code)


def silently_reached(process: Process, states: Iterable[str]) -> StateSet:
    """What silent actions lead to."""

    def following(state: str) -> Iterator[str]:
        return (t.target for t in process.outgoing(state) if is_silent(t.action))

    return frozenset(reached(states, following))
