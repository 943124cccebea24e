"""What kmc, the tool behind the published k-properties, answers with its reduction (definitions 8.5).

kmc explores a part of the bounded transition system only, and where that is not enough its answers differ
from the definitions. Published cells that rest on such answers can only be reproduced in the same way. This
is kmc's exploration in other words; it is used for nothing but the published table.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import groupby

from stormproof.kernel.model.actions import Channel, Configuration, Receive, Send, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.oracle.bounded import FiredAction, Successor, TooLarge, initial
from stormproof.search.checks.properties import K_ER, K_EXH, K_PG

#: Configurations of a reduced transition system; the published cells that need this have at most 140.
MOST = 2_000


def kmc_answers(system: System, k: int, bag: bool = False, most: int = MOST) -> dict[str, bool] | None:
    """k-exh, k-er and k-pg in the reduced transition system; None where that has more than `most`
    configurations, or where kmc ends with an error. With `bag` a process may receive any message of a
    channel, not only the first."""
    try:
        graph = ReducedGraph(system, k, bag, most)
        reached = list(graph.steps)
    except (TooLarge, PutOffTooLong):
        return None
    return {
        K_EXH.name: all(graph.sends_fire(at) for at in reached),
        K_ER.name: all(graph.heads_are_received(at) for at in reached),
        K_PG.name: all(graph.waiting_ends(at) for at in reached),
    }


class PutOffTooLong(Exception):
    """An action that was left to do is not possible any more; kmc ends with an error."""


def as_encoded_file(system: System) -> System:
    """The transitions in the order of the encoded files, on which the reduction depends: sends first, each
    kind sorted by state, number of the partner, message and next state."""
    number = {name: str(i) for i, name in enumerate(system.names)}

    def key(row: Transition) -> tuple[bool, str, str, str, str]:
        assert isinstance(row.action, (Send, Receive))
        received = isinstance(row.action, Receive)
        return received, row.source, number[row.action.peer], str(row.action.message), row.target

    def in_order(process: Process) -> Process:
        return replace(process, transitions=tuple(sorted(set(process.transitions), key=key)))

    return replace(system, processes=tuple(map(in_order, system)))


@dataclass(frozen=True)
class ReducedGraph:
    system: System
    k: int
    bag: bool
    most: int

    @cached_property
    def steps(self) -> dict[Configuration, tuple[Successor, ...]]:
        """Breadth first. Where nothing is left to do, the actions enabled are grouped by process; the first
        group is taken, and the others are taken one after the other in what follows, by their labels. What is
        left to do is no part of a configuration that was seen."""
        found: dict[Configuration, tuple[Successor, ...]] = {}
        queue: deque[tuple[Configuration, Sequence[Sequence[FiredAction]]]] = deque()
        queue.append((initial(self.system), ()))
        while queue:
            at, left = queue.popleft()
            if at in found:
                continue
            if left:
                now = tuple(self._first(at, event) for event in left[0])
            else:
                now, *others = self._groups(at) or [()]
                left = ((), *(tuple(s.event for s in group if s.event) for group in others))
            found[at] = now
            if len(found) > self.most:
                raise TooLarge
            queue.extend((step.after, left[1:]) for step in now)
        return found

    def _groups(self, at: Configuration) -> list[tuple[Successor, ...]]:
        """Neighbours of one process; receptions before sends, and smaller groups first."""
        enabled = [*self._fire(at, Send), *self._fire(at, Receive)]
        groups = [tuple(each) for _, each in groupby(enabled, lambda step: step.event and step.event.process)]

        def key(group: tuple[Successor, ...]) -> tuple[bool, int]:
            event = group[0].event
            return event is not None and isinstance(event.action, Send), len(group)

        return sorted(groups, key=key)

    def _fire(self, at: Configuration, kind: type[Send] | type[Receive]) -> Iterator[Successor]:
        """Channel by channel, as numbers sort when they are written; there is none to oneself."""
        names = self._as_text
        pairs = (Channel(a, b) for a in names for b in names if a != b)
        for channel in pairs:
            name = channel.sender if kind is Send else channel.receiver
            for row in self.system[name].outgoing(at.states[self.system.names.index(name)]):
                peer = channel.receiver if kind is Send else channel.sender
                if isinstance(row.action, kind) and row.action.peer == peer:
                    after = self._after(at, name, row)
                    if after is not None:
                        yield Successor(FiredAction(name, row.action), after)

    @cached_property
    def _as_text(self) -> list[str]:
        number = {name: str(i) for i, name in enumerate(self.system.names)}
        return sorted(self.system.names, key=number.__getitem__)

    def _first(self, at: Configuration, event: FiredAction) -> Successor:
        """By the first transition with this label, whichever was meant."""
        rows = self.system[event.process].outgoing(at.states[self.system.names.index(event.process)])
        row = next((row for row in rows if row.action == event.action), None)
        after = None if row is None else self._after(at, event.process, row)
        if after is None:
            raise PutOffTooLong
        return Successor(event, after)

    def _after(self, at: Configuration, name: str, row: Transition) -> Configuration | None:
        assert isinstance(row.action, (Send, Receive))
        sends = isinstance(row.action, Send)
        channel = Channel(name, row.action.peer) if sends else Channel(row.action.peer, name)
        i, j = self.system.names.index(name), self.system.channel_index[channel]
        word, message = at.words[j], row.action.message
        if sends:
            if len(word) == self.k:
                return None
            word = (*word, message)
        else:
            if message not in (word if self.bag else word[:1]):
                return None
            place = word.index(message)
            word = word[:place] + word[place + 1 :]
        states = (*at.states[:i], row.target, *at.states[i + 1 :])
        return Configuration(states, (*at.words[:j], word, *at.words[j + 1 :]))

    def _finds(
        self, at: Configuration, wanted: Callable[[FiredAction], bool], without: str | None = None
    ) -> bool:
        """Does a run come to such an action, the process `without` doing nothing else before?"""
        seen, queue = {at}, [at]
        for here in queue:
            for event, after in self.steps[here]:
                if event is None:
                    continue
                if wanted(event):
                    return True
                if event.process != without and after not in seen:
                    seen.add(after)
                    queue.append(after)
        return False

    def sends_fire(self, at: Configuration) -> bool:
        return all(
            self._finds(at, FiredAction(p.name, send).__eq__, without=p.name)
            for p, state in zip(self.system, at.states, strict=True)
            for send in p.sends(state)
        )

    def heads_are_received(self, at: Configuration) -> bool:
        return all(
            self._finds(at, FiredAction(c.receiver, Receive(c.sender, word[0])).__eq__)
            for c, word in zip(self.system.channels, at.words, strict=True)
            if word
        )

    def waiting_ends(self, at: Configuration) -> bool:
        def receives(name: str) -> Callable[[FiredAction], bool]:
            return lambda event: event.process == name and isinstance(event.action, Receive)

        return all(
            self._finds(at, receives(p.name))
            for p, state in zip(self.system, at.states, strict=True)
            if p.receives(state)
        )
