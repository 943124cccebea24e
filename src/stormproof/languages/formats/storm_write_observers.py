"""Observers written in the .storm language."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.model.observer import HAPPENINGS, IS_AT, SENDS, ObservedEvent, Observer
from .storm_scan import quote, quoted, write_message


def observer_alternatives(observer: Observer, state: str) -> list[str]:
    """What is watched in a state, in order; several messages are several alternatives."""
    rows = (row for row in observer.alternatives if row.source == state)
    return [f"{event} -> {quote(row.target)}" for row in rows for event in written_events(row.event)]


def written_events(event: ObservedEvent) -> Iterator[str]:
    if event.kind in HAPPENINGS:
        yield f"{event.kind} {quote(event.role)}"
    elif event.kind == IS_AT:
        states = [quote(str(name)) for name in event.names or ()]
        yield f"{quote(event.role)}@{states[0] if len(states) == 1 else '{' + ', '.join(states) + '}'}"
    else:
        ends = (event.role, event.peer) if event.kind == SENDS else (event.peer, event.role)
        for name in event.names or (None,):
            message = "_" if name is None else quoted("_") if name == "_" else write_message(name)
            yield f"{quote(ends[0])} -> {quote(ends[1])}{event.kind}{message}"
