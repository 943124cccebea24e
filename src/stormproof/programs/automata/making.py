"""The automata of programs: made at once where they are small, and else as far as somebody asks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Hashable, Iterator, Mapping, Sequence
from typing import Any, Generic

from ...kernel.model.part import Configured, Marks, carried
from ...kernel.model.system import System
from .along import explore_along
from .explore import JointExploration
from .followed import followed
from .names import StableNames
from .program import AnyProgram, Automaton, P
from .walk import WalkStart

#: So many runs of so many steps look for the name of a state.
_WALKS, _LONG = 4, 2_000


class MakingOfPrograms(ABC, Generic[P]):
    """Programs, and how much of their automata is made. It does not go to other processes: there a system has
    what is made of it."""

    def __init__(self, programs: Sequence[AnyProgram[P]]) -> None:
        self.programs = programs
        self.exploration: JointExploration[P] = JointExploration(programs)
        #: All points for which a few steps suffice, in any order of messages, where these are not all.
        self.nearest: JointExploration[P] | None = None
        self.names: dict[str, StableNames[P]] = {p.name: self.names_of(p) for p in programs}
        #: The titles of what the system required when it was made last.
        self.titles: tuple[str, ...] = ()
        self.heard = True

    @abstractmethod
    def names_of(self, program: AnyProgram[P]) -> StableNames[P]: ...

    @abstractmethod
    def system_of(self, automata: Mapping[str, Automaton[P]]) -> System:
        """The system of these automata."""

    @abstractmethod
    def whole_system(self) -> System:
        """The system with all automata."""

    def may_be_part(self, automata: Mapping[str, Automaton[P]]) -> bool:
        """Can everything that is read off whole automata be read off the source?"""
        return True

    def begin(self, most: int | None) -> dict[str, Automaton[P]]:
        """All automata or, if these take more than so many steps, their first points. Where a restart begins
        with what a disk holds, or in a state of its own, they are whole (definitions 18.6)."""
        logs = followed()
        if logs is not None:
            return explore_along(self.programs, logs)
        if any(p.disk is not None or p.recovery for p in self.programs):
            return self.exploration.run()
        made = self.exploration.run(most)
        if self.exploration.complete:
            return made
        if not self.may_be_part(made):
            self.exploration = JointExploration(self.programs)
            return self.exploration.run()
        self.nearest, self.exploration = self.exploration, JointExploration(self.programs)
        self.exploration.first()
        return self.automata()

    def automata(self) -> dict[str, Automaton[P]]:
        """Of what is made."""
        if self.nearest is not None:
            known = {name: inbox.messages for name, inbox in self.nearest.inboxes.items()}
            self.heard = self.exploration.hear(known)
        return self.exploration.automata()

    def key_of(self, name: str) -> Mapping[str, Hashable]:
        """The key of each point, by its state."""
        return {state: key for key, state in self.names[name].known.items()}

    # ---- for whoever checks ----

    def more(
        self, system: System, marks: Marks, ends: Sequence[Configured], steps: int, bound: int
    ) -> System:
        keys = {name: self.key_of(name) for name in self.names}
        wanted = {name: [keys[name][state] for state in states] for name, states in marks.items()}
        starts = [
            WalkStart({n: keys[n][s] for n, s in end.states.items() if s in keys[n]}, end.words)
            for end in ends
        ]
        self.exploration.make(wanted, starts, steps, bound)
        return self._carried(system, self.system_of(self.automata()))

    def whole(self, system: System) -> System:
        return self._carried(system, self.whole_system())

    def known(self, system: System) -> Iterator[System]:
        """What takes few steps in any order of messages, and then what long runs without faults come to."""
        assert self.nearest is not None
        yield carried(system, self.system_of(self.nearest.automata()), self.titles)
        self.exploration.make({}, [self.exploration.start()] * _WALKS, _WALKS * _LONG, 1)
        yield carried(system, self.system_of(self.automata()), self.titles)

    def _carried(self, old: System, made: System) -> System:
        found = carried(old, made, self.titles)
        self.titles = tuple(r.title for r in made.requirements)
        return found

    def verify(self) -> None:
        """Nothing to compare."""

    def waits_unheard(self) -> bool:
        return not self.heard

    def __reduce__(self) -> tuple[Any, ...]:
        return left_here, ()


def left_here() -> None:
    """What another process gets instead."""
