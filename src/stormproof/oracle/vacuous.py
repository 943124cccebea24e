"""Goals that nothing satisfies, by trying every combination of states and contents (definitions 10.6)."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from ..kernel.model.actions import CRASH, Channel, Configuration, Message, Word
from ..kernel.model.goal import Goal
from ..kernel.model.survival import SurvivalModel
from .rest import satisfies


def is_impossible(model: SurvivalModel, goal: Goal, length: int) -> bool:
    """Does no combination of local states with contents up to this length satisfy the goal?"""
    return not any(satisfies(model, at, goal) for at in combinations(model, length))


def combinations(model: SurvivalModel, length: int) -> Iterator[Configuration]:
    """Whatever the channels may hold, and whether or not it can come about."""
    system = model.system
    words = [tuple(_words(_standing(model, channel), length)) for channel in system.channels]
    for states in product(*(p.states for p in system)):
        for contents in product(*words):
            yield Configuration(states, contents)


def _standing(model: SurvivalModel, channel: Channel) -> tuple[Message, ...]:
    return tuple(dict.fromkeys((*model.system.alphabet(channel), *model.failures.on(channel).pool)))


def _words(messages: tuple[Message, ...], length: int) -> Iterator[Word]:
    """The crash message is the last of its channel."""
    for n in range(length + 1):
        yield from (w for w in product(messages, repeat=n) if CRASH not in w[:-1])
