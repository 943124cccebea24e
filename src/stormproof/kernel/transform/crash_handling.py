"""Crash-stop failures: does a system handle the crashes of its unreliable processes (definitions 5.3)?

`crash_handling(system)` checks the three conditions for the processes that the system calls unreliable and
lists every transition that is missing; `crash_completion.complete(system)` adds exactly those.

- **CI** every state that receives from an unreliable process r also receives the crash message from r.
- **CP** every state of Q1 of an unreliable process has the internal action `crash`, which leads to the
  broadcast: the crash message to every other process, one after the other, and then rest, in `stop`.
- **CR** every state of Q2 takes the crash message of each other unreliable process, in a loop.

The split of the states into Q1 (at work), Q2 (at rest) and Q3 (the broadcast) is ours to choose, so the
system is crash-handling when some split works. Q3 is what lies inside a complete broadcast. An unreliable
process's state that works must be in Q1. One that rests and cannot crash must be in Q2. A reliable
process's states may all count as Q1, and then CR asks nothing of them; whether its resting states take
dangling crash messages all the same is reported apart, as *cleans up*.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ..model.actions import CRASH, CRASH_ACTION, Action, Internal, Receive, Send, Transition
from ..model.arguments import check_arguments
from ..model.phrases import listed
from ..model.process import Process
from ..model.system import System

CRASH_STEP = Internal(CRASH_ACTION)

#: Why a transition is misplaced.
ENTERS, FORGES, GOES_ON = "enters", "forges", "goes on"


@dataclass(frozen=True)
class Missing:
    """A transition that a condition asks for and that is not there.

    `condition` is CI, CP, CR, or `clean-up` for what only *cleans up* asks for.
    """

    condition: str
    process: str
    state: str
    action: Action

    @property
    def sentence(self) -> str:
        """What is missing, in words."""
        return _sentence(self.condition, self.process, self.action, f"state {self.state}")

    def to_json(self) -> dict[str, str]:
        return {
            "condition": self.condition,
            "process": self.process,
            "state": self.state,
            "action": action_text(self.action),
            "sentence": self.sentence,
        }


def _sentence(condition: str, process: str, action: Action, where: str) -> str:
    if isinstance(action, Internal):
        return f"{process} may crash, but cannot in {where}: add the action crash there"
    peer = action.peer
    if isinstance(action, Send):
        ends = f"its broadcast ends in {where} without sending crash to {peer}"
        return f"{process} does not tell {peer} of its crash: {ends}"
    if condition == "CI":
        lacks = f"{process} has no transition for that: add {peer}?crash there"
        return f"{process} waits for {peer} in {where}, {peer} may crash, and {lacks}"
    lacks = f"does not receive the crash message of {peer}: add a loop {peer}?crash there"
    return f"{process} rests in {where} and {lacks}"


def in_sentences(missing: Iterable[Missing]) -> list[str]:
    """A sentence for each process and action, with all the states where it is missing."""
    states: dict[tuple[str, str, Action], list[str]] = {}
    for item in missing:
        states.setdefault((item.condition, item.process, item.action), []).append(item.state)
    return [
        _sentence(*key, f"state {found[0]}" if len(found) == 1 else f"the states {listed(found)}")
        for key, found in states.items()
    ]


@dataclass(frozen=True)
class Misplaced:
    """A transition that is itself wrong, so that nothing can be added to mend it.

    `why`: it *enters* a crash broadcast without a crash; it *forges* the crash message, which is sent without
    a crash; or it *goes on*, which a crashed process cannot.
    """

    process: str
    transition: Transition
    why: str

    @property
    def sentence(self) -> str:
        source, action, target = self.transition
        if self.why == FORGES:
            assert isinstance(action, Send)
            return (
                f"{self.process} tells {action.peer} in state {source} that it has crashed, and has not: the "
                f"crash message is sent only after the action crash"
            )
        if self.why == ENTERS:
            return (
                f"{self.process} enters its crash broadcast, state {target}, without crashing: by "
                f"{action_text(action)} from state {source}"
            )
        return (
            f"{self.process} has crashed when it is in state {source}, but can still do "
            f"{action_text(action)} there: a crashed process tells every other process of its crash and rests"
        )

    def to_json(self) -> dict[str, str]:
        source, action, target = self.transition
        return {
            "process": self.process,
            "state": source,
            "action": action_text(action),
            "target": target,
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class CrashHandling:
    """What keeps a system from being crash-handling, and what keeps it from cleaning up."""

    missing: tuple[Missing, ...]
    misplaced: tuple[Misplaced, ...]
    unclean: tuple[Missing, ...]

    @property
    def holds(self) -> bool:
        return not self.missing and not self.misplaced

    def __bool__(self) -> bool:
        return self.holds

    @property
    def cleans_up(self) -> bool:
        """Does every resting state take the dangling crash messages of all other unreliable processes?"""
        return not self.unclean

    @property
    def sentences(self) -> tuple[str, ...]:
        """Each reason why the system is not crash-handling."""
        return (*(m.sentence for m in self.missing), *(m.sentence for m in self.misplaced))


def crash_handling(system: System) -> CrashHandling:
    """CI, CP and CR for the processes that the system calls unreliable."""
    check_arguments(system)
    missing: list[Missing] = []
    misplaced: list[Misplaced] = []
    unclean: list[Missing] = []
    for process in system:
        parts = CrashParts(process, system)
        missing += parts.missing()
        misplaced += parts.misplaced()
        unclean += parts.unclean()
    return CrashHandling(tuple(missing), tuple(misplaced), tuple(unclean))


def action_text(action: Action) -> str:
    """An action as the languages write it, `crash` for the crash message."""
    if isinstance(action, Internal):
        return str(action)
    sign = "!" if isinstance(action, Send) else "?"
    return f"{action.peer}{sign}{CRASH_ACTION if action.message is CRASH else action.message}"


class CrashParts:
    """One process and its states, sorted into Q1, Q2 and Q3."""

    def __init__(self, process: Process, system: System) -> None:
        self.process = process
        self.others = tuple(name for name in system.names if name != process.name)
        self.dangerous = tuple(name for name in system.unreliable if name != process.name)
        self.states = process.reachable()
        self.chains = {s: self._chain(s) for s in self.states}
        self.q3 = {x for chain in self.chains.values() if chain and chain.complete for x in chain.states[:-1]}
        self.broken = {
            x for chain in self.chains.values() if chain and not chain.complete for x in chain.states
        }

    def _chain(self, state: str) -> _Chain | None:
        """The crash broadcast from a state, a complete one where there is one; None when it cannot crash."""
        if self.process.reliable:
            return None
        found = [self._follow(t.target) for t in self.process.outgoing(state) if t.action == CRASH_STEP]
        return next((chain for chain in found if chain.complete), found[0] if found else None)

    def _follow(self, first: str) -> _Chain:
        states, informed = [first], list[str]()
        while True:
            leaving = self.process.outgoing(states[-1])
            action = leaving[0].action if len(leaving) == 1 else None
            if not (isinstance(action, Send) and action.message is CRASH) or action.peer in informed:
                uninformed = tuple(name for name in self.others if name not in informed)
                return _Chain(tuple(states), uninformed, not uninformed and self._rests(states[-1]))
            informed.append(action.peer)
            states.append(leaving[0].target)

    def _rests(self, state: str) -> bool:
        return all(_is_loop(t) for t in self.process.outgoing(state))

    def missing(self) -> Iterator[Missing]:
        for state in self.states:
            if state in self.q3 or state in self.broken:
                continue
            yield from self._ci(state)
            if not self.process.reliable:
                yield from self._cp_or_cr(state)

    def _ci(self, state: str) -> Iterator[Missing]:
        """CI: who is waited for, may crash, and has no crash branch here."""
        receptions = self.process.receives(state)
        for peer in dict.fromkeys(a.peer for a in receptions if a.message is not CRASH):
            if peer in self.dangerous and Receive(peer, CRASH) not in receptions:
                yield Missing("CI", self.process.name, state, Receive(peer, CRASH))

    def _cp_or_cr(self, state: str) -> Iterator[Missing]:
        chain = self.chains[state]
        if chain is None:
            if self._rests(state):
                yield from self._loops(state, "CR")
            else:
                yield Missing("CP", self.process.name, state, CRASH_STEP)
        elif not self.process.outgoing(chain.states[-1]):
            for name in chain.uninformed:
                yield Missing("CP", self.process.name, chain.states[-1], Send(name, CRASH))

    def _loops(self, state: str, condition: str) -> Iterator[Missing]:
        there = self.process.outgoing(state)
        for name in self.dangerous:
            if Transition(state, Receive(name, CRASH), state) not in there:
                yield Missing(condition, self.process.name, state, Receive(name, CRASH))

    def misplaced(self) -> Iterator[Misplaced]:
        """Ordinary transitions, and the handling of a crash, end in Q1 or Q2 (delta 1, and CI); and delta 2
        is the smallest set, so nobody sends the crash message but in a broadcast."""
        yield from self._forged()
        if self.process.reliable:
            return
        for state in self.states:
            for transition in self.process.outgoing(state):
                if state not in self.q3 and transition.target in self.q3 and transition.action != CRASH_STEP:
                    yield Misplaced(self.process.name, transition, ENTERS)
        broken = (c for c in self.chains.values() if c is not None and not c.complete)
        for state, uninformed in dict.fromkeys((c.states[-1], c.uninformed) for c in broken):
            for transition in self.process.outgoing(state):
                if uninformed or not _is_loop(transition):
                    yield Misplaced(self.process.name, transition, GOES_ON)

    def _forged(self) -> Iterator[Misplaced]:
        """The crash message sent where one comes without the action crash, from outside a broadcast."""
        alive = replace(
            self.process, transitions=tuple(t for t in self.process.transitions if t.action != CRASH_STEP)
        )
        for state in alive.reachable():
            for transition in alive.outgoing(state):
                action = transition.action
                if isinstance(action, Send) and action.message is CRASH and state not in self.q3:
                    yield Misplaced(self.process.name, transition, FORGES)

    def unclean(self) -> Iterator[Missing]:
        """Every state at rest, whether it may crash or not, should take crash messages that arrive late."""
        for state in self.states:
            if state in self.q3 or state in self.broken:
                continue
            if all(_is_loop(t) or t.action == CRASH_STEP for t in self.process.outgoing(state)):
                yield from self._loops(state, "clean-up")


@dataclass(frozen=True)
class _Chain:
    """A crash broadcast: its states (the last one is behind it), and whom it does not inform."""

    states: tuple[str, ...]
    uninformed: tuple[str, ...]
    complete: bool


def _is_loop(transition: Transition) -> bool:
    """A loop that takes a crash message."""
    source, action, target = transition
    return isinstance(action, Receive) and action.message is CRASH and source == target
