"""RSC by enumeration: every execution with every communication up to a length, the slow specification.

Executions that differ by commuting actions have the same conflict graph and the same continuations, so each
class is visited once: it is what each process did, in which order each channel was written to, and which send
each reception matched. Everything else is the definition (definitions 4.2 to 4.4, 12.5): extend by any action
that the automata and `possible` allow, and look whether the conflict graph has a cycle.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from ..kernel.model.actions import Internal, Message, Receive, Send, Transition, channel_of
from ..kernel.model.execution import Communication, Event, communication_of
from ..kernel.model.failures import FailureModel
from ..kernel.model.system import System
from .communications import possible

#: A step that was taken: who acted, and which of its steps it was.
TakenStep = tuple[int, int]


class Done(NamedTuple):
    """A transition that a process has taken and, for a reception, the send that it matches."""

    transition: Transition
    matches: TakenStep | None


class Class(NamedTuple):
    """What each process did, in the order of the processes, and the sends on each channel, in the order of
    the channels."""

    done: tuple[tuple[Done, ...], ...]
    puts: tuple[tuple[TakenStep, ...], ...]

    def at(self, step: TakenStep) -> Done:
        return self.done[step[0]][step[1]]


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
    start = Class(tuple(() for _ in system), tuple(() for _ in system.channels))
    level: dict[Class, tuple[int, ...]] = {start: ()}
    count = 1
    for depth in range(length):
        following: dict[Class, tuple[int, ...]] = {}
        for past, order in level.items():
            for actor, longer in _extensions(system, failures, past):
                if longer in following:
                    continue
                following[longer] = (*order, actor)
                count += 1
                if longer.done[actor][-1].matches is not None and _cyclic(failures, system, longer):
                    return RscEnumeration(depth, count, _written(system, longer, following[longer]))
                if most is not None and count > most:
                    return RscEnumeration(depth, count)
        if not following:
            return RscEnumeration(length, count)
        level = following
    return RscEnumeration(length, count)


def _extensions(system: System, failures: FailureModel, past: Class) -> Iterator[tuple[int, Class]]:
    """Every class with one action more, and who acts."""
    for actor, process in enumerate(system):
        mine = past.done[actor]
        state = mine[-1].transition.target if mine else process.initial
        for transition in process.outgoing(state):
            channel = channel_of(process.name, transition.action)
            puts = past.puts
            if channel is not None and isinstance(transition.action, Send):
                c = system.channel_index[channel]
                puts = (*puts[:c], (*puts[c], (actor, len(mine))), *puts[c + 1 :])
            for matches in _partners(system, failures, past, actor, transition):
                longer = (*mine, Done(transition, matches))
                yield actor, Class((*past.done[:actor], longer, *past.done[actor + 1 :]), puts)


def _partners(
    system: System, failures: FailureModel, past: Class, actor: int, transition: Transition
) -> Iterator[TakenStep | None]:
    """None for a send or an internal action; for a reception each send that it may match."""
    action, name = transition.action, system.names[actor]
    channel = channel_of(name, action)
    if channel is None or not isinstance(action, Receive):
        yield None
        return
    puts = past.puts[system.channel_index[channel]]
    sent = [_message(past.at(put)) for put in puts]
    received = [
        (puts.index(step.matches), _message(step))
        for step in past.done[actor]
        if step.matches is not None and channel_of(name, step.transition.action) == channel
    ]
    for index, put in enumerate(puts):
        if possible(failures.on(channel), sent, [*received, (index, action.message)]):
            yield put


def _message(step: Done) -> Message:
    assert not isinstance(step.transition.action, Internal)
    return step.transition.action.message


def _cyclic(failures: FailureModel, system: System, past: Class) -> bool:
    """Has the conflict graph a cycle? Its edges go along each process, and along what is put into each
    channel that keeps the order; neighbours are enough of them.

    Read from the definition once more instead of calling `model.conflict_graph`, which this is to check.
    """
    lines = [[(actor, place) for place in range(len(steps))] for actor, steps in enumerate(past.done)]
    before: dict[TakenStep, set[TakenStep]] = {_node(past, step): set() for line in lines for step in line}
    ordered = [puts for c, puts in zip(system.channels, past.puts) if not failures.on(c).reorder]
    for line in (*lines, *ordered):
        for first, second in pairwise(_node(past, step) for step in line):
            if first != second:
                before[second].add(first)
    while before:
        free = [node for node, earlier in before.items() if not earlier]
        if not free:
            return True
        for node in free:
            del before[node]
        for earlier in before.values():
            earlier.difference_update(free)
    return False


def _node(past: Class, step: TakenStep) -> TakenStep:
    """The interaction of a step, named by its send or, alone, by itself."""
    return past.at(step).matches or step


def _written(system: System, past: Class, order: tuple[int, ...]) -> tuple[tuple[Event, ...], Communication]:
    """One execution of the class, with its communication."""
    taken = [0] * len(past.done)
    execution: list[Event] = []
    position: dict[TakenStep, int] = {}
    pairs = []
    for actor in order:
        step = past.done[actor][taken[actor]]
        if step.matches is not None:
            pairs.append((position[step.matches], len(execution)))
        position[actor, taken[actor]] = len(execution)
        execution.append((system.names[actor], step.transition.action))
        taken[actor] += 1
    return tuple(execution), communication_of(execution, pairs)
