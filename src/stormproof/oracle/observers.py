"""Observers, read literally (definitions 17.1): what they see of a step, and where each event leads them."""

from __future__ import annotations

from collections.abc import Iterator

from ..kernel.model.actions import Configuration, Crash, Internal, Send
from ..kernel.model.observer import ObservedEvent, Observer
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import SurvivalModel


def watched(model: SurvivalModel, step: StormStep, after: Configuration) -> Configuration:
    """Where a step leads, given where it leads without its observers."""
    watching = {o.name: o for o in model.extras.observers}
    states = []
    for name, state in zip(model.system.names, after.states, strict=True):
        if name in watching:
            for event in _events(step):
                state = _taken(watching[name], state, event)
        states.append(state)
    return Configuration(tuple(states), after.words)


def _events(step: StormStep) -> Iterator[ObservedEvent]:
    """First the action of the role, or what happens to it, then the state that it is in; a restart is no
    action of the role, and a record is none that anybody sees."""
    role, action = step.process, step.transition.action
    if isinstance(action, Internal) and action.record:
        return
    if step.process_fault is not None:
        yield ObservedEvent(step.process_fault, role)
    elif isinstance(action, Send) and not isinstance(action.message, Crash):
        yield ObservedEvent("!", role, action.peer, (str(action.message),))
    elif not isinstance(action, Internal) and not isinstance(action.message, Crash):
        yield ObservedEvent("?", role, action.peer, (str(action.message),))
    if step.process_fault != "restart":
        yield ObservedEvent("@", role, names=(step.transition.target,))


def _taken(observer: Observer, state: str, event: ObservedEvent) -> str:
    """The first alternative that matches is taken; without one the observer stays."""
    for source, watched, target in observer.alternatives:
        named = watched.names is None or (event.names is not None and event.names[0] in watched.names)
        same = (watched.kind, watched.role, watched.peer) == (event.kind, event.role, event.peer)
        if source == state and same and named:
            return target
    return state
