"""RSC decided by the native search, and its shortest borderline violation in names (definitions 4.7)."""

from __future__ import annotations

import time
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ... import _engine
from ...kernel.model.actions import Channel, Firing, Receive
from ...kernel.model.execution import Communication, Event, Interaction, communication_of
from ...kernel.model.failures import FailureModel
from ...kernel.model.system import System
from ...options import Options, with_knobs
from ...records import dataclass
from .disk import disk_options
from .effort import stopped_by, within
from .k_properties import as_everywhere, thread_count
from .lowering import Lowered, lower
from .watch import limit_name, watch

if TYPE_CHECKING:
    from ...kernel.model.conflict_graph import ConflictGraph


@dataclass(frozen=True)
class RscViolation:
    """A borderline violation; a shortest one, unless a limit stopped the search after it was found.

    Faults are implicit; `communication` pairs the index of each reception in `firings` with the index of the
    send that it matches. The last firing closes the cycle.
    """

    firings: tuple[Firing, ...]
    communication: tuple[tuple[int, int], ...]
    shortest: bool = True
    bags: tuple[str, ...] = ()

    @property
    def execution(self) -> tuple[Event, ...]:
        return tuple((f.process, f.transition.action) for f in self.firings)

    @property
    def interactions(self) -> Communication:
        """The communication as the paper writes it: pairs, unmatched sends, internal actions."""
        return communication_of(self.execution, [(s, r) for r, s in self.communication])

    @cached_property
    def graph(self) -> ConflictGraph:
        from ...kernel.model.conflict_graph import conflict_graph

        return conflict_graph(self.execution, self.interactions, self.bags)

    @property
    def cycle(self) -> tuple[Interaction, ...]:
        found = self.graph.cycle()
        assert found is not None
        return found

    @property
    def culprit(self) -> dict[str, str]:
        """The reception that closes the cycle."""
        process, transition = self.firings[-1]
        assert isinstance(transition.action, Receive)
        return {
            "process": process,
            "state": transition.source,
            "channel": str(Channel(transition.action.peer, process)),
            "message": str(transition.action.message),
            "action": str(transition.action),
        }


@dataclass(frozen=True)
class RscResult:
    """`holds` is None when a limit stopped the search; `stopped` says which, or what is wrong with the disk,
    or that Ctrl-C came while a shorter violation was searched for. `on_disk`: bytes of what was searched
    there."""

    holds: bool | None
    states: int
    transitions: int
    seconds: float
    memory: int
    stopped: str = ""
    violation: RscViolation | None = None
    on_disk: int = 0


def rsc(
    system: System,
    failures: FailureModel,
    options: Options | None = None,
    *,
    most: int | None = None,
    disk: _engine.DiskOptions | None = None,
    **knobs: Any,
) -> RscResult:
    """Is every execution, with every communication that is allowed, equivalent to a synchronous one?

    Large searches run in several threads; nothing that is found depends on their number. What memory does not
    hold is searched in the compact store, and what that does not hold in the folder of the limits, or as
    `disk` says. `most`: the effort, in configurations. The `knobs` are those of `Options`, and those of the
    engine: what is large, and whether to begin in the compact store.
    """
    started = time.monotonic()
    lowered = lower(system, failures)
    options, engine = with_knobs(options, knobs)
    place = disk or disk_options(options.limits)

    def search(monitor: _engine.Monitor) -> _engine.RscResult:
        workers = thread_count(options.threads)
        return _engine.search_rsc(lowered.native, monitor, options.symmetry, workers, disk=place, **engine)

    found = watch(search, options.limits, "rsc", options.progress, most)
    violation = _violation(lowered, found) if found.violated else None
    # Of the limits only Ctrl-C concerns what is asked after a violation.
    told = not violation or found.stop is _engine.Stop.INTERRUPTED
    stopped = found.problem or stopped_by(limit_name(found.stop), options.limits, most) if told else ""
    states, transitions = as_everywhere(found, within(options.limits, most))
    return RscResult(
        holds=False if violation else None if stopped else True,
        states=states,
        transitions=transitions,
        seconds=time.monotonic() - started,
        memory=found.memory,
        stopped=stopped,
        violation=violation,
        on_disk=found.on_disk,
    )


def _violation(lowered: Lowered, found: _engine.RscResult) -> RscViolation:
    firings = tuple(Firing(lowered.system.names[p], lowered.transitions[p][t]) for p, t in found.firings)
    pairs = tuple((r, s) for r, s in found.communication)
    return RscViolation(firings, pairs, found.shortest, lowered.failures.bags)
