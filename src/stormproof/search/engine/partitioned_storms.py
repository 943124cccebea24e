"""Survival divided among several parts: storms explored, and what stays possible spread, in rounds.

Layers of (faults, actions) are rounds (definitions 10.8). When all storms with so many faults are explored,
goals that stay possible are handed to predecessors; configurations that lack one are judged here, with calm
runs that use the slack (`_engine.StormJudge`). `partitioned` says how parts work together.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ... import _engine
from ...kernel.model.ask import Ask
from ...records import dataclass
from .partitioned import CountingPart, Parts, PartStatus, Rounds, Tally
from .survival_question import SurvivalQuestion

#: A layer is one number for the engine: the faults, then the actions in so many bits.
_ACTION_BITS = 32


@dataclass(frozen=True)
class StormQuestion:
    """What is asked of survival."""

    about: SurvivalQuestion
    asks: tuple[Ask, ...]
    k: int
    slack: int

    def part(self, number: int, of: int) -> StormPart:
        system, native = self._lowered()
        return StormPart(_engine.StormPart(system, native, number, of))

    def judge(self, monitor: _engine.Monitor, parts: int) -> _engine.StormJudge:
        system, native = self._lowered()
        return _engine.StormJudge(system, native, monitor, parts)

    def _lowered(self) -> tuple[_engine.System, _engine.SurvivalQuestion]:
        native = self.about.native(self.about.plain(self.asks), self.k, self.slack)
        return self.about.lowered.native, native


@dataclass(frozen=True)
class LayerInPart:
    """What a part has found in a layer: `found` has asks that are violated there, each with a configuration.
    `next`: the layer that comes next here; `expansions`: configurations that were expanded so far."""

    next: int | None
    hit: bool
    found: list[tuple[int, bytes]]
    expansions: int


class StormPart(CountingPart):
    """One part, and what is asked of it by name."""

    _native: _engine.StormPart

    def start(self) -> None:
        self._native.seed()

    def expand(self, layer: int, open: int) -> list[bytes]:
        return self._counted(self._native.expand(layer, open), self._native.arrival_bytes)

    def absorb(self, received: Sequence[tuple[int, bytes]]) -> PartStatus:
        for part, data in received:
            self._native.absorb(part, data)
        n = self._native
        layer = LayerInPart(n.next(), n.hit, n.found(), n.expansions) if n.expanded else None
        return self._status(n.size - n.expansions, layer is None, layer)

    def take(self, received: Sequence[tuple[int, bytes]]) -> PartStatus:
        for _, data in received:
            self._native.take(data)
        return self._status(self._native.size - self._native.expansions, self._native.spreading)

    def lacking(self) -> int:
        return self._native.lacking()

    def incomplete(self) -> bytes:
        return self._native.incomplete()

    def close_level(self, masks: bytes) -> None:
        self._native.close_level(masks)

    def masks(self, rows: bytes) -> bytes:
        return self._native.masks(rows)

    def full(self, until: int, most: int) -> bytes:
        return self._native.full(until, most)

    def find(self, words: bytes) -> int | None:
        return self._native.find(words)

    def stage(self, number: int) -> tuple[bytes, int, tuple[int, int, int]]:
        """A configuration, its layer, and from where it was reached: part, number, and who acted."""
        n = self._native
        return n.words(number), n.layer(number), n.origin(number)


class StormSearch(Rounds):
    """Decides survival on parts. `attend` calls what may take long in this process."""

    def __init__(
        self,
        parts: Parts,
        judge: _engine.StormJudge,
        after_round: Callable[[Tally], None] = lambda tally: None,
        attend: Callable[[Callable[[], Any]], Any] = lambda work: work(),
    ) -> None:
        super().__init__(parts, after_round)
        self._judge, self._attend = judge, attend
        self.expansions = 0

    def run(self) -> bool:
        """Was it decided within the limits?"""
        self._parts.call("start")
        layer = 0
        while self._judge.open:
            following = self._explore(layer)
            level = layer >> _ACTION_BITS
            if self._judge.open and (following is None or following >> _ACTION_BITS > level):
                self._judge_level(level)
            if following is None or self._judge.stop is not _engine.Stop.NONE:
                break
            layer = following
        return self._judge.stop is _engine.Stop.NONE

    def _explore(self, layer: int) -> int | None:
        """Expands a layer; the one that comes next."""
        while self._exchange("expand", (layer, self._judge.open), "absorb", ()):
            pass
        found: list[LayerInPart] = self._told
        self.expansions = sum(f.expansions for f in found)
        violations = [violation for f in found for violation in f.found]
        hit = any(f.hit for f in found)
        if violations:  # whose runs take long
            self._attend(lambda: self._judge.add_layer(self, layer, hit, violations))
        else:
            self._judge.add_layer(self, layer, hit, [])
        return min((f.next for f in found if f.next is not None), default=None)

    def _judge_level(self, level: int) -> None:
        while self._exchange("spread", (), "take", ()):
            pass
        if not self._judge.make_room(sum(self._parts.call("lacking"))):
            return
        left = self._parts.call("incomplete")
        masks = self._attend(lambda: self._judge.judge(self, level, left, self.tally.states))
        if masks:
            self._parts.call_each("close_level", masks)

    # ---- what the judge asks ---------------------------------------------------------------------------

    def run_to(self, part: int, words: bytes) -> list[tuple[bytes, int, int]]:
        """The configurations of a run, the last one first, each with its layer and who acted before."""
        number = self._parts.call_one(part, "find", words)
        run: list[tuple[bytes, int, int]] = []
        while True:
            here, layer, (part, number, process) = self._parts.call_one(part, "stage", number)
            run.append((here, layer, process))
            if layer == 0:
                return run

    def masks(self, rows: Sequence[bytes]) -> list[bytes]:
        return self._parts.call_each("masks", rows)

    def full(self, until: int, most: int) -> list[bytes]:
        return self._parts.call("full", until, most)
