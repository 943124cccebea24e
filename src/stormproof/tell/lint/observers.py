"""Observers that nobody asks about, and alternatives of them that nothing ever takes."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import did_you_mean
from ...kernel.data.system import DataSystem
from ...kernel.model.actions import Crash, Receive, Send
from ...kernel.model.observer import IS_AT, RECEIVES, SENDS, ObservedEvent, Observer
from ...kernel.model.process import Process
from ...kernel.model.rest import STOPPED
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces, Places
from .warning import Warning


def observer_warnings(system: System, places: Places | NoPlaces) -> Iterator[Warning]:
    asked = {name for requirement in system.requirements for name in requirement.processes}
    for observer in system.observers:
        if observer.name not in asked and observer.rest is None:
            example = "state" if isinstance(system, DataSystem) else observer.states[-1]
            hint = f"write, for instance: require never {observer.name}@{example}"
            said = f"nobody asks about the observer {observer.name}"
            yield Warning(said, places.observer(observer.name), hint)
        if not isinstance(system, DataSystem):  # there the alternatives are the events that match
            yield from _idle(system, observer, places)


def _idle(system: System, observer: Observer, places: Places | NoPlaces) -> Iterator[Warning]:
    """Alternatives that no action matches, or that earlier ones of their state forestall."""
    before: dict[str, list[ObservedEvent]] = {}
    for order, row in enumerate(observer.alternatives):
        at, earlier = places.watched(observer.name, order), before.setdefault(row.source, [])
        if why := _never(system, row.event):
            yield Warning(f"{observer.name} never sees {row.event}: {why[0]}", at, why[1])
        elif any(_covers(first, row.event) for first in earlier):
            said = f"{observer.name} never takes {row.event} in '{row.source}'"
            yield Warning(f"{said}: what stands before it takes the same", at)
        earlier.append(row.event)


def _covers(first: ObservedEvent, second: ObservedEvent) -> bool:
    if (first.kind, first.role, first.peer) != (second.kind, second.role, second.peer):
        return False
    return first.names is None or (second.names is not None and set(second.names) <= set(first.names))


def _never(system: System, event: ObservedEvent) -> tuple[str, str | None] | None:
    """Why there is no such event, and what is meant instead, if that can be said."""
    process = system[event.role]
    if event.kind in (SENDS, RECEIVES):
        return _no_message(process, event)
    if event.kind == IS_AT:
        entered = {STOPPED, *(t.target for t in process.transitions)}
        if not entered & set(event.names or ()):
            return f"no action of {process.name} leads there", None
    return None


def _no_message(process: Process, event: ObservedEvent) -> tuple[str, str | None] | None:
    kind = Send if event.kind == SENDS else Receive
    actions = (t.action for t in process.transitions)
    there = {
        str(action.message)
        for action in actions
        if isinstance(action, kind) and action.peer == event.peer and not isinstance(action.message, Crash)
    }
    names = None if event.names is None else list(map(str, event.names))
    if there if names is None else there & set(names):
        return None
    verb, between = ("sends", "to") if kind is Send else ("receives", "from")
    what = "anything" if names is None else " or ".join(names)
    said = f"{process.name} never {verb} {what} {between} {event.peer}"
    return said, None if names is None else did_you_mean(names[0], there)
