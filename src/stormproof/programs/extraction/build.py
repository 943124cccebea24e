"""From the points of the roles to a system."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from ...kernel.goals.groups import grown
from ...kernel.model.part import Configured, Marks
from ...kernel.model.process import Process
from ...kernel.model.rest import default_rest_states
from ...kernel.model.system import System
from ..automata import build
from ..automata.making import MakingOfPrograms
from ..automata.names import StableNames
from ..automata.program import AnyProgram
from . import evaluate
from .deadline import deadlines
from .explore import RoleAutomaton, RoleProgram, call_of
from .guard import drive
from .interpret import Raised, Returned, RolePoint, Waiting
from .naming import stable_names
from .seconds import with_numbers
from .system import ExtractedSystem

#: So many steps of all roles together are made before anybody asks for more.
HORIZON = 2_000

RoleNames = Mapping[str, StableNames[RolePoint]]


def build_system(
    automata: Iterable[RoleAutomaton], name: str, names: RoleNames | None = None
) -> ExtractedSystem:
    """The system of these roles. That no exception escapes is a requirement where one may."""
    found = list(automata)
    chosen = {a.name: stable_names(call_of(a)) for a in found} if names is None else names
    named = [chosen[automaton.name].names(automaton.points) for automaton in found]
    processes = [build_process(a, n) for a, n in zip(found, named, strict=True)]
    required = [r for a, n in zip(found, named, strict=True) for r in build.failures(a, n, "exception")]
    calls = {automaton.name: call_of(automaton) for automaton in found}
    return ExtractedSystem(with_numbers(processes), name, requirements=required, calls=calls)


def build_process(automaton: RoleAutomaton, names: Mapping[Hashable, str]) -> Process:
    return build.build_process(automaton, names, lambda process: _rest(automaton, names, process))


def says_rest(automaton: RoleAutomaton) -> bool:
    """Does the role itself say where it rests? Else that is read off the whole automaton."""
    return any(isinstance(p, Waiting) and p.request.rest for p in automaton.points.values())


def _rest(
    automaton: RoleAutomaton, names: Mapping[Hashable, str], process: Process
) -> tuple[str, ...] | None:
    """Where the role says that it rests, and where it has returned; an exception is never rest."""
    points = automaton.points.items()
    said = [names[k] for k, p in points if isinstance(p, Waiting) and p.request.rest]
    if said:
        return (*said, *(names[k] for k, p in points if isinstance(p, Returned)))
    raised = {names[k] for k, p in points if isinstance(p, Raised)}
    if not raised:
        return None
    return tuple(default_rest_states(process) - raised)


class RoleMaking(MakingOfPrograms[RolePoint]):
    """The automata of roles in Python."""

    def __init__(self, programs: Sequence[RoleProgram], name: str) -> None:
        self.name = name
        self.calls = {p.name: p.call for p in programs}
        self.interpreter = programs[0].interpreter
        super().__init__(programs)

    def names_of(self, program: AnyProgram[RolePoint]) -> StableNames[RolePoint]:
        return stable_names(self.calls[program.name])

    def may_be_part(self, automata: Mapping[str, RoleAutomaton]) -> bool:
        return all(map(says_rest, automata.values()))

    def system_of(self, automata: Mapping[str, RoleAutomaton]) -> ExtractedSystem:
        made = build_system(automata.values(), self.name, self.names)
        return replace(made, making=self) if any(p.unmade for p in made) else made

    def whole_system(self) -> ExtractedSystem:
        with deadlines(evaluate.EXPRESSION_SECONDS):
            found = RoleMaking(
                [RoleProgram(n, c, self.interpreter) for n, c in self.calls.items()], self.name
            )
            return found.system_of(found.begin(None))

    def more(
        self, system: System, marks: Marks, ends: Sequence[Configured], steps: int, bound: int
    ) -> System:
        with deadlines(evaluate.EXPRESSION_SECONDS):
            return super().more(system, marks, ends, steps, bound)

    def verify(self) -> None:
        """CPython does the same as what was made since then."""
        for i, automaton in enumerate(self.exploration.automata().values()):
            drive(automaton, len(automaton.points) + i)

    def _carried(self, old: System, made: System) -> System:
        """Goals of requirements name what the author calls states, of which there may be more now."""
        found = super()._carried(old, made)
        required = (
            replace(r, claim=r.claim.map_goals(lambda goal: grown(goal, found))) for r in found.requirements
        )
        return replace(found, requirements=tuple(required))
