"""RSC by enumeration: every execution with every communication up to a length, the slow specification.

Executions that differ by commuting actions have the same conflict graph and the same continuations, so each
class is visited once: it is what each process did, and which send each reception matched. Everything else is
the definition (definitions 4.2 to 4.4): extend by any action that the automata and `possible`
allow, and look whether the conflict graph has a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ..model.actions import Channel, Internal, Message, Receive, Send, Transition
from ..model.execution import Communication, Event, communication_of
from ..model.failures import FailureModel
from ..model.system import System
from .communications import possible


class Done(NamedTuple):
    """A transition that a process has taken and, for a reception, which of the peer's steps it matches."""

    transition: Transition
    matches: int | None


#: What each process did, in the order of the processes.
Class = tuple[tuple[Done, ...], ...]


@dataclass(frozen=True)
class RscEnumeration:
    """What the enumeration saw: all executions up to the length `depth`, and a shortest non-RSC one."""

    depth: int
    classes: int
    violation: tuple[tuple[Event, ...], Communication] | None = None


def enumerate_rsc(
    system: System, failures: FailureModel, length: int, most: int | None = None
) -> RscEnumeration:
    """Look at all executions up to `length`, the shortest first, until one is not RSC.

    Only a reception can close a cycle: an interaction that was just added has no successor. More than `most`
    classes are not looked at; `depth` then says how far it went.
    """
    start: Class = tuple(() for _ in system)
    level: dict[Class, tuple[int, ...]] = {start: ()}
    count = 1
    for depth in range(length):
        following: dict[Class, tuple[int, ...]] = {}
        for done, order in level.items():
            for actor, longer in _extensions(system, failures, done):
                if longer in following:
                    continue
                following[longer] = (*order, actor)
                count += 1
                if longer[actor][-1].matches is not None and _cyclic(system, longer):
                    return RscEnumeration(depth, count, _written(system, longer, following[longer]))
                if most is not None and count > most:
                    return RscEnumeration(depth, count)
        if not following:
            return RscEnumeration(length, count)
        level = following
    return RscEnumeration(length, count)


def _extensions(system: System, failures: FailureModel, done: Class) -> Iterator[tuple[int, Class]]:
    """Every class with one action more, and who acts."""
    for actor, process in enumerate(system):
        state = done[actor][-1].transition.target if done[actor] else process.initial
        for transition in process.outgoing(state):
            for matches in _partners(system, failures, done, process.name, transition):
                yield actor, (*done[:actor], (*done[actor], Done(transition, matches)), *done[actor + 1 :])


def _partners(
    system: System, failures: FailureModel, done: Class, actor: str, transition: Transition
) -> Iterator[int | None]:
    """None for a send or an internal action; for a reception each step of the peer that it may match."""
    action = transition.action
    if not isinstance(action, Receive):
        yield None
        return
    channel = Channel(action.peer, actor)
    theirs, mine = done[system.names.index(channel.sender)], done[system.names.index(actor)]
    sends = [i for i, step in enumerate(theirs) if _sends_to(step, actor)]
    sent = [_message(theirs[i]) for i in sends]
    received = list(_received(channel, sends, mine))
    for index, step in enumerate(sends):
        if possible(failures.on(channel), sent, [*received, (index, action.message)]):
            yield step


def _sends_to(step: Done, receiver: str) -> bool:
    action = step.transition.action
    return isinstance(action, Send) and action.peer == receiver


def _message(step: Done) -> Message:
    assert not isinstance(step.transition.action, Internal)
    return step.transition.action.message


def _received(channel: Channel, sends: list[int], mine: tuple[Done, ...]) -> Iterator[tuple[int, Message]]:
    for step in mine:
        action = step.transition.action
        if isinstance(action, Receive) and action.peer == channel.sender:
            assert step.matches is not None
            yield sends.index(step.matches), action.message


def _cyclic(system: System, done: Class) -> bool:
    """Has the conflict graph a cycle? Its edges go along each process; neighbours are enough of them.

    Read from the definition once more instead of calling `model.conflict_graph`, which this is to check.
    """
    before: dict[tuple[int, int], set[tuple[int, int]]] = {}
    for actor in range(len(done)):
        last = None
        for place in range(len(done[actor])):
            node = _node(system, done, actor, place)
            before.setdefault(node, set())
            if last is not None and last != node:
                before[node].add(last)
            last = node
    while before:
        free = [node for node, earlier in before.items() if not earlier]
        if not free:
            return True
        for node in free:
            del before[node]
        for earlier in before.values():
            earlier.difference_update(free)
    return False


def _node(system: System, done: Class, actor: int, place: int) -> tuple[int, int]:
    """The interaction of a step, named by its send or, alone, by itself."""
    step = done[actor][place]
    if step.matches is None:
        return actor, place
    assert isinstance(step.transition.action, Receive)
    return system.names.index(step.transition.action.peer), step.matches


def _written(system: System, done: Class, order: tuple[int, ...]) -> tuple[tuple[Event, ...], Communication]:
    """One execution of the class, with its communication."""
    taken = [0] * len(done)
    execution: list[Event] = []
    position: dict[tuple[int, int], int] = {}
    pairs = []
    for actor in order:
        step = done[actor][taken[actor]]
        node = _node(system, done, actor, taken[actor])
        if step.matches is not None:
            pairs.append((position[node], len(execution)))
        position[actor, taken[actor]] = len(execution)
        execution.append((system.names[actor], step.transition.action))
        taken[actor] += 1
    return tuple(execution), communication_of(execution, pairs)
