"""Steps between configurations, read literally: with silent faults (definitions 2.5), and with faults that
occur at a send, at a reception or at a process (9.1), at a bound (10.8)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ..kernel.model.actions import Channel, Configuration, Internal, Send, Word, channel_of
from ..kernel.model.failures import FailureModel
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import SurvivalModel
from ..kernel.model.system import System
from ..kernel.semantics.silent_steps import FiredAction, Successor
from .channel_faults import received, reception_outcomes, send_outcomes, sent, silently
from .clocks import on_time
from .cuts import cuts, down, roles
from .observers import watched


def initial(system: System) -> Configuration:
    """Definitions 1.3: every process in its initial state, every channel empty."""
    return Configuration(tuple(p.initial for p in system), tuple(() for _ in system.channels))


def _with_state(system: System, at: Configuration, process: str, state: str) -> Configuration:
    rows = zip(system.names, at.states)
    return Configuration(tuple(state if name == process else old for name, old in rows), at.words)


def _with_word(system: System, at: Configuration, channel: Channel, word: Word) -> Configuration:
    rows = zip(system.channels, at.words)
    return Configuration(at.states, tuple(word if c == channel else old for c, old in rows))


def steps(
    system: System, failures: FailureModel, at: Configuration, bound: int | None
) -> Iterator[Successor]:
    """Definitions 2.5: an action, or one silent fault; `bound` None means no bound."""
    words = dict(zip(system.channels, at.words))
    for process, state in zip(system, at.states):
        for transition in process.outgoing(state):
            action = transition.action
            moved = _with_state(system, at, process.name, transition.target)
            channel = channel_of(process.name, action)
            if channel is None or isinstance(action, Internal):
                yield Successor(FiredAction(process.name, action), moved)
                continue
            word, failure = words[channel], failures.on(channel)
            if isinstance(action, Send):
                left = sent(word, action.message, failure, bound)
            else:
                left = received(word, action.message, failure)
            for after in left:
                yield Successor(FiredAction(process.name, action), _with_word(system, moved, channel, after))
    for channel, word in words.items():
        for after in silently(word, failures.on(channel)):
            yield Successor(None, _with_word(system, at, channel, after))


def faulty_steps(model: SurvivalModel, at: Configuration) -> Iterator[tuple[StormStep, Configuration]]:
    """Definitions 9.1: every step in channels of any length, with what goes wrong, and where it leads;
    observers move with it (17.1). Of timers that are on time only those expire that may (16.4)."""
    steps = _steps_of_roles(model, at)
    if model.extras.clocks is not None:
        steps = on_time(model, at, steps)
    for step, after in steps:
        yield step, watched(model, step, after) if model.extras.observers else after


def _steps_of_roles(model: SurvivalModel, at: Configuration) -> Iterator[tuple[StormStep, Configuration]]:
    words = dict(zip(model.system.channels, at.words))
    yield from cuts(model, at)
    for process, state in roles(model, at):
        for transition in process.outgoing(state):
            action, step = transition.action, StormStep(process.name, transition)
            moved = _with_state(model.system, at, process.name, transition.target)
            if isinstance(action, Internal):
                fault = _process_fault(model, process.name, action)
                if fault != "crash" or process.name in model.failures.unreliable:
                    yield replace(step, process_fault=fault), moved
                continue
            channel = channel_of(process.name, action)
            assert channel is not None
            if isinstance(action, Send) and Channel(process.name, action.peer) in down(model, at):
                yield step, moved
                continue
            outcomes = send_outcomes if isinstance(action, Send) else reception_outcomes
            for action_faults, left in outcomes(words[channel], action.message, model.failures.on(channel)):
                yield replace(step, **vars(action_faults)), _with_word(model.system, moved, channel, left)


def _process_fault(model: SurvivalModel, process: str, action: Internal) -> str | None:
    if action.crashes:
        return "crash"
    return action.fault or model.process_faults.get((process, action.name))


def bounded_steps(
    model: SurvivalModel, at: Configuration, bound: int, observed: frozenset[Channel]
) -> Iterator[tuple[StormStep, Configuration | None]]:
    """Definitions 10.8: the steps that leave at most `bound` messages in a channel; None for a calm send that
    hits the bound. A message to a role that has ended changes nothing where one waits already, unless the
    goal observes the channel: then no send hits the bound, and only a calm one is of interest."""
    words = dict(zip(model.system.channels, at.words))
    after_words = model.system.channel_index
    for step, after in faulty_steps(model, at):
        channel = channel_of(step.process, step.transition.action)
        if channel is None or len(after.words[after_words[channel]]) <= len(words[channel]):
            yield step, after
            continue
        waits = len(words[channel])
        receiver = model.system.names.index(channel.receiver)
        ignored = at.states[receiver] in model.rest.ended[channel.receiver] and channel not in observed
        if waits and ignored:
            if step.calm:
                yield step, Configuration(after.states, at.words)
        elif waits < bound:
            yield step, after
        elif step.calm:
            yield step, None
