"""Roles whose automata are equal but for the names of their peers, which a picture shows once."""

from __future__ import annotations

from ..model.actions import Action, Internal
from ..model.process import Process
from ..model.system import System


def alike_roles(system: System) -> list[tuple[str, ...]]:
    """The roles in groups, in the order of the file; the first of a group is the one that is drawn."""
    groups: dict[object, list[str]] = {}
    for process in system:
        groups.setdefault(_shape(process), []).append(process.name)
    return [tuple(group) for group in groups.values()]


def _shape(process: Process) -> object:
    """The automaton with its peers numbered as they first occur in it."""
    number: dict[str, int] = {}
    rows = tuple((t.source, _numbered(t.action, number), t.target) for t in process.transitions)
    return process.initial, process.states, rows


def _numbered(action: Action, number: dict[str, int]) -> object:
    if isinstance(action, Internal):
        return action
    return type(action), number.setdefault(action.peer, len(number)), action.message


def same_peers(system: System, group: tuple[str, ...]) -> bool:
    """Do all roles of a group talk to the same roles, so that one picture has the labels of all?"""
    rows = {system[name].transitions for name in group}
    return len(rows) == 1
