"""The .storm language, read: text to System.

Names are looked up where they are written, so that an unknown role or state is shown with its place and with
the name that was probably meant. All mistakes of a text are reported at once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any, NoReturn

from ..errors import InputError, ModelError, raise_all
from ..model.process import Process
from ..model.system import System
from .storm_faults import resolve, with_role_faults
from .storm_parse import parse
from .storm_recovery import MOST_MISTAKES
from .storm_requirements import requirements
from .storm_syntax import File, Rest, RoleBody, RoleSyntax
from .text import Source, guess, shorten


def read(text: str, name: str = "<input>") -> System:
    """The system that a .storm text describes."""
    source = Source(text, name)
    return build(source, parse(source))


def build(source: Source, file: File) -> System:
    """Look up the names, make the automata, and put the system together."""
    errors = list(file.errors)
    if file.complete:
        errors += _unknown_names(source, file)
    raise_all(errors, MOST_MISTAKES)
    processes = [_process(source, file, role) for role in file.roles.values()]
    try:
        system = System(tuple(processes), name=file.name, communication=file.communication)
    except ModelError as problem:
        _relocate(source, problem, 0)
    raise_all(_wrong_lines(source, file, system), MOST_MISTAKES)
    system = with_states(source, file.rest, system, "rest")
    system = with_states(source, file.durable, system, "durable")
    system = with_role_faults(source, file.faults, system)
    if file.faults:
        system = replace(system, faults=resolve(source, file.faults, system))
    if file.requirements:
        system = replace(system, requirements=requirements(source, file.requirements, system))
    return system


def _unknown_names(source: Source, file: File) -> list[InputError]:
    """Peers that are no roles, and states that are not listed, of the roles that could be read."""
    found: list[InputError] = []
    for role in file.roles.values():
        if isinstance(role.body, RoleBody) and not role.broken:
            found += _unknown_peers(source, file.roles, role.body.peers.items())
            found += _unknown_states(source, role.body)
    return found


def _wrong_lines(source: Source, file: File, system: System) -> list[InputError]:
    """What is wrong with the lines about roles and channels, each looked at by itself."""
    tries: list[Callable[[], object]] = []
    tries += [partial(with_states, source, [item], system, "rest") for item in file.rest]
    tries += [partial(with_states, source, [item], system, "durable") for item in file.durable]
    tries += [partial(with_role_faults, source, [line], system) for line in file.faults]
    tries += [partial(resolve, source, [line], system) for line in file.faults]
    tries += [partial(requirements, source, [syntax], system) for syntax in file.requirements]
    found: list[InputError] = []
    for attempt in tries:
        try:
            attempt()
        except InputError as problem:
            found.append(problem)
            if len(found) == MOST_MISTAKES:
                break
    return found


def _unknown_peers(
    source: Source, roles: Mapping[str, object], peers: Iterable[tuple[str, int]]
) -> list[ModelError]:
    """The peers that are no role of the file."""
    return [
        source.error(
            f"unknown role '{shorten(peer)}'",
            start,
            start + len(peer),
            guess(peer, roles, "Roles"),
            ModelError,
        )
        for peer, start in peers
        if peer not in roles
    ]


def _unknown_states(source: Source, body: RoleBody) -> list[ModelError]:
    return [
        source.error(
            f"unknown state '{shorten(target)}'",
            start,
            start + len(target),
            guess(target, body.states, "States") + f"; a final state is listed too: {shorten(target)}:",
            ModelError,
        )
        for target, start in body.targets.items()
        if target not in body.states and target != "end"
    ]


def _process(source: Source, file: File, role: RoleSyntax) -> Process:
    if not isinstance(role.body, RoleBody):
        return replace(role.body.process(source, file, role), service=role.service)
    initial, states = next(iter(role.body.states)), tuple(role.body.states)
    try:
        made = Process(role.name, initial, tuple(role.body.rows), states, role.reliable)
    except ModelError as problem:
        _relocate(source, problem, role.start)
    return replace(made, service=role.service)


def with_states(source: Source, declared: Iterable[Rest], system: System, field: str) -> System:
    """The system with the `rest` or `durable` states that are declared; several lines about a role add up."""
    chosen: dict[str, list[str]] = {}
    for item in declared:
        if item.role not in system:
            hint = guess(item.role, system.names, "Roles")
            problem = f"unknown role '{shorten(item.role)}'"
            source.fail(problem, item.start, item.start + len(item.role), hint, ModelError)
        states = system[item.role].states
        for state, start in item.states:
            if state not in states:
                hint = guess(state, states, f"States of {shorten(item.role)}")
                problem = f"{shorten(item.role)} has no state '{shorten(state)}'"
                source.fail(problem, start, start + len(state), hint, ModelError)
        chosen.setdefault(item.role, []).extend(state for state, _ in item.states)
    changed: dict[str, Any] = {name: {field: tuple(states)} for name, states in chosen.items()}
    processes = (replace(p, **changed[p.name]) if p.name in chosen else p for p in system)
    return replace(system, processes=tuple(processes)) if chosen else system


def _relocate(source: Source, problem: ModelError, start: int) -> NoReturn:
    """Give an error of the model the place that it lacks."""
    if problem.place is not None:
        raise problem
    raise type(problem)(problem.message, place=source.place(start), hint=problem.hint) from None
