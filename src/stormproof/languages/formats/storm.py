"""The .storm language, read: text to System.

Names are looked up where they are written, so that an unknown role or state is shown with its place and with
the name that was probably meant. All mistakes of a text are reported at once.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ...errors import ModelError, UsageError, raise_all
from ...kernel.model.actions import Internal, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...programs.data.syntax import DataRole
from .storm_cuts import resolve_cuts
from .storm_faults import resolve, with_role_faults
from .storm_names import Names
from .storm_parse import parse
from .storm_recovery import Mistakes, TooMany
from .storm_requirements import requirements
from .storm_syntax import File, Rest, RoleBody, RoleSyntax
from .text import Source, guess, shorten

if TYPE_CHECKING:
    from .storm_types import TypeBody

#: The only state of a role whose body could not be read.
_UNREAD = "?"
_NO_CONSTANTS = "the file has none; it declares them:  const numbers = 3"


def read(text: str, name: str = "<input>", constants: Mapping[str, str] | None = None) -> System:
    """The system that a .storm text describes, with other values for some of its constants. Of roles with
    variables that have very many states only the first ones are made (definitions 18.1)."""
    source = Source(text, name)
    return build(source, parse(source), constants)


def build(source: Source, file: File, constants: Mapping[str, str] | None = None) -> System:
    """Look up the names, make the automata, and put the system together."""
    if file.data:
        return _build_data(source, file, constants or {})
    if constants:
        raise UsageError(f"there is no constant '{next(iter(constants))}'", hint=_NO_CONSTANTS)
    made = _Made(source, file)
    with suppress(TooMany):
        made.roles()
        if made.processes:
            system = made.system()
    raise_all(made.mistakes.errors)
    return system


def _build_data(source: Source, file: File, constants: Mapping[str, str]) -> System:
    from ...programs.data.build import HORIZON
    from .storm_data_system import DataSystemMaker

    mistakes = Mistakes(list(file.errors))
    system: System | None = None
    with suppress(TooMany):
        system = DataSystemMaker(source, file, constants, mistakes).system(HORIZON)
    raise_all(mistakes.errors)
    assert system is not None
    return system


class _Made:
    """A system in the making. Mistakes are noted, and nothing is blamed for what others have broken."""

    def __init__(self, source: Source, file: File) -> None:
        self.source, self.file = source, file
        self.mistakes = Mistakes(list(file.errors))
        self.processes: list[Process] = []
        self.unread = {role.name for role in file.roles.values() if role.broken}

    def roles(self) -> None:
        for role in self.file.roles.values():
            before = len(self.mistakes.errors)
            self.processes.append(self.automaton(role, role.body))
            if len(self.mistakes.errors) > before and not isinstance(role.body, RoleBody):
                self.unread.add(role.name)

    def automaton(self, role: RoleSyntax, body: RoleBody | TypeBody | DataRole) -> Process:
        """The role's automaton or, where it has mistakes, what is known of it."""
        assert not isinstance(body, DataRole), "files with data are built elsewhere"
        if not isinstance(body, RoleBody):
            return self.automaton_of_type(role, body)
        if not role.broken:
            self.unknown_states(body)
        if not self.file.roles_unread:
            self.unknown_peers(body)
        rows = [row for row in body.rows if self.is_known(row, body)] if self.mistakes.errors else body.rows
        states = tuple(body.states) or (_UNREAD,)
        try:
            made = Process(role.name, states[0], tuple(rows), states, role.reliable)
        except ModelError as problem:
            self.mistakes.add(_relocated(self.source, problem, role.start))
            made = Process(role.name, states[0], (), states)
        return replace(made, service=role.service)

    def automaton_of_type(self, role: RoleSyntax, body: TypeBody) -> Process:
        flaws = body.flaws(self.file, role)
        for flaw in flaws:
            self.mistakes.add(flaw)
        if flaws or self.file.roles_unread:
            self.unread.add(role.name)
            return Process(role.name, _UNREAD)
        return replace(body.process(self.file, role), service=role.service)

    def is_known(self, row: Transition, body: RoleBody) -> bool:
        """Are the role and the states that a transition names listed?"""
        peer_known = isinstance(row.action, Internal) or row.action.peer in self.file.roles
        return peer_known and row.source in body.states and (row.target in body.states or row.target == "end")

    def unknown_peers(self, body: RoleBody) -> None:
        """The peers that are no role of the file."""
        roles = self.file.roles
        for peer, start in body.peers.items():
            if peer not in roles:
                hint = _turned(body.rows, peer, roles) or guess(peer, roles, "Roles")
                self.fail(f"unknown role '{shorten(peer)}'", start, start + len(peer), hint)

    def unknown_states(self, body: RoleBody) -> None:
        for target, start in body.targets.items():
            if target not in body.states and target != "end":
                known = guess(target, body.states, "States")
                hint = f"{known}; a final state is listed too: {shorten(target)}:"
                self.fail(f"unknown state '{shorten(target)}'", start, start + len(target), hint)

    def fail(self, message: str, start: int, end: int, hint: str) -> None:
        self.mistakes.fail(self.source, message, start, end, hint, ModelError)

    def system(self) -> System:
        """The roles, and what the lines below them say."""
        file = self.file
        made = tuple(self.processes)
        system = System(made, file.name, communication=file.communication, timers=file.timers)
        names = Names(
            self.source,
            system,
            self.mistakes,
            unread=self.unread,
            roles_unread=file.roles_unread,
            messages_unread=bool(self.mistakes.errors),
        )
        if file.observers:
            from .storm_watched import observers

            names.system = system = replace(system, observers=observers(names, file))
        system = with_states(names, file.rest, system, "rest")
        system = with_states(names, file.durable, system, "durable")
        system = with_states(names, (row for row in file.durable if row.atomically), system, "atomic")
        declared = {r.name: r.body.recovery for r in file.roles.values() if isinstance(r.body, RoleBody)}
        if any(declared.values()):
            from .storm_disks import with_recovery

            system = with_recovery(names, system, declared)
        system = with_role_faults(names, file.faults, system)
        if file.faults:
            faults, cuts = resolve(names, file.faults), resolve_cuts(names, file.faults)
            system = replace(system, faults=faults, cuts=cuts)
        names.system = system
        return replace(system, requirements=requirements(names, file.requirements))


def with_states(names: Names, declared: Iterable[Rest], system: System, field: str) -> System:
    """The system with the `rest` or `durable` states that are declared; several lines about a role add up."""
    chosen: dict[str, list[str]] = {}
    for item in declared:
        watching = _of_observer(names, item, field)
        if watching is not None:
            chosen.setdefault(item.role, []).extend(watching)
        elif names.role(item.role, item.start):
            found = [state for state, start in item.states if names.state(item.role, state, start)]
            chosen.setdefault(item.role, []).extend(found)
    changed: dict[str, Any] = {name: {field: tuple(states)} for name, states in chosen.items()}
    processes = (replace(p, **changed[p.name]) if p.name in chosen else p for p in system)
    if not chosen:
        return system
    watched = (replace(o, rest=tuple(chosen[o.name])) if o.name in chosen else o for o in system.observers)
    return replace(system, processes=tuple(processes), observers=tuple(watched))


def _of_observer(names: Names, item: Rest, field: str) -> list[str] | None:
    """The states of an observer that a line names; None where it is a role."""
    if not names.system.observers:
        return None
    from .storm_watched import resting

    return resting(names, item.role, item.states, field)


def _turned(rows: Iterable[Transition], peer: str, roles: Container[object]) -> str | None:
    """The hint for `message!Peer`."""
    for row in rows:
        if not isinstance(row.action, Internal) and row.action.peer == peer and row.action.message in roles:
            sign = "!" if isinstance(row.action, Send) else "?"
            return f"the role comes first: {shorten(str(row.action.message))}{sign}{shorten(peer)}"
    return None


def _relocated(source: Source, problem: ModelError, start: int) -> ModelError:
    """An error of the model with the place that it lacks."""
    if problem.place is not None:
        return problem
    return type(problem)(problem.message, place=source.place(start), hint=problem.hint)
