"""Complete sample runs: they go on until nothing is left to do or a loop closes.

The search goes the shortest way to where a run has shown what it is to show (`Wish`), and from there to the
best end within the budget. What a run then shows is read off the run itself (`demonstrate`), not off the
search.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...errors import InternalError
from ...kernel.model.actions import Configuration
from ...kernel.model.failures import FailureModel
from ...kernel.model.message_tracking import flights, longest_content
from ...kernel.model.phrases import arrow, listed
from ...kernel.model.run import Act, Witness
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore
from ...limits import MOST, is_over
from ...trust.replay import replay
from ..engine.effort import Effort
from .fault_steps import BoundedMoves, Move, has_fault

#: Configurations that one search may see.
BUDGET = 20_000

#: A run that neither ends nor closes a loop within the budget is cut off after this many moves.
LONGEST = 200

#: So many moves at random end, as a rule, where a run can stay.
STROLL = 400

#: How a run is complete, the best first.
KINDS = ("ends", "round", "loop", "stuck", "cut")

#: What has been seen so far of what a run is to show; `DONE` once it has been shown.
Seen = Hashable
DONE = "done"


def _nothing(seen: Seen, at: Configuration, move: Move, to: Configuration) -> Seen:
    return seen


class Wish(NamedTuple):
    """What a run is to show, followed move by move; `rendezvous`: every reception right after its send."""

    name: str = ""
    begin: Seen = DONE
    follow: Callable[[Seen, Configuration, Move, Configuration], Seen] = _nothing
    rendezvous: bool = False


@dataclass(frozen=True)
class Sample:
    """A sample run: how it is complete, the bound that it needs, and, where it closes a loop, the number of
    steps after which it was for the first time where it ends."""

    kind: str
    k: int
    witness: Witness
    back: int | None = None

    @property
    def closing(self) -> str:
        """How it ends, in words."""
        left = [arrow(c) for c, word in self.witness.channels.items() if word]
        still = f"but {listed(left)} still {'holds' if len(left) == 1 else 'hold'} what nobody takes"
        return {
            "ends": "everybody is at rest" + (f", {still}" if left else ", and nothing is in flight"),
            "round": "at its end all is as in the beginning, so it can repeat",
            "loop": f"at its end all is as after step {self.back}, so it can repeat from there",
            "stuck": "at its end nothing is left to do" + (f", {still}" if left else ""),
            "cut": "cut off there: neither an end nor a loop was found within the limits of the search",
        }[self.kind]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "k": self.k, "back": self.back, "witness": self.witness.to_json()}


@dataclass(frozen=True, eq=False)
class _Node:
    """Where a run is, and how it came there."""

    at: Configuration
    before: _Node | None = None
    move: Move = ()

    def trail(self) -> list[_Node]:
        nodes, node = [self], self.before
        while node is not None:
            nodes.append(node)
            node = node.before
        return nodes[::-1]


class _Place(NamedTuple):
    """Has its fault happened, and what has been seen of what is wished?"""

    at: Configuration
    spent: bool
    seen: Seen


class _Acted(NamedTuple):
    """Who has acted since the event?"""

    at: Configuration
    who: frozenset[str] = frozenset()


def _followed(node: _Node, path: Iterable[tuple[Move, _Place | _Acted]]) -> _Node:
    for move, place in path:
        node = _Node(place.at, node, move)
    return node


def sample(
    system: System,
    model: FailureModel,
    k: int,
    wish: Wish,
    *,
    fault: bool = False,
    budget: int = BUDGET,
    effort: Effort | None = None,
) -> Sample | None:
    """A complete run within the bound that does what is wished, with one fault or crash, or with none.

    `effort`: for this and other searches together.
    """
    for order in ("pairs", "unmatched") if wish.rendezvous else ("",):
        search = _Search(BoundedMoves(system, model, k, order), wish, budget, effort or Effort(MOST))
        event = search.event(fault)
        if event is not None:
            last, kind = search.completed(event)
            if kind != "cut" or order != "pairs":
                return _checked(system, model, k, kind, last, wish.rendezvous)
    return None


class _Past:
    """What has happened on the way to an event: who has acted, where the run has been, who is not at rest."""

    def __init__(self, bounded: BoundedMoves, event: _Node) -> None:
        system, rest = bounded.system, bounded.ends.rest.rest
        path = event.trail()
        self.here, self.places = event.at, {n.at for n in path}
        self.acted = frozenset(s.process for n in path for s in n.move if isinstance(s, Act))
        self.everybody = {p.name for p in system if p.transitions}
        self.busy = {p.name for p, s in zip(system, event.at.states) if s not in rest[p.name]}


class _Search:
    def __init__(self, bounded: BoundedMoves, wish: Wish, budget: int, effort: Effort) -> None:
        self.bounded, self.wish, self.budget, self.effort = bounded, wish, budget, effort
        self.system = bounded.system

    def _goes_on(self, seen: int) -> bool:
        self.effort.spend(1)
        return seen <= self.budget and self.effort.left > 0 and not is_over()

    def event(self, fault: bool) -> _Node | None:
        """The nearest place where what is wished has been seen, and the fault has happened."""

        def leaving(place: _Place) -> Iterator[tuple[Move, _Place]]:
            at, spent, seen = place
            for move, to in self.bounded.moves(at, spent):
                then = DONE if seen == DONE else self.wish.follow(seen, at, move, to)
                yield move, _Place(to, spent or has_fault(move), then)

        start = _Place(self.bounded.start, not fault, self.wish.begin)
        found = explore([start], leaving, lambda place: place.seen == DONE and place.spent, self._goes_on)
        return None if found.end is None else _followed(_Node(start.at), found.path(found.end))

    def completed(self, event: _Node) -> tuple[_Node, str]:
        """On from an event to an end; where there is none, and no way back, to where the run can stay."""
        found = self.ending(event)
        if found is None or found[1] in ("again", "stuck"):
            settled = self._settled(event)
            better = None if settled is None else self.ending(settled)
            found = better if better is not None and better[1] in ("ends", "loop") else found
        return self._walk(event) if found is None else (found[0], found[1].replace("again", "loop"))

    def ending(self, event: _Node) -> tuple[_Node, str] | None:
        """The best end that is found from there; in a loop everybody acts who can."""
        past = _Past(self.bounded, event)
        found: dict[str, _Acted] = {}
        enough = {"ends"} if _can_end(self.bounded) else {"ends", "round"}

        def is_enough(place: _Acted) -> bool:
            kind = self._kind(place, past)
            if kind:
                found.setdefault(kind, place)
            return kind in enough

        def leaving(place: _Acted) -> Iterator[tuple[Move, _Acted]]:
            for move, to in self.bounded.moves(place.at, True):
                yield move, _Acted(to, place.who | {s.process for s in move if isinstance(s, Act)})

        explored = explore([_Acted(event.at)], leaving, is_enough, self._goes_on)
        best = next((kind for kind in (*KINDS, "again") if kind in found), None)
        return None if best is None else (_followed(event, explored.path(found[best])), best)

    def _settled(self, event: _Node) -> _Node | None:
        """A place to which the run can come back: the emptiest of those among which a long stroll at random
        ends; and the shortest way there. The stroll is the same every time."""
        rng, at, late = random.Random(0), event.at, list[Configuration]()
        for i in range(STROLL):
            moves = list(self.bounded.moves(at, True))
            if not moves:
                return None
            at = rng.choice(moves)[1]
            late += [at] if i >= STROLL // 2 else []
        goal = min(late, key=lambda c: sum(map(len, c.words)))

        def leaving(at: Configuration) -> Iterator[tuple[Move, Configuration]]:
            return self.bounded.moves(at, True)

        found = explore([event.at], leaving, lambda at: at == goal, self._goes_on)
        return (
            None if found.end is None else _followed(event, [(m, _Acted(to)) for m, to in found.path(goal)])
        )

    def _kind(self, node: _Acted, past: _Past) -> str:
        now, moved = node.who, node.who | past.acted
        if moved and self.bounded.over(node.at):
            return "ends"
        if moved >= past.everybody and node.at == self.bounded.start and moved:
            return "round"
        if now and now >= past.busy and node.at == past.here:
            return "loop"
        if moved and self.bounded.stuck(node.at):
            return "stuck"
        return "again" if now and node.at in past.places else ""

    def _walk(self, node: _Node) -> tuple[_Node, str]:
        """On to where the run has not been yet, until it can only come back, or has become too long."""
        been = {n.at for n in node.trail()}
        for _ in range(LONGEST):
            moves = list(self.bounded.moves(node.at, True))
            if not moves:
                return node, "cut"
            move, to = next(((m, to) for m, to in moves if to not in been), moves[0])
            node = _Node(to, node, move)
            if to in been:
                return node, "loop"
            been.add(to)
        return node, "cut"


def _can_end(bounded: BoundedMoves) -> bool:
    """Has every process a state in which it may end? Else no run ends."""
    rest = bounded.ends.rest.rest
    return all(not rest[p.name].isdisjoint(p.reachable()) for p in bounded.system)


def _checked(system: System, model: FailureModel, k: int, kind: str, last: _Node, rendezvous: bool) -> Sample:
    """The run as it is shown, after the trusted kernel has stepped through it."""
    nodes = last.trail()
    steps = tuple(s for node in nodes for s in node.move)
    back = _back(nodes) if kind in ("round", "loop") else None
    words = {c: w for c, w in zip(system.channels, last.at.words) if w}
    pairs = [(f.received, f.sent) for f in flights(steps) if f.received is not None]
    witness = Witness(
        steps,
        dict(zip(system.names, last.at.states)),
        words,
        communication=tuple(sorted(pairs)) if rendezvous else None,
        shortest=False,
    )
    answer = replay(system, model, "reach", k, witness)
    if not answer.ok:
        raise InternalError(f"a sample run does not replay: {answer.message}")
    return Sample(kind, longest_content(witness.steps), witness, back)


def _back(nodes: list[_Node]) -> int:
    """After how many steps the run was first where it ends."""
    steps = 0
    for node in nodes:
        steps += len(node.move)
        if node.at == nodes[-1].at:
            break
    return steps
