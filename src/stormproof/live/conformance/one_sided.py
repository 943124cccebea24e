"""One role is logged, and the others have channels with it only: each of them is followed by itself.

What a role without a log does between two events of the logged role matters to nobody else. So for each of
them all the places where it may be are kept, with the fewest faults that lead there, from one event that
touches it to the next; what one event does in one place is computed once. The fewest faults add up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...kernel.model.actions import Configuration, Internal, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.run import Witness
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.silent_steps import initial
from ...limits import Limits, is_over
from ...search.counterexample.storm_run import storm_witness
from ...search.engine.survival import FoundRun
from .build_run import segments
from .event_search import EventSearch, StormSteps, best_places
from .log import RoleLog
from .role_paths import RolePath

#: The state of the logged role while another one is followed: its log says what it does.
_LOGGED = "logged"


class _Way(NamedTuple):
    """The steps that led here, an event of the log with what the other did before it at a time."""

    event: int
    steps: StormSteps
    before: _Way | None


PlaceLayer = dict[Configuration, tuple[int, "_Way | None"]]


@dataclass(frozen=True)
class OneSided:
    """`length`: so many events have a run, and no run has more if `exact`; then none has fewer faults."""

    length: int
    exact: bool
    run: Witness


def is_one_sided(model: SurvivalModel, logs: Mapping[str, RoleLog]) -> bool:
    if len(logs) != 1 or model.system.mailboxes:
        return False
    (role,) = logs
    return all((c.sender == role) != (c.receiver == role) for c in model.system.channels)


class _Visits:
    """How many places may still be visited, and whether there is time."""

    def __init__(self, limits: Limits) -> None:
        self._left = limits.states

    def over(self) -> bool:
        if self._left is not None:
            self._left -= 1
        return is_over() or (self._left is not None and self._left < 0)


def explain_one_sided(model: SurvivalModel, log: RoleLog, path: RolePath, limits: Limits) -> OneSided:
    """As many events as its automaton can do (`path`) and the other roles explain, within the limits."""
    visits = _Visits(limits)
    names = [n for n in model.system.names if n != log.role]
    others = [
        _Other(model, log, model.system[n], visits) for n in names if _touches(model.system, log.role, n)
    ]
    length = path.length
    for other in others:
        length = other.follow(length)
    for other in others:
        other.follow(length)
    steps = tuple(_in_order(model, log, path, length, others))
    faults = sum(sum(step.faults.values()) for step in steps)
    run = storm_witness(model, FoundRun(steps, len(steps), faults))
    return OneSided(length, not any(other.cut for other in others), run)


def _touches(system: System, one: str, other: str) -> bool:
    return any({c.sender, c.receiver} == {one, other} for c in system.channels)


def _in_order(
    model: SurvivalModel, log: RoleLog, path: RolePath, length: int, others: list[_Other]
) -> Iterator[StormStep]:
    """The steps of all, each of the others before the event that needs them."""
    touched = {index: steps for other in others for index, steps in other.way()}
    for i, transitions in enumerate(segments(path.transitions_to(length))):
        *silent, _ = [*transitions, None] if i == length else transitions
        yield from (StormStep(log.role, t) for t in silent if t is not None)
        if i == length:
            return
        last = transitions[-1]
        if i in touched:
            *before, own = touched[i]
            yield from before
            yield replace(own, transition=last)
        else:
            assert isinstance(last.action, Internal)
            yield StormStep(log.role, last, process_fault=model.process_fault(log.role, last.action))


class _Other:
    """A role without a log, with the logged one as its only peer."""

    def __init__(self, model: SurvivalModel, log: RoleLog, process: Process, visits: _Visits) -> None:
        self.log, self.name, self.visits = log, process.name, visits
        self.model = replace(model, system=pair_system(model.system, log.role, process))
        self._search = EventSearch(self.model, frozenset((log.role,)), visits.over)
        self._layer_cut = False
        self._layer: PlaceLayer = {}
        self._known: dict[tuple[Configuration, int], list[tuple[Configuration, int, StormSteps]]] = {}
        self._codes = {code for code, event in enumerate(log.kinds) if event.peer == process.name}

    @property
    def cut(self) -> bool:
        """Was less tried than there is?"""
        return self._layer_cut or self._search.cut

    def follow(self, length: int) -> int:
        """How many of the first events can be."""
        self._layer = {initial(self.model.system): (0, None)}
        for index, code in enumerate(self.log.codes[:length]):
            if code in self._codes:
                after = self._after(index, code)
                if not after:
                    return index
                self._layer = self._kept(after)
        return length

    def way(self) -> Iterator[tuple[int, StormSteps]]:
        """For each event that touches it: what it does before, and the event with its faults."""
        _, way = min(self._layer.values(), key=lambda found: found[0])
        while way is not None:
            yield way.event, way.steps
            way = way.before

    def _after(self, index: int, code: int) -> PlaceLayer:
        after: PlaceLayer = {}
        for place, (cost, way) in self._layer.items():
            if (place, code) not in self._known:
                self._known[place, code] = list(self._search.ways(place, self.log.role, self.log.kinds[code]))
            for target, price, steps in self._known[place, code]:
                if target not in after or after[target][0] > cost + price:
                    after[target] = (cost + price, _Way(index, steps, way))
        return after

    def _kept(self, layer: PlaceLayer) -> PlaceLayer:
        kept = best_places(layer, lambda place: layer[place][0])
        self._layer_cut = self._layer_cut or len(kept) < len(layer)
        return {place: layer[place] for place in kept}


def pair_system(system: System, logged: str, other: Process) -> System:
    """The other role with the logged one, which may do anything that touches it at any time."""
    loops = [
        Transition(_LOGGED, t.action, _LOGGED)
        for t in system[logged].transitions
        if isinstance(t.action, Send | Receive) and t.action.peer == other.name
    ]
    return System([Process(logged, _LOGGED, dict.fromkeys(loops)), other])
