"""Observers in the exchange format (definitions 17.1)."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from ...errors import ModelError
from ...kernel.model.observer import HAPPENINGS, IS_AT, RECEIVES, SENDS, ObservedEvent, Observer
from ...kernel.model.process import Process
from .json_places import Path
from .json_values import Values
from .text import near, shorten

_OBSERVER = ("name", "initial", "states", "rest", "alternatives")
_KINDS = ("send", "receive", "at", *HAPPENINGS)
#: For a message: who does it, and where the other end stands.
_ENDS = {"send": ("from", "to"), "receive": ("to", "from")}


def observer_to_json(observer: Observer) -> dict[str, Any]:
    data: dict[str, Any] = {"name": observer.name, "initial": observer.initial, "states": [*observer.states]}
    if observer.rest is not None:
        data["rest"] = [*observer.rest]
    data["alternatives"] = [
        {"from": row.source, "to": row.target, **_event_to_json(row.event)} for row in observer.alternatives
    ]
    return data


def _event_to_json(event: ObservedEvent) -> dict[str, Any]:
    if event.kind in HAPPENINGS:
        return {event.kind: event.role}
    if event.kind == IS_AT:
        return {"at": {"role": event.role, "states": [*(event.names or ())]}}
    kind = "send" if event.kind == SENDS else "receive"
    own, other = _ENDS[kind]
    messages = {} if event.names is None else {"messages": [*event.names]}
    return {kind: {own: event.role, other: event.peer, **messages}}


def read_observers(values: Values, data: Any, processes: Mapping[str, Process]) -> tuple[Observer, ...]:
    found: dict[str, Observer] = {}
    for i, row in enumerate(values.array(data, ("observers",))):
        path: Path = ("observers", i)
        made = _observer(values, row, path, processes)
        if made.name in found or made.name in processes:
            said = f"two processes or observers are called '{shorten(made.name)}'"
            values.fail(said, (*path, "name"), model=True)
        found[made.name] = made
    return tuple(found.values())


def _observer(values: Values, data: Any, path: Path, processes: Mapping[str, Process]) -> Observer:
    values.keys(data, _OBSERVER, ("name", "initial", "states", "alternatives"), path, "an observer")
    states = _names(values, data["states"], (*path, "states"))
    initial = _known(values, data["initial"], (*path, "initial"), states)
    rows = [
        _alternative(values, row, (*path, "alternatives", i), states, processes)
        for i, row in enumerate(values.array(data["alternatives"], (*path, "alternatives")))
    ]
    rest = None
    if data.get("rest") is not None:
        listed = values.array(data["rest"], (*path, "rest"))
        rest = [_known(values, state, (*path, "rest", i), states) for i, state in enumerate(listed)]
    try:
        return Observer(values.string(data["name"], (*path, "name")), initial, rows, states, rest)
    except ModelError as problem:
        values.fail(problem.message, path, problem.hint, model=True)


def _alternative(
    values: Values, data: Any, path: Path, states: Collection[str], processes: Mapping[str, Process]
) -> tuple[str, ObservedEvent, str]:
    values.keys(data, ("from", "to", *_KINDS), ("from", "to"), path, "an alternative")
    kinds = [kind for kind in _KINDS if kind in data]
    if len(kinds) != 1:
        values.fail(f"an alternative has one of {', '.join(_KINDS)}", path)
    source = _known(values, data["from"], (*path, "from"), states)
    target = _known(values, data["to"], (*path, "to"), states)
    return source, _event(values, kinds[0], data[kinds[0]], (*path, kinds[0]), processes), target


def _event(
    values: Values, kind: str, data: Any, path: Path, processes: Mapping[str, Process]
) -> ObservedEvent:
    if kind in HAPPENINGS:
        return ObservedEvent(kind, values.role(data, path, processes))
    if kind == "at":
        values.keys(data, ("role", "states"), ("role", "states"), path, "a place")
        role = values.role(data["role"], (*path, "role"), processes)
        return ObservedEvent(IS_AT, role, names=_names(values, data["states"], (*path, "states")))
    own, other = _ENDS[kind]
    values.keys(data, (own, other, "messages"), (own, other), path, f"a {kind}")
    ends = [values.role(data[end], (*path, end), processes) for end in (own, other)]
    messages = data.get("messages")
    names = None if messages is None else _names(values, messages, (*path, "messages"))
    return ObservedEvent(SENDS if kind == "send" else RECEIVES, ends[0], ends[1], names)


def _names(values: Values, data: Any, path: Path) -> tuple[str, ...]:
    """One name or more."""
    found = tuple(values.string(name, (*path, i)) for i, name in enumerate(values.array(data, path)))
    if not found or "" in found:
        values.fail("there is no name here", path)
    return found


def _known(values: Values, data: Any, path: Path, states: Collection[str]) -> str:
    state = values.string(data, path)
    if state not in states:
        values.fail(f"unknown state '{shorten(state)}'", path, near(state, states), model=True)
    return state
