"""Half-duplex: two processes whose channels are never both non-empty (definitions 7.1).

What is searched is a system with counters that has the violation exactly when the channels have:

- A channel that reorders is a multiset: one counter for each message sent on it. Corruption is folded into
  the reception, which takes any message that may have become the one received. Nothing need be lost there,
  since more messages never disable anything.
- Any other channel is a *rendezvous*: its sends are received at once or, with loss, lost at once. Take a run
  whose last step is the first to make both channels non-empty, and let m be the oldest message of the
  rendezvous channel then. Since m was sent the other channel was empty, so the sender of m has received
  nothing since: leave out what it did, and send m last. While the channel was non-empty before, the other one
  was empty, so its sends can wait for their receptions. This needs only that messages leave in the order in
  which they came; so a channel that reorders and may turn every message into every other counts here too,
  because its order cannot be seen.
- So both channels can be non-empty iff some reachable state has, for each channel, a message in it (counters)
  or a sender that can send (rendezvous). That is coverability, decided by backward search.

The crash message is the last of its channel (definitions 5.1). Once it is received its channel is empty
for ever, so receptions of it lead to no violation; unread, it makes its channel non-empty like any message.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import product

from ...kernel.model.actions import (
    CRASH,
    Channel,
    Firing,
    Internal,
    Message,
    Receive,
    Send,
    Transition,
    channel_of,
)
from ...kernel.model.channel_faults import interfere
from ...kernel.model.failures import ChannelFailure, FailureModel
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ...limits import Limits, as_a_whole, format_memory, is_over, why_interrupted
from ..counterexample.build import build_witness
from ..counterexample.end_contents import exactly

#: What a state of the search takes, generously: tracemalloc shows 170 to 230 bytes on sliding windows.
NODE_BYTES = 400

#: Both local states.
LocalStates = tuple[str, ...]
#: How many messages of each kind stand in the reordering channels, at least.
Counts = tuple[int, ...]
#: A kind of message in a reordering channel.
CountedMessage = tuple[Channel, Message]
#: A transition of one of the processes, which go by their number.
ProcessStep = tuple[int, Transition]


@dataclass(frozen=True)
class HalfDuplex:
    """The verdict; `states` counts control states and the minimal states of the backward search."""

    holds: bool | None
    reason: str = ""
    states: int = 0
    witness: Witness | None = None


@dataclass(frozen=True)
class Rule:
    """One move of the system with counters: a step, or a send with its reception."""

    steps: tuple[ProcessStep, ...]
    takes: CountedMessage | None = None
    puts: CountedMessage | None = None


@dataclass(frozen=True)
class MinimalState:
    """A minimal state from which a violation is `cost` actions away: by `rule` to `after`, or by `last`."""

    cost: int
    control: LocalStates
    vector: Counts
    rule: Rule | None
    after: MinimalState | None
    last: tuple[ProcessStep, ...] = ()


@as_a_whole
def half_duplex(system: System, failures: FailureModel, *, limits: Limits | None = None) -> HalfDuplex:
    """Are the two channels never both non-empty? With a shortest run to where they are."""
    if len(system.processes) != 2:
        count = len(system.processes)
        return HalfDuplex(None, f"half-duplex is a property of two processes, and the system has {count}")
    if system.self_channels:
        owner = system.self_channels[0].sender
        return HalfDuplex(None, f"half-duplex is a property of two channels, and {owner} sends to itself")
    if len(system.channels) < 2:
        return HalfDuplex(
            True, "the system uses one channel only" if system.channels else "no channel is used"
        )
    return _Search(system, failures, limits or Limits()).run()


def is_counted(failure: ChannelFailure) -> bool:
    """Does the order on the channel matter and change?"""
    return failure.changes_order and not failure.total


class _Search:
    """Backward coverability, the nearest states first."""

    def __init__(self, system: System, failures: FailureModel, limits: Limits) -> None:
        self.system, self.failures, self.limits = system, failures, limits
        self.counted = {c for c in system.channels if is_counted(failures.on(c))}
        self.tokens = [(c, m) for c in system.channels if c in self.counted for m in self._sent(c)]
        self.rules = list(self._rules())
        self.settled: dict[LocalStates, list[Counts]] = {}
        self.count = self.made = 0
        self.reachable: set[LocalStates] = set()

    def _sent(self, channel: Channel) -> list[Message]:
        return list(dict.fromkeys(t.action.message for _, t in self._sends(channel)))  # type: ignore[union-attr]

    def _sends(self, channel: Channel) -> list[ProcessStep]:
        return self._acting(channel, Send)

    def _acting(self, channel: Channel, kind: type) -> list[ProcessStep]:
        return [
            (i, t)
            for i, process in enumerate(self.system)
            for t in process.transitions
            if isinstance(t.action, kind) and channel_of(process.name, t.action) == channel
        ]

    def _rules(self) -> Iterator[Rule]:
        for i, process in enumerate(self.system):
            for t in process.transitions:
                if isinstance(t.action, Internal):
                    yield Rule(((i, t),))
        for channel in self.system.channels:
            yield from self._counting(channel) if channel in self.counted else self._rendezvous(channel)

    def _counting(self, channel: Channel) -> Iterator[Rule]:
        failure = self.failures.on(channel)
        for step in self._sends(channel):
            yield Rule((step,), puts=(channel, _message(step)))
        for step in self._acting(channel, Receive):
            for sent in self._sent(channel):
                if sent is not CRASH and failure.may_become(sent, _message(step)):
                    yield Rule((step,), takes=(channel, sent))

    def _rendezvous(self, channel: Channel) -> Iterator[Rule]:
        failure = self.failures.on(channel)
        for sending in self._sends(channel):
            if () in interfere((_message(sending),), failure):
                yield Rule((sending,))
            for receiving in self._acting(channel, Receive):
                if failure.may_become(_message(sending), _message(receiving)):
                    yield Rule((sending, receiving))

    def _reach(self) -> str:
        """The control states that the rules reach when counters are ignored: the others need no search."""
        start = tuple(p.initial for p in self.system)
        self.reachable, stack = {start}, [start]
        while stack:
            self.count += 1
            stopped = self._stopped()
            if stopped:
                return stopped
            control = stack.pop()
            for rule in self.rules:
                after = _move(control, rule.steps)
                if after is not None and after not in self.reachable:
                    self.reachable.add(after)
                    stack.append(after)
        return ""

    def run(self) -> HalfDuplex:
        stopped = self._reach()
        heap = [(node.cost, i, node) for i, node in enumerate(self._goals())]
        heapq.heapify(heap)
        self.made = len(heap)
        while heap and not stopped:
            _, _, node = heapq.heappop(heap)
            if not self._settle(node):
                continue
            if self._is_initial(node):
                return self._violated(node)
            for before in self._before(node):
                heapq.heappush(heap, (before.cost, self.made, before))
                self.made += 1
            stopped = self._stopped()
        return HalfDuplex(None, stopped, self.count) if stopped else HalfDuplex(True, "", self.count)

    def _is_initial(self, node: MinimalState) -> bool:
        return node.control == tuple(p.initial for p in self.system) and not any(node.vector)

    def _goals(self) -> Iterator[MinimalState]:
        """For each channel a message in it, or a sender that is about to send."""
        for control in sorted(self.reachable):
            for parts in product(*(self._filled(control, channel) for channel in self.system.channels)):
                tokens = [part for part in parts if part in self.tokens]
                last = tuple(part for part in parts if part not in self.tokens)
                vector = tuple(int(token in tokens) for token in self.tokens)
                yield MinimalState(len(last), control, vector, None, None, last)  # type: ignore[arg-type]

    def _filled(self, control: LocalStates, channel: Channel) -> Sequence[CountedMessage | ProcessStep]:
        if channel in self.counted:
            return [token for token in self.tokens if token[0] == channel]
        return [(i, t) for i, t in self._sends(channel) if control[i] == t.source]

    def _settle(self, node: MinimalState) -> bool:
        """Keep the node unless a nearer state below it is known."""
        known = self.settled.setdefault(node.control, [])
        if any(_below(vector, node.vector) for vector in known):
            return False
        known.append(node.vector)
        self.count += 1
        return True

    def _before(self, node: MinimalState) -> Iterator[MinimalState]:
        for rule in self.rules:
            control = _unmove(node.control, rule.steps)
            if control is None or control not in self.reachable:
                continue
            vector = tuple(
                max(0, n - (token == rule.puts)) + (token == rule.takes)
                for token, n in zip(self.tokens, node.vector, strict=True)
            )
            yield MinimalState(node.cost + len(rule.steps), control, vector, rule, node)

    def _stopped(self) -> str:
        states, memory = self.limits.states, self.limits.bytes
        if memory is not None and (self.count + self.made) * NODE_BYTES > memory:
            return (
                f"the memory limit of {format_memory(memory)} was reached after {self.count:,} configurations"
            )
        if states is not None and self.count > states:
            return f"the limit of {states:,} configurations was reached"
        if is_over():
            return f"{why_interrupted()} after {self.count:,} configurations"
        return ""

    def _violated(self, node: MinimalState) -> HalfDuplex:
        run = _Run(self.system)
        at = node
        while at.rule is not None:
            run.play(at.rule)
            assert at.after is not None
            at = at.after
        for step in at.last:
            run.end(step)
        words = run.words()
        held = [
            f"{c.sender}→{c.receiver} holds {', '.join(map(str, words[c]))}" for c in self.system.channels
        ]
        made = build_witness(self.system, self.failures, run.moves, exactly(words), None)
        witness = replace(made, culprit=run.culprit())
        return HalfDuplex(False, " and ".join(held), self.count, witness)


class _Run:
    """The moves of a run of the system with counters, and what it leaves in the channels."""

    def __init__(self, system: System) -> None:
        self.system = system
        self.moves: list[Firing] = []
        self.left: dict[CountedMessage, list[int]] = {}

    def play(self, rule: Rule) -> None:
        first = len(self.moves)
        for step in rule.steps:
            self._act(step)
        if rule.takes is not None:
            self.left[rule.takes].pop(0)
        if rule.puts is not None:
            self.left.setdefault(rule.puts, []).append(first)

    def end(self, step: ProcessStep) -> None:
        """A send that stays in its rendezvous channel."""
        process = self.system.processes[step[0]].name
        channel = channel_of(process, step[1].action)
        assert channel is not None
        self.left.setdefault((channel, _message(step)), []).append(len(self.moves))
        self._act(step)

    def _act(self, step: ProcessStep) -> None:
        self.moves.append(Firing(self.system.processes[step[0]].name, step[1]))

    def words(self) -> dict[Channel, tuple[Message, ...]]:
        """What is left in the channels, in the order of sending."""
        where = sorted((at, token) for token, sends in self.left.items() for at in sends)
        return {c: tuple(m for _, (d, m) in where if d == c) for c in self.system.channels}

    def culprit(self) -> dict[str, str]:
        process, transition = self.moves[-1]
        channel = channel_of(process, transition.action)
        return {"process": process, "channel": str(channel), "action": str(transition.action)}


def _message(step: ProcessStep) -> Message:
    assert not isinstance(step[1].action, Internal)
    return step[1].action.message


def _below(small: Counts, big: Counts) -> bool:
    return all(a <= b for a, b in zip(small, big, strict=True))


def _move(control: LocalStates, steps: tuple[ProcessStep, ...]) -> LocalStates | None:
    """Where the steps lead, all of them at once, or None when they cannot be taken."""
    if any(control[i] != t.source for i, t in steps):
        return None
    there = {i: t.target for i, t in steps}
    return tuple(there.get(i, state) for i, state in enumerate(control))


def _unmove(control: LocalStates, steps: tuple[ProcessStep, ...]) -> LocalStates | None:
    """Where the steps come from, or None when they do not lead here."""
    if any(control[i] != t.target for i, t in steps):
        return None
    here = {i: t.source for i, t in steps}
    return tuple(here.get(i, state) for i, state in enumerate(control))
