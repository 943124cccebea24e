"""Systems whose automata are made in part, as far as somebody asks (definitions chapter 18)."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from ...errors import ModelError
from ...records import dataclass
from .actions import Message
from .process import Process
from .requirement import Requirement
from .system import System

#: The marks of roles, by their states.
Marks = Mapping[str, Iterable[str]]


@dataclass(frozen=True)
class Configured:
    """A configuration: states by role, and what channels hold, by sender and receiver."""

    states: Mapping[str, str]
    words: Mapping[tuple[str, str], tuple[Message, ...]]


class Making(Protocol):
    """What makes the automata of a system: more of them, or all of them."""

    def more(
        self, system: System, marks: Marks, ends: Sequence[Configured], steps: int, bound: int
    ) -> System:
        """The system in which these marks are made, and what runs without faults come to in so many steps
        from these configurations on. A ModelError where a mark is beyond a limit."""

    def whole(self, system: System) -> System:
        """The system without marks. A ModelError where that is beyond a limit."""

    def known(self, system: System) -> Iterator[System]:
        """The system with more of its automata, found in several ways, for whoever looks for a name."""

    def verify(self) -> None:
        """Whoever makes programs of other sources compares what was made with them once more."""

    def waits_unheard(self) -> bool:
        """Does some state that is made listen, and nobody is known who sends to it?"""


def in_part(system: System) -> bool:
    """Has it marks?"""
    return any(process.unmade for process in system)


def making_of(system: System) -> Making:
    making: Making | None = getattr(system, "making", None)
    if making is None:
        names = " and ".join(p.name for p in system if p.unmade)
        problem = f"the automata of {names} are made in part, and what they are made of is not at hand"
        raise ModelError(problem, hint="load the file again, or extract the roles again")
    return making


def whole(system: System) -> System:
    """The system with all of its automata. A ModelError where they are too large."""
    return making_of(system).whole(system) if in_part(system) else system


def carried(old: System, made: System, known: Iterable[str]) -> System:
    """The old system with automata that were made anew: who may fail, and what is asked, stay as they are.
    Requirements of the new one that are not `known` by their titles belong to all requirements together."""
    processes = tuple(_process(p, made[p.name]) for p in old)
    fresh = {r.title: r for r in made.requirements}
    required = [_requirement(r, fresh.get(r.title)) for r in old.requirements]
    titles, before = {r.title for r in required}, set(known)
    if before <= titles:
        required += [r for title, r in fresh.items() if title not in before | titles]
    return replace(old, processes=processes, requirements=tuple(required))


def _process(old: Process, made: Process) -> Process:
    return replace(
        old,
        transitions=made.transitions,
        states=made.states,
        rest=made.rest,
        durable=made.durable,
        atomic=made.atomic,
        recovery=made.recovery,
        saves=made.saves,
        disks=made.disks,
        unmade=made.unmade,
        groups=made.groups,
        places=made.places,
    )


def _requirement(old: Requirement, made: Requirement | None) -> Requirement:
    return old if made is None else replace(old, claim=made.claim)
