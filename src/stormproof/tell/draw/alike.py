"""Roles whose automata are equal but for the names of roles, which a picture shows once."""

from __future__ import annotations

import re

from ...kernel.model.actions import Action, Internal
from ...kernel.model.process import Process
from ...kernel.model.system import System


def alike_roles(system: System) -> list[tuple[str, ...]]:
    """The roles in groups, in the order of the file; the first of a group is the one that is drawn."""
    groups: dict[object, list[str]] = {}
    for process in system:
        groups.setdefault(_shape(process), []).append(process.name)
    return [tuple(group) for group in groups.values()]


def _shape(process: Process) -> object:
    """The automaton with its peers numbered as they first occur in it, in the names of states too:
    `grant_N2` of N1 is `grant_N1` of N2."""
    number: dict[str, int] = {}
    order = {state: i for i, state in enumerate(process.states)}
    rows = tuple((order[t.source], _numbered(t.action, number), order[t.target]) for t in process.transitions)
    states = tuple(_without_names(state, process.name, number) for state in process.states)
    return order[process.initial], states, rows


def _without_names(state: str, own: str, number: dict[str, int]) -> tuple[object, ...]:
    names = {**number, own: -1}
    return tuple(names.get(part, part) for part in re.split(r"([\W_])", state))


def _numbered(action: Action, number: dict[str, int]) -> object:
    if isinstance(action, Internal):
        return action
    return type(action), number.setdefault(action.peer, len(number)), action.message


def same_peers(system: System, group: tuple[str, ...]) -> bool:
    """Do all roles of a group talk to the same roles, so that one picture has the labels of all?"""
    rows = {system[name].transitions for name in group}
    return len(rows) == 1
