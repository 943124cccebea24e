"""Where a .storm text states what a system has, for warnings that point at it."""

from __future__ import annotations

from ...errors import Place
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
        self._requirements = file.requirements
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

    def requirement(self, index: int) -> Place:
        return self._place(self._requirements[index].start)

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

    def requirement(self, index: int) -> Place:
        return self._file

    def rest_line(self, role: str, state: str) -> str:
        return f"rest {role}@{state}"

    def is_error(self, role: str, state: str) -> bool:
        return False


def read_with_places(text: str, name: str) -> tuple[System, Places]:
    """The system that a .storm text describes, and where it says what."""
    source = Source(text, name)
    file = parse(source)
    return build(source, file), Places(source, file)
