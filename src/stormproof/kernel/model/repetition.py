"""The part of a run that is repeated for ever, and the channels that grow meanwhile (definitions 10.12)."""

from __future__ import annotations

from typing import NamedTuple

from .actions import Channel
from .message_tracking import MessageTracker
from .run import Act, Witness
from .system import System


class Repetition(NamedTuple):
    """`since`: the first step of what is repeated; None where nothing is."""

    since: int | None
    grows: tuple[Channel, ...] = ()


def repetition(system: System, witness: Witness, since: int | None = None) -> Repetition:
    """What the run repeats: from `since` on, or as the run says or, where a channel grows, the last round
    after its faults that ends in the local states in which it began."""
    since = witness.loop_from if since is None else since
    if witness.ending != "divergence":
        return Repetition(since)
    states, lengths = _history(system, witness)
    if since is not None:
        return Repetition(since, _longer(lengths[since], lengths[-1]))
    for start in range(len(witness.steps) - 1, (witness.calm_from or 0) - 1, -1):
        grows = _longer(lengths[start], lengths[-1])
        if grows and states[start] == states[-1]:
            return Repetition(start, grows)
    return Repetition(None)


def _history(system: System, witness: Witness) -> tuple[list[dict[str, str]], list[dict[Channel, int]]]:
    """The local states and the lengths of channels before each step, and at the end."""
    tracker, now = MessageTracker(), {p.name: p.initial for p in system}
    states, lengths = [dict(now)], [dict[Channel, int]()]
    for i, step in enumerate(witness.steps):
        tracker.take(i, step)
        if isinstance(step, Act):
            now[step.process] = step.state
        states.append(dict(now))
        lengths.append({c: len(queue) for c, queue in tracker.channels.items()})
    return states, lengths


def _longer(before: dict[Channel, int], after: dict[Channel, int]) -> tuple[Channel, ...]:
    return tuple(c for c, length in after.items() if length > before.get(c, 0))
