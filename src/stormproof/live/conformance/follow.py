"""A log that grows, compared event by event: in bounded memory, up to the first event that no run explains.

The events are taken in the order of the file, so a reception stands after its send. What is kept are the
configurations in which the system may be, with the fewest faults that lead there. Where one role logs, and
the others have channels with it only, each of the others is followed by itself, as in whole logs.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import IO

from ...errors import InputError, Place, UsageError, did_you_mean
from ...kernel.model.actions import Configuration
from ...kernel.model.failures import Failures
from ...kernel.model.process import Process
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.silent_steps import initial
from ...kernel.transform.extras import survival_model
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.stop_restart import with_restarts_in_place
from .along_logs import as_logs_are_read
from .answer import TraceAnswer, Unexplained
from .event_search import EventSearch, best_places
from .log import LogEvent, RoleLog, event_of, is_silent
from .one_sided import is_one_sided, pair_system
from .read_log import RowMapper, event_in_line
from .role_paths import StateSet, silently_reached

#: What one event does in one configuration is remembered so often, and then forgotten.
MOST_REMEMBERED = 20_000
#: Messages in a channel, unless all must be there.
MOST_IN_FLIGHT = 1_000
#: Between two looks at a file that has not grown, in seconds.
PAUSE = 0.2


class _Places:
    """The configurations in which some roles may be."""

    def __init__(self, model: SurvivalModel, roles: frozenset[str]) -> None:
        self._search = EventSearch(model, roles)
        self._layer = {initial(model.system): 0}
        self._known: dict[tuple[Configuration, str, LogEvent], list[tuple[Configuration, int]]] = {}
        self._left_out = False

    @property
    def cut(self) -> bool:
        return self._left_out or self._search.cut

    @property
    def faults(self) -> int:
        return min(self._layer.values())

    def take(self, role: str, event: LogEvent) -> bool:
        """Can it be? If not, nothing changes."""
        after: dict[Configuration, int] = {}
        for place, cost in self._layer.items():
            for target, price in self._ways(place, role, event):
                if after.get(target, cost + price + 1) > cost + price:
                    after[target] = cost + price
        if after:
            short = [place for place in after if max(map(len, place.words), default=0) <= MOST_IN_FLIGHT]
            kept = best_places(short or after, after.__getitem__)
            self._left_out = self._left_out or len(kept) < len(after)
            self._layer = {place: after[place] for place in kept}
        return bool(after)

    def _ways(self, place: Configuration, role: str, event: LogEvent) -> list[tuple[Configuration, int]]:
        key = (place, role, event)
        if key not in self._known:
            if len(self._known) >= MOST_REMEMBERED:
                self._known.clear()
            self._known[key] = [(to, faults) for to, faults, _ in self._search.ways(*key)]
        return self._known[key]


class LogFollower:
    """Takes the events of the roles that log, one by one, in the order in which they happened."""

    def __init__(self, system: System, roles: Sequence[str], failures: Failures | None = None) -> None:
        for role in roles:
            if role not in system.names:
                hint = did_you_mean(role, system.names) or f"roles here: {', '.join(system.names)}"
                raise UsageError(f"the protocol has no role '{role}'", hint=hint)
        asked = failures or Failures()
        if asked.budget.limited and asked.budget.to_json().keys() != {"total"}:
            hint = "limit them in all: --budget N; or compare the whole log, without --follow"
            raise UsageError("a log that grows is not compared with budgets of single kinds", hint=hint)
        marked, model, notes = prepare(system, asked)
        model, timers = as_logs_are_read(system, model)
        self._notes = (*notes, *timers)
        searched = with_restarts_in_place(with_process_faults(marked, model), marked)
        self.model = survival_model(searched, model)
        self.roles = tuple(name for name in system.names if name in roles)
        self.events = 0
        #: What each role has begun to send, until its log says that it is sent.
        self.begun: dict[str, LogEvent] = {}
        self._most = asked.budget.total
        self._states = {n: _start(self.model.system[n]) for n in self.roles}
        self._parts = self._made_parts()

    def _made_parts(self) -> dict[str, _Places]:
        """By the peer of an event; one for all where they are not followed one by one."""
        system, roles = self.model.system, frozenset(self.roles)
        if not is_one_sided(self.model, {name: RoleLog(name) for name in self.roles}):
            return {"": _Places(self.model, roles)}
        (logged,) = self.roles
        return {
            p.name: _Places(replace(self.model, system=pair_system(system, logged, p)), roles)
            for p in system.processes
            if any({c.sender, c.receiver} == {logged, p.name} for c in system.channels)
        }

    @property
    def cut(self) -> bool:
        return any(part.cut for part in self._parts.values())

    @property
    def faults(self) -> int:
        """The fewest that explain what was taken; there may be fewer if `cut`."""
        return sum(part.faults for part in self._parts.values()) + self._own_faults

    _own_faults = 0

    @property
    def over_budget(self) -> bool:
        return self._most is not None and self.faults > self._most

    def take(self, role: str, event: LogEvent, place: Place) -> Unexplained | None:
        """None where the event can be."""
        process = self.model.system[role]
        before = self._states[role]
        after = silently_reached(process, _targets(process, before, event))
        part = self._parts.get("") or self._parts.get(event.peer)
        if not after or not (part is None or part.take(role, event)):
            return Unexplained(role, str(event), place, tuple(_possible(process, before)))
        self._states[role] = after
        self.events += 1
        if part is None and event.do in ("stop", "restart", "crash"):
            self._own_faults += 1
        return None

    def answer(self, stuck: Unexplained | None = None) -> TraceAnswer:
        """What is known by now; the log conforms so far where nothing is `stuck`."""
        system, failures = self.model.system, self.model.failures
        told = TraceAnswer(None, system, failures, self.events, self.roles, notes=self._notes)
        if stuck is not None:
            if self.cut and stuck.event in stuck.possible:
                return replace(told, reason=f"{stuck.place}: fewer ways were tried than there are")
            return replace(told, conforms=False, events=self.events + 1, unexplained=(stuck,))
        if self.over_budget:
            reason = f"it takes {self.faults} faults to explain them, where the budget allows {self._most}"
            return replace(told, conforms=None if self.cut else False, reason=reason)
        return replace(told, conforms=True, followed=self.faults)


def _start(process: Process) -> StateSet:
    return silently_reached(process, [process.initial])


def _targets(process: Process, states: StateSet, event: LogEvent) -> list[str]:
    return [t.target for s in states for t in process.outgoing(s) if event.matches(t.action)]


def _possible(process: Process, states: StateSet) -> dict[str, None]:
    leaving = (t.action for t in process.transitions if t.source in states)
    return dict.fromkeys(str(event_of(action)) for action in leaving if not is_silent(action))


def follow(
    follower: LogFollower, path: str, mapper: RowMapper, idle: float | None = None
) -> Iterator[Unexplained | None]:
    """After each look at the file what is stuck, or None; it ends with what is stuck, or when the file has
    not grown for `idle` seconds."""
    try:
        with Path(path).open("rb") as file:
            yield from _followed(follower, path, file, mapper, idle)
    except OSError as problem:
        raise InputError(f"cannot be read: {problem.strerror}", place=Place(path)) from None


def _followed(
    follower: LogFollower, path: str, file: IO[bytes], mapper: RowMapper, idle: float | None
) -> Iterator[Unexplained | None]:
    number, half, since = 0, b"", time.monotonic()
    while True:
        raw = file.readline()
        half += raw
        if half.endswith(b"\n"):
            line, half, number, since = half, b"", number + 1, time.monotonic()
            stuck = _take_line(follower, path, number, line, mapper)
            if stuck is not None or follower.over_budget:
                yield stuck
                return
            continue
        yield None
        if Path(path).stat().st_size < file.tell():
            raise InputError("the file became shorter", place=Place(path), hint="follow the new one")
        if not raw and idle is not None and time.monotonic() - since >= idle:
            return
        time.sleep(PAUSE)


def _take_line(
    follower: LogFollower, path: str, number: int, line: bytes, mapper: RowMapper
) -> Unexplained | None:
    found = event_in_line(path, number, line, mapper) if line.strip() else None
    if found is None:
        return None
    role, do, event = found
    if role not in follower.roles:
        hint = f"name all roles that log: --role {role}"
        raise InputError(f"{role} logs, too", place=Place(path, number), hint=hint)
    begun = follower.begun.pop(role, None)
    if do == "sent" and begun == event:
        return None
    if do == "sent" or begun is not None:
        hint = "compare the whole log, without --follow"
        said = f"it is not known whether {role} {begun or event}"
        raise InputError(said, place=Place(path, number), hint=hint)
    if do == "sends":
        follower.begun[role] = event
    return follower.take(role, event, Place(path, number))
