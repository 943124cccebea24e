"""What every generator draws on: automata that grow transition by transition, up to a limit."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import TypeVar

from ....errors import UsageError
from ....kernel.model.actions import Action, Transition
from ....kernel.model.process import Process
from ....kernel.model.system import System
from ....kernel.semantics.explore import reached

S = TypeVar("S", bound=Hashable)

#: More transitions than this are refused: such a system is beyond any search, and its text beyond any reader.
MOST_TRANSITIONS = 200_000


class RoleSketch:
    """A process under construction; the first state that is named is the initial one."""

    def __init__(self, sketch: Sketch, name: str) -> None:
        self.name = name
        self._sketch = sketch
        self._transitions: list[Transition] = []
        self._states: dict[str, None] = {}

    def state(self, name: str) -> None:
        """Name a state; this fixes the order in which states are listed."""
        self._states[name] = None

    def add(self, source: str, action: Action, target: str) -> None:
        self._sketch.count(1)
        self.state(source)
        self._transitions.append(Transition(source, action, target))

    def grow(
        self, start: S, name: Callable[[S], str], moves: Callable[[S], Iterable[tuple[Action, S]]]
    ) -> None:
        """Everything that `moves` leads to from `start`, breadth first; `name` tells states apart."""

        def following(here: S) -> Iterator[S]:
            self.state(name(here))
            for action, after in moves(here):
                self.add(name(here), action, name(after))
                yield after

        reached([start], following)

    def process(self) -> Process:
        initial = next(iter(self._states))
        return Process(self.name, initial, tuple(self._transitions), states=tuple(self._states))


class Sketch:
    """A system under construction."""

    def __init__(self, name: str, most: int = MOST_TRANSITIONS) -> None:
        self.name = name
        self._most = most
        self._size = 0
        self._roles: list[RoleSketch] = []

    def role(self, name: str) -> RoleSketch:
        self._roles.append(RoleSketch(self, name))
        return self._roles[-1]

    def count(self, transitions: int) -> None:
        self._size += transitions
        if self._size > self._most:
            raise UsageError(
                f"{self.name} would have more than {self._most:,} transitions",
                hint="choose smaller parameters",
            )

    def system(self) -> System:
        return System(tuple(role.process() for role in self._roles), name=self.name)
