"""Steps with and without faults (definitions 9.1, 10.8): faults strike at the send or the reception."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from ..model.actions import (
    CRASH,
    Channel,
    Configuration,
    Internal,
    Message,
    Receive,
    Send,
    Word,
    channel_of,
)
from ..model.storm_step import StormStep
from ..model.survival import SurvivalModel
from ..model.system import System


def effect(system: System, at: Configuration, step: StormStep) -> Configuration:
    """Where an enabled step leads, in channels of any length."""
    i = system.names.index(step.process)
    states = (*at.states[:i], step.transition.target, *at.states[i + 1 :])
    channel = channel_of(step.process, step.transition.action)
    if channel is None or step.lost:
        return Configuration(states, at.words)
    j = system.channel_index[channel]
    return Configuration(states, (*at.words[:j], _content(at.words[j], step), *at.words[j + 1 :]))


def _content(word: Word, step: StormStep) -> Word:
    action = step.transition.action
    if isinstance(action, Send):
        place = len(word) - step.overtakes
        return (*word[:place], step.becomes or action.message, *word[place:])
    rest = word[1:]
    if step.kept is None:
        return rest
    return (*rest[: step.kept], step.kept_as or word[0], *rest[step.kept :])


def stormy_steps(model: SurvivalModel, at: Configuration) -> Iterator[StormStep]:
    """Every step that is possible in channels of any length, with every fault that may strike it."""
    for process, state in zip(model.system, at.states):
        for transition in process.outgoing(state):
            if not model.can_happen(process.name, transition):
                continue
            step, action = StormStep(process.name, transition), transition.action
            if isinstance(action, Internal):
                yield replace(step, process_fault=model.process_fault(process.name, action))
            elif isinstance(action, Send):
                yield from _sends(model, at, step, action)
            else:
                yield from _receptions(model, at, step, action)


def _sends(model: SurvivalModel, at: Configuration, step: StormStep, action: Send) -> Iterator[StormStep]:
    channel = Channel(step.process, action.peer)
    failure = model.failures.on(channel)
    yield step
    if action.message is CRASH:
        return
    if failure.loss:
        yield replace(step, lost=True)
    places = range(len(model.word(at, channel)) + 1) if failure.reorder else (0,)
    for becomes in (None, *_others(failure.becomes, action.message)):
        for overtakes in places:
            if becomes is not None or overtakes:
                yield replace(step, becomes=becomes, overtakes=overtakes)


def _receptions(
    model: SurvivalModel, at: Configuration, step: StormStep, action: Receive
) -> Iterator[StormStep]:
    channel = Channel(action.peer, step.process)
    failure, word = model.failures.on(channel), model.word(at, channel)
    if not word:
        return
    if word[0] == action.message:
        yield step
    if not failure.duplicate or word[0] is CRASH:
        return
    others = _others(failure.becomes, word[0])
    if action.message != word[0] and action.message not in others:
        return
    delivered = replace(step, head=None if action.message == word[0] else word[0])
    last = len(word) - 1 - (word[-1] is CRASH)
    for kept in range(last + 1) if failure.reorder else (0,):
        for kept_as in (None, *others):
            yield replace(delivered, kept=kept, kept_as=kept_as)


def _others(becomes: Mapping[str, frozenset[str]], message: Message) -> tuple[str, ...]:
    return tuple(sorted(becomes.get(str(message), ()))) if message is not CRASH else ()


def bounded_steps(
    model: SurvivalModel, at: Configuration, bound: int, observed: frozenset[Channel]
) -> Iterator[tuple[StormStep, Configuration | None]]:
    """The steps that leave at most `bound` messages in a channel; None for a send that hits the bound.

    Nobody looks at a message to a role that has ended: where one waits already, another changes nothing,
    and no bound is hit, unless a goal observes the content of that channel.
    """
    for step in stormy_steps(model, at):
        channel = channel_of(step.process, step.transition.action)
        after = effect(model.system, at, step)
        if not isinstance(step.transition.action, Send) or step.lost:
            yield step, after
            continue
        assert channel is not None
        word = model.word(at, channel)
        if word and model.has_ended(at, channel.receiver) and channel not in observed:
            if step.calm:
                yield step, Configuration(after.states, at.words)
        elif len(word) < bound:
            yield step, after
        elif step.calm:
            yield step, None
