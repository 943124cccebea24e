"""From the points of a program to a process."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace

from ...kernel.model.actions import Transition
from ...kernel.model.goal import At
from ...kernel.model.process import DiskContent, Process
from ...kernel.model.requirement import NEVER, Claim, Requirement
from .disks import spelt
from .program import Automaton, P

StateNames = Mapping[Hashable, str]


def build_process(
    automaton: Automaton[P],
    names: StateNames,
    rest: Callable[[Process], Iterable[str] | None],
) -> Process:
    """The automaton with these names; `rest` says where the process rests, None for the default states."""
    rows = [
        Transition(names[source], response.action, names[target])
        for source, leaving in automaton.steps.items()
        for response, target in leaving
    ]
    points = automaton.points.items()
    disk = automaton.program.disk
    process = Process(
        automaton.name,
        names[automaton.start.key],
        rows,
        states=[names[key] for key in automaton.points],
        durable=[names[key] for key, point in points if point.durable],
        saves=list(_saves(automaton, names)),
        disks=[(spelt(held), names[point.key]) for held, point in disk] if disk is not None else (),
        unmade=[names[key] for key in automaton.points if key in automaton.unmade],
        groups=_groups(automaton, names),
        places=[(names[key], place) for key, point in points if (place := point.place) is not None],
    )
    chosen = rest(process)
    return process if chosen is None else replace(process, rest=tuple(chosen))


def _saves(automaton: Automaton[P], names: StateNames) -> Iterator[tuple[Transition, DiskContent]]:
    """The steps that write durable variables."""
    program = automaton.program
    for source, leaving in automaton.steps.items() if program.disk is not None else ():
        for response, target in leaving:
            if values := program.saved(automaton.points[source], response):
                yield Transition(names[source], response.action, names[target]), spelt(values)


def _groups(automaton: Automaton[P], names: StateNames) -> list[tuple[str, tuple[str, ...]]]:
    found: dict[str, list[str]] = {}
    for key, point in automaton.points.items():
        if point.group:
            found.setdefault(point.group, []).append(names[key])
    return [(group, tuple(states)) for group, states in found.items()]


def failures(automaton: Automaton[P], names: StateNames, what: str) -> list[Requirement]:
    """The requirement that nothing goes wrong in a program, where something may."""
    found = [(key, point) for key, point in automaton.points.items() if point.failure]
    if not found:
        return []
    goal = At(automaton.name, tuple(names[key] for key, _ in found))
    place = found[0][1].place
    title = f"no {what} in {automaton.name}"
    return [Requirement(Claim(NEVER, goal), title, line=None if place is None else place.line)]
