"""Which requirements of a text are violated at which moment of a run that is played.

What must never be reached is read off each configuration. Of what must stay possible the run itself says from
where on it no longer is, if it is the run of a verdict: `marks`, as `asking` sends them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...kernel.goals.asks import ask_of
from ...kernel.model.actions import Configuration
from ...kernel.model.goal import Goal
from ...kernel.model.requirement import Requirement
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.goal_meaning import satisfies
from ...search.checks.request import Request


@dataclass(frozen=True)
class Forbidden:
    """What a requirement says must never be reached; `expected`: the file says that it is."""

    name: str
    claim: str
    expected: bool
    goal: Goal


def forbidden(request: Request, model: SurvivalModel, own: Requirement | None) -> tuple[Forbidden, ...]:
    """The requirements that one configuration violates, of those asked under these failures. `own`: the one
    with failures of its own that is played; the request does not know that its violation is expected."""
    found = []
    for requirement in request.requirements:
        ask = ask_of(model, request.searched.requirement(requirement))
        if ask is not None and not ask.always:
            found.append(_forbidden(own or requirement, ask.goal))
    return tuple(found)


def _forbidden(requirement: Requirement, goal: Goal) -> Forbidden:
    return Forbidden(requirement.title, str(requirement.claim), requirement.violated, goal)


def broken_at(
    model: SurvivalModel, rules: Sequence[Forbidden], places: Sequence[Configuration], marks: Any
) -> list[list[dict[str, Any]]]:
    """For each moment what is violated there: its name, its claim, and whether the file expects it."""
    found: list[list[dict[str, Any]]] = [
        [
            {"name": rule.name, "claim": rule.claim, "expected": rule.expected}
            for rule in rules
            if satisfies(model, at, rule.goal)
        ]
        for at in places
    ]
    point = _out_of_reach(marks, len(places))
    if point is not None:
        at, said = point
        for broken in found[at:]:
            broken.append(said)
    return found


def _out_of_reach(marks: Any, moments: int) -> tuple[int, dict[str, Any]] | None:
    """The moment from which on the goal of the verdict cannot be reached, and what the verdict says."""
    if not isinstance(marks, dict) or marks.get("length") != moments - 1:
        return None
    at, name = marks.get("no_return"), marks.get("name")
    if not isinstance(at, int) or isinstance(at, bool) or not 0 <= at < moments or not isinstance(name, str):
        return None
    return at, {
        "name": name,
        "claim": str(marks.get("claim") or ""),
        "expected": marks.get("expected") is True,
    }
