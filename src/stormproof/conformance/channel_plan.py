"""What happens to each send and each reception of a channel, read off the faults of its match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from ..model.actions import Message
from .match_channel import ChannelFault, ChannelMatch

#: The rank of a message that nobody receives.
NEVER = 1 << 62


@dataclass
class ChannelPlan:
    """`sources[j]`: the send that reception j takes. `ranks`: send -> the receptions that take it."""

    lost: set[int] = field(default_factory=set)
    sent_as: dict[int, Message] = field(default_factory=dict)
    kept: set[int] = field(default_factory=set)
    kept_as: dict[int, Message] = field(default_factory=dict)
    delivered_as: dict[int, Message] = field(default_factory=dict)
    sources: list[int] = field(default_factory=list)
    ranks: dict[int, list[int]] = field(default_factory=lambda: defaultdict(list))

    def next_rank(self, send: int, after: int = -1) -> int:
        """The first reception after another one that takes the message of a send."""
        return next((j for j in self.ranks.get(send, ()) if j > after), NEVER)


def channel_plan(sends: Sequence[Message], receptions: Sequence[Message], match: ChannelMatch) -> ChannelPlan:
    plan, by_reception = ChannelPlan(), defaultdict(list)
    for fault in match.records:
        by_reception[fault.reception].append(fault)
        _record(plan, fault)
    _assign(plan, sends, receptions[: match.explained], by_reception)
    return plan


def _record(plan: ChannelPlan, fault: ChannelFault) -> None:
    if fault.kind == "loss":
        plan.lost.add(fault.send)
    elif fault.kind == "duplication":
        plan.kept.add(fault.reception)
    elif fault.kind == "corruption" and fault.struck == "sent":
        plan.sent_as[fault.send] = fault.becomes
    elif fault.kind == "corruption":
        where = plan.kept_as if fault.struck == "kept" else plan.delivered_as
        where[fault.reception] = fault.becomes


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
        named = next((f.send for f in reversed(faults.get(j, [])) if f.kind != "loss"), None)
        while named not in waiting if named is not None else message not in waiting.values():
            if put not in plan.lost:
                waiting[put] = plan.sent_as.get(put, sends[put])
            put += 1
        source = named if named is not None else next(i for i, m in waiting.items() if m == message)
        plan.sources.append(source)
        plan.ranks[source].append(j)
        if j not in plan.kept:
            del waiting[source]
        elif j in plan.kept_as:
            waiting[source] = plan.kept_as[j]
