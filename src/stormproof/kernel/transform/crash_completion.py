"""Crash handling added to a system (definitions 5.5): the transitions that `crash_handling` finds missing."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...errors import ModelError
from ..model.actions import CRASH, Action, Internal, Receive, Send, Transition
from ..model.process import Process
from ..model.rest import default_rest_states
from ..model.system import System
from .crash_handling import CRASH_STEP, CrashParts, Missing, crash_handling


def broadcast(start: str, peers: Iterable[str], taken: Iterable[str]) -> tuple[Transition, ...]:
    """The crash message to each peer in turn, from state `start` to a state `stop`, with fresh names."""
    used = {start, *taken}
    rows = []
    todo = list(peers)
    for i, peer in enumerate(todo):
        target = fresh("stop" if i == len(todo) - 1 else f"told_{peer}", used)
        rows.append(Transition(start, Send(peer, CRASH), target))
        start = target
    return tuple(rows)


def fresh(name: str, used: set[str]) -> str:
    """The name, or the name with the first number that makes it new; it then counts as used."""
    found, number = name, 1
    while found in used:
        number += 1
        found = f"{name}{number}"
    used.add(found)
    return found


def loops(state: str, peers: Iterable[str]) -> tuple[Transition, ...]:
    """CR: take the crash message of each peer and stay."""
    return tuple(Transition(state, Receive(peer, CRASH), state) for peer in peers)


def complete(system: System, clean_up: bool = False) -> System:
    """The system made crash-handling for its unreliable processes (definitions 5.5).

    Only what is missing is added, and nothing that is there is changed: a process that waits for one that
    may crash gets a branch to a new resting state `gave_up`; an unreliable process gets the action `crash`
    wherever it works, and one broadcast. A crash-handling system is completed to itself. With `clean_up`,
    resting states also take dangling crash messages.
    """
    found = crash_handling(system)
    if found.misplaced:
        raise ModelError(f"this cannot be completed: {found.misplaced[0].sentence}")
    wanted = (*found.missing, *(m for m in found.unclean if clean_up and m not in found.missing))
    if not wanted:
        return system
    done = replace(system, processes=tuple(_complete(p, system, wanted) for p in system))
    left = crash_handling(done)
    if not left.holds:
        raise ModelError(f"this cannot be completed: {left.sentences[0]}")
    return done


def _complete(process: Process, system: System, wanted: Iterable[Missing]) -> Process:
    mine = [m for m in wanted if m.process == process.name]
    if not mine:
        return process
    addition = _Addition(process, system)
    for item in mine:
        addition.add(item)
    return addition.result()


class _Addition:
    """What completion adds to one process."""

    def __init__(self, process: Process, system: System) -> None:
        self.parts = CrashParts(process, system)
        self.process = process
        self.used = set(process.states)
        self.rows: dict[Transition, None] = {}
        self.gave_up: str | None = None
        heads = (c.states[0] for c in self.parts.chains.values() if c is not None and c.complete)
        self.head = next(heads, None)
        self.extended: set[str] = set()

    def add(self, item: Missing) -> None:
        if isinstance(item.action, Internal):
            self._put(Transition(item.state, CRASH_STEP, self._crash_head()))
        elif isinstance(item.action, Send):
            self._extend(item.state)
        elif item.condition == "CI":
            self._put(Transition(item.state, item.action, self._give_up()))
        else:
            self._put(Transition(item.state, item.action, item.state))

    def _put(self, *rows: Transition) -> None:
        self.rows.update(dict.fromkeys(rows))

    def _crash_head(self) -> str:
        """Where `crash` leads: the broadcast that is there, or a new one."""
        if self.head is None:
            self.head = fresh("crashing" if self.parts.others else "stop", self.used)
            self._broadcast(self.head, self.parts.others)
        return self.head

    def _extend(self, state: str) -> None:
        """Go on with a broadcast that ends too early."""
        if state not in self.extended:
            self.extended.add(state)
            chain = next(c for c in self.parts.chains.values() if c is not None and c.states[-1] == state)
            self._broadcast(state, chain.uninformed)

    def _broadcast(self, start: str, peers: tuple[str, ...]) -> None:
        rows = broadcast(start, peers, self.used)
        self.used.update(t.target for t in rows)
        stop = rows[-1].target if rows else start
        self._put(*rows, *loops(stop, self.parts.dangerous))

    def _give_up(self) -> str:
        if self.gave_up is None:
            self.gave_up = fresh("gave_up", self.used)
            self._put(*loops(self.gave_up, self.parts.dangerous))
        return self.gave_up

    def result(self) -> Process:
        rest = self.process.rest
        if rest is not None and self.gave_up is not None:
            rest = (*rest, self.gave_up)
        done = replace(self.process, transitions=(*self.process.transitions, *self.rows), rest=rest)
        return done if rest is not None else self._resting(done)

    def _resting(self, done: Process) -> Process:
        """Who only took messages and stayed rests as before, though a crash now leads it elsewhere."""
        before, now = default_rest_states(self.process), default_rest_states(done)
        kept = before | (now - set(self.process.states))
        return done if kept == now else replace(done, rest=tuple(s for s in done.states if s in kept))


def without_impossible_crashes(system: System) -> System:
    """Without what only a crash of a *reliable* process could use.

    That is its action `crash`, which would break the assumption, and receptions of its crash message,
    which never happen under it.
    """
    reliable = {p.name for p in system if p.reliable}

    def keeps(process: Process, action: Action) -> bool:
        if isinstance(action, Internal):
            return not (process.reliable and action == CRASH_STEP)
        if action.message is not CRASH:
            return True
        return (process.name if isinstance(action, Send) else action.peer) not in reliable

    processes = (
        replace(p, transitions=tuple(t for t in p.transitions if keeps(p, t.action))).trim() for p in system
    )
    return replace(system, processes=tuple(processes))
