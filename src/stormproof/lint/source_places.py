"""Where the states of roles that are Python functions are written."""

from __future__ import annotations

from ..errors import Place
from ..extraction.naming import is_raised
from ..formats.storm_places import NoPlaces
from ..model.actions import Transition
from ..model.system import System


class SourcePlaces(NoPlaces):
    """The places that the processes of an extracted system know."""

    def __init__(self, system: System, file: str) -> None:
        super().__init__(file)
        self._system = system

    def role(self, role: str) -> Place:
        return self.state(role, self._system[role].initial)

    def state(self, role: str, state: str) -> Place:
        return self._system[role].place(state) or super().state(role, state)

    def transition(self, role: str, transition: Transition) -> Place:
        return self.state(role, transition.source)

    def rest_line(self, role: str, state: str) -> str:
        return "give its receive rest=True"

    def is_error(self, role: str, state: str) -> bool:
        return is_raised(state)
