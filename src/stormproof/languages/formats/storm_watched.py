"""Observers of a .storm text without data: their names looked up, and those that are taken already."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from ...errors import did_you_mean
from ...kernel.model.actions import CRASH, Channel
from ...kernel.model.observer import IS_AT, SENDS, ObservedEvent, Observer
from ...kernel.model.rest import STOPPED
from ...kernel.model.system import System
from ...programs.data.syntax import AlternativeSyntax, DataRole, StateSyntax, WatchSyntax
from .storm_names import Names
from .storm_observers import parse_observer
from .storm_scan import Cursor
from .storm_syntax import File, ObserverSyntax
from .text import SizeCount, Source, guess, shorten

_NO_VALUES = "an observer with variables declares them:  var n: 0..2 = 0"


def distinct(names: Names, file: File) -> list[DataRole]:
    """The observers whose names nobody else has; the others are mistakes."""
    found: dict[str, DataRole] = {}
    for body in (observer.body for observer in file.observers):
        if body.name in file.roles or body.name in found:
            other = file.roles[body.name].start if body.name in file.roles else found[body.name].start
            hint = f"the first is on line {names.source.place(other).line}"
            said = f"two roles or observers are called '{shorten(body.name)}'"
            names.fail(said, body.start, body.start + len(body.name), hint)
        else:
            found[body.name] = body
    return [*found.values()]


def observers(names: Names, file: File) -> tuple[Observer, ...]:
    """The observers of a text; one with mistakes has only its states."""
    return tuple(_observer(names, body) for body in distinct(names, file))


def _observer(names: Names, body: DataRole) -> Observer:
    rows = [
        (state.name.name, event, written.target.name)
        for state in body.states.values()
        for written in state.alternatives
        if (event := _event(names, body, state, written)) is not None
    ]
    states = [*body.states] or ["?"]
    return Observer(body.name, states[0], rows, states)


def _event(
    names: Names, body: DataRole, state: StateSyntax, written: AlternativeSyntax
) -> ObservedEvent | None:
    """What is watched; None where something is wrong with it."""
    target, watched = written.target, written.watched
    assert watched is not None
    known = target.name in body.states
    if not known:
        hint = guess(target.name, body.states, "States")
        names.fail(f"unknown state '{shorten(target.name)}'", target.start, target.end, hint)
    if written.guard is not None or written.updates:
        said = "an observer has a guard or an update only in a file with data"
        names.fail(said, written.start, written.end, _NO_VALUES)
        known = False
    return _watched(names, watched) if all([known, *_ends(names, watched)]) else None


def _ends(names: Names, watched: WatchSyntax) -> Iterator[bool]:
    for peer in (watched.role, watched.peer):
        if peer is not None:
            yield names.role(peer.name.name, peer.name.start)


def _watched(names: Names, watched: WatchSyntax) -> ObservedEvent | None:
    role = watched.role.name.name
    if watched.kind == IS_AT:
        states = tuple(state.name for state in watched.states)
        known = [s.name == STOPPED or names.state(role, s.name, s.start) for s in watched.states]
        return ObservedEvent(IS_AT, role, names=states) if all(known) else None
    if watched.peer is None:
        return ObservedEvent(watched.kind, role)
    event = ObservedEvent(watched.kind, role, watched.peer.name.name)
    if watched.message is None:
        return event
    return _with_message(names, watched, event)


def _with_message(names: Names, watched: WatchSyntax, event: ObservedEvent) -> ObservedEvent | None:
    place, message = watched.place, watched.message
    assert place is not None and message is not None
    if message is CRASH:
        hint = f"write: crash {event.role}; the announcements follow"
        names.fail("the crash message cannot be watched", place.start, place.end, hint)
        return None
    ends = (event.role, event.peer) if event.kind == SENDS else (event.peer, event.role)
    here = [m for m in names.system.alphabet(Channel(*ends)) if isinstance(m, str)]
    if message not in names.system.messages:
        if not names.messages_unread:
            hint = did_you_mean(str(message), here) or guess(str(message), here, "Messages there")
            names.fail(f"unknown message '{shorten(str(message))}'", place.start, place.end, hint)
        return None
    return ObservedEvent(event.kind, event.role, event.peer, (message,))


def resting(names: Names, role: str, states: Iterable[tuple[str, int]], word: str) -> list[str] | None:
    """The states of an observer that a `rest` line names; None where it is no observer."""
    known = {observer.name: observer.states for observer in names.system.observers}
    if role not in known:
        return None
    found = []
    for state, start in states:
        if word == "durable":
            hint = "a restart of a role does not restart its observers"
            names.fail("an observer has no durable states", start, start + len(state), hint)
        elif state not in known[role]:
            hint = guess(state, known[role], f"States of {shorten(role)}")
            names.fail(f"{shorten(role)} has no state '{shorten(state)}'", start, start + len(state), hint)
        else:
            found.append(state)
    return found


def observe(system: System, text: str) -> System:
    """The system with the observers that a text describes, as in a .storm file without data, beside its own.

    >>> import stormproof as sp
    >>> shop = sp.loads("role A { s: B!m -> t  t: }  role B { w: A?m -> w }")
    >>> watched = observe(shop, "observer Count { none: A -> B?m -> one  one: A -> B?m -> two  two: }")
    >>> [v.holds for v in sp.check(sp.require(watched, "require once: never Count@two"), properties=["once"])]
    [True]
    """
    source = Source(text, "observers")
    cursor, file = Cursor(source), File()
    names = Names(source, system)
    while not cursor.done():
        if cursor.keyword("observer") is None:
            cursor.fail("'observer'", "write: observer Seen { no: A -> B!m -> yes  yes: }")
        file.observers.append(ObserverSyntax(parse_observer(cursor, SizeCount(source), names.mistakes)))
    made = observers(names, file)
    names.raise_mistakes()
    return replace(system, observers=(*system.observers, *made))
