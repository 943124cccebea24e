"""A run without faults through programs, which makes what it comes to.

What it makes, runs within the same bound reach: so a guess that is made in this way makes nothing in vain.
"""

from __future__ import annotations

import random
from collections.abc import Hashable, Mapping
from typing import TYPE_CHECKING

from ...kernel.model.actions import Internal, Message, Receive, Send
from ...records import dataclass
from .program import P, Response

if TYPE_CHECKING:
    from .explore import JointExploration

#: How often an internal action is taken where a message could be sent or received.
_SELDOM = 0.1

InFlight = dict[tuple[str, str], list[Message]]


@dataclass(frozen=True)
class WalkStart:
    """A configuration: local states by role, and what channels hold, by sender and receiver."""

    at: Mapping[str, Hashable]
    contents: Mapping[tuple[str, str], tuple[Message, ...]]


def walk(programs: JointExploration[P], start: WalkStart, steps: int, bound: int, seed: int) -> None:
    """So many steps, with at most `bound` messages per channel; at an end, from the start again. Every other
    run lets timers expire, and what else is internal happen, only where nothing else can."""
    chance, seldom = random.Random(seed), _SELDOM if seed % 2 else 0.0
    while steps > 0:
        steps -= 1 + _run(programs, start, steps, bound, chance, seldom)


def _run(
    programs: JointExploration[P],
    start: WalkStart,
    most: int,
    bound: int,
    chance: random.Random,
    seldom: float,
) -> int:
    """How many steps it took."""
    at, contents = dict(start.at), {pair: list(word) for pair, word in start.contents.items()}
    for step in range(most):
        enabled = _enabled(programs, at, contents, bound)
        if not enabled:
            return step
        quick = [move for move in enabled if not isinstance(move[1].action, Internal)]
        name, response, to = chance.choice(quick if quick and chance.random() >= seldom else enabled)
        if not programs.want(name, to):
            return step
        at[name] = to
        _apply(name, response, contents)
    return most


def _enabled(
    programs: JointExploration[P], at: Mapping[str, Hashable], contents: InFlight, bound: int
) -> list[tuple[str, Response, Hashable]]:
    return [
        (name, response, to)
        for name, key in at.items()
        for _, response, to in programs.roles[name].steps[key]
        if _may(name, response, contents, bound)
    ]


def _may(name: str, response: Response, contents: InFlight, bound: int) -> bool:
    action = response.action
    if isinstance(action, Send):
        return len(contents.get((name, action.peer), ())) < bound
    if isinstance(action, Receive):
        return contents.get((action.peer, name), [])[:1] == [action.message]
    return True


def _apply(name: str, response: Response, contents: InFlight) -> None:
    action = response.action
    if isinstance(action, Send):
        contents.setdefault((name, action.peer), []).append(action.message)
    elif isinstance(action, Receive):
        contents[action.peer, name].pop(0)
