"""Where a .storm text states what a system has, for warnings that point at it."""

from __future__ import annotations

from dataclasses import replace

from ...errors import Place
from ...kernel.data.system import DataSystem
from ...kernel.model.actions import Transition
from ...kernel.model.system import System
from .storm import build
from .storm_parse import parse
from .storm_syntax import File, RoleBody
from .text import Source


class Places:
    """The places of roles, states and transitions; of a role that is a session type only its own."""

    def __init__(self, source: Source, file: File) -> None:
        self._source = source
        self._roles = file.roles
        self._observers = {observer.body.name: observer.body for observer in file.observers}
        self._requirements = [requirement.start for requirement in file.requirements]
        self._faults = file.faults
        self._transitions: dict[tuple[str, Transition], int] = {}
        for role in file.roles.values():
            if isinstance(role.body, RoleBody):
                pairs = zip(role.body.rows, role.body.starts, strict=True)
                self._transitions |= {(role.name, row): start for row, start in reversed(list(pairs))}

    def written_as_automaton(self, role: str) -> bool:
        """A session type is translated, and its author has not chosen the states."""
        return isinstance(self._roles[role].body, RoleBody)

    def role(self, role: str) -> Place:
        return self._place(self._roles[role].start, len(role))

    def state(self, role: str, state: str) -> Place:
        body = self._roles[role].body
        known = body.targets | body.states if isinstance(body, RoleBody) else {}
        return self._place(known[state], len(state)) if state in known else self.role(role)

    def transition(self, role: str, transition: Transition) -> Place:
        start = self._transitions.get((role, transition))
        return self.role(role) if start is None else self._place(start)

    def observer(self, name: str) -> Place:
        return self._place(self._observers[name].start, len(name))

    def watched(self, observer: str, order: int) -> Place:
        """An alternative of an observer, by its number."""
        rows = [row for state in self._observers[observer].states.values() for row in state.alternatives]
        return self._place(rows[order].start, rows[order].target.end - rows[order].start)

    def requirement(self, index: int) -> Place:
        return self._place(self._requirements[index])

    def faults(self) -> Place:
        """The first line that declares any."""
        first = next((line for line in self._faults if line.channels or line.roles), None)
        start = 0 if first is None else first.channels[0][0][1] if first.channels else first.roles[0][1]
        return self._place(start)

    def rest_line(self, role: str, state: str) -> str:
        """How an author says that the role rests in the state."""
        return f"rest {role}@{state}"

    def is_error(self, role: str, state: str) -> bool:
        """Is this the end of a role that has failed, and is known not to rest?"""
        return False

    def _place(self, start: int, width: int = 1) -> Place:
        return self._source.place(start, start + width)


class NoPlaces:
    """Of a language whose readers keep no places: the file is all there is to say."""

    def __init__(self, file: str) -> None:
        self._file = Place(file)

    def written_as_automaton(self, role: str) -> bool:
        return True

    def role(self, role: str) -> Place:
        return self._file

    def state(self, role: str, state: str) -> Place:
        return self._file

    def transition(self, role: str, transition: Transition) -> Place:
        return self._file

    def observer(self, name: str) -> Place:
        return self.role(name)

    def watched(self, observer: str, order: int) -> Place:
        return self.role(observer)

    def requirement(self, index: int) -> Place:
        return self._file

    def faults(self) -> Place:
        return self._file

    def rest_line(self, role: str, state: str) -> str:
        return f"rest {role}@{state}"

    def is_error(self, role: str, state: str) -> bool:
        return False


class DataPlaces(NoPlaces):
    """Of a .storm text whose roles have variables: a state stands where its named state does."""

    def __init__(self, system: DataSystem, file: str) -> None:
        super().__init__(file)
        self._system, self._name = system, file

    def written_as_automaton(self, role: str) -> bool:
        """Its author has not chosen the states of the automaton one by one."""
        return False

    def role(self, role: str) -> Place:
        return self.state(role, self._system[role].initial)

    def state(self, role: str, state: str) -> Place:
        process = self._system[role]
        return self._here(process.place(state) or process.place(process.initial))

    def transition(self, role: str, transition: Transition) -> Place:
        found = self._system.data.steps.get(role, {}).get(transition)
        return self.state(role, transition.source) if found is None else self._here(found)

    def observer(self, name: str) -> Place:
        return Place(self._name)

    def requirement(self, index: int) -> Place:
        return Place(self._name, self._system.requirements[index].line)

    def rest_line(self, role: str, state: str) -> str:
        local = self._system.data.local.get(role, {}).get(state)
        return f"rest {role}@{local.name if local is not None else state}"

    def is_error(self, role: str, state: str) -> bool:
        local = self._system.data.local.get(role, {}).get(state)
        return local is not None and local.failed

    def _here(self, place: Place | None) -> Place:
        return Place(self._name) if place is None else replace(place, file=self._name)


def places_of(source: Source, file: File, system: System) -> Places | NoPlaces:
    return DataPlaces(system, source.file) if isinstance(system, DataSystem) else Places(source, file)


def read_with_places(text: str, name: str) -> tuple[System, Places | NoPlaces]:
    """The system that a .storm text describes, and where it says what."""
    source = Source(text, name)
    file = parse(source)
    system = build(source, file)
    return system, places_of(source, file, system)
