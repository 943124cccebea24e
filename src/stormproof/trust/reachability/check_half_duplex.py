"""Checks the certificate of a half-duplex system (definitions 7.2; Cécé and Finkel 2005).

Every configuration of such a system is reached by rendezvous and then by sends of one process alone. The
pairs of the certificate must be closed under rendezvous, in none of them may both processes send, and what
one process sends from any of them, whatever its channel does with it, must not meet the goal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ...kernel.goals.cubes import Cube, Demand, heads
from ...kernel.model.actions import CRASH, Channel, Internal, Receive, Send
from ...kernel.model.failures import FailureModel
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .channel_forms import Letters

#: A message behind the first ones that no part of a goal names. No message is empty.
ANOTHER = ""


def check_half_duplex(
    system: System, failures: FailureModel, cubes: Sequence[Cube], pairs: Sequence[tuple[str, str]]
) -> str:
    plain = all(m is not CRASH for c in system.channels for m in system.alphabet(c))
    ordered = not any(failures.on(c).reorder for c in system.channels)
    if len(system.processes) != 2 or system.self_channels or not plain or not ordered:
        return "the theorem is on two processes whose channels neither reorder nor carry crash messages"
    first, second = system.processes
    if (first.initial, second.initial) not in pairs:
        return "the initial pair is not listed"
    for a, b in pairs:
        if first.sends(a) and second.sends(b):
            return f"both can send in ({a}, {b})"
        if not _after_rendezvous(failures, first, a, second, b) <= set(pairs):
            return f"a rendezvous leads out of the pairs, from ({a}, {b})"
    for a, b in pairs:
        for way in ((first, a, second, b), (second, b, first, a)):
            if any(_Alone(system, failures, cube, *way).meets() for cube in cubes):
                return f"the goal is met from {(a, b)}"
    return ""


def _after_rendezvous(
    failures: FailureModel, first: Process, a: str, second: Process, b: str
) -> set[tuple[str, str]]:
    found = {(t, b) for t in _alone(failures, first, a, second)}
    found |= {(a, t) for t in _alone(failures, second, b, first)}
    found |= set(_together(failures, first, a, second, b))
    return found | {(u, t) for t, u in _together(failures, second, b, first, a)}


def _alone(failures: FailureModel, process: Process, state: str, other: Process) -> Iterator[str]:
    """By an internal action, or by a send that is lost."""
    lossy = failures.on(Channel(process.name, other.name)).loss
    for _, action, target in process.outgoing(state):
        if isinstance(action, Internal) or (isinstance(action, Send) and lossy):
            yield target


def _together(
    failures: FailureModel, sender: Process, a: str, receiver: Process, b: str
) -> Iterator[tuple[str, str]]:
    failure = failures.on(Channel(sender.name, receiver.name))
    for _, send, after in sender.outgoing(a):
        for _, take, then in receiver.outgoing(b):
            if isinstance(send, Send) and isinstance(take, Receive):
                if failure.may_become(send.message, take.message):
                    yield after, then


class _Alone(NamedTuple):
    """One process sends alone from a pair of states, to a cube of the goal.

    Of a content the goal sees the first messages, as many as it compares, and which of those that it names
    are behind them. So finitely many contents stand for all, and the kernel says which are asked for.
    """

    system: System
    failures: FailureModel
    cube: Cube
    sender: Process
    start: str
    other: Process
    there: str

    def meets(self) -> bool:
        channel = Channel(self.sender.name, self.other.name)
        seen: set[tuple[str, Letters]] = {(self.start, ())}
        left = list(seen)
        while left:
            state, content = left.pop()
            at = {self.sender.name: state, self.other.name: self.there}
            if self.cube.holds(self.system, self.failures, at, {channel: content}):
                return True
            new = set(self._steps(channel, state, content)) - seen
            seen |= new
            left += new
        return False

    def _steps(self, channel: Channel, state: str, content: Letters) -> Iterator[tuple[str, Letters]]:
        for _, action, target in self.sender.outgoing(state):
            if isinstance(action, Internal):
                yield target, content
            elif isinstance(action, Send):
                for after in self._sent(channel, content, str(action.message)):
                    yield target, after

    def _sent(self, channel: Channel, content: Letters, message: str) -> Iterator[Letters]:
        """The contents after a send, without those that cannot grow to what is asked for."""
        failure, demand = self.failures.on(channel), self.cube.channels.get(channel, Demand())
        if failure.loss:
            yield content
        compared = max(1, *map(len, (demand.word or (), *demand.other_than)))
        never = {r.message for r in self.other.receives(self.there)} if self.cube.deadlock else set()
        for m in (message, *failure.becomes.get(message, ())):
            longer = (*content, m)
            exact = longer if demand.word is None else demand.word[: len(longer)]
            if longer != exact or heads(longer, failure) & never:
                continue
            named = m if m in demand.contains | demand.without else ANOTHER
            behind = {*content[compared:], named} if len(content) >= compared else set()
            yield (*longer[:compared], *sorted(behind))
