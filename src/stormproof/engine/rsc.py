"""RSC decided by the native search, and its shortest borderline violation in names (semantics, section 4)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice

from .. import _engine
from ..concretise import concretise, quality
from ..execution import (
    Communication,
    ConflictGraph,
    Event,
    Interaction,
    communication_of,
    conflict_graph,
)
from ..failures import FailureModel
from ..fewest_rsc import fewest_violations
from ..limits import Limits
from ..model import Receive, System, channel_of
from ..witness import Witness
from .lowering import Lowered, lower
from .monitor import STOPS, ProgressCallback, watch
from .moves import Move

#: Of equally good violations, how many are compared by their changes of process.
COMPARED = 100


@dataclass(frozen=True)
class RscViolation:
    """A borderline violation; a shortest one, unless a limit stopped the search after it was found.

    `moves` are actions only, faults implicit; `communication` pairs the index of each reception in `moves`
    with the index of the send that it matches. The last move closes the cycle.
    """

    moves: tuple[Move, ...]
    communication: tuple[tuple[int, int], ...]
    states: Mapping[str, str]
    shortest: bool = True

    @property
    def execution(self) -> tuple[Event, ...]:
        return tuple((move.process, move.transition.action) for move in self.moves)

    @property
    def interactions(self) -> Communication:
        """The communication as the paper writes it: pairs, unmatched sends, internal actions."""
        return communication_of(self.execution, [(s, r) for r, s in self.communication])

    @cached_property
    def graph(self) -> ConflictGraph:
        return conflict_graph(self.execution, self.interactions)

    @property
    def cycle(self) -> tuple[Interaction, ...]:
        found = self.graph.cycle()
        assert found is not None
        return found

    @property
    def culprit(self) -> dict[str, str]:
        """The reception that closes the cycle."""
        process, transition = self.moves[-1]
        channel = channel_of(process, transition.action)
        assert isinstance(transition.action, Receive)
        return {
            "process": process,
            "state": transition.source,
            "channel": str(channel),
            "message": str(transition.action.message),
            "action": str(transition.action),
        }

    def witness(self, system: System, failures: FailureModel) -> Witness:
        """The run with every fault explicit, whose communication is this one."""
        return concretise(
            system,
            failures,
            self.moves,
            None,
            bound=None,
            communication=self.communication,
            culprit=self.culprit,
            shortest=self.shortest,
        )


@dataclass(frozen=True)
class RscResult:
    """`holds` is None when a limit stopped the search; `stopped` says which."""

    holds: bool | None
    states: int
    transitions: int
    seconds: float
    memory: int
    stopped: str = ""
    violation: RscViolation | None = None


def rsc(
    system: System,
    failures: FailureModel,
    *,
    limits: Limits,
    progress: ProgressCallback | None = None,
    seconds: float | None = None,
) -> RscResult:
    """Is every execution, with every communication that is allowed, equivalent to a synchronous one?"""
    started = time.monotonic()
    lowered = lower(system, failures)
    found = watch(
        lambda monitor: _engine.search_rsc(lowered.native, monitor), limits, "rsc", progress, seconds
    )
    violation = _violation(lowered, found) if found.violated else None
    stopped = "" if violation else STOPS[found.stop]
    return RscResult(
        holds=False if violation else None if stopped else True,
        states=found.states,
        transitions=found.transitions,
        seconds=time.monotonic() - started,
        memory=found.memory,
        stopped=stopped,
        violation=violation,
    )


def _violation(lowered: Lowered, found: _engine.RscResult) -> RscViolation:
    moves = tuple(Move(lowered.system.names[p], lowered.transitions[p][t]) for p, t in found.moves)
    pairs = tuple((r, s) for r, s in found.communication)
    return _made(lowered.system, moves, pairs, found.shortest)


def _made(
    system: System, moves: tuple[Move, ...], pairs: tuple[tuple[int, int], ...], shortest: bool
) -> RscViolation:
    states = {p.name: p.initial for p in system} | {m.process: m.transition.target for m in moves}
    return RscViolation(moves, pairs, states, shortest)


def best(system: System, failures: FailureModel, found: RscViolation) -> RscViolation:
    """Of the shortest violations the one with the fewest faults, then the fewest changes of process."""
    if not found.shortest:
        return found
    chosen, least = found, quality(found.witness(system, failures))
    others = fewest_violations(system, failures, len(found.moves), least[1])
    for moves, pairs in islice(others, COMPARED):
        other = _made(system, tuple(Move(*m) for m in moves), pairs, True)
        reached = quality(other.witness(system, failures))
        if reached < least:
            chosen, least = other, reached
    return chosen
