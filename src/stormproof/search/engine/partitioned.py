"""One exploration divided among several parts: the k-properties decided in rounds (definitions 3.11).

Each part (`_engine.Partition`) holds the configurations whose hash falls to it. A round has two halves: every
part makes what the others must know, and every part takes in what the others made for it. `Parts` says how
that is carried; `cluster` carries it with Dask, and `LocalParts` keeps all parts in this process. Survival is
decided in the same way in `partitioned_storms`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from ... import _engine
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from .k_properties import PROPERTIES
from .lowering import lower


@dataclass(frozen=True)
class PartStatus:
    """What a part says of itself after half a round; handed to others so far: `records`, `sent` bytes.
    `more`: what one kind of part adds."""

    fresh: int
    busy: bool
    size: int
    steps: int
    memory: int
    records: int
    sent: int
    more: Any = None


@dataclass(frozen=True)
class PlainEnd:
    """`_engine.End` as plain numbers, which travel between processes."""

    states: list[int]
    contents: list[list[int]]
    process: int | None
    transition: int | None
    channel: int | None
    message: int | None


@dataclass(frozen=True)
class ViolationInPart:
    """The first violation of a property in one part: the smallest of all parts is shown."""

    round: int
    key: bytes
    part: int
    number: int
    property: str
    end: PlainEnd


class CountingPart:
    """What parts have in common: they count what they hand over."""

    def __init__(self, native: Any) -> None:
        self._native = native
        self._records = self._sent = 0

    def _counted(self, pieces: list[bytes], record: int) -> list[bytes]:
        size = sum(map(len, pieces))
        self._sent += size
        self._records += size // record
        return pieces

    def _status(self, fresh: int, busy: bool, more: Any = None) -> PartStatus:
        n = self._native
        return PartStatus(fresh, busy, n.size, n.steps, n.bytes, self._records, self._sent, more)

    def spread(self) -> list[bytes]:
        return self._counted(self._native.spread(), self._native.future_bytes)


class Part(CountingPart):
    """One part, and what is asked of it by name."""

    _native: _engine.Partition

    def __init__(self, native: _engine.Partition, part: int) -> None:
        super().__init__(native)
        self._part = part

    def silent(self) -> bool:
        return self._native.silent

    def start(self) -> None:
        self._native.seed()
        self._native.close_round()

    def expand(self, round: int, only_silent: bool) -> list[bytes]:
        return self._counted(self._native.expand(round, only_silent), self._native.arrival_bytes)

    def absorb(self, received: Sequence[tuple[int, bytes]], only_silent: bool) -> PartStatus:
        for part, data in received:
            self._native.absorb(part, data, only_silent)
        return self._status(self._native.fresh, not self._native.expanded)

    def close_round(self) -> None:
        self._native.close_round()

    def goal_groups(self) -> int:
        return self._native.goal_groups()

    def start_goals(self, group: int) -> None:
        self._native.start_goals(group)

    def take(self, received: Sequence[tuple[int, bytes]]) -> PartStatus:
        for _, data in received:
            self._native.take(data)
        return self._status(self._native.fresh, self._native.spreading)

    def judge(self) -> None:
        self._native.judge()

    def found(self) -> list[ViolationInPart]:
        names = {p: name for name, p in PROPERTIES.items()}
        return [
            ViolationInPart(f.round, f.key, self._part, f.number, names[f.which], _numbers(f.end))
            for f in self._native.found()
        ]

    def origin(self, number: int) -> tuple[int, int, tuple[int, int] | None] | None:
        found = self._native.origin(number)
        return None if found is None else (found.part, found.number, found.firing)


def _numbers(end: _engine.End) -> PlainEnd:
    return PlainEnd(end.states, end.contents, end.process, end.transition, end.channel, end.message)


class DividedQuestion(Protocol):
    """What is asked; it travels to where the parts are."""

    def part(self, number: int, of: int) -> Any: ...


@dataclass(frozen=True)
class KQuestion:
    """Which k-properties hold."""

    system: System
    failures: FailureModel
    k: int
    names: tuple[str, ...]

    def part(self, number: int, of: int) -> Part:
        native = lower(self.system, self.failures).native
        chosen = {PROPERTIES[name] for name in self.names}
        return Part(_engine.make_partition(native, self.k, chosen, number, of), number)


class Parts(Protocol):
    """All parts, wherever they are."""

    def call(self, method: str, *arguments: Any) -> list[Any]:
        """The method of every part."""

    def call_each(self, method: str, arguments: Sequence[Any]) -> list[Any]:
        """The method of every part, with an argument for each."""

    def call_one(self, part: int, method: str, *arguments: Any) -> Any: ...

    def exchange(
        self, make: str, made_with: tuple[Any, ...], take: str, taken_with: tuple[Any, ...]
    ) -> list[PartStatus]:
        """Every part makes pieces for the others, and takes in those that the others made for it."""


class LocalParts:
    """All parts in this process: for tests, and as the shortest statement of what `Parts` means."""

    def __init__(self, question: DividedQuestion, parts: int) -> None:
        self._parts = [question.part(i, parts) for i in range(parts)]

    def call(self, method: str, *arguments: Any) -> list[Any]:
        return [getattr(part, method)(*arguments) for part in self._parts]

    def call_each(self, method: str, arguments: Sequence[Any]) -> list[Any]:
        return [getattr(p, method)(a) for p, a in zip(self._parts, arguments, strict=True)]

    def call_one(self, part: int, method: str, *arguments: Any) -> Any:
        return getattr(self._parts[part], method)(*arguments)

    def exchange(
        self, make: str, made_with: tuple[Any, ...], take: str, taken_with: tuple[Any, ...]
    ) -> list[PartStatus]:
        made = self.call(make, *made_with)
        return [
            getattr(part, take)([(i, pieces[j]) for i, pieces in enumerate(made) if i != j], *taken_with)
            for j, part in enumerate(self._parts)
        ]


@dataclass(frozen=True)
class Tally:
    """How far the parts together are. `rounds`: exchanges; `records` and `sent`: handed from part to part."""

    states: int = 0
    transitions: int = 0
    memory: int = 0
    fresh: int = 0
    rounds: int = 0
    records: int = 0
    sent: int = 0


class Rounds:
    """Exchanges among parts. `after_round` sees the tally of each, and may raise to stop."""

    def __init__(self, parts: Parts, after_round: Callable[[Tally], None] = lambda tally: None) -> None:
        self._parts = parts
        self._after_round = after_round
        self.tally = Tally()
        self._told: list[Any] = []  # what parts have added in the last exchange

    def _exchange(
        self, make: str, made_with: tuple[Any, ...], take: str, taken_with: tuple[Any, ...]
    ) -> bool:
        """Is some part not done yet?"""
        found = self._parts.exchange(make, made_with, take, taken_with)
        self.tally = Tally(
            states=sum(s.size for s in found),
            transitions=sum(s.steps for s in found),
            memory=max(s.memory for s in found),
            fresh=sum(s.fresh for s in found),
            rounds=self.tally.rounds + 1,
            records=sum(s.records for s in found),
            sent=sum(s.sent for s in found),
        )
        self._told = [s.more for s in found]
        self._after_round(self.tally)
        return any(s.busy for s in found)


class PartitionedSearch(Rounds):
    """Decides k-properties on parts."""

    def explore(self) -> None:
        """Levels as in the native search: closed under silent steps, then every step to the next level."""
        self._parts.call("start")
        silent = self._parts.call("silent")[0]
        level, rounds = 0, 1
        while True:
            at = level
            while silent and at < rounds:
                rounds += self._expand([at], only_silent=True)
                at += 1
            following = rounds
            rounds += self._expand(range(level, following), only_silent=False)
            if rounds == following:
                return
            level = following

    def judge(self) -> list[ViolationInPart]:
        """The first violation of each violated property."""
        for group in range(self._parts.call("goal_groups")[0]):
            self._parts.call("start_goals", group)
            while self._exchange("spread", (), "take", ()):
                pass
            self._parts.call("judge")
        best: dict[str, ViolationInPart] = {}
        for found in (f for part in self._parts.call("found") for f in part):
            other = best.get(found.property, found)
            best[found.property] = min(found, other, key=lambda f: (f.round, f.key))
        return list(best.values())

    def run_to(self, found: ViolationInPart) -> list[tuple[int, int]]:
        """The firings of a shortest run, which the parts remember step by step."""
        firings: list[tuple[int, int]] = []
        part, number = found.part, found.number
        while (origin := self._parts.call_one(part, "origin", number)) is not None:
            part, number, firing = origin
            if firing is not None:
                firings.append(firing)
        return firings[::-1]

    def _expand(self, rounds: Sequence[int], only_silent: bool) -> bool:
        """Did these rounds lead to new configurations? They become a round then."""
        for at in rounds:
            while self._exchange("expand", (at, only_silent), "absorb", (only_silent,)):
                pass
        if self.tally.fresh:
            self._parts.call("close_round")
            self.tally = replace(self.tally, fresh=0)
            return True
        return False
