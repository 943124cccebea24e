"""Is an answer pending after a run (definitions 10.18)? A reading of its own for the trusted kernels.

Goals are looked at after each step of 9.1: a send and what goes wrong with its message are one, and so are a
reception and the copy that stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from ..errors import Refused
from ..kernel.model.actions import Channel, Send, channel_of
from ..kernel.model.ask import Ask
from ..kernel.model.fault_steps import Fault
from ..kernel.model.goal import Goal
from ..kernel.model.run import Act, LinkCut, Step
from .channel_faults import is_part_of_reception

Spot = TypeVar("Spot")


def pending_after(
    ask: Ask,
    steps: Sequence[Step],
    places: Sequence[Spot],
    queue_of: Callable[[Spot, Channel], Sequence[object]],
    satisfies: Callable[[Spot, Goal], bool],
) -> bool:
    """Is it pending after these steps, which lead from place to place?"""
    pending = False
    for i in (0, *whole_steps(steps, places, queue_of)):
        pending = becomes_pending(ask, pending, places[i], satisfies)
    return pending


def becomes_pending(ask: Ask, before: bool, at: Spot, satisfies: Callable[[Spot, Goal], bool]) -> bool:
    """It was pending `before`, or what is followed up holds, and what must follow does not."""
    assert ask.after is not None
    return not satisfies(at, ask.goal) and (before or satisfies(at, ask.after))


def whole_steps(
    steps: Sequence[Step], places: Sequence[Spot], queue_of: Callable[[Spot, Channel], Sequence[object]]
) -> Iterator[int]:
    """After how many of the steps one of 9.1 is over."""
    sent: Channel | None = None
    receives = False
    for i, step in enumerate(steps):
        if isinstance(step, Act):
            sent = channel_of(step.process, step.action) if isinstance(step.action, Send) else None
            receives = False
        elif isinstance(step, LinkCut):
            sent, receives = None, False
        elif is_part_of_reception(step):
            receives = True
        elif not receives and not _is_of_last(step, sent, queue_of(places[i], step.channel)):
            raise Refused(f"step {i}: {step} is no fault of the message that was just sent")
        following = steps[i + 1] if i + 1 < len(steps) else None
        if not receives and (not isinstance(following, Fault) or is_part_of_reception(following)):
            yield i + 1


def _is_of_last(step: Fault, sent: Channel | None, queue: Sequence[object]) -> bool:
    """Does it happen to the last message of the channel, into which was sent just before?"""
    return step.channel == sent and step.position + step.touches == len(queue)
