"""Certificates of survival and requirements, made of what the engine lists."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from operator import mul
from typing import Generic, TypeVar

from ...kernel.model.actions import Channel, Configuration, Word
from ...kernel.model.ask import Ask
from ...kernel.model.goal import Goal
from ...kernel.model.run import Witness
from ...kernel.model.survival import BlockSize, SurvivalModel
from ...kernel.semantics.explore import TooLarge, reached
from ...kernel.transform.pending import PENDING
from ...trust.check_out_of_reach import AbstractSteps
from ...trust.replay_storm import StormConfiguration, storm_end
from ...trust.survival_certificate import BlockContent, ClosedSet, OutOfReach, bases
from ..engine.listed import Listed, ListedConfiguration


def closed_set(model: SurvivalModel, ask: Ask, k: int, listed: Listed) -> ClosedSet:
    """What storms with at most k messages per channel reach, and the calm runs to the goal."""
    tables: _Tables[Word] = _Tables(model)
    rows, ranks, reached = array("I"), array("I"), bytearray()
    states = _states(ask, listed)
    for at in listed.configurations():
        rows.extend((*states(at.states), *tables.digits(at.contents), *at.counts, _spent(model, at)))
        ranks.append(at.rank)
        reached.append(at.faults is not None)
    numbers = _numbers(rows, bases(model.system, tables.contents.values(), model.budget, ask))
    top = _weights(bases(model.system, tables.contents.values(), ask=ask))[-1]
    storms: list[list[int]] = [[] for _ in range(max(ranks) + 1)]
    beyond: list[list[int]] = [[] for _ in range(max(ranks) + 1)]
    for number, rank, stormy in zip(numbers, ranks, reached):
        if stormy:
            storms[rank].append(number)
        else:
            beyond[rank].append(number % top)
    return ClosedSet(k, tables.contents, _ranks(storms), _ranks(beyond))


def out_of_reach(model: SurvivalModel, size: BlockSize, listed: Listed) -> OutOfReach:
    """What calm runs reach from the end of a storm, as the abstraction sees it."""
    tables: _Tables[BlockContent] = _Tables(model)
    rows = array("I")
    processes = len(model.system.processes)
    for states, contents in listed.abstract():
        rows.extend((*states[:processes], *tables.digits(BlockContent(*content) for content in contents)))
    numbers = _numbers(rows, bases(model.system, tables.contents.values()))
    return OutOfReach(size, tables.contents, sorted(numbers))


def search_out_of_reach(
    model: SurvivalModel, ask: Ask, size: BlockSize, witness: Witness, most: int
) -> OutOfReach | None:
    """The same by a search from the end of a storm; None if there are more abstract configurations than
    allowed. The goal is not looked at: the checker does that."""
    steps = AbstractSteps(model, ask.goal, size)
    try:
        found = reached([steps.start(storm_end(model, witness, ask))], steps.calm, most)
    except TooLarge:
        return None
    tables: _Tables[BlockContent] = _Tables(model)
    index = [{state: i for i, state in enumerate(p.states)} for p in model.system]
    rows = array("I")
    for states, contents in found:
        rows.extend((*(i[s] for i, s in zip(index, states)), *tables.digits(contents)))
    numbers = _numbers(rows, bases(model.system, tables.contents.values()))
    return OutOfReach(size, tables.contents, sorted(numbers))


def is_out_of_reach(model: SurvivalModel, goal: Goal, at: Configuration, size: BlockSize, most: int) -> bool:
    """Does the abstraction show that no calm run from here leads to the goal? Raises TooLarge."""
    steps = AbstractSteps(model, goal, size)
    found = reached([steps.start(StormConfiguration(at.states, at.words))], steps.calm, most)
    return not any(steps.may_hold(place) for place in found)


def _states(ask: Ask, listed: Listed) -> Callable[[tuple[int, ...]], tuple[int, ...]]:
    """The digits of states: that of the role which says whether it is pending is 1 if it is."""
    if ask.after is None:
        return lambda states: states
    pending = listed.lowered.system.processes[-1].states.index(PENDING)
    return lambda states: (*states[:-1], int(states[-1] == pending))


def _spent(model: SurvivalModel, at: ListedConfiguration) -> int:
    return 0 if model.budget.total is None or at.faults is None else at.faults


def _ranks(found: list[list[int]]) -> tuple[Sequence[int], ...]:
    """Without empty ranks at the end; what calm runs from several storms share is listed once."""
    while found and not found[-1]:
        found.pop()
    return tuple(sorted(set(numbers)) for numbers in found)


def _weights(count: Sequence[int]) -> list[int]:
    weights = [1]
    for base in count:
        weights.append(weights[-1] * base)
    return weights


def _numbers(rows: array[int], count: Sequence[int]) -> list[int]:
    weights, width = _weights(count)[:-1], len(count)
    return [sum(map(mul, rows[i : i + width], weights)) for i in range(0, len(rows), width)]


T = TypeVar("T", Word, BlockContent)


class _Tables(Generic[T]):
    """The contents of each channel, numbered as they are met."""

    def __init__(self, model: SurvivalModel) -> None:
        self._digits: dict[Channel, dict[T, int]] = {c: {} for c in model.system.channels}

    def digits(self, contents: Iterable[T]) -> list[int]:
        return [table.setdefault(c, len(table)) for table, c in zip(self._digits.values(), contents)]

    @property
    def contents(self) -> dict[Channel, tuple[T, ...]]:
        return {channel: tuple(table) for channel, table in self._digits.items()}
