"""The proposers and acceptors of Paxos, as automata; the choices made are described in `paxos`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ....kernel.model.actions import Action, Receive, Send

#: A proposal: its number and the proposer whose value it carries.
Proposal = tuple[int, int]
#: A proposer's state: the phase and what it keeps there.
RoleState = tuple[object, ...]
RoleSteps = Iterator[tuple[Action, RoleState]]


@dataclass(frozen=True)
class Size:
    proposers: int
    acceptors: int
    ballots: int
    forgetful: bool = False
    in_turn: bool = False

    @property
    def majority(self) -> int:
        return self.acceptors // 2 + 1

    @property
    def names(self) -> list[str]:
        return [f"Acceptor{i}" for i in range(1, self.acceptors + 1)]

    def numbers(self, proposer: int) -> range:
        """The ballot numbers of a proposer, in the order of its attempts."""
        return range(proposer, self.proposers * self.ballots + 1, self.proposers)


def promise(number: int, accepted: Proposal | None) -> str:
    return f"prom<{number}>" if accepted is None else f"prom<{number},{accepted[0]},v{accepted[1]}>"


class Proposer:
    """States are tuples that start with the phase; see `moves`."""

    def __init__(self, size: Size, index: int) -> None:
        self.size = size
        self.index = index

    def name(self, state: RoleState) -> str:
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

    def moves(self, state: RoleState) -> RoleSteps:
        phase, *rest = state
        yield from getattr(self, f"_{phase}")(*rest)

    def _prepared(self, number: int) -> RoleState:
        return ("promises", number, 0, 0, None)

    def _requested(self, number: int, value: int) -> RoleState:
        return ("accepts", number, value, 0)

    def _ended(self, outcome: str) -> RoleState:
        return ("leave", outcome, frozenset())

    def _prepare(self, number: int, to: int) -> RoleSteps:
        after = ("prepare", number, to + 1) if to < self.size.acceptors else self._prepared(number)
        yield Send(f"Acceptor{to}", f"prep<{number}>"), after

    def _promises(self, number: int, got: int, refused: int, best: Proposal | None) -> RoleSteps:
        for peer in self.size.names:
            for accepted in self._accepted_before(number):
                seen = max((p for p in (best, accepted) if p is not None), default=None)
                enough = got + 1 >= self.size.majority
                value = self.index if seen is None else seen[1]
                after: RoleState = ("request", number, value, 1)
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

    def _request(self, number: int, value: int, to: int) -> RoleSteps:
        more = to < self.size.acceptors
        after = ("request", number, value, to + 1) if more else self._requested(number, value)
        yield Send(f"Acceptor{to}", f"accreq<{number},v{value}>"), after

    def _accepts(self, number: int, value: int, got: int) -> RoleSteps:
        enough = got + 1 >= self.size.majority
        for peer in self.size.names:
            yield (
                Receive(peer, f"accept<{number},v{value}>"),
                ("chosen", number, value, 1) if enough else ("accepts", number, value, got + 1),
            )
            yield Receive(peer, f"reject<{number},v{value}>"), self._next(number)
            yield from self._drop(peer, number, value, ("accepts", number, value, got))

    def _chosen(self, number: int, value: int, to: int) -> RoleSteps:
        more = to < self.size.acceptors
        after = ("chosen", number, value, to + 1) if more else self._ended(f"chose_v{value}")
        yield Send(f"Acceptor{to}", f"chosen<{number},v{value}>"), after

    def _giveup(self, to: int) -> RoleSteps:
        more = to < self.size.acceptors
        after = ("giveup", to + 1) if more else self._ended("gave_up")
        yield Send(f"Acceptor{to}", "giveup"), after

    def _leave(self, outcome: str, heard: frozenset[int]) -> RoleSteps:
        """Receive what is still in flight until every acceptor has said bye, in any order."""
        last = self.size.numbers(self.index)[-1]
        for i in range(1, self.size.acceptors + 1):
            if i in heard:
                continue
            now = heard | {i}
            done = len(now) == self.size.acceptors
            yield Receive(f"Acceptor{i}", "bye"), ("done", outcome) if done else ("leave", outcome, now)
            for answer in self._answers(last, with_accepts=True):
                yield Receive(f"Acceptor{i}", answer), ("leave", outcome, heard)

    def _done(self, outcome: str) -> RoleSteps:
        yield from ()

    def _next(self, number: int) -> RoleState:
        later = number + self.size.proposers
        return ("prepare", later, 1) if later in self.size.numbers(self.index) else ("giveup", 1)

    def _accepted_before(self, number: int) -> Iterator[Proposal | None]:
        """What a promise for `number` may carry: nothing, or a proposal with a smaller number."""
        yield None
        for earlier in range(1, 1 if self.size.forgetful else number):
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

    def _drop(self, peer: str, number: int, value: int | None, here: RoleState) -> RoleSteps:
        """Answers to earlier requests; in the accept phase those to the prepare of the same ballot too."""
        earlier = number if value is not None else number - self.size.proposers
        for answer in self._answers(earlier, with_accepts=value is None):
            yield Receive(peer, answer), here


class PatientProposer(Proposer):
    """Awaits every acceptor's answer in turn: `asked` is whose is next, `got` how many agreed so far."""

    def _prepared(self, number: int) -> RoleState:
        return ("collect", number, 1, 0, None)

    def _requested(self, number: int, value: int) -> RoleState:
        return ("count", number, value, 1, 0)

    def _ended(self, outcome: str) -> RoleState:
        """Nothing is in flight any more."""
        return ("done", outcome)

    def _collect(self, number: int, asked: int, got: int, best: Proposal | None) -> RoleSteps:
        def after(count: int, seen: Proposal | None) -> RoleState:
            if asked < self.size.acceptors:
                return ("collect", number, asked + 1, count, seen)
            value = self.index if seen is None else seen[1]
            return ("request", number, value, 1) if count >= self.size.majority else self._next(number)

        for accepted in self._accepted_before(number):
            seen = max((p for p in (best, accepted) if p is not None), default=None)
            yield Receive(f"Acceptor{asked}", promise(number, accepted)), after(got + 1, seen)
        yield Receive(f"Acceptor{asked}", f"reject<{number}>"), after(got, best)

    def _count(self, number: int, value: int, asked: int, got: int) -> RoleSteps:
        def after(count: int) -> RoleState:
            if asked < self.size.acceptors:
                return ("count", number, value, asked + 1, count)
            return ("chosen", number, value, 1) if count >= self.size.majority else self._next(number)

        yield Receive(f"Acceptor{asked}", f"accept<{number},v{value}>"), after(got + 1)
        yield Receive(f"Acceptor{asked}", f"reject<{number},v{value}>"), after(got)


class Acceptor:
    """A state: the number promised (0: none), the proposal accepted, who has left, what to answer to whom."""

    AcceptorState = tuple[int, "Proposal | None", "frozenset[int]", "tuple[int, str] | None"]

    def __init__(self, size: Size) -> None:
        self.size = size

    def name(self, state: AcceptorState) -> str:
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

    def moves(self, state: AcceptorState) -> Iterator[tuple[Action, AcceptorState]]:
        promised, accepted, gone, owed = state
        if owed is not None:
            yield Send(f"Proposer{owed[0]}", owed[1]), (promised, accepted, gone, None)
            return
        for i in range(1, self.size.proposers + 1):
            if i not in gone:
                yield from self._from(i, promised, accepted, gone)

    def _from(
        self, i: int, promised: int, accepted: Proposal | None, gone: frozenset[int]
    ) -> Iterator[tuple[Action, AcceptorState]]:
        peer = f"Proposer{i}"
        leaving = (promised, accepted, gone | {i}, None if self.size.in_turn else (i, "bye"))
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


class ForgetfulAcceptor:
    """The acceptor of the figure: it promises or rejects, accepts or rejects, as it pleases.

    A state: who has left, and the answer it owes: to whom, and which it may choose from.
    """

    ForgetfulState = tuple["frozenset[int]", "tuple[int, tuple[str, ...]] | None"]

    def __init__(self, size: Size) -> None:
        self.size = size

    def name(self, state: ForgetfulState) -> str:
        gone, owed = state
        if len(gone) == self.size.proposers and owed is None:
            return "done"
        words = ["idle"]
        if owed is not None:
            words = ["answer" + str(owed[0]), owed[1][0].translate(str.maketrans("<,", "__", ">"))]
        return "_".join([*words, *(f"without{i}" for i in sorted(gone))])

    def moves(self, state: ForgetfulState) -> Iterator[tuple[Action, ForgetfulState]]:
        gone, owed = state
        if owed is not None:
            for answer in owed[1]:
                yield Send(f"Proposer{owed[0]}", answer), (gone, None)
            return
        for i in range(1, self.size.proposers + 1):
            if i not in gone:
                yield from self._from(i, gone)

    def _from(self, i: int, gone: frozenset[int]) -> Iterator[tuple[Action, ForgetfulState]]:
        peer = f"Proposer{i}"
        leaving = (gone | {i}, None if self.size.in_turn else (i, ("bye",)))
        for n in self.size.numbers(i):
            yield Receive(peer, f"prep<{n}>"), (gone, (i, (promise(n, None), f"reject<{n}>")))
            value = f"<{n},v{i}>"
            yield Receive(peer, f"accreq{value}"), (gone, (i, (f"accept{value}", f"reject{value}")))
            yield Receive(peer, f"chosen{value}"), leaving
        yield Receive(peer, "giveup"), leaving
