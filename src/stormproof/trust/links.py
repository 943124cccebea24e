"""Links that stay down (definitions 15.2 to 15.4): a reading of its own for the trusted kernels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..errors import Refused
from ..kernel.model.actions import Channel, Internal, Message, Receive, Send, Word, sender_in
from ..kernel.model.cuts import Cut
from ..kernel.model.survival import SurvivalModel

#: The state of a component that says that its channel is cut.
_CUT = "cut"


class Net:
    """Which channels of a model may be cut, and where its configurations say whether they are."""

    def __init__(self, model: SurvivalModel) -> None:
        self._ended, names = model.rest.ended, model.system.names
        self._queues = model.system.channels
        links = model.extras.links
        self.hidden: Collection[str] = () if links is None else links.names
        self._cuts = {} if links is None else {(links.network, name): cut for name, cut in links.cuts.items()}
        self.place = {} if links is None else {c: names.index(name) for c, name in links.component.items()}
        self._role = {c: names.index(c.receiver) for c in self.place}

    def says(self, role: str, action: Send | Receive | Internal) -> int | None:
        """The number of the component that says whether a send goes nowhere, if one does."""
        return self.place.get(Channel(role, action.peer)) if isinstance(action, Send) else None

    def goes_nowhere(self, states: Sequence[str], role: str, action: Send | Receive | Internal) -> bool:
        """Is it a send on a channel that is cut?"""
        component = self.says(role, action)
        return component is not None and states[component] == _CUT

    def named(self, role: str, action: Send | Receive | Internal) -> Cut | None:
        """What this transition cuts; None if it is no cut."""
        return self._cuts.get((role, str(action)))

    def falling(self, states: Sequence[str], cut: Cut) -> Cut:
        """Those of the channels that are not down yet and whose receiver has not ended."""
        up = (c for c in cut if states[self.place[c]] != _CUT)
        return tuple(c for c in up if states[self._role[c]] not in self._ended[c.receiver])

    def check(self, i: int, states: Sequence[str], channels: Cut) -> None:
        """Does some cut take down just these channels here?"""
        possible = (self.falling(states, cut) for cut in self._cuts.values())
        if not channels or channels not in possible:
            raise Refused(
                f"step {i}: no cut takes down {', '.join(map(str, channels)) or 'no channel'} there"
            )

    def down(self, states: Sequence[str], channels: Cut) -> tuple[str, ...]:
        """The states with these channels cut."""
        places = {self.place[c] for c in channels}
        return tuple(_CUT if i in places else state for i, state in enumerate(states))

    def left(self, queues: Sequence[Word], channels: Cut) -> Iterator[Word]:
        """The contents without all that these channels carry."""
        for queue, word in zip(self._queues, queues, strict=True):
            yield tuple(m for m in word if _channel(queue, m) not in channels)

    def fallen(
        self,
        at: tuple[Sequence[str], Sequence[Word]],
        cut: Cut,
        digits: Sequence[int],
        first: int,
        tables: Sequence[Mapping[Word, int]],
    ) -> list[int] | None:
        """The digits after the cut, -1 for a content that is not listed; None where it takes nothing down."""
        falling = self.falling(at[0], cut)
        if not falling:
            return None
        after = list(digits)
        for channel in falling:
            after[self.place[channel]] = 1
        left = self.left(at[1], falling)
        after[first : first + len(tables)] = [table.get(word, -1) for table, word in zip(tables, left)]
        return after


def _channel(queue: Channel, message: Message) -> Channel:
    return Channel(queue.sender or sender_in(message), queue.receiver)
