"""A run that a page sends, followed step by step as far as it is one of the system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import InputError
from ...kernel.model.actions import Configuration, Transition
from ...kernel.model.fault_steps import Fault
from ...kernel.model.message_tracking import MessageTracker
from ...kernel.model.phrases import cut_name
from ...kernel.model.run import Act, LinkCut, Step, Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.cutting import cut_by
from ...kernel.semantics.extra_steps import with_extras
from ...kernel.semantics.faulty_steps import effect
from ...kernel.semantics.silent_steps import initial


@dataclass(frozen=True)
class FollowedRun:
    """The steps that are possible, where each leads (the start first), and why the next one is not."""

    steps: tuple[Step, ...]
    places: tuple[Configuration, ...]
    problem: str = ""

    def witness(self, model: SurvivalModel) -> Witness:
        end = self.places[-1]
        words = zip(model.system.channels, end.words, strict=True)
        return Witness(
            self.steps,
            dict(zip(model.system.names, end.states, strict=True)),
            {channel: word for channel, word in words if word},
            calm_from=len(self.steps),
        )

    def until(self, at: int) -> FollowedRun:
        """The part of the run before a moment."""
        return FollowedRun(self.steps[:at], self.places[: at + 1])


def follow(model: SurvivalModel, steps: Sequence[Step]) -> FollowedRun:
    """The text or the failures may have changed since the steps were taken; what still fits is kept."""
    tracker, places = MessageTracker(), [initial(model.system)]
    for i, step in enumerate(steps):
        try:
            states = _states(model, places[-1], step)
            tracker.take(i, step)
        except InputError as problem:
            return FollowedRun(tuple(steps[:i]), tuple(places), problem.message)
        held = tracker.contents()
        places.append(Configuration(states, tuple(held.get(c, ()) for c in model.system.channels)))
    return FollowedRun(tuple(steps), tuple(places))


def _states(model: SurvivalModel, at: Configuration, step: Step) -> tuple[str, ...]:
    """The local states after a step; InputError where the system or its failures do not have it."""
    if isinstance(step, LinkCut):
        return _cut(model, at, step)
    if not isinstance(step, Act):
        _check_fault(model, step)
        return at.states
    names = model.system.names
    if step.process not in names:
        raise InputError(f"there is no role {step.process}")
    i = names.index(step.process)
    taken = Transition(at.states[i], step.action, step.state)
    known = taken in model.system[step.process].outgoing(at.states[i])
    if not known or not model.can_happen(step.process, taken):
        raise InputError(f"{step.process} cannot do {step.action} in '{at.states[i]}'")
    after = (*at.states[:i], step.state, *at.states[i + 1 :])
    return with_extras(model, after, step.process, taken)


def _cut(model: SurvivalModel, at: Configuration, step: LinkCut) -> tuple[str, ...]:
    """The states where these channels are down."""
    links = model.extras.links
    rows = () if links is None else model.system[links.network].transitions
    for transition in rows:
        if links is not None and cut_by(model, at, transition) == step.channels:
            return effect(model, at, StormStep(links.network, transition)).states
    raise InputError(f"no cut takes down {cut_name(step.channels)} there")


def _check_fault(model: SurvivalModel, step: Fault) -> None:
    if not step.is_allowed(model.failures.on(step.channel)):
        sender, receiver = step.channel
        raise InputError(f"there is no {step.kind.noun} on {sender} → {receiver}")
