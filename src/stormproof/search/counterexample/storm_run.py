"""The run against survival or a requirement as a witness, with every fault explicit: the faults at a
send follow it, those of a reception precede it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ...kernel.model.actions import Channel, Configuration, Receive, Send, channel_of
from ...kernel.model.channel_faults import faults_after_send, faults_before_reception
from ...kernel.model.run import Act, LinkCut, Step, Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.cutting import cut_by, goes_nowhere, is_network
from ...kernel.semantics.faulty_steps import effect
from ...kernel.semantics.silent_steps import initial
from ..engine.survival import FoundRun


def storm_witness(model: SurvivalModel, found: FoundRun) -> Witness:
    """The run with every fault explicit; a livelock is followed once round."""
    made = _witness(_Writer(model.system, initial(model.system), model), found)
    if not model.extras:
        return made
    at = initial(model.system)
    for step in (*found.steps, *found.cycle):
        at = effect(model, at, step)
    hidden = () if model.extras.links is None else model.extras.links.names
    rows = zip(model.system.names, at.states, strict=True)
    return replace(made, states={name: state for name, state in rows if name not in hidden})


def plain_witness(system: System, found: FoundRun) -> Witness:
    """The same for a system whose configurations have nothing beside roles and channels."""
    return _witness(_Writer(system, initial(system)), found)


def _witness(writer: _Writer, found: FoundRun) -> Witness:
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


def run_steps(model: SurvivalModel, at: Configuration, step: StormStep) -> tuple[Step, ...]:
    """One step from a configuration on, with every fault at it explicit."""
    writer = _Writer(model.system, at, model)
    writer.take(step)
    return tuple(writer.steps)


class _Writer:
    """`model`: where links may be cut, what that does to sends."""

    def __init__(self, system: System, at: Configuration, model: SurvivalModel | None = None) -> None:
        self.model = model if model is not None and model.extras.links is not None else None
        self.at = at
        self.states = dict(zip(system.names, at.states, strict=True))
        self.words = {c: list(word) for c, word in zip(system.channels, at.words, strict=True)}
        self.steps: list[Step] = []

    def take(self, step: StormStep) -> None:
        if self.model is None:
            self._take(step, channel_of(step.process, step.transition.action))
            return
        if is_network(self.model, step.process):
            self.steps.append(LinkCut(cut_by(self.model, self.at, step.transition)))
        elif goes_nowhere(self.model, self.at, step.process, step.transition.action):
            self._take(step, None)
        else:
            self._take(step, channel_of(step.process, step.transition.action))
        self.at = effect(self.model, self.at, step)
        self.words = {c: list(w) for c, w in zip(self.model.system.channels, self.at.words, strict=True)}

    def _take(self, step: StormStep, channel: Channel | None) -> None:
        """A step of a process; `channel` is None where it touches none."""
        action = step.transition.action
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
