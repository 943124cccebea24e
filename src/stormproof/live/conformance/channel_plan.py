"""What happens to each send and each reception of a channel, read off the faults of its match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ...kernel.model.actions import Message
from ...kernel.model.channel_faults import ActionFaults
from .channel_faults import (
    CALM,
    ChannelFault,
    entering,
    faults_at_receptions,
    faults_at_sends,
    names_its_send,
    staying,
)
from .match_channel import ChannelMatch

#: The rank of a message that nobody receives.
NEVER = 1 << 62


@dataclass
class ChannelPlan:
    """`at_send`, `at_reception`: what goes wrong there. `sources[j]`: the send that reception j takes.
    `ranks`: send -> the receptions that take it."""

    at_send: dict[int, ActionFaults] = field(default_factory=dict)
    at_reception: dict[int, ActionFaults] = field(default_factory=dict)
    sources: list[int] = field(default_factory=list)
    ranks: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def next_rank(self, send: int, after: int = -1) -> int:
        """The first reception after another one that takes the message of a send."""
        return next((j for j in self.ranks.get(send, ()) if j > after), NEVER)


def channel_plan(sends: Sequence[Message], receptions: Sequence[Message], match: ChannelMatch) -> ChannelPlan:
    plan = ChannelPlan(faults_at_sends(match.records), faults_at_receptions(match.records))
    by_reception = defaultdict(list)
    for fault in match.records:
        by_reception[fault.reception].append(fault)
    _assign(plan, sends, receptions[: match.explained], by_reception)
    return plan


def _assign(
    plan: ChannelPlan,
    sends: Sequence[Message],
    receptions: Sequence[Message],
    faults: dict[int, list[ChannelFault]],
) -> None:
    """Follow the match again: a record names the send that is taken; without one the first that fits."""
    waiting: dict[int, Message] = {}
    put = 0
    for j, message in enumerate(receptions):
        calm = not waiting and j not in faults and put not in plan.at_send and j not in plan.at_reception
        if calm and sends[put] == message:  # by far the most of a long log
            plan.sources.append(put)
            plan.ranks[put].append(j)
            put += 1
            continue
        named = next((f.send for f in reversed(faults.get(j, [])) if names_its_send(f)), None)
        while named not in waiting if named is not None else message not in waiting.values():
            entered = entering(plan.at_send.get(put, CALM), sends[put])
            if entered is not None:
                waiting[put] = entered
            put += 1
        source = named if named is not None else next(i for i, m in waiting.items() if m == message)
        plan.sources.append(source)
        plan.ranks[source].append(j)
        stays = staying(plan.at_reception.get(j, CALM), waiting[source])
        if stays is None:
            del waiting[source]
        else:
            waiting[source] = stays
