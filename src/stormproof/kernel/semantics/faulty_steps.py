"""Steps with and without faults (definitions 9.1, 10.8): faults occur at the send or the reception."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..model.actions import Channel, Configuration, Internal, Receive, Send, channel_of
from ..model.channel_faults import content_after, faults_at_reception, faults_at_send
from ..model.storm_step import StormStep
from ..model.survival import SurvivalModel
from .clocks import Moment
from .cutting import after_cut, cut_by, goes_nowhere, is_cut, is_network
from .extra_steps import with_extras


def effect(model: SurvivalModel, at: Configuration, step: StormStep) -> Configuration:
    """Where an enabled step leads, in channels of any length."""
    if is_network(model, step.process):
        return after_cut(model, at, step)
    system = model.system
    i = system.names.index(step.process)
    states = (*at.states[:i], step.transition.target, *at.states[i + 1 :])
    states = with_extras(model, states, step.process, step.transition)
    channel = channel_of(step.process, step.transition.action)
    if channel is None or goes_nowhere(model, at, step.process, step.transition.action):
        return Configuration(states, at.words)
    j = system.channel_index[channel]
    after = content_after(at.words[j], step.transition.action, step)
    return Configuration(states, (*at.words[:j], after, *at.words[j + 1 :]))


def stormy_steps(model: SurvivalModel, at: Configuration) -> Iterator[StormStep]:
    """Every step that is possible in channels of any length, with every fault that may occur at it."""
    moment = Moment(model, at) if model.extras.clocks else None
    for process, state in zip(model.system, at.states):
        for transition in process.outgoing(state):
            if not model.can_happen(process.name, transition):
                continue
            if moment is not None and not moment.allows(process, transition):
                continue
            if is_network(model, process.name) and not cut_by(model, at, transition):
                continue
            step, action = StormStep(process.name, transition), transition.action
            if isinstance(action, Internal):
                yield replace(step, process_fault=model.process_fault(process.name, action))
            else:
                yield from _communications(model, at, step, action)


def _communications(
    model: SurvivalModel, at: Configuration, step: StormStep, action: Send | Receive
) -> Iterator[StormStep]:
    """The step without a fault, where it is possible, and with each combination of faults."""
    channel = channel_of(step.process, action)
    assert channel is not None
    failure, word = model.failures.on(channel), model.word(at, channel)
    if isinstance(action, Send):
        yield step
        if is_cut(model, at, Channel(step.process, action.peer)):
            return
        occurring = faults_at_send(word, action.message, failure)
    else:
        if word[:1] == (action.message,):
            yield step
        occurring = faults_at_reception(word, action.message, failure)
    for faults in occurring:
        yield replace(step, **vars(faults))


def bounded_steps(
    model: SurvivalModel, at: Configuration, bound: int, observed: frozenset[Channel]
) -> Iterator[tuple[StormStep, Configuration | None]]:
    """The steps that leave at most `bound` messages in a channel; None for a send that hits the bound.

    Nobody looks at a message to a role that has ended: where one waits already, another changes nothing,
    and no bound is hit, unless a goal observes the content of that channel.
    """
    for step in stormy_steps(model, at):
        channel = channel_of(step.process, step.transition.action)
        after = effect(model, at, step)
        word = () if channel is None else model.word(at, channel)
        if channel is None or len(model.word(after, channel)) <= len(word):
            yield step, after
        elif word and model.has_ended(at, channel.receiver) and channel not in observed:
            if step.calm:
                yield step, Configuration(after.states, at.words)
        elif len(word) < bound:
            yield step, after
        elif step.calm:
            yield step, None
