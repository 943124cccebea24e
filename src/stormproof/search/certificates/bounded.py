"""The search for certificates that properties hold, which `check_certificate` checks without searching.

It explores with the steps of the kernel, so it is slow and has a limit; the engine's verdict is not asked.
Runs are shortest ones, found backwards from where a goal is met.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial

from ...kernel.model.actions import Configuration
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore, reached
from ...kernel.semantics.silent_steps import Successor, initial, steps
from ...trust.check_certificate import BoundedCertificate, CertifiedGoal, CertifiedStep, meets, obligations

#: How many configurations a search may see unless another limit is given.
MOST = 20_000

Moves = list[list[CertifiedStep]]


def make_certificate(
    system: System, failures: FailureModel, property: str, k: int, most: int | None = MOST
) -> BoundedCertificate | None:
    """A certificate that the property holds at k; None when it does not. Raises TooLarge past `most`."""
    leaving: dict[Configuration, list[Successor]] = {}

    def following(at: Configuration) -> Iterable[Configuration]:
        leaving[at] = list(steps(system, failures, at, k))
        return (step.after for step in leaving[at])

    found = tuple(reached([initial(system)], following, most))
    numbers = {at: i for i, at in enumerate(found)}
    moves = [[CertifiedStep(event, numbers[after]) for event, after in leaving[at]] for at in found]
    asked: dict[CertifiedGoal, set[int]] = {}
    for at, i in numbers.items():
        for goal in obligations(system, property, at):
            asked.setdefault(goal, set()).add(i)
    backwards: dict[CertifiedGoal | None, list[list[tuple[int, CertifiedStep]]]] = {}
    runs = {}
    for goal, wanted in asked.items():
        met = partial(meets, system, found, goal)
        barring = goal._replace(peer=None, message=None) if goal.still or goal.kind is None else None
        if barring not in backwards:
            backwards[barring] = _reversed(moves, barring)
        runs[goal] = _plan(moves, backwards[barring], met)
        if not wanted <= set(runs[goal]):
            return None
        runs[goal] = _needed(runs[goal], met, wanted)
    return BoundedCertificate(property, k, found, runs)


def _reversed(moves: Moves, barring: CertifiedGoal | None) -> list[list[tuple[int, CertifiedStep]]]:
    """The steps into each configuration, without those that the goal bars."""
    into: list[list[tuple[int, CertifiedStep]]] = [[] for _ in moves]
    for source, leaving in enumerate(moves):
        for move in leaving:
            if barring is None or not barring.bars(move.event):
                into[move.after].append((source, move))
    return into


def _plan(
    moves: Moves, into: list[list[tuple[int, CertifiedStep]]], met: Callable[[CertifiedStep], bool]
) -> dict[int, CertifiedStep]:
    """The step to take, in every configuration from which the goal can be met."""
    plan = {}
    for source, leaving in enumerate(moves):
        last = next((move for move in leaving if met(move)), None)
        if last is not None:
            plan[source] = last
    came = explore(plan, lambda here: ((move, source) for source, move in into[here])).came
    return plan | {source: before[1] for source, before in came.items() if before is not None}


def _needed(
    plan: Mapping[int, CertifiedStep], met: Callable[[CertifiedStep], bool], wanted: Iterable[int]
) -> dict[int, CertifiedStep]:
    """What the runs from the wanted configurations pass through, and no more."""
    kept: dict[int, CertifiedStep] = {}
    for here in sorted(wanted):
        while here not in kept:
            kept[here] = plan[here]
            if not met(plan[here]):
                here = plan[here].after
    return kept
