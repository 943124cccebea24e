"""Where the states of roles that are Python functions are written."""

from __future__ import annotations

from ...errors import Place
from ...kernel.model.actions import Transition
from ...kernel.model.goal import At
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces
from ...programs.extraction.load import split_python
from ...programs.extraction.naming import is_raised


class SourcePlaces(NoPlaces):
    """The places that the processes of an extracted system know."""

    def __init__(self, system: System, source: str) -> None:
        python = split_python(source)
        self._name = source if python is None else python[0]
        super().__init__(self._name)
        self._system = system

    def role(self, role: str) -> Place:
        return self.state(role, self._system[role].initial)

    def state(self, role: str, state: str) -> Place:
        place = self._system[role].place(state)
        return super().state(role, state) if place is None else place

    def transition(self, role: str, transition: Transition) -> Place:
        return self.state(role, transition.source)

    def requirement(self, index: int) -> Place:
        """The line of the call, or the one that raises the exception which is required not to escape."""
        required = self._system.requirements[index]
        goal = required.claim.goal
        if isinstance(goal, At) and is_raised(goal.states[0]):
            return self.state(goal.process, goal.states[0])
        return Place(self._name, required.line)

    def rest_line(self, role: str, state: str) -> str:
        return "give its receive rest=True"

    def is_error(self, role: str, state: str) -> bool:
        return is_raised(state)
