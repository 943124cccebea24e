"""What can be seen of a system from outside: its steps, and what goals say of its configurations
(definitions 13.3).

Of an internal action only that its role did something is seen, or which fault it is; of a local state only
what the goals of the file ask of it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator
from functools import cached_property
from typing import NamedTuple

from ...kernel.model.actions import Action, Configuration, Internal, channel_of
from ...kernel.model.goal import AT_REST, And, At, Goal, Named, Not, Or
from ...kernel.model.storm_step import StormStep
from ...kernel.semantics.faulty_steps import effect, stormy_steps
from ...kernel.semantics.goal_meaning import satisfies
from .questions import Group

#: What two steps have in common that nobody tells apart.
Label = Hashable
#: BudgetUse faults of the kinds that a budget limits, and of all kinds; empty where there is no budget.
BudgetUse = tuple[int, ...]


class Visit(NamedTuple):
    """A configuration of a run, with what the run has spent of the budget."""

    at: Configuration
    spent: BudgetUse


class SeenStep(NamedTuple):
    """A step as it is seen, and where it leads."""

    label: Label
    after: Visit


def label_of_action(action: Action, fault: str = "") -> Label:
    if isinstance(action, Internal):
        return ("internal", fault)
    return (type(action).__name__, action.peer, action.message)


class Behaviour:
    """The steps of one system under one failure model, and what is seen of it."""

    def __init__(self, group: Group) -> None:
        self.group, self.model = group, group.model
        self.system = group.model.system

    @property
    def start(self) -> Visit:
        empty = tuple(() for _ in self.system.channels)
        kinds = self.model.budget.kinds
        none = (0,) * (len(kinds) + 1) if self.model.budget.limited else ()
        return Visit(Configuration(tuple(p.initial for p in self.system), empty), none)

    @cached_property
    def atoms(self) -> tuple[At, ...]:
        """What the goals of the file ask of local states, in their order."""
        searched = self.group.request.searched
        goals = (goal for r in self.group.required.values() for goal in r.claim.goals)
        return tuple(atom for goal in goals for atom in _atoms(searched.goal(goal)) if isinstance(atom, At))

    @property
    def names_more_than_rest(self) -> bool:
        """Does a goal name something that depends on the transitions of more than the role itself?"""
        goals = (goal for r in self.group.required.values() for goal in r.claim.goals)
        named = (atom for goal in goals for atom in _atoms(goal) if isinstance(atom, Named))
        return any(atom.name not in (AT_REST.name, "deadlock") for atom in named)

    def seen(self, place: Visit) -> Hashable:
        """What goals see in a configuration: each atom, each goal as a whole, and whether it is at rest."""
        at, model = place.at, self.model
        asks = self.group.asks.values()
        return (
            satisfies(model, at, AT_REST),
            *(model.state(at, atom.process) in atom.states for atom in self.atoms),
            *(satisfies(model, at, goal) for ask in asks for goal in ask.goals),
        )

    def moves(self, place: Visit, bound: int) -> Iterator[SeenStep | None]:
        """What is possible with at most `bound` messages in a channel; None for a step that would need
        more."""
        for step in stormy_steps(self.model, place.at):
            spent = self._spent(place.spent, step)
            if spent is None:
                continue
            after = effect(self.model, place.at, step)
            channel = channel_of(step.process, step.transition.action)
            if channel is not None and len(self.model.word(after, channel)) > bound:
                yield None
                continue
            yield SeenStep(_label(step), Visit(after, spent))

    def _spent(self, spent: BudgetUse, step: StormStep) -> BudgetUse | None:
        """None where the budget does not allow the step."""
        budget = self.model.budget
        if not spent or step.calm:
            return spent
        kinds = tuple(budget.kinds)
        counts = Counter(dict(zip(kinds, spent[1:]))) + step.faults
        total = spent[0] + sum(step.faults.values())
        if not budget.allows(total, counts):
            return None
        return (total, *(counts[kind] for kind in kinds))


def _label(step: StormStep) -> Label:
    detail = {k: v for k, v in vars(step).items() if k not in ("process", "transition", "process_fault")}
    faults = tuple(sorted((k, str(v)) for k, v in detail.items() if v is not None and v is not False))
    return (step.process, label_of_action(step.transition.action, step.process_fault or ""), faults)


def _atoms(goal: Goal) -> Iterator[Goal]:
    if isinstance(goal, And | Or):
        for part in goal.parts:
            yield from _atoms(part)
    elif isinstance(goal, Not):
        yield from _atoms(goal.part)
    else:
        yield goal


def together(first: Behaviour, second: Behaviour) -> bool:
    """May the two be compared step by step: are they about the same roles, channels and goals?"""
    mine, theirs = first.group, second.group
    return (
        first.system.names == second.system.names
        and len(first.atoms) == len(second.atoms)
        and mine.asks.keys() == theirs.asks.keys()
        and first.model.budget == second.model.budget
    )
