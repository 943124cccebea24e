"""The run against survival or a requirement as a witness, with every fault explicit: the faults at a
send follow it, those of a reception precede it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...kernel.model.actions import Configuration, Receive, Send, channel_of
from ...kernel.model.channel_faults import faults_after_send, faults_before_reception
from ...kernel.model.run import Act, Step, Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.faulty_steps import effect
from ...kernel.semantics.silent_steps import initial
from ..engine.survival import FoundRun


def storm_witness(model: SurvivalModel, found: FoundRun) -> Witness:
    """The run with every fault explicit; a livelock is followed once round."""
    made = plain_witness(model.system, found)
    if not model.extras:
        return made
    at = initial(model.system)
    for step in (*found.steps, *found.cycle):
        at = effect(model, at, step)
    return replace(made, states=dict(zip(model.system.names, at.states, strict=True)))


def plain_witness(system: System, found: FoundRun) -> Witness:
    """The same for a system whose configurations have nothing beside roles and channels."""
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
        shortest=found.shortest,
        ending=found.end or "",
        calm_from=marks.get("calm", len(writer.steps)),
        loop_from=marks.get("loop"),
    )


def run_steps(system: System, at: Configuration, step: StormStep) -> tuple[Step, ...]:
    """One step from a configuration on, with every fault at it explicit."""
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
            self.steps += faults_before_reception(channel, self.words[channel], step, action.message)
        self.states[step.process] = step.transition.target
        self.steps.append(Act(step.process, action, step.transition.target, fault=step.process_fault))
        if channel is not None and isinstance(action, Send):
            self.words[channel].append(action.message)
            self.steps += faults_after_send(channel, self.words[channel], step)
        elif channel is not None:
            self.words[channel].pop(0)


def is_calm(steps: Sequence[Step]) -> bool:
    return all(isinstance(step, Act) and step.fault is None for step in steps)
