"""From the points of the roles to a system."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ...kernel.model.actions import Transition
from ...kernel.model.goal import At
from ...kernel.model.process import Process
from ...kernel.model.requirement import NEVER, Claim, Requirement
from ...kernel.model.rest import default_rest_states
from .explore import Automaton
from .interpret import Raised, Returned, Waiting
from .naming import state_names
from .system import ExtractedSystem
from .values import ValueKey


def build_system(automata: Iterable[Automaton], name: str) -> ExtractedSystem:
    """The system of these roles. That no exception escapes is a requirement where one may."""
    found = list(automata)
    processes = [build_process(automaton) for automaton in found]
    required = [r for a, p in zip(found, processes, strict=True) for r in _no_exception(a, p)]
    calls = {automaton.name: automaton.call for automaton in found}
    return ExtractedSystem(processes, name, requirements=required, calls=calls)


def build_process(automaton: Automaton) -> Process:
    names = state_names(automaton)
    rows = [
        Transition(names[source], answer.action, names[target])
        for source, leaving in automaton.steps.items()
        for answer, target in leaving
    ]
    process = Process(
        automaton.name,
        names[automaton.start.key],
        rows,
        states=names.values(),
        durable=[
            names[k] for k, p in automaton.points.items() if isinstance(p, Waiting) and p.request.durable
        ],
        groups=_groups(automaton, names),
        places=[(names[k], place) for k, p in automaton.points.items() if (place := p.place) is not None],
    )
    return replace(process, rest=_rest(automaton, names, process))


def _groups(automaton: Automaton, names: dict[ValueKey, str]) -> list[tuple[str, tuple[str, ...]]]:
    found: dict[str, list[str]] = {}
    for key, point in automaton.points.items():
        if isinstance(point, Waiting) and point.request.at:
            found.setdefault(point.request.at, []).append(names[key])
    return [(group, tuple(states)) for group, states in found.items()]


def _rest(automaton: Automaton, names: dict[ValueKey, str], process: Process) -> tuple[str, ...] | None:
    """Where the role says that it rests, and where it has returned; an exception is never rest."""
    points = automaton.points.items()
    said = [names[k] for k, p in points if isinstance(p, Waiting) and p.request.rest]
    if said:
        return (*said, *(names[k] for k, p in points if isinstance(p, Returned)))
    raised = {names[k] for k, p in points if isinstance(p, Raised)}
    if not raised:
        return None
    return tuple(default_rest_states(process) - raised)


def _no_exception(automaton: Automaton, process: Process) -> list[Requirement]:
    names = state_names(automaton)
    points = [(k, p) for k, p in automaton.points.items() if isinstance(p, Raised)]
    if not points:
        return []
    goal = At(process.name, tuple(names[k] for k, _ in points))
    title = f"no exception in {process.name}"
    return [Requirement(Claim(NEVER, goal), title, line=points[0][1].place.line)]
