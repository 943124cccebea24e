"""A system that begins in a given configuration, for a search that begins with empty channels.

Before anything else, each sender puts back what its channels hold. Sends are always possible and only their
sender writes to a channel, so these steps can be moved to the front of every run: what the changed system
can reach without them is what the original can reach from the configuration, and no rest is reached before
all are taken.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from ..model.actions import Channel, Configuration, Send, Transition, Word
from ..model.process import Process
from ..model.storm_step import StormStep
from ..model.survival import SurvivalModel


def start_from(model: SurvivalModel, at: Configuration) -> SurvivalModel:
    """The model with the configuration as its beginning."""
    held: dict[str, list[Send]] = {}
    for channel, word in zip(model.system.channels, at.words, strict=True):
        held.setdefault(channel.sender, []).extend(_sends(channel, word))
    processes = tuple(
        _filling(process, state, held.get(process.name, []))
        for process, state in zip(model.system, at.states, strict=True)
    )
    return replace(model, system=replace(model.system, processes=processes, requirements=(), faults=()))


def without_start(model: SurvivalModel, steps: Iterable[StormStep]) -> tuple[StormStep, ...]:
    """The steps of a run of the changed system that are steps of the original one."""
    known = {p.name: frozenset(p.states) for p in model.system}
    return tuple(s for s in steps if s.transition.source in known[s.process])


def _sends(channel: Channel, word: Word) -> list[Send]:
    return [Send(channel.receiver, message) for message in word]


def _filling(process: Process, state: str, sends: list[Send]) -> Process:
    """A chain of sends to the state; its states have names that no state has."""
    chain = [_fresh(process, i) for i in range(len(sends))]
    rows = [
        Transition(source, send, target) for source, send, target in zip(chain, sends, [*chain[1:], state])
    ]
    return replace(
        process,
        initial=chain[0] if chain else state,
        transitions=(*process.transitions, *rows),
        states=(*process.states, *chain),
    )


def _fresh(process: Process, number: int) -> str:
    name = f"fill {number}"
    while name in process.states:
        name += "'"
    return name
