"""One channel whose sends and receptions are both logged: which send each reception takes.

Faults strike at the send or the reception (definitions 9.1). The receptions are explained one after the
other; a state is how many sends were put into the channel and what waits in it. Sends are put in only when a
reception needs them, and exchanges keep the states few: the head is taken where it is what was received, of
equal messages the first one is taken, and one that waits already rather than a later one. The `WIDTH`
cheapest states of a reception are kept; where there were more, the faults are not known to be the fewest.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..model.actions import CRASH, Message
from ..model.failures import ChannelFailure

#: States kept per reception.
WIDTH = 64
#: Sends that one reception may skip.
REACH = 64


class InChannel(NamedTuple):
    """A message that waits: its send, what it is by now, and whether it is a copy that stayed."""

    send: int
    form: Message
    copy: bool = False


ChannelContent = tuple[InChannel, ...]


class ChannelFault(NamedTuple):
    """A fault that explains the logs: of which send, for which reception; what is corrupted into what: the
    message that is `sent`, the copy that is `kept`, or the one that is `delivered`. Without a kind it is no
    fault, and says which send a reception takes where that is not the next one."""

    kind: str
    send: int
    reception: int
    struck: str = ""
    becomes: Message = ""


class Link(NamedTuple):
    """Faults, the last one first."""

    fault: ChannelFault
    before: Link | None


class MatchState(NamedTuple):
    """`put`: sends put into the channel; `unknown`: it may still hold messages from before the log began."""

    put: int
    waiting: ChannelContent
    unknown: bool = False


@dataclass(frozen=True)
class ChannelMatch:
    """The first `explained` receptions have a send; `records` in their order. `fewest`: no explanation has
    fewer faults."""

    explained: int
    records: tuple[ChannelFault, ...]
    fewest: bool

    @property
    def faults(self) -> tuple[ChannelFault, ...]:
        return tuple(record for record in self.records if record.kind)


def match_channel(
    sends: Sequence[Message],
    receptions: Sequence[Message],
    failure: ChannelFailure,
    unknown_start: bool = False,
) -> ChannelMatch:
    """Explain as many receptions as possible, from the first on, with the fewest faults."""
    layer: dict[MatchState, tuple[int, Link | None]] = {MatchState(0, (), unknown_start): (0, None)}
    complete = True
    for j, message in enumerate(receptions):
        if (calm := _calm(layer, sends, message, failure)) is not None:
            layer = calm
            continue
        after, whole = _explain(layer, _Moves(sends, failure, j, message))
        complete &= whole
        if not after:
            return ChannelMatch(j, _faults(layer), complete)
        layer = after
    return ChannelMatch(len(receptions), _faults(layer), complete)


def _calm(layer: Layer, sends: Sequence[Message], message: Message, failure: ChannelFailure) -> Layer | None:
    """The layer after a reception of the next send, where nothing else needs to be considered."""
    if len(layer) > 1 or failure.duplicate:
        return None
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
#: Is the message received by this move; the state after it; its faults.
ChannelMove = tuple[bool, MatchState, tuple[ChannelFault, ...]]


def _explain(layer: Layer, moves: _Moves) -> tuple[Layer, bool]:
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
            price = cost + sum(bool(fault.kind) for fault in faults)
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


class _Moves:
    """What may happen in the channel until reception `j` of `message`."""

    def __init__(self, sends: Sequence[Message], failure: ChannelFailure, j: int, message: Message) -> None:
        self.sends, self.failure, self.j, self.message = sends, failure, j, message

    def of(self, state: MatchState) -> Iterator[ChannelMove]:
        if state.unknown:
            yield True, state, ()
            yield False, state._replace(unknown=False), ()
            return
        waiting = state.waiting
        exact = next((p for p in self._within_reach(waiting) if waiting[p].form == self.message), None)
        if exact is not None:
            late = self._overtaking(waiting, exact)
            yield from self._take(state, exact, late)
            if not late:
                return
        for p in self._within_reach(waiting):
            yield from self._mend(state, p)
        if state.put < len(self.sends) and len(waiting) < REACH and self._needs_more(waiting, exact):
            item = InChannel(state.put, self.sends[state.put])
            yield False, MatchState(state.put + 1, (*waiting, item)), ()

    def _within_reach(self, waiting: ChannelContent) -> range:
        return range(len(waiting) if self.failure.reorder else min(1, len(waiting)))

    def _needs_more(self, waiting: ChannelContent, exact: int | None) -> bool:
        return not waiting or (self.failure.reorder and exact is None)

    def _overtaking(self, waiting: ChannelContent, at: int) -> tuple[ChannelFault, ...]:
        """A copy stays wherever it likes, so that it is neither overtaken nor overtakes."""
        item = waiting[at]
        if item.copy or all(other.copy for other in waiting[:at]):
            return ()
        return (ChannelFault("reordering", item.send, self.j),)

    def _take(self, state: MatchState, at: int, faults: tuple[ChannelFault, ...]) -> Iterator[ChannelMove]:
        rest = (*state.waiting[:at], *state.waiting[at + 1 :])
        plain = not self.failure.reorder and not self.failure.duplicate
        taken = () if plain else (ChannelFault("", state.waiting[at].send, self.j),)
        yield True, state._replace(waiting=rest), (*faults, *taken)
        if self.failure.duplicate and state.waiting[at].form is not CRASH:
            yield from self._keep(state, at, faults)

    def _keep(self, state: MatchState, at: int, faults: tuple[ChannelFault, ...]) -> Iterator[ChannelMove]:
        """The message also stays, as it was or corrupted."""
        item = state.waiting[at]
        rest = (*state.waiting[:at], *state.waiting[at + 1 :])
        copied = (*faults, ChannelFault("duplication", item.send, self.j))
        for kept in (item.form, *sorted(self.failure.becomes.get(str(item.form), ()))):
            changed = (
                () if kept == item.form else (ChannelFault("corruption", item.send, self.j, "kept", kept),)
            )
            waiting = (InChannel(item.send, kept, True), *rest)
            yield True, state._replace(waiting=waiting), (*copied, *changed)

    def _mend(self, state: MatchState, at: int) -> Iterator[ChannelMove]:
        """The message is not what was received: its send was lost or corrupted, or another copy stays."""
        item, failure = state.waiting[at], self.failure
        if item.form == self.message or item.form is CRASH:
            return
        fresh = not item.copy and item.form == self.sends[item.send]
        if failure.loss and fresh:
            rest = (*state.waiting[:at], *state.waiting[at + 1 :])
            yield False, state._replace(waiting=rest), (ChannelFault("loss", item.send, self.j),)
        if self.message not in failure.becomes.get(str(item.form), ()):
            return
        if fresh:
            fault = ChannelFault("corruption", item.send, self.j, "sent", self.message)
            changed = (*state.waiting[:at], item._replace(form=self.message), *state.waiting[at + 1 :])
            yield False, state._replace(waiting=changed), (fault,)
        if failure.duplicate:
            fault = ChannelFault("corruption", item.send, self.j, "delivered", self.message)
            yield from self._keep(state, at, (*self._overtaking(state.waiting, at), fault))
