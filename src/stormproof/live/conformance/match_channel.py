"""One channel whose sends and receptions are both logged: which send each reception takes.

The receptions are explained one after the other, with the faults of `channel_faults`; a state is how many
sends were put into the channel and what waits in it. Sends are put in only when a reception needs them, and
exchanges keep the states few: the head is taken where it is what was received, of equal messages the first
one is taken, and one that waits already rather than a later one. The `WIDTH` cheapest states of a reception
are kept; where there were more, the faults are not known to be the fewest.
"""

from __future__ import annotations

import heapq
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...kernel.model.actions import Message
from ...kernel.model.failures import ChannelFailure
from .channel_faults import ChannelFault, ChannelMoves, MatchState

#: States kept per reception.
WIDTH = 64


class Link(NamedTuple):
    """Faults, the last one first."""

    fault: ChannelFault
    before: Link | None


@dataclass(frozen=True)
class ChannelMatch:
    """The first `explained` receptions have a send; `records` in their order. `fewest`: no explanation has
    fewer faults."""

    explained: int
    records: tuple[ChannelFault, ...]
    fewest: bool

    @property
    def faults(self) -> tuple[ChannelFault, ...]:
        return tuple(record for record in self.records if record.faults)


def match_channel(
    sends: Sequence[Message],
    receptions: Sequence[Message],
    failure: ChannelFailure,
    unknown_start: bool = False,
) -> ChannelMatch:
    """Explain as many receptions as possible, from the first on, with the fewest faults."""
    layer: dict[MatchState, tuple[int, Link | None]] = {MatchState(0, (), unknown_start): (0, None)}
    complete, once = True, failure.matches_once
    for j, message in enumerate(receptions):
        if once and len(layer) == 1 and (calm := _calm(layer, sends, message)) is not None:
            layer = calm
            continue
        after, whole = _explain(layer, ChannelMoves(sends, failure, j, message))
        complete &= whole
        if not after:
            return ChannelMatch(j, _faults(layer), complete)
        layer = after
    return ChannelMatch(len(receptions), _faults(layer), complete)


def _calm(layer: Layer, sends: Sequence[Message], message: Message) -> Layer | None:
    """The layer after a reception of the next send, where nothing else needs to be considered: every message
    is received at most once, and the layer has one state."""
    ((state, found),) = layer.items()
    if state.waiting or state.unknown or state.put >= len(sends) or sends[state.put] != message:
        return None
    return {MatchState(state.put + 1, ()): found}


def _faults(layer: dict[MatchState, tuple[int, Link | None]]) -> tuple[ChannelFault, ...]:
    _, link = min(layer.values(), key=lambda found: found[0])
    faults = []
    while link is not None:
        faults.append(link.fault)
        link = link.before
    return tuple(reversed(faults))


Layer = dict[MatchState, tuple[int, "Link | None"]]


def _explain(layer: Layer, moves: ChannelMoves) -> tuple[Layer, bool]:
    """All states after one more reception, by Dijkstra over faults within the reception."""
    done: Layer = {}
    queue = [(cost, i, state, link) for i, (state, (cost, link)) in enumerate(layer.items())]
    heapq.heapify(queue)
    best: dict[MatchState, int] = {state: cost for state, (cost, _) in layer.items()}
    count = len(queue)
    while queue and len(done) < WIDTH:
        cost, _, state, link = heapq.heappop(queue)
        if best.get(state, cost) < cost:
            continue
        for taken, target, faults in moves.of(state):
            price = cost + sum(len(fault.faults) for fault in faults)
            chain = link
            for fault in faults:
                chain = Link(fault, chain)
            if taken:
                if target not in done or done[target][0] > price:
                    done[target] = (price, chain)
            elif best.get(target, price + 1) > price:
                best[target] = price
                count += 1
                heapq.heappush(queue, (price, count, target, chain))
    return done, not queue
