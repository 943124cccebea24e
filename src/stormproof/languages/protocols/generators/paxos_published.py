"""Paxos after the one file of the paper's authors that is public: one acceptor, one ballot per proposer.

There a proposer sends `prep`, takes `prom` or a rejection, which ends it, sends `accreq`, takes `accept` or a
rejection, and sends `chosen`. The acceptor promises the first `prep` and rejects every later one; it accepts
the first `accreq`, then waits for `chosen` of that proposer alone, and ends. For 2 proposers, 1 acceptor and
1 ballot `paxos_published` is that system.

More acceptors and ballots are unrolled as the paper's text says: messages go to all acceptors, a majority of
the answers decides, and each ballot has its copy of the transitions, in increasing order: an acceptor
promises the first `prep` of each round and rejects those of rounds that it has promised. What this leaves
open is chosen by `PaxosReading`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....kernel.model.actions import Action, Receive, Send
from ....kernel.model.system import System
from .paxos_roles import RoleState, RoleSteps
from .sketch import Sketch


@dataclass(frozen=True)
class PaxosReading:
    """The choices.

    `any_order`: a majority of answers, in any order, moves a proposer on, instead of all of them in turn.
    `drop_late`: later answers are received and dropped, instead of left in the channel. `retry_rejected`: a
    rejected proposer tries its next ballot instead of ending. `serve_on`: acceptors do so after they have
    accepted. `opposite`: every second proposer broadcasts in the opposite order.
    """

    any_order: bool = False
    drop_late: bool = False
    retry_rejected: bool = False
    serve_on: bool = False
    opposite: bool = False


def paxos_published(proposers: int, acceptors: int, ballots: int, reading: PaxosReading) -> System:
    sketch = Sketch(f"paxos-{proposers}p{acceptors}a-{ballots}-as-published")
    names = [f"Acceptor{i}" for i in range(1, acceptors + 1)]
    for i in range(proposers):
        order = names[::-1] if reading.opposite and i % 2 else names
        proposer = _Proposer(i, proposers, ballots, order, reading)
        start: RoleState = ("prepare", 0, 0)
        sketch.role(f"Proposer{i + 1}").grow(start, _name, proposer.moves)
    for name in names:
        acceptor = _Acceptor(proposers, ballots, reading)
        fresh: RoleState = ("idle", 0)
        sketch.role(name).grow(fresh, _name, acceptor.moves)
    return sketch.system()


def _name(state: RoleState) -> str:
    words = []
    for part in state:
        words += [f"heard{i}" for i in sorted(part)] if isinstance(part, frozenset) else [str(part)]
    return "_".join(words)


@dataclass(frozen=True)
class _Proposer:
    index: int
    proposers: int
    ballots: int
    order: list[str]
    reading: PaxosReading

    def moves(self, state: RoleState) -> RoleSteps:
        phase, *rest = state
        yield from getattr(self, f"_{phase}")(*rest)

    def _number(self, ballot: int) -> int:
        return ballot * self.proposers + self.index

    def _broadcast(self, phase: str, message: str, ballot: int, to: int, after: RoleState) -> RoleSteps:
        following = (phase, ballot, to + 1) if to + 1 < len(self.order) else after
        yield Send(self.order[to], message), following

    def _prepare(self, ballot: int, to: int) -> RoleSteps:
        after: RoleState = ("promises", ballot, frozenset(), 0)
        yield from self._broadcast("prepare", f"prep{self._number(ballot)}", ballot, to, after)

    def _request(self, ballot: int, to: int) -> RoleSteps:
        yield from self._broadcast("request", "accreq", ballot, to, ("accepts", ballot, frozenset(), 0))

    def _announce(self, ballot: int, to: int) -> RoleSteps:
        yield from self._broadcast("announce", "chosen", ballot, to, ("chosen",))

    def _promises(self, ballot: int, heard: frozenset[int], yes: int) -> RoleSteps:
        yield from self._answers("promises", f"prom{self._number(ballot)}", ballot, heard, yes)

    def _accepts(self, ballot: int, heard: frozenset[int], yes: int) -> RoleSteps:
        yield from self._answers("accepts", "accept", ballot, heard, yes)
        if self.reading.drop_late:
            here = ("accepts", ballot, heard, yes)
            for peer in self.order:
                yield Receive(peer, f"prom{self._number(ballot)}"), here

    def _answers(self, phase: str, message: str, ballot: int, heard: frozenset[int], yes: int) -> RoleSteps:
        waiting = [i for i in range(len(self.order)) if i not in heard]
        for i in waiting if self.reading.any_order else waiting[:1]:
            now = heard | {i}
            yield Receive(self.order[i], message), self._after(phase, ballot, now, yes + 1)
            yield Receive(self.order[i], self._rejection), self._after(phase, ballot, now, yes)

    @property
    def _rejection(self) -> str:
        return f"rej{(self.index + 1) % self.proposers}"

    def _after(self, phase: str, ballot: int, heard: frozenset[int], yes: int) -> RoleState:
        majority, left = len(self.order) // 2 + 1, len(self.order) - len(heard)
        decided = left == 0 or (self.reading.any_order and (yes >= majority or yes + left < majority))
        if not decided:
            return (phase, ballot, heard, yes)
        if yes >= majority:
            return ("request" if phase == "promises" else "announce", ballot, 0)
        if self.reading.retry_rejected and ballot + 1 < self.ballots:
            return ("prepare", ballot + 1, 0)
        return ("rejected",)

    def _chosen(self) -> RoleSteps:
        yield from self._late(("chosen",))

    def _rejected(self) -> RoleSteps:
        yield from self._late(("rejected",))

    def _late(self, here: RoleState) -> RoleSteps:
        if not self.reading.drop_late:
            return
        promises = [f"prom{self._number(b)}" for b in range(self.ballots)]
        for peer in self.order:
            for message in (*promises, "accept", self._rejection):
                yield Receive(peer, message), here


@dataclass(frozen=True)
class _Acceptor:
    proposers: int
    ballots: int
    reading: PaxosReading

    def moves(self, state: RoleState) -> RoleSteps:
        phase, *rest = state
        yield from getattr(self, f"_{phase}")(*rest)

    def _idle(self, round: int) -> Iterator[tuple[Action, RoleState]]:
        """`round`: so many rounds have been promised."""
        for i in range(self.proposers):
            peer = f"Proposer{i + 1}"
            for ballot in range(self.ballots):
                answer = ("promise", i, ballot) if ballot >= round else ("reject", i, round)
                yield Receive(peer, f"prep{ballot * self.proposers + i}"), answer
            if round:
                yield Receive(peer, "accreq"), ("accept", i, round)
            if round and self.reading.serve_on:
                yield Receive(peer, "chosen"), ("idle", round)

    def _promise(self, i: int, ballot: int) -> RoleSteps:
        yield Send(f"Proposer{i + 1}", f"prom{ballot * self.proposers + i}"), ("idle", ballot + 1)

    def _reject(self, i: int, round: int) -> RoleSteps:
        yield Send(f"Proposer{i + 1}", f"rej{(i + 1) % self.proposers}"), ("idle", round)

    def _accept(self, i: int, round: int) -> RoleSteps:
        after = ("idle", round) if self.reading.serve_on else ("accepted", i)
        yield Send(f"Proposer{i + 1}", "accept"), after

    def _accepted(self, i: int) -> RoleSteps:
        yield Receive(f"Proposer{i + 1}", "chosen"), ("done",)

    def _done(self) -> RoleSteps:
        return iter(())
