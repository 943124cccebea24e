"""Every message of a run, followed from its send through each fault to how it ends."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from .actions import Channel, Message, Send, channel_of
from .run import Act, Corrupt, Lose, Step, Swap


@dataclass
class Flight:
    """One message on its way: when it was sent, what it became, whom it overtook, how it ended."""

    channel: Channel
    message: Message
    sent: int
    now: Message
    overtook: list[Message] = field(default_factory=list)
    received: int | None = None
    lost: bool = False


def flights(steps: Sequence[Step]) -> list[Flight]:
    """Every message of a run, in the order of sending."""
    return _followed(steps)[0]


def _followed(steps: Sequence[Step]) -> tuple[list[Flight], dict[Channel, list[Flight]]]:
    """Every message of a run, and those that the channels hold at its end, the head first."""
    found: list[Flight] = []
    words: dict[Channel, list[Flight]] = {}
    for i, step in enumerate(steps):
        if isinstance(step, Act):
            channel = channel_of(step.process, step.action)
            if channel is not None and isinstance(step.action, Send):
                found.append(Flight(channel, step.action.message, i, step.action.message))
                words.setdefault(channel, []).append(found[-1])
            elif channel is not None:
                words[channel].pop(0).received = i
        else:
            _fault(words[step.channel], step)
    return found, words


def _fault(word: list[Flight], step: Lose | Corrupt | Swap) -> None:
    at = step.position
    if isinstance(step, Lose):
        word.pop(at).lost = True
    elif isinstance(step, Corrupt):
        word[at].now = step.becomes
    else:
        word[at], word[at + 1] = word[at + 1], word[at]
        word[at].overtook.append(word[at + 1].now)
