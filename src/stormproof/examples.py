"""Evidence for good news: a complete sample run, the least bound that one needs, and what no run ever takes.

A run is *complete* when every process has ended and nothing is under way; where a protocol goes on for ever,
when it is a *round*: everybody has acted and everything is as in the beginning. Where there is neither, a
*tour* that takes as many transitions as it finds is shown. Runs without faults are preferred: they are runs
under every failure model. All searches have a budget, and what it leaves open is said.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from .concretise import concretise
from .failures import FailureModel
from .fewest import Moves
from .model import (
    CRASH,
    CRASH_ACTION,
    Channel,
    Configuration,
    Internal,
    Process,
    Receive,
    Send,
    System,
    Transition,
    channel_of,
)
from .replay import Outlook
from .story import Story
from .witness import Act, Lose, Witness
from .wording import listed, plural

#: Configurations that one of the searches here may see.
BUDGET = 20_000

#: How many transitions a warning names.
_LISTED = 12

#: A tour ends after this many actions.
TOUR = 200


@dataclass(frozen=True)
class Sample:
    """A sample run: `kind` is ends, round or tour; `k` is the bound that it needs."""

    kind: str
    k: int
    witness: Witness

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "k": self.k, "witness": self.witness.to_json()}


@dataclass(frozen=True)
class Coverage:
    """Which transitions some run within the bound takes. `complete` False: the budget left some open."""

    k: int
    taken: int
    total: int
    never: tuple[tuple[str, Transition], ...]
    complete: bool

    def to_json(self) -> dict[str, Any]:
        rows = [
            {"process": name, "from": t.source, "action": str(t.action), "to": t.target}
            for name, t in self.never
        ]
        return {
            "k": self.k,
            "taken": self.taken,
            "total": self.total,
            "never": rows,
            "complete": self.complete,
        }

    def __str__(self) -> str:
        counted = f"{self.taken} of {plural(self.total, 'transition')}"
        if not self.never:
            return f"coverage at k = {self.k}: every transition is taken by some run ({counted})"
        more = len(self.never) - _LISTED
        names = listed(
            [*(f"{name}.{t}" for name, t in self.never[:_LISTED]), *([f"{more} more"] if more > 0 else [])]
        )
        if self.complete:
            return f"coverage at k = {self.k}: {counted}; warning: within this bound no run takes {names}"
        return f"coverage at k = {self.k}: {counted} seen within the budget; not seen: {names}"


@dataclass(frozen=True)
class Examples:
    """The system is here so that the runs can be told."""

    system: System
    sample: Sample | None
    thrifty: Sample | None
    coverage: Coverage

    def to_json(self) -> dict[str, Any]:
        return {
            "sample": None if self.sample is None else self.sample.to_json(),
            "least_k": None if self.thrifty is None else self.thrifty.to_json(),
            "coverage": self.coverage.to_json(),
        }

    def __str__(self) -> str:
        lines = []
        if self.sample is None:
            lines.append("sample run: none was found within the budget")
        else:
            lines.append(f"sample run, {_KINDS[self.sample.kind]}: {self._told(self.sample)}")
        if self.thrifty is not None and self.thrifty != self.sample:
            lines.append(f"with channels of length {self.thrifty.k}: {self._told(self.thrifty)}")
        elif self.thrifty is not None:
            lines.append(f"no such run needs less than k = {self.thrifty.k}, and this one needs no more")
        return "\n".join([*lines, str(self.coverage)])

    def _told(self, sample: Sample) -> str:
        story = Story(self.system, sample.witness)
        return f"{story.size()}, k = {sample.k}. {' '.join(story.sentences(long=40))}"


_KINDS = {
    "ends": "in which everybody ends",
    "round": "one round after which all is as in the beginning",
    "tour": "a tour of the transitions",
}


def examples(system: System, model: FailureModel, k: int, budget: int = BUDGET) -> Examples:
    """Sample runs and coverage within the bound k."""
    perfect = FailureModel({}, model.unreliable)
    found = _complete(system, perfect, k, budget)
    if found is None and not model.perfect:
        found = _complete(system, model, k, budget)
    sample = found or _tour(system, model, k, budget)
    thrifty = (
        None if sample is None or sample.kind == "tour" else _thrifty(system, perfect, model, sample, budget)
    )
    return Examples(system, sample, thrifty, coverage(system, model, k, budget))


def coverage(system: System, model: FailureModel, k: int, budget: int = BUDGET) -> Coverage:
    """Which transitions no run within the bound takes: dead code in a protocol."""
    outlook = Outlook(system, model, k, budget)
    every = {(p.name, t) for p in system for t in p.transitions}
    taken: set[tuple[str, Transition]] = set()
    seen, queue = {_start(system)}, deque([_start(system)])
    while queue and len(seen) <= budget and len(taken) < len(every):
        # Deep and wide in turns, so that a spent budget has seen something of both.
        at = queue.popleft() if len(seen) % 2 else queue.pop()
        for move, to in _moves(outlook, at):
            taken.add(move)
            if to not in seen:
                seen.add(to)
                queue.append(to)
    never = tuple((p.name, t) for p in system for t in p.transitions if (p.name, t) not in taken)
    return Coverage(k, len(taken), len(every), never, not queue or not never)


def _start(system: System) -> Configuration:
    return Configuration(tuple(p.initial for p in system), tuple(() for _ in system.channels))


def _moves(outlook: Outlook, at: Configuration) -> Iterator[tuple[tuple[str, Transition], Configuration]]:
    """The moves of a configuration with their whole transitions."""
    for name, action, to in outlook.moves(at):
        i = outlook.system.names.index(name)
        yield (name, Transition(at.states[i], action, to.states[i])), to


class _Place(NamedTuple):
    """A configuration and who has acted on the way to it; `acted` stays empty where it does not matter."""

    at: Configuration
    acted: frozenset[str]


def _search(
    outlook: Outlook, goal: Callable[[_Place], bool], count_actors: bool = False
) -> tuple[Moves, Configuration] | None:
    """A shortest run to a goal, by breadth-first search within the budget; never the empty run."""
    start = _Place(_start(outlook.system), frozenset())
    before: dict[_Place, tuple[_Place, tuple[str, Transition]] | None] = {start: None}
    queue = deque([start])
    while queue and len(before) <= outlook.budget:
        place = queue.popleft()
        for move, to in _moves(outlook, place.at):
            following = _Place(to, place.acted | {move[0]} if count_actors else place.acted)
            if following not in before:
                before[following] = (place, move)
                if goal(following):
                    return _unwind(before, following), to
                queue.append(following)
    return None


def _unwind(before: dict[_Place, tuple[_Place, tuple[str, Transition]] | None], place: _Place) -> Moves:
    moves: list[tuple[str, Transition]] = []
    link = before[place]
    while link is not None:
        moves.append(link[1])
        link = before[link[0]]
    return tuple(reversed(moves))


def _complete(system: System, model: FailureModel, k: int, budget: int) -> Sample | None:
    """A shortest complete run within the bound, or None: there is none, or not within the budget."""
    outlook = Outlook(system, model, k, budget)
    actors = frozenset(p.name for p in system if p.transitions)
    start = _start(system)

    def ended(place: _Place) -> bool:
        states = zip(system, place.at.states)
        return place.at.words == start.words and all(rests(p, s) for p, s in states)

    def round_done(place: _Place) -> bool:
        return place.at == start and place.acted == actors

    found, kind = _search(outlook, ended), "ends"
    if found is None and not _can_end(system):
        found, kind = _search(outlook, round_done, count_actors=True), "round"
    return None if found is None else _sample(system, model, kind, found[0], k)


def _can_end(system: System) -> bool:
    """Has every process a state in which it may end? Else no run ends."""
    return all(any(rests(p, s) for s in p.reachable()) for p in system)


def rests(process: Process, state: str) -> bool:
    """Is there nothing left to do? Taking a crash notice that still comes, or crashing, does not count."""
    return all(
        t.action == Internal(CRASH_ACTION)
        or (isinstance(t.action, Receive) and t.action.message is CRASH and t.target == state)
        for t in process.outgoing(state)
    )


def _sample(system: System, model: FailureModel, kind: str, moves: Moves, k: int) -> Sample:
    """The run with the bound that it needs: its fullest channel."""
    witness = concretise(system, model, moves, {}, k)
    return Sample(kind, _needed(witness), witness)


def _needed(witness: Witness) -> int:
    """The length of the fullest channel of a run; a message lost as it is sent needs no room."""
    words: dict[Channel, int] = {}
    most = 1
    for i, step in enumerate(witness.steps):
        if isinstance(step, Lose):
            words[step.channel] -= 1
        elif isinstance(step, Act) and (channel := channel_of(step.process, step.action)) is not None:
            words[channel] = words.get(channel, 0) + (1 if isinstance(step.action, Send) else -1)
            lost = i + 1 < len(witness.steps) and isinstance(witness.steps[i + 1], Lose)
            most = max(most, words[channel] - lost)
    return most


def _thrifty(
    system: System, perfect: FailureModel, model: FailureModel, sample: Sample, budget: int
) -> Sample | None:
    """The complete run that needs the least bound."""
    for k in range(1, sample.k):
        for failures in (perfect, model):
            found = _complete(system, failures, k, budget)
            if found is not None and found.kind == sample.kind:
                return found
    return sample


def _tour(system: System, model: FailureModel, k: int, budget: int) -> Sample | None:
    """A run that goes, again and again, to the nearest transition that it has not taken yet."""
    outlook = Outlook(system, model, k, budget)
    at, moves, taken = _start(system), list[tuple[str, Transition]](), set[tuple[str, Transition]]()
    while len(moves) < TOUR:
        leg = _next_leg(outlook, at, taken)
        if leg is None:
            break
        more, at = leg
        moves += more
        taken.update(more)
    if not moves:
        return None
    witness = concretise(system, model, moves, None, k, polish=0)
    return Sample("tour", _needed(witness), witness)


def _next_leg(
    outlook: Outlook, start: Configuration, taken: set[tuple[str, Transition]]
) -> tuple[list[tuple[str, Transition]], Configuration] | None:
    before: dict[Configuration, tuple[Configuration, tuple[str, Transition]] | None] = {start: None}
    queue = deque([start])
    while queue and len(before) <= outlook.budget // 10:
        at = queue.popleft()
        for move, to in _moves(outlook, at):
            if move not in taken:
                path, link = [move], before[at]
                while link is not None:
                    path.append(link[1])
                    link = before[link[0]]
                return path[::-1], to
            if to not in before:
                before[to] = (at, move)
                queue.append(to)
    return None
