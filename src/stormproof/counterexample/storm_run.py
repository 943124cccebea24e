"""The run against survival or a requirement as a witness: each step, then each fault that struck it.

A send puts its message at the end; then it is lost, or becomes another, or overtakes. A reception with
duplication has its faults before it: the copy that is received stands at the head, the other behind it.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..engine.survival import FoundRun
from ..model.actions import Channel, Configuration, Message, Receive, Send, channel_of
from ..model.fault_steps import Corrupt, Duplicate, Lose, Overtake
from ..model.run import Act, Step, Witness
from ..model.storm_step import StormStep
from ..model.system import System
from ..spec.bounded import initial


def storm_witness(system: System, found: FoundRun) -> Witness:
    """The run with every fault explicit; a livelock is followed once round."""
    writer = _Writer(system, initial(system))
    marks = {}
    for i, step in enumerate((*found.steps, *found.cycle)):
        if i == found.storm:
            marks["calm"] = len(writer.steps)
        if found.cycle and i == len(found.steps):
            marks["loop"] = len(writer.steps)
        writer.take(step)
    return Witness(
        steps=tuple(writer.steps),
        states=dict(writer.states),
        channels={c: tuple(word) for c, word in writer.words.items() if word},
        ending=found.end or "",
        calm_from=marks.get("calm", len(writer.steps)),
        loop_from=marks.get("loop"),
    )


def run_steps(system: System, at: Configuration, step: StormStep) -> tuple[Step, ...]:
    """One step from a configuration on, with every fault that strikes it explicit."""
    writer = _Writer(system, at)
    writer.take(step)
    return tuple(writer.steps)


class _Writer:
    def __init__(self, system: System, at: Configuration) -> None:
        self.states = dict(zip(system.names, at.states, strict=True))
        self.words = {c: list(word) for c, word in zip(system.channels, at.words, strict=True)}
        self.steps: list[Step] = []

    def take(self, step: StormStep) -> None:
        action = step.transition.action
        channel = channel_of(step.process, action)
        if channel is not None and isinstance(action, Receive):
            self._duplicate(channel, step)
        self.states[step.process] = step.transition.target
        self.steps.append(Act(step.process, action, step.transition.target, fault=step.process_fault))
        if channel is not None and isinstance(action, Send):
            self._send(channel, action.message, step)
        elif channel is not None:
            self.words[channel].pop(0)

    def _send(self, channel: Channel, message: Message, step: StormStep) -> None:
        word = self.words[channel]
        at = len(word)
        if step.lost:
            self.steps.append(Lose(channel, at, str(message)))
            return
        word.append(message)
        self._corrupt(channel, at, step.becomes)
        if step.overtakes:
            self.steps.append(Overtake(channel, at, str(word[at]), step.overtakes))
            word.insert(at - step.overtakes, word.pop())

    def _duplicate(self, channel: Channel, step: StormStep) -> None:
        """The copy that stays is made first, and moves where it stays; then both may be corrupted."""
        if step.kept is None:
            return
        word = self.words[channel]
        self.steps.append(Duplicate(channel, 0, str(word[0]), step.kept))
        word.insert(step.kept + 1, word[0])
        self._corrupt(channel, step.kept + 1, step.kept_as)
        if step.head is not None:
            assert isinstance(step.transition.action, Receive)
            self._corrupt(channel, 0, step.transition.action.message)

    def _corrupt(self, channel: Channel, at: int, becomes: Message | None) -> None:
        word = self.words[channel]
        if becomes is not None and becomes != word[at]:
            self.steps.append(Corrupt(channel, at, str(word[at]), str(becomes)))
            word[at] = becomes


def is_calm(steps: Sequence[Step]) -> bool:
    return all(isinstance(step, Act) and step.fault is None for step in steps)
