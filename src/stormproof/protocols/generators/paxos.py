"""Single-decree Paxos with p proposers, a acceptors and r ballots each (paper, appendix, Figure paxos).

The paper describes the automata by a figure and leaves choices open. Those made here:

- *Ballots.* Proposer i uses the numbers i, p + i, 2 p + i, ...: r of them, which is what `retries` counts.
  After the last one it gives up. Proposer i proposes the value v<i>.
- *Comparing numbers.* An acceptor's state holds the highest number that it has promised and the last
  proposal that it has accepted, so it promises, accepts and rejects as Lamport's does; nothing is left to
  chance. A promise carries the accepted proposal, and a proposer takes the value of the highest one.
- *Counting.* `?_k` is unrolled: answers come in any order, a majority of promises (of accepts) moves the
  proposer on. It falls back when a majority of promises is out of reach, and at the first rejection of an
  accept request, as in the figure. Answers to what it no longer waits for are taken and dropped.
- *The end.* A proposer ends by telling all acceptors `chosen` or `giveup`; each answers `bye`, before
  which the proposer takes what is still under way; an acceptor ends when all proposers have. The figure
  leaves this out, and without it acceptors wait for ever. Learners are proposers, as in the paper.
- *Time-outs.* There are none, as in the figure.

The paper's own automata are not public, so no cell of its table is claimed to be reproduced.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ...model import Action, Receive, Send, System
from .sketch import Sketch

#: A proposal: its number and the proposer whose value it carries.
Proposal = tuple[int, int]


@dataclass(frozen=True)
class Size:
    proposers: int
    acceptors: int
    ballots: int

    @property
    def majority(self) -> int:
        return self.acceptors // 2 + 1

    @property
    def names(self) -> list[str]:
        return [f"Acceptor{i}" for i in range(1, self.acceptors + 1)]

    def numbers(self, proposer: int) -> range:
        """The ballot numbers of a proposer, in the order of its attempts."""
        return range(proposer, self.proposers * self.ballots + 1, self.proposers)


def paxos(proposers: int, acceptors: int, retries: int) -> System:
    """Paxos with so many proposers and acceptors, and `retries` ballots a proposer."""
    size = Size(proposers, acceptors, retries)
    sketch = Sketch(f"paxos-{proposers}p{acceptors}a-{retries}")
    for i in range(1, proposers + 1):
        proposer = Proposer(size, i)
        start: tuple[object, ...] = ("prepare", i, 1)
        sketch.role(f"Proposer{i}").grow(start, proposer.name, proposer.moves)
    for name in size.names:
        acceptor = Acceptor(size)
        fresh: Acceptor.State = (0, None, frozenset(), None)
        sketch.role(name).grow(fresh, acceptor.name, acceptor.moves)
    return sketch.system()


def promise(number: int, accepted: Proposal | None) -> str:
    return f"prom<{number}>" if accepted is None else f"prom<{number},{accepted[0]},v{accepted[1]}>"


class Proposer:
    """States are tuples that start with the phase; see `moves`."""

    def __init__(self, size: Size, index: int) -> None:
        self.size = size
        self.index = index

    def name(self, state: tuple[object, ...]) -> str:
        phase, *rest = state
        words = []
        for part in rest:
            if isinstance(part, tuple):
                words.append(f"saw{part[0]}v{part[1]}")
            elif isinstance(part, frozenset):
                words += [f"without{i}" for i in sorted(part)]
            elif part is not None:
                words.append(str(part))
        return "_".join([str(phase), *words])

    def moves(self, state: tuple[object, ...]) -> Iterator[tuple[Action, tuple[object, ...]]]:
        phase, *rest = state
        yield from getattr(self, f"_{phase}")(*rest)

    def _prepare(self, number: int, to: int) -> Iterator[tuple[Action, tuple[object, ...]]]:
        after = ("prepare", number, to + 1) if to < self.size.acceptors else ("promises", number, 0, 0, None)
        yield Send(f"Acceptor{to}", f"prep<{number}>"), after

    def _promises(
        self, number: int, got: int, refused: int, best: Proposal | None
    ) -> Iterator[tuple[Action, tuple[object, ...]]]:
        for peer in self.size.names:
            for accepted in self._accepted_before(number):
                seen = max((p for p in (best, accepted) if p is not None), default=None)
                enough = got + 1 >= self.size.majority
                value = self.index if seen is None else seen[1]
                after: tuple[object, ...] = ("request", number, value, 1)
                yield (
                    Receive(peer, promise(number, accepted)),
                    after if enough else ("promises", number, got + 1, refused, seen),
                )
            hopeless = refused + 1 > self.size.acceptors - self.size.majority
            yield (
                Receive(peer, f"reject<{number}>"),
                self._next(number) if hopeless else ("promises", number, got, refused + 1, best),
            )
            yield from self._drop(peer, number, None, ("promises", number, got, refused, best))

    def _request(self, number: int, value: int, to: int) -> Iterator[tuple[Action, tuple[object, ...]]]:
        more = to < self.size.acceptors
        after = ("request", number, value, to + 1) if more else ("accepts", number, value, 0)
        yield Send(f"Acceptor{to}", f"accreq<{number},v{value}>"), after

    def _accepts(self, number: int, value: int, got: int) -> Iterator[tuple[Action, tuple[object, ...]]]:
        enough = got + 1 >= self.size.majority
        for peer in self.size.names:
            yield (
                Receive(peer, f"accept<{number},v{value}>"),
                ("chosen", number, value, 1) if enough else ("accepts", number, value, got + 1),
            )
            yield Receive(peer, f"reject<{number},v{value}>"), self._next(number)
            yield from self._drop(peer, number, value, ("accepts", number, value, got))

    def _chosen(self, number: int, value: int, to: int) -> Iterator[tuple[Action, tuple[object, ...]]]:
        more = to < self.size.acceptors
        after: tuple[object, ...] = (
            ("chosen", number, value, to + 1) if more else ("leave", f"chose_v{value}", frozenset())
        )
        yield Send(f"Acceptor{to}", f"chosen<{number},v{value}>"), after

    def _giveup(self, to: int) -> Iterator[tuple[Action, tuple[object, ...]]]:
        more = to < self.size.acceptors
        after: tuple[object, ...] = ("giveup", to + 1) if more else ("leave", "gave_up", frozenset())
        yield Send(f"Acceptor{to}", "giveup"), after

    def _leave(self, outcome: str, heard: frozenset[int]) -> Iterator[tuple[Action, tuple[object, ...]]]:
        """Take what is still under way until every acceptor has said bye, in whatever order they do."""
        last = self.size.numbers(self.index)[-1]
        for i in range(1, self.size.acceptors + 1):
            if i in heard:
                continue
            now = heard | {i}
            done = len(now) == self.size.acceptors
            yield Receive(f"Acceptor{i}", "bye"), ("done", outcome) if done else ("leave", outcome, now)
            for answer in self._answers(last, with_accepts=True):
                yield Receive(f"Acceptor{i}", answer), ("leave", outcome, heard)

    def _done(self, outcome: str) -> Iterator[tuple[Action, tuple[object, ...]]]:
        yield from ()

    def _next(self, number: int) -> tuple[object, ...]:
        later = number + self.size.proposers
        return ("prepare", later, 1) if later in self.size.numbers(self.index) else ("giveup", 1)

    def _accepted_before(self, number: int) -> Iterator[Proposal | None]:
        """What a promise for `number` may carry: nothing, or a proposal with a smaller number."""
        yield None
        for earlier in range(1, number):
            for value in range(1, self.size.proposers + 1):
                yield (earlier, value)

    def _answers(self, upto: int, with_accepts: bool) -> Iterator[str]:
        """Answers to this proposer up to ballot `upto`, with those to its last accept request or not."""
        for number in self.size.numbers(self.index):
            if number > upto:
                return
            for accepted in self._accepted_before(number):
                yield promise(number, accepted)
            yield f"reject<{number}>"
            if number < upto or with_accepts:
                for value in range(1, self.size.proposers + 1):
                    yield f"accept<{number},v{value}>"
                    yield f"reject<{number},v{value}>"

    def _drop(
        self, peer: str, number: int, value: int | None, here: tuple[object, ...]
    ) -> Iterator[tuple[Action, tuple[object, ...]]]:
        """Answers to earlier requests; in the accept phase those to the prepare of the same ballot too."""
        earlier = number if value is not None else number - self.size.proposers
        for answer in self._answers(earlier, with_accepts=value is None):
            yield Receive(peer, answer), here


class Acceptor:
    """A state: the number promised (0: none), the proposal accepted, who has left, what to answer to whom."""

    State = tuple[int, "Proposal | None", "frozenset[int]", "tuple[int, str] | None"]

    def __init__(self, size: Size) -> None:
        self.size = size

    def name(self, state: State) -> str:
        promised, accepted, gone, owed = state
        if len(gone) == self.size.proposers and owed is None:
            return "done" if accepted is None else f"done_accepted{accepted[0]}v{accepted[1]}"
        words = [f"promised{promised}"]
        if accepted is not None:
            words.append(f"accepted{accepted[0]}v{accepted[1]}")
        words += [f"without{i}" for i in sorted(gone)]
        if owed is not None:
            words.append("answer{}_{}".format(owed[0], owed[1].translate(str.maketrans("<,", "__", ">"))))
        return "_".join(words)

    def moves(self, state: State) -> Iterator[tuple[Action, State]]:
        promised, accepted, gone, owed = state
        if owed is not None:
            yield Send(f"Proposer{owed[0]}", owed[1]), (promised, accepted, gone, None)
            return
        for i in range(1, self.size.proposers + 1):
            if i not in gone:
                yield from self._from(i, promised, accepted, gone)

    def _from(
        self, i: int, promised: int, accepted: Proposal | None, gone: frozenset[int]
    ) -> Iterator[tuple[Action, State]]:
        peer = f"Proposer{i}"
        leaving = (promised, accepted, gone | {i}, (i, "bye"))
        for n in self.size.numbers(i):
            if n > promised:
                yield Receive(peer, f"prep<{n}>"), (n, accepted, gone, (i, promise(n, accepted)))
            else:
                yield Receive(peer, f"prep<{n}>"), (promised, accepted, gone, (i, f"reject<{n}>"))
            for v in range(1, self.size.proposers + 1):
                request = Receive(peer, f"accreq<{n},v{v}>")
                if n >= promised:
                    yield request, (n, (n, v), gone, (i, f"accept<{n},v{v}>"))
                else:
                    yield request, (promised, accepted, gone, (i, f"reject<{n},v{v}>"))
                yield Receive(peer, f"chosen<{n},v{v}>"), leaving
        yield Receive(peer, "giveup"), leaving
