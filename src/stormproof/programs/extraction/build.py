"""From the points of the roles to a system."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping

from ...kernel.model.process import Process
from ...kernel.model.rest import default_rest_states
from ..automata import build
from .explore import RoleAutomaton, call_of
from .interpret import Raised, Returned, Waiting
from .naming import state_names
from .seconds import with_numbers
from .system import ExtractedSystem


def build_system(automata: Iterable[RoleAutomaton], name: str) -> ExtractedSystem:
    """The system of these roles. That no exception escapes is a requirement where one may."""
    found = list(automata)
    names = [state_names(automaton) for automaton in found]
    processes = [build_process(automaton, named) for automaton, named in zip(found, names, strict=True)]
    required = [
        r for a, named in zip(found, names, strict=True) for r in build.failures(a, named, "exception")
    ]
    calls = {automaton.name: call_of(automaton) for automaton in found}
    return ExtractedSystem(with_numbers(processes), name, requirements=required, calls=calls)


def build_process(automaton: RoleAutomaton, names: Mapping[Hashable, str]) -> Process:
    return build.build_process(automaton, names, lambda process: _rest(automaton, names, process))


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
