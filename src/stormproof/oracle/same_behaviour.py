"""Do two systems behave the same? Read literally (definitions 13.3), with at most k messages in a channel."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from ..kernel.model.actions import Configuration, Internal, channel_of
from ..kernel.model.goal import Goal
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import SurvivalModel
from .bounded import TooLarge, initial
from .rest import satisfies
from .steps import faulty_steps

#: A configuration, and the faults of each kind that the run to it has had.
_Node = tuple[Configuration, tuple[tuple[str, int], ...]]


@dataclass(frozen=True)
class SeenSystem:
    """A system with the goals that are seen of its configurations."""

    model: SurvivalModel
    goals: Sequence[Goal]

    def of(self, node: _Node) -> list[bool]:
        return [satisfies(self.model, node[0], goal) for goal in self.goals]


def same_behaviour(first: SeenSystem, second: SeenSystem, k: int, most: int = 200) -> tuple[bool, bool]:
    """Is there a relation between the configurations that contains the initial ones, in which related ones
    are seen alike and have the same steps to related ones? And did no send need more than k messages?"""
    mine, all_mine = _steps(first, k, most)
    theirs, all_theirs = _steps(second, k, most)
    looks, others = {a: first.of(a) for a in mine}, {b: second.of(b) for b in theirs}
    related = {(a, b) for a in mine for b in theirs if looks[a] == others[b]}
    while True:
        kept = {(a, b) for a, b in related if _alike(mine[a], theirs[b], related)}
        if kept == related:
            starts = (initial(first.model.system), ()), (initial(second.model.system), ())
            return starts in related, all_mine and all_theirs
        related = kept


def _alike(
    mine: list[tuple[Hashable, _Node]],
    theirs: list[tuple[Hashable, _Node]],
    related: set[tuple[_Node, _Node]],
) -> bool:
    there = all(any(x == y and (a, b) in related for y, b in theirs) for x, a in mine)
    back = all(any(x == y and (a, b) in related for x, a in mine) for y, b in theirs)
    return there and back


def _steps(of: SeenSystem, k: int, most: int) -> tuple[dict[_Node, list[tuple[Hashable, _Node]]], bool]:
    model, complete = of.model, True
    found: dict[_Node, list[tuple[Hashable, _Node]]] = {}
    waiting: list[_Node] = [(initial(model.system), ())]
    while waiting:
        node = waiting.pop()
        if node in found:
            continue
        found[node] = []
        for step, after in faulty_steps(model, node[0]):
            spent = Counter(dict(node[1])) + step.faults
            if not model.budget.allows(sum(spent.values()), spent):
                continue
            channel = channel_of(step.process, step.transition.action)
            if channel is not None and len(after.words[model.system.channel_index[channel]]) > k:
                complete = False
                continue
            counted = tuple(sorted(spent.items())) if model.budget.limited else ()
            found[node].append((_seen_of(step), (after, counted)))
            waiting.append((after, counted))
        if len(found) > most:
            raise TooLarge
    return found, complete


def _seen_of(step: StormStep) -> Hashable:
    """Of an internal action only its role, and which fault it is."""
    action = step.transition.action
    does = step.process_fault if isinstance(action, Internal) else action
    return (
        *(step.process, does, step.lost, step.becomes, step.overtakes),
        *(step.kept, step.kept_as, step.head),
    )
