"""From a parsed .storm text with data to the system that it describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import Any

from ...errors import ModelError, Place, raise_all
from ...kernel.data.evaluate import NameScope, of_type
from ...kernel.data.syntax import Apply, DataMistake, Expression, Name, Quantified
from ...kernel.data.system import DataNames, DataSource, DataSystem, LocalState
from ...kernel.goals.data_goals import DataGoalParser
from ...kernel.model.observer import Observer
from ...kernel.model.process import Process
from ...kernel.model.requirement import Requirement
from ...kernel.model.rest import default_rest_states
from ...kernel.model.system import System
from ...programs.automata.followed import followed
from ...programs.automata.making import MakingOfPrograms
from ...programs.automata.names import StableNames
from ...programs.automata.program import AnyProgram
from ...programs.data.alternatives import CompiledRole, DataAlternative
from ...programs.data.build import (
    BuiltRole,
    DataAutomaton,
    built_role,
    data_programs,
    state_name,
)
from ...programs.data.compile import compile_roles
from ...programs.data.program import DataPoint, DataProgram
from ...programs.data.scope import FileScope
from ...programs.data.syntax import RECEIVE, SEND, DataRole
from ...programs.data.watching import BuiltObserver, build_observer, compile_observer, events_of
from .storm_cuts import resolve_cuts
from .storm_disks import not_held
from .storm_faults import resolve, with_role_faults
from .storm_names import Names
from .storm_recovery import Mistakes
from .storm_requirements import requirements
from .storm_syntax import File, Rest, RoleSyntax
from .storm_watched import distinct, resting
from .text import Source


class DataSystemMaker:
    """A system in the making. Where roles have mistakes, their names are looked up in the other lines."""

    def __init__(self, source: Source, file: File, given: Mapping[str, str], mistakes: Mistakes) -> None:
        self.source, self.file, self.given, self.mistakes = source, file, given, mistakes
        self.syntax = {name: role for name, role in file.roles.items() if isinstance(role.body, DataRole)}
        bodies = {name: role.body for name, role in self.syntax.items() if isinstance(role.body, DataRole)}
        watching = distinct(Names(source, System([Process("?", "?")]), mistakes), file)
        self.scope = FileScope(file.constants, bodies, given, watching)
        self.roles, channels = compile_roles(self.scope)
        states = {name: body.states for name, body in bodies.items()}
        self.watchers = {body.name: compile_observer(self.scope, channels, body, states) for body in watching}
        self.observers: list[BuiltObserver] = []
        self.places: dict[int, Place] = {}
        for problem in () if file.roles_unread else self.scope.mistakes:
            if not self.in_broken_role(problem.start):
                self.note(problem)

    def in_broken_role(self, at: int) -> bool:
        """Is this in a role that could not be read whole, so that not all of its names are known?"""
        heads = [(role.start, role.broken) for role in self.file.roles.values()]
        heads += [(observer.body.start, observer.broken) for observer in self.file.observers]
        before = [head for head in heads if head[0] <= at]
        return bool(before) and max(before)[1]

    def note(self, problem: DataMistake) -> None:
        self.mistakes.fail(self.source, problem.message, problem.start, problem.end, problem.hint, ModelError)

    def system(self, most: int | None = None) -> DataSystem | None:
        """The system, with all automata or, if these have more states than `most`, the first of them; where
        there are mistakes one without steps, in which names are looked up."""
        if not self.roles:
            return None
        if self.mistakes.errors:
            return self.system_of([])
        self.making = DataMaking(self)
        most = None if self.watchers else most  # observers are made of all events (definitions 18.6)
        system = self.system_of(self.built(lambda: self.making.built(self.making.begin(most))))
        self.making.titles = tuple(r.title for r in system.requirements)
        return system

    def system_again(self, make: Callable[[], list[BuiltRole]]) -> DataSystem:
        """The system when more of its automata, or all, are made."""
        self.mistakes = Mistakes([])
        system = self.system_of(self.built(make))
        raise_all(self.mistakes.errors)
        return system

    def system_of(self, built: list[BuiltRole]) -> DataSystem:
        data = self.names(built)
        processes = [b.process for b in built] or [*self.skeletons()]
        source = DataSource(self.source.text, dict(self.given))
        file = self.file
        making = self.making if any(b.process.unmade for b in built) else None
        system = DataSystem(
            processes,
            file.name,
            communication=file.communication,
            timers=file.timers,
            observers=self.watching(),
            data=data,
            source=source,
            making=making,
        )
        required = [r for b in built for r in b.required]
        required += [r for watching in self.observers for r in watching.required]
        return self.with_lines(system, built, required)

    def place_of(self, start: int) -> Place:
        if start not in self.places:
            self.places[start] = self.source.place(start)
        return self.places[start]

    @property
    def services(self) -> frozenset[str]:
        return frozenset(name for name, role in self.syntax.items() if role.service)

    def data_programs(self) -> list[DataProgram]:
        return data_programs(self.roles, self.scope.families, self.kept(), self.place_of)

    def built(self, make: Callable[[], list[BuiltRole]]) -> list[BuiltRole]:
        try:
            made = make()
        except ModelError as problem:
            self.mistakes.add(problem)
            return []
        found = [replace_process(b, self.syntax[b.role.name]) for b in made]
        try:
            self.observe(found, self.place_of)
        except ModelError as problem:
            self.mistakes.add(problem)
        return found

    def observe(self, made: list[BuiltRole], place_of: Callable[[int], Any]) -> None:
        """Make the automata of observers, among the events of these roles."""
        if not self.watchers:
            return
        events, kept = events_of(made), self.kept()
        self.observers = [
            build_observer(watcher, self.scope.families, kept.get(name, frozenset()), place_of, events)
            for name, watcher in self.watchers.items()
        ]

    def watching(self) -> list[Observer]:
        """The observers; where there are mistakes, in which names are looked up."""
        if self.observers:
            return [built.observer for built in self.observers]
        states = {name: [*watcher.states] or ["?"] for name, watcher in self.watchers.items()}
        return [Observer(name, found[0], states=found) for name, found in states.items()]

    def skeletons(self) -> Iterable[Process]:
        for role in self.roles.values():
            states = [*role.states] or ["?"]
            for name in self.members(role):
                yield Process(name, states[0], (), states)

    def members(self, role: CompiledRole) -> list[str]:
        if role.name not in self.scope.families:
            return [role.name]
        return [f"{role.name}[{n}]" for n in range(1, self.scope.families[role.name] + 1)]

    def names(self, built: Iterable[BuiltRole]) -> DataNames:
        roles = (*self.roles.values(), *self.watchers.values())
        local = {b.process.name: b.local for b in built}
        return DataNames(
            self.scope.constants,
            self.scope.words,
            dict(self.scope.families),
            {role.name: {name: v.domain for name, v in role.variables.items()} for role in roles},
            {role.name: tuple(role.states) for role in roles},
            local | {b.observer.name: b.local for b in self.observers},
            {b.process.name: b.steps for b in built},
            frozenset(str(a.written.message) for a in self.alternatives() if a.kind in (SEND, RECEIVE)),
        )

    def alternatives(self) -> Iterable[DataAlternative]:
        return (a for role in self.roles.values() for found in role.states.values() for a in found)

    def kept(self) -> dict[str, frozenset[str]]:
        """The variables that requirements and `rest` lines read."""
        found: dict[str, set[str]] = {}
        for required in self.file.requirements:
            for _, parser in required.goals:
                for role, variable in parser.reads() if isinstance(parser, DataGoalParser) else ():
                    found.setdefault(role, set()).add(variable)
        for line in (*self.file.rest, *self.file.durable):
            family = line.role.partition("[")[0]
            for name, value in line.values:
                found.setdefault(family, set()).update((name.name, *names_in(value)))
        return {role: frozenset(names) for role, names in found.items()}

    # ---- the lines below the roles ----

    def with_lines(
        self, system: DataSystem, built: list[BuiltRole], required: list[Requirement]
    ) -> DataSystem:
        file = self.file
        known = bool(built)
        names = Names(
            self.source,
            system,
            self.mistakes,
            unread=() if known else {n for r in self.roles.values() for n in self.members(r)},
            roles_unread=file.roles_unread or any(role.broken for role in file.roles.values()),
            messages_unread=not known,
        )
        made: Any = self.with_states(names, file.rest, system, "rest")
        made = self.with_states(names, file.durable, made, "durable")
        made = self.with_states(names, (row for row in file.durable if row.atomically), made, "atomic")
        made = self.with_recovery(names, made, built)
        made = with_role_faults(names, file.faults, made)
        if file.faults:
            made = replace(made, faults=resolve(names, file.faults), cuts=resolve_cuts(names, file.faults))
        names.system = made
        # Goals may name what logs do not lead to.
        stated = requirements(names, file.requirements) if followed() is None else ()
        found: DataSystem = made
        if self.mistakes.errors:
            return found
        return replace(found, requirements=(*stated, *required))

    def with_states(
        self, names: Names, declared: Iterable[Rest], system: DataSystem, field: str
    ) -> DataSystem:
        """The system with the `rest` or `durable` states that are declared, for any values or for some."""
        chosen: dict[str, list[str]] = {}
        for line in declared:
            watches = line.role in self.watchers
            if watches and field == "durable":
                resting(names, line.role, line.states, field)
                continue
            for role in [line.role] if watches else names.roles(line.role, line.start):
                family = role.partition("[")[0]
                known = [s for s, start in line.states if self.known_state(names, family, s, start)]
                condition = self.condition(line, family)
                local = system.data.local.get(role, {})
                found = [
                    state
                    for state, what in local.items()
                    if what.name in known and not what.between and not what.failed and condition(what)
                ]
                chosen.setdefault(role, []).extend(found)
        if self.mistakes.errors or not chosen:
            return system
        changed: dict[str, Any] = {name: {field: tuple(found)} for name, found in chosen.items()}
        listed = frozenset(chosen) if field == "rest" else system.data.rest
        return replace(
            system,
            data=replace(system.data, rest=listed),
            processes=tuple(replace(p, **changed[p.name]) if p.name in chosen else p for p in system),
            observers=tuple(
                replace(o, **changed[o.name]) if o.name in chosen else o for o in system.observers
            ),
        )

    def with_recovery(self, names: Names, system: DataSystem, built: list[BuiltRole]) -> DataSystem:
        """The system whose roles begin again where they say; a durable state is one with any values."""
        changed: dict[str, Process] = {}
        for b in built if not self.mistakes.errors else ():
            process = system[b.process.name]
            body = self.syntax[b.role.name].body
            assert isinstance(body, DataRole)
            if process.disks and process.durable:
                said = f"{b.role.name} has durable states and durable variables"
                hint = "save a variable where the durable state is entered, and leave the state out"
                names.fail(said, body.start, body.start + len(b.role.name), hint)
                continue
            written = {row.disk.name: row.disk for row in body.recovery if row.disk is not None}
            rows: dict[str, str] = {"": b.recovery[""]} if "" in b.recovery else {}
            for disk, name in written.items():
                held = [s for s in process.recordable if b.local[s].name == disk]
                rows |= dict.fromkeys(held, b.recovery[disk])
                if not held:
                    not_held(names, b.role.name, name)
            if rows:
                changed[process.name] = replace(process, recovery=tuple(rows.items()))
        return replace(system, processes=tuple(changed.get(p.name, p) for p in system))

    def known_state(self, names: Names, role: str, state: str, start: int) -> bool:
        body = self.roles.get(role) or self.watchers.get(role)
        states = {} if body is None else body.states
        if state in states:
            return True
        if not names.roles_unread:
            hint = f"States of {role}: {', '.join(states)}"
            names.fail(f"{role} has no state '{state}'", start, start + len(state), hint)
        return False

    def condition(self, line: Rest, role: str) -> Callable[[LocalState], bool]:
        """Has a local state the values that a line asks for?"""
        variables = (self.roles.get(role) or self.watchers[role]).variables
        domains = {name: variable.domain for name, variable in variables.items()}
        scope = self.scope.names().with_names(domains)
        wanted = []
        for name, value in line.values:
            try:
                wanted.append((name.name, self.compared(name, value, scope, domains)))
            except DataMistake as problem:
                self.note(problem)
        return lambda local: all(local.values[name] == run(local.values) for name, run in wanted)

    def compared(self, name: Name, value: Expression, scope: NameScope, domains: Mapping[str, Any]) -> Any:
        if name.name not in domains:
            problem = f"there is no variable '{name.name}'"
            raise DataMistake(
                problem, name.start, name.end, f"variables here: {', '.join(domains) or 'none'}"
            )
        return of_type(value, scope, domains[name.name], f"'{name.name}'").run


class DataMaking(MakingOfPrograms[DataPoint]):
    """The automata of the roles of a file."""

    def __init__(self, maker: DataSystemMaker) -> None:
        self.maker = maker
        super().__init__(maker.data_programs())

    def names_of(self, program: AnyProgram[DataPoint]) -> StableNames[DataPoint]:
        return StableNames(state_name)

    def built(self, automata: Mapping[str, DataAutomaton]) -> list[BuiltRole]:
        services = self.maker.services
        return [built_role(a, services, self.names[name].names(a.points)) for name, a in automata.items()]

    def system_of(self, automata: Mapping[str, DataAutomaton]) -> DataSystem:
        return self.maker.system_again(lambda: self.built(automata))

    def whole_system(self) -> DataSystem:
        made = DataMaking(self.maker)
        return self.maker.system_again(lambda: made.built(made.begin(None)))


def replace_process(built: BuiltRole, role: RoleSyntax) -> BuiltRole:
    """The role's own words; rest states that are the default ones are not listed."""
    process = replace(built.process, reliable=role.reliable, service=role.service)
    if not process.unmade and set(process.rest or ()) == default_rest_states(process):
        process = replace(process, rest=None)
    return replace(built, process=process)


def names_in(node: Expression) -> Iterable[str]:
    if isinstance(node, Name):
        yield node.name
    elif isinstance(node, Apply):
        for part in node.parts:
            yield from names_in(part)
    elif isinstance(node, Quantified):
        yield from names_in(node.body)
