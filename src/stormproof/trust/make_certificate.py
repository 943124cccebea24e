"""The search for certificates that properties hold, which `check_certificate` checks without searching.

It is the specification's own exploration, so it is slow and has a limit; the engine's verdict is not asked.
Runs are shortest ones, found backwards from where a goal is met.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping

from ..model.failures import FailureModel
from ..model.system import System
from ..spec.bounded import explore
from .check_certificate import BoundedCertificate, CertifiedGoal, CertifiedStep, obligations

#: How many configurations a search may see unless told otherwise.
MOST = 20_000

Moves = list[list[CertifiedStep]]


def make_certificate(
    system: System, failures: FailureModel, property: str, k: int, most: int | None = MOST
) -> BoundedCertificate | None:
    """A certificate that the property holds at k; None when it does not. Raises TooLarge past `most`."""
    found = explore(system, failures, k, most).steps
    numbers = {at: i for i, at in enumerate(found)}
    moves = [[CertifiedStep(event, numbers[after]) for event, after in leaving] for leaving in found.values()]
    asked: dict[CertifiedGoal, set[int]] = {}
    for at, i in numbers.items():
        for goal in obligations(system, property, at):
            asked.setdefault(goal, set()).add(i)
    backwards: dict[str | None, list[list[tuple[int, CertifiedStep]]]] = {}
    runs = {}
    for goal, wanted in asked.items():
        still = goal.process if goal.still else None
        if still not in backwards:
            backwards[still] = _reversed(moves, still)
        runs[goal] = _plan(moves, backwards[still], goal)
        if not wanted <= set(runs[goal]):
            return None
        runs[goal] = _needed(runs[goal], goal, wanted)
    return BoundedCertificate(property, k, tuple(found), runs)


def _reversed(moves: Moves, still: str | None) -> list[list[tuple[int, CertifiedStep]]]:
    """The steps into each configuration, those of `still` left out."""
    into: list[list[tuple[int, CertifiedStep]]] = [[] for _ in moves]
    for source, leaving in enumerate(moves):
        for move in leaving:
            if move.event is None or move.event.process != still:
                into[move.after].append((source, move))
    return into


def _plan(
    moves: Moves, into: list[list[tuple[int, CertifiedStep]]], goal: CertifiedGoal
) -> dict[int, CertifiedStep]:
    """The step to take, in every configuration from which the goal can be met."""
    plan = {}
    for source, leaving in enumerate(moves):
        met = next((move for move in leaving if goal.met_by(move.event)), None)
        if met is not None:
            plan[source] = met
    queue = deque(plan)
    while queue:
        for source, move in into[queue.popleft()]:
            if source not in plan:
                plan[source] = move
                queue.append(source)
    return plan


def _needed(
    plan: Mapping[int, CertifiedStep], goal: CertifiedGoal, wanted: Iterable[int]
) -> dict[int, CertifiedStep]:
    """What the runs from the wanted configurations pass through, and no more."""
    kept: dict[int, CertifiedStep] = {}
    for here in sorted(wanted):
        while here not in kept:
            kept[here] = plan[here]
            if not goal.met_by(plan[here].event):
                here = plan[here].after
    return kept
