"""What the named goals mean, as goals about states and the heads of channels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import UsageError
from ..model.actions import Channel, Crash, Internal, Message
from ..model.goal import AT_REST, And, At, Goal, Head, Holds, Not, Or
from ..model.process import Process, StateKind
from ..model.rest import ended_states, rest_states
from ..model.system import System


class Meanings:
    """The named goals of one system; `letters` are the messages that may stand in a channel, crash aside."""

    def __init__(self, system: System, letters: Callable[[Channel], tuple[str, ...]]) -> None:
        self.system = system
        self.letters = letters
        self.rest = rest_states(system)

    def of(self, name: str) -> Goal:
        """The goal that a name stands for; `deadlock` and `deadlock-for-good` are none."""
        if name == AT_REST.name:
            return self._at_rest()
        return Or(tuple(self._unwelcome(name)))

    def opposite(self, name: str) -> Goal:
        """What holds where the named goal does not."""
        if name == "deadlock":
            return Or((AT_REST, *self._moves()))
        if name == "deadlock-for-good":
            raise UsageError("the negation of deadlock-for-good is not decided", hint="ask for !deadlock")
        return Not(self.of(name))

    def _at_rest(self) -> Goal:
        """Role by role, so that the goal has few cases: ended, or resting with nothing to receive."""
        parts: list[Goal] = []
        for process in self.system:
            rest, ended = self.rest.rest[process.name], self.rest.ended[process.name]
            empty = [Holds(c, ()) for c in self.system.channels if c.receiver == process.name]
            over, waiting = _at(process, rest & ended), _at(process, rest - ended)
            parts.append(Or((over, And((waiting, *empty)))))
        return And(tuple(parts))

    def _moves(self) -> Iterator[Goal]:
        """Somebody can send, act or take the head of a channel, without any fault."""
        for process in self.system:
            yield _at(process, frozenset(process.states) - quiet_states(process))
            for channel in self.system.channels:
                if channel.receiver == process.name:
                    yield from self._takes(process, channel)

    def _takes(self, process: Process, channel: Channel) -> Iterator[Goal]:
        for message in self._standing(channel):
            states = frozenset(s for s in process.states if message in _taken(process, s, channel))
            if states:
                yield And((_at(process, states), Head(channel, message)))

    def _standing(self, channel: Channel) -> tuple[Message, ...]:
        crash = tuple(m for m in self.system.alphabet(channel) if isinstance(m, Crash))
        return (*self.letters(channel), *crash)

    def _unwelcome(self, name: str) -> Iterator[Goal]:
        """`orphan` and `unspecified`: a message at the head of a channel, and who does not take it."""
        for channel in self.system.channels:
            receiver = self.system[channel.receiver]
            for message in self._standing(channel) if name == "unspecified" else self.letters(channel):
                if name == "unspecified":
                    states = _surprised(receiver, channel, message)
                else:
                    states = ended_states(receiver)
                    if name == "orphan-up-to-crash":
                        states -= receiver.crashed_states
                if states:
                    yield And((_at(receiver, states), Head(channel, message)))


def _at(process: Process, states: frozenset[str]) -> Goal:
    return At(process.name, tuple(s for s in process.states if s in states))


def quiet_states(process: Process) -> frozenset[str]:
    """Where a process neither sends nor acts; to crash, stop or restart is a fault, and no act."""

    def acts(state: str) -> bool:
        internal = (t.action for t in process.outgoing(state) if isinstance(t.action, Internal))
        return bool(process.sends(state)) or any(not action.is_fault for action in internal)

    return frozenset(s for s in process.states if not acts(s))


def _taken(process: Process, state: str, channel: Channel) -> frozenset[Message]:
    """What it takes from the channel; of a mailbox, from anybody."""
    received = process.receives(state)
    return frozenset(r.message for r in received if channel.is_mailbox or r.peer == channel.sender)


def _surprised(process: Process, channel: Channel, message: Message) -> frozenset[str]:
    """The receiving states that read this channel and do not take the message there."""
    found = set()
    for state in process.states:
        taken = _taken(process, state, channel)
        if process.kind(state) is StateKind.RECEIVING and taken and message not in taken:
            found.add(state)
    return frozenset(found)
