"""Among the shortest violations of RSC, one with the fewest faults, then with the fewest changes of process.

Every shortest violation can be reordered into a borderline one, with the same faults: so it is enough to walk
the rendezvous prefixes of definitions 4.7, with the number of faults beside each state. A fault is one
message taken as another, one lost because a later one of its channel is received, or one overtaken. For that
a state counts, besides what the decision needs, the messages left behind in each channel that loses or
reorders. All the best violations are then compared by how often the process changes when what is independent
commutes. Exact within its budgets; beyond, the engine's violation stays.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from ...kernel.model.actions import CRASH, Channel, Firing, Message, Receive, Send, Transition, channel_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.process import Process
from ...kernel.model.system import System

#: States that the walks over prefixes may see, and steps back from violations.
STATES, BACK = 5_000, 1_000


class Pending(NamedTuple):
    """The send that is received last: its channel, its message, and who depends on it."""

    channel: Channel
    message: Message
    depends: frozenset[str]

    def after(self, *actors: str) -> Pending:
        """Once these have acted together: a process depends on its own send from its next action on, so what
        it then does with another makes both depend on it."""
        if self.channel.sender not in actors and self.depends.isdisjoint(actors):
            return self
        return self._replace(depends=self.depends.union(actors))


class Prefix(NamedTuple):
    """What a rendezvous prefix leaves; `behind` counts unmatched sends, where later ones may be received."""

    states: tuple[str, ...]
    blocked: frozenset[Channel]
    pending: Pending | None
    behind: tuple[int, ...]


class FiredInteraction(NamedTuple):
    """One move, or the two of a matched pair; `pending`: this send is the one received last."""

    moves: tuple[Firing, ...]
    matched: bool = False
    pending: bool = False


class BorderlineRun(NamedTuple):
    """Moves in borderline order, and (reception, send) pairs of their indices."""

    moves: tuple[Firing, ...]
    communication: tuple[tuple[int, int], ...]


@dataclass
class _Node:
    """The fewest faults to a state, and all last steps of runs that have so few."""

    faults: int
    ways: list[tuple[FiredInteraction, int, Prefix]]


def fewest_violations(
    system: System, failures: FailureModel, length: int, most: int, as_many: int = STATES
) -> Iterator[BorderlineRun]:
    """The violations of `length` actions with the fewest faults, at most `most`; none: a budget was spent.

    A run with `most` faults is known, so those that have as many are sought among `as_many` states only.
    """
    size = max(10, len(system.names))
    budget = STATES * 10 // size
    for faults in range(most + 1):
        walk = _Walk(system, failures, length, faults)
        ends = walk.forward(budget if faults < most else min(budget, as_many * 10 // size))
        budget -= sum(map(len, walk.layers))
        if ends or budget <= 0:
            yield from walk.back(ends)
            return


class _Walk:
    def __init__(self, system: System, failures: FailureModel, length: int, most: int) -> None:
        self.system, self.failures, self.length, self.most = system, failures, length, most
        self.index, self.place = system.channel_index, {name: i for i, name in enumerate(system.names)}
        self.receptions: dict[tuple[Channel, str, Message], list[tuple[Transition, int]]] = {}
        self.layers: list[dict[Prefix, _Node]] = [{} for _ in range(length)]

    def forward(self, budget: int) -> list[tuple[FiredInteraction, Prefix]]:
        """Fills the layers, one for each number of actions; what ends them."""
        start = Prefix(tuple(p.initial for p in self.system), frozenset(), None, (0,) * len(self.index))
        self.layers[0][start] = _Node(0, [])
        seen = 0
        for done, layer in enumerate(self.layers):
            seen += len(layer)
            if seen > budget:
                return []
            for prefix, node in layer.items():
                for interaction, price, to in self.steps(prefix):
                    after = done + len(interaction.moves)
                    if after + _least(to) <= self.length and node.faults + price <= self.most:
                        self._add(self.layers[after], to, node.faults + price, (interaction, done, prefix))
        return [
            (last, prefix)
            for prefix, node in self.layers[-1].items()
            for last, price in self.closing(prefix)
            if node.faults + price <= self.most
        ]

    def _add(
        self, layer: dict[Prefix, _Node], to: Prefix, faults: int, way: tuple[FiredInteraction, int, Prefix]
    ) -> None:
        node = layer.get(to)
        if node is None or faults < node.faults:
            layer[to] = _Node(faults, [way])
        elif faults == node.faults:
            node.ways.append(way)

    # ---- the moves of definitions 4.7 -----------------------------------------------------------------

    def steps(self, at: Prefix) -> Iterator[tuple[FiredInteraction, int, Prefix]]:
        """Every interaction that may come next, its faults, and what it leaves."""
        for i, process in enumerate(self.system):
            for t in process.outgoing(at.states[i]):
                if isinstance(t.action, Receive):  # comes with its send
                    continue
                states = (*at.states[:i], t.target, *at.states[i + 1 :])
                pending = at.pending and at.pending.after(process.name)
                moved = Prefix(states, at.blocked, pending, at.behind)
                if isinstance(t.action, Send):
                    yield from self._sends(moved, process, t)
                else:
                    yield FiredInteraction((Firing(process.name, t),)), 0, moved

    def _sends(
        self, at: Prefix, process: Process, t: Transition
    ) -> Iterator[tuple[FiredInteraction, int, Prefix]]:
        """`at`: already with the sender's next state."""
        assert isinstance(t.action, Send)
        channel = Channel(process.name, t.action.peer)
        move = Firing(process.name, t)
        failure, n = self.failures.on(channel), self.index[channel]
        if failure.loss or failure.reorder:
            yield FiredInteraction((move,)), 0, self._left(at, n, at.behind[n] + 1)
        else:
            yield (
                FiredInteraction((move,)),
                0,
                Prefix(at.states, at.blocked | {channel}, at.pending, at.behind),
            )
        ahead = self._ahead(at, channel, t.action.message)
        if channel in at.blocked or ahead is None:
            return
        passed = self._left(at, n, 0) if failure.loss else at
        if at.pending is None:
            depends = frozenset(() if channel.receiver == process.name else (process.name,))
            pending = Pending(channel, t.action.message, depends)
            guessed = Prefix(at.states, at.blocked, pending, passed.behind)
            yield FiredInteraction((move,), pending=True), ahead, guessed
        elif at.pending.channel == channel and not (failure.reorder and t.action.message is not CRASH):
            return
        yield from self._pairs(passed, process.name, t, ahead)

    def _pairs(
        self, at: Prefix, sender: str, t: Transition, ahead: int
    ) -> Iterator[tuple[FiredInteraction, int, Prefix]]:
        assert isinstance(t.action, Send)
        channel = Channel(sender, t.action.peer)
        overtakes = int(at.pending is not None and at.pending.channel == channel)
        receiver = self.place[channel.receiver]
        for r, price in self._receptions(at, channel, t.action.message):
            states = (*at.states[:receiver], r.target, *at.states[receiver + 1 :])
            pair = FiredInteraction((Firing(sender, t), Firing(channel.receiver, r)), matched=True)
            pending = at.pending and at.pending.after(*channel)
            yield pair, ahead + overtakes + price, Prefix(states, at.blocked, pending, at.behind)

    def _ahead(self, at: Prefix, channel: Channel, message: Message) -> int | None:
        """How many faults it takes that a message sent now passes those left behind; None: it cannot."""
        behind = at.behind[self.index[channel]]
        if behind and message is CRASH and not self.failures.on(channel).loss:
            return None
        return behind

    def _left(self, at: Prefix, n: int, behind: int) -> Prefix:
        if at.behind[n] == behind:
            return at
        return Prefix(at.states, at.blocked, at.pending, (*at.behind[:n], behind, *at.behind[n + 1 :]))

    def _receptions(self, at: Prefix, channel: Channel, sent: Message) -> list[tuple[Transition, int]]:
        """How the receiver may take this message now, and whether it must be corrupted for that."""
        state = at.states[self.place[channel.receiver]]
        known = self.receptions.get((channel, state, sent))
        if known is None:
            received = self.system[channel.receiver].outgoing(state)
            takes = [(t, t.action) for t in received if isinstance(t.action, Receive)]
            becomes = self.failures.on(channel).may_become
            known = self.receptions[channel, state, sent] = [
                (t, int(a.message != sent))
                for t, a in takes
                if channel_of(channel.receiver, a) == channel and becomes(sent, a.message)
            ]
        return known

    def closing(self, at: Prefix) -> Iterator[tuple[FiredInteraction, int]]:
        """The reception of the pending send, by a process that depends on it."""
        if at.pending is not None and at.pending.channel.receiver in at.pending.depends:
            for t, price in self._receptions(at, at.pending.channel, at.pending.message):
                yield FiredInteraction((Firing(at.pending.channel.receiver, t),)), price

    # ---- from ends to violations ----------------------------------------------------------------------

    def back(self, ends: list[tuple[FiredInteraction, Prefix]]) -> Iterator[BorderlineRun]:
        """All of them, one for each class of runs that differ by commuting, within the budget."""
        stack: list[tuple[tuple[FiredInteraction, ...], int, Prefix]]
        stack = [((last,), self.length - 1, prefix) for last, prefix in ends]
        seen: set[tuple[int, Prefix, object]] = set()
        while stack and len(seen) < BACK:
            interactions, done, prefix = stack.pop()
            key = (done, prefix, self._class(interactions))
            if key in seen:
                continue
            seen.add(key)
            if done == 0:
                yield _written(interactions)
            for interaction, before, source in self.layers[done][prefix].ways:
                stack.append(((interaction, *interactions), before, source))

    def _class(self, interactions: tuple[FiredInteraction, ...]) -> object:
        """What each process did with whom: the same for all orders of what is independent."""
        own: dict[str, list[tuple[Transition, bool, bool]]] = {}
        for moves, matched, pending in interactions:
            for process, transition in moves:
                own.setdefault(process, []).append((transition, matched, pending))
        return frozenset((process, tuple(did)) for process, did in own.items())


def _least(prefix: Prefix) -> int:
    """How many actions a violation needs from here on: the send that is received last, a pair by which the
    receiver comes to depend on it, that reception; for a send to oneself one action is enough instead."""
    if prefix.pending is None:
        return 3
    channel, depends = prefix.pending.channel, prefix.pending.depends
    if channel.receiver in depends:
        return 1
    return 2 if channel.sender == channel.receiver else 3


def _written(interactions: tuple[FiredInteraction, ...]) -> BorderlineRun:
    moves: list[Firing] = []
    pairs, pending = [], -1
    for interaction in interactions:
        if interaction.pending:
            pending = len(moves)
        moves += interaction.moves
        if interaction.matched:
            pairs.append((len(moves) - 1, len(moves) - 2))
    return BorderlineRun(tuple(moves), (*pairs, (len(moves) - 1, pending)))
