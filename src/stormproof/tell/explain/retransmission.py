"""A repair of many lines at once: who waits sends again, and who hears something twice is ready for it.

Every role that waits gets a timer, after which it repeats what it has sent since it last heard from those
whom it was sent to. Every message that may be late is taken: a role that has no timer to repeat its answer
repeats it then, the others ignore it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ...kernel.model.actions import TIMEOUT, Internal, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.rest import default_rest_states, rest_states
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore
from .addition import Addition, extended, merged
from .kept_traces import used_transitions

#: What a role remembers of what it has sent, while what it repeats is looked for, and so many ways are seen.
LONGEST, MOST_WAYS = 4, 5_000

#: What was sent, and whether its receiver has been heard since.
Sent = tuple[tuple[Transition, bool], ...]


#: A role, a state of it, and what it does there once more.
LineKey = tuple[str, str, Send | Receive | Internal]

#: Who repeats something: with True also a role that rests, on a timer; and what it answers to a message that
#: it knows (`Retransmission.answers`).
VARIANTS = ((False, 0), (False, 1), (True, 0), (True, 1), (False, 2), (True, 2))


@dataclass(frozen=True)
class LineGroup:
    """Lines that belong together: one that leads into new states, and those states."""

    lines: tuple[Addition, ...]

    @property
    def action(self) -> Send | Receive | Internal:
        """With which it begins."""
        return self.lines[0].alternatives[0].action

    @property
    def key(self) -> LineKey:
        return self.lines[0].role, self.lines[0].state, self.action


class Choices(NamedTuple):
    """What a role might do once more, and the ways to do it; the variants to start with, each a way for some
    of these."""

    ways: Mapping[LineKey, Sequence[LineGroup]]
    starts: tuple[frozenset[tuple[LineKey, int]], ...]


@dataclass
class Retransmission:
    """All lines of this kind for one system. `at_rest`: roles that rest repeat what nobody has answered.
    `answers`: what comes twice, and asks for nothing by itself, is answered with what was sent last by those
    that have no timer (1), by all (2), or by nobody."""

    system: System
    roles: tuple[str, ...]
    at_rest: bool = False
    answers: int = 0
    names: dict[str, set[str]] = field(default_factory=dict)
    used: frozenset[tuple[str, Transition]] = frozenset()
    rest: Mapping[str, frozenset[str]] = field(default_factory=dict)

    def groups(self) -> list[LineGroup]:
        rest = self.rest = rest_states(self.system).rest
        if not self.names:
            self.names = {p.name: set(p.states) for p in self.system}
            self.used = used_transitions(self.system)
        found = []
        for process in (self.system[name] for name in self.roles):
            sent = _what_was_sent(process)
            for state in self._places(process, rest[process.name]):
                rests = state in rest[process.name]
                ways = sent.get(state, ())
                repeated = self._repeated(process, state, ways, rests)
                if repeated:
                    found.append(self._timer(process, state, repeated))
                found += self._late(process, state, ways, repeated)
            found += self._dead_ends(process)
        return found

    def choices(self) -> Choices:
        """Each thing that a role might do once more, and the ways to do it: what comes twice is ignored,
        answered, or taken as it is elsewhere."""
        ways: dict[LineKey, list[LineGroup]] = {}
        starts = []
        for self.at_rest, self.answers in VARIANTS:
            starts.append({group.key: self._number_of(group, ways) for group in self.groups()})
        for role, state, reception in list(ways):
            for t in self.system[role].transitions if isinstance(reception, Receive) else ():
                if t.action == reception and t.target not in (t.source, state):
                    taken = Addition(role, state, (Transition(state, reception, t.target),))
                    self._number_of(LineGroup((taken,)), ways)
        return Choices(ways, tuple(frozenset(start.items()) for start in starts))

    def _number_of(self, group: LineGroup, ways: dict[LineKey, list[LineGroup]]) -> int:
        """Which of the ways it is; names of new states do not count."""
        known = ways.setdefault(group.key, [])
        shapes = [self._shape(other) for other in known]
        shape = self._shape(group)
        if shape not in shapes:
            known.append(group)
            return len(known) - 1
        return shapes.index(shape)

    def _shape(self, group: LineGroup) -> tuple[object, ...]:
        old = self.system[group.lines[0].role].states
        steps = (t for line in group.lines for t in line.alternatives)
        return tuple((t.action, t.target if t.target in old else "") for t in steps)

    def _places(self, process: Process, rest: frozenset[str]) -> Iterator[str]:
        """Where the role is when nothing fails, and does not send; or sends, and may stay there for ever."""
        visited = {t.target for t in process.transitions if (process.name, t) in self.used}
        for state in process.reachable():
            here = state == process.initial or state in visited
            waits = not process.sends(state) or (state in rest and state != process.initial)
            if here and waits and state not in process.crashed_states:
                yield state

    def _repeated(self, process: Process, state: str, sent: Sequence[Sent], rests: bool) -> list[Transition]:
        """What nobody has answered, or else what was sent to those that are waited for."""
        if any(isinstance(t.action, Internal) for t in process.outgoing(state)) or (
            rests and not self.at_rest
        ):
            return []
        peers = {r.peer for r in process.receives(state)}
        unanswered = _shared([[t for t, heard in way if not heard] for way in sent])
        return unanswered or _shared([[t for t, _ in way if rests or _peer(t) in peers] for way in sent])

    def _timer(self, process: Process, state: str, repeated: list[Transition]) -> LineGroup:
        target, lines = self._entry(process, state, repeated)
        timer = Transition(state, Internal(TIMEOUT, timeout=True), target)
        return LineGroup((Addition(process.name, state, (timer,)), *lines))

    def _late(
        self, process: Process, state: str, sent: Sequence[Sent], repeated: list[Transition]
    ) -> Iterator[LineGroup]:
        """What the role receives elsewhere is ignored here, or answered as before unless a timer repeats the
        answer. Where it leads on although nothing has been lost, it may be ignored."""
        known = dict.fromkeys(r for s in process.reachable() for r in process.receives(s))
        for reception in known:
            here = [t for t in process.outgoing(state) if t.action == reception]
            if any((process.name, t) in self.used or t.target == state for t in here) or (
                here and not repeated
            ):
                continue
            target, lines = self._answer(process, state, reception, sent, repeated)
            taken = Addition(process.name, state, (Transition(state, reception, target),))
            yield LineGroup((taken, *lines))

    def _answer(
        self,
        process: Process,
        state: str,
        reception: Receive,
        sent: Sequence[Sent],
        repeated: list[Transition],
    ) -> tuple[str, tuple[Addition, ...]]:
        """What the role sends when it receives the message for the first time, to the one that sends it
        again: by the same states where all that they do leads here."""
        peer = reception.peer
        for first in (t.target for t in process.transitions if t.action == reception):
            ways = _sends_to(process, first, state) or []
            to_peer = [t for t in ways if _peer(t) == peer]
            if not to_peer:
                continue
            if _actions(to_peer) <= _actions(repeated):
                return state, ()
            whole = ways == to_peer and all(t in ways for t in process.outgoing(first))
            whole = whole and len({t.source for t in ways}) == 1 and first not in self.rest[process.name]
            return (first, ()) if whole else self._entry(process, state, to_peer)
        known = _shared([[t for t, _ in way if _peer(t) == peer] for way in sent])
        if self.answers < (2 if repeated else 1) or _actions(known) <= _actions(repeated):
            return state, ()
        return self._entry(process, state, known)

    def _dead_ends(self, process: Process) -> Iterator[LineGroup]:
        """A state that one unexpected message leads to, and nothing leads out of: the role answers there as
        it answers that message elsewhere, and goes back."""
        for state in process.states:
            entering = [t for t in process.transitions if t.target == state]
            if process.outgoing(state) or len(entering) != 1 or not isinstance(entering[0].action, Receive):
                continue
            same = (
                t.target for t in process.transitions if t.action == entering[0].action and t.target != state
            )
            for answer in (t for s in same for t in process.outgoing(s) if isinstance(t.action, Send)):
                back = Transition(state, answer.action, entering[0].source)
                yield LineGroup((Addition(process.name, state, (back,)),))
                break

    def _entry(
        self, process: Process, state: str, sends: Iterable[Transition]
    ) -> tuple[str, tuple[Addition, ...]]:
        """Where to go to repeat it, and the lines for that: states that do nothing else are used as they are,
        the others are copied."""
        target, lines = state, list[Addition]()
        for send in reversed(list(sends)):
            alone = len(process.outgoing(send.source)) == 1 and send.source not in self.rest[process.name]
            if send.target == target and alone:
                target = send.source
                continue
            name = self._new_state(process, state)
            lines.append(Addition(process.name, name, (Transition(name, send.action, target),)))
            target = name
        return target, tuple(lines[::-1])

    def _new_state(self, process: Process, state: str) -> str:
        taken = self.names[process.name]
        numbers = ("", *(f"{n}" for n in range(2, len(taken) + 3)))
        name = next(n for n in (f"{state}_again{i}" for i in numbers) if n not in taken)
        taken.add(name)
        return name


def _peer(transition: Transition) -> str:
    """To whom it sends."""
    assert isinstance(transition.action, Send)
    return transition.action.peer


def _actions(transitions: Iterable[Transition]) -> set[object]:
    return {t.action for t in transitions}


def _what_was_sent(process: Process) -> dict[str, tuple[Sent, ...]]:
    """For each state what was sent last to each peer, in order, by every way there, the nearest first: what
    is made of it must not depend on the order of a set."""
    Node = tuple[str, Sent]

    def leaving(node: Node) -> Iterator[tuple[None, Node]]:
        state, sent = node
        for t in process.outgoing(state):
            yield None, (t.target, sent_after(sent, t))

    start: Node = (process.initial, ())
    found: dict[str, tuple[Sent, ...]] = {}
    for state, sent in explore([start], leaving, goes_on=lambda seen: seen < MOST_WAYS).came:
        found[state] = (*found.get(state, ()), sent)
    return found


def sent_after(sent: Sent, taken: Transition) -> Sent:
    action = taken.action
    if isinstance(action, Internal):
        return sent
    if isinstance(action, Receive):
        return tuple((t, heard or _peer(t) == action.peer) for t, heard in sent)
    kept = ((t, heard) for t, heard in sent if t != taken and not (heard and _peer(t) == action.peer))
    return (*kept, (taken, False))[-LONGEST:]


def _sends_to(process: Process, start: str, goal: str) -> list[Transition] | None:
    """The sends of a shortest way, or of several that are one send long; None where sends alone do not lead
    there."""

    def leaving(state: str) -> Iterator[tuple[Transition, str]]:
        return ((t, t.target) for t in process.outgoing(state) if isinstance(t.action, Send))

    direct = [t for t, target in leaving(start) if target == goal]
    if direct:
        return direct
    found = explore([start], leaving, stop=lambda state: state == goal)
    return None if found.end is None else [t for t, _ in found.path(found.end)]


def _shared(ways: Iterable[list[Transition]]) -> list[Transition]:
    """What all ways that have sent anything have sent at last."""
    some = [way for way in ways if way]
    if not some:
        return []
    first, count = some[0], 0
    while all(count < len(way) and way[-1 - count].action == first[-1 - count].action for way in some):
        count += 1
    return first[len(first) - count :]


def complete(system: System, additions: tuple[Addition, ...]) -> tuple[Addition, ...]:
    """With `rest` lines where a role would rest elsewhere by default than before: nowhere else, and not where
    it sends now."""
    lines = list(merged(additions))
    for name in dict.fromkeys(a.role for a in additions):
        process = system[name]
        if process.rest is not None:
            continue
        after = extended(system, [a for a in additions if a.role == name])[name]
        before = default_rest_states(process)
        kept = tuple(
            s for s in process.states if s in before and not (after.sends(s) and not process.sends(s))
        )
        kept = tuple(s for s in kept if s not in process.crashed_states)
        if kept and default_rest_states(after) != frozenset(kept):
            lines.append(Addition(name, kept[0], rest=kept))
    return tuple(lines)
