"""What a goal means in one configuration, word for word as it is defined."""

from __future__ import annotations

from collections.abc import Mapping

from stormproof.kernel.goals.cubes import is_deadlock
from stormproof.kernel.model.actions import CRASH, Channel, Internal, Message, Send, Word
from stormproof.kernel.model.failures import FailureModel
from stormproof.kernel.model.goal import And, At, Goal, Head, Holds, Named, Not, Or
from stormproof.kernel.model.process import Process, StateKind
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.system import System


class Meaning:
    """One configuration of a system."""

    def __init__(
        self, system: System, failures: FailureModel, states: Mapping[str, str], words: Mapping[Channel, Word]
    ) -> None:
        self.system, self.failures, self.states, self.words = system, failures, states, words

    def holds(self, goal: Goal) -> bool:
        if isinstance(goal, Not):
            return not self.holds(goal.part)
        if isinstance(goal, And):
            return all(self.holds(part) for part in goal.parts)
        if isinstance(goal, Or):
            return any(self.holds(part) for part in goal.parts)
        if isinstance(goal, At):
            return self.states[goal.process] in goal.states
        if isinstance(goal, Named):
            return self._named(goal.name)
        word = self.words.get(goal.channel, ())
        if isinstance(goal, Holds):
            return word == goal.word
        return goal.message in (word[:1] if isinstance(goal, Head) else word)

    def _named(self, name: str) -> bool:
        if name == "at rest":
            return self._at_rest()
        if name == "deadlock":
            return not any(self._moves(p) for p in self.system) and not self._at_rest()
        if name == "deadlock-for-good":
            return is_deadlock(self.system, self.failures, self.states, self.words)
        if name == "unspecified":
            return any(self._surprised(c) for c in self.words)
        return any(
            self.words[c][:1] not in ((), (CRASH,)) and self._silent_from(self.system[c.receiver])
            for c in self.words
        )

    def _at_rest(self) -> bool:
        found = rest_states(self.system)
        resting = all(self.states[p.name] in found.rest[p.name] for p in self.system)
        ended = {p.name for p in self.system if self.states[p.name] in found.ended[p.name]}
        return resting and all(not word or c.receiver in ended for c, word in self.words.items())

    def _moves(self, process: Process) -> bool:
        for _, action, _ in process.outgoing(self.states[process.name]):
            if isinstance(action, Internal):
                if not action.crashes:
                    return True
            elif isinstance(action, Send) or self._head(action.peer, process.name) == action.message:
                return True
        return False

    def _head(self, sender: str, receiver: str) -> Message | None:
        return next(iter(self.words.get(Channel(sender, receiver), ())), None)

    def _surprised(self, channel: Channel) -> bool:
        receiver = self.system[channel.receiver]
        state = self.states[receiver.name]
        taken = {r.message for r in receiver.receives(state) if r.peer == channel.sender}
        head = self.words[channel][:1]
        waits = receiver.kind(state) is StateKind.RECEIVING and bool(taken)
        return waits and bool(head) and head[0] not in taken

    def _silent_from(self, process: Process) -> bool:
        """Nothing is sent from here on, and at most crash messages are taken."""
        return all(
            not process.sends(s) and all(r.message is CRASH for r in process.receives(s))
            for s in process.reachable(self.states[process.name])
        )
