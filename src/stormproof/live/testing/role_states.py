"""Where a role may be after what was observed of it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from ...kernel.model.actions import Internal, Receive, Send, Transition
from ...kernel.model.process import Process
from ..conformance.log import LogEvent, event_of, is_silent
from ..conformance.role_paths import silently_reached


def recording_at_once(process: Process) -> Process:
    """The role as an implementation shows it whose handlers return when what they store is stored: in a state
    that is not recorded yet nothing comes before the record (definitions 14.1)."""
    unrecorded = {t.source for t in process.transitions if _is_record(t)}
    kept = (t for t in process.transitions if t.source not in unrecorded or _is_record(t))
    return replace(process, transitions=tuple(kept)) if unrecorded else process


def _is_record(transition: Transition) -> bool:
    return isinstance(transition.action, Internal) and transition.action.record


@dataclass(frozen=True)
class RoleStates:
    """The states that a role may be in, those that it reaches by silent actions included."""

    process: Process
    states: frozenset[str]

    @classmethod
    def start(cls, process: Process) -> RoleStates:
        return cls(recording_at_once(process), frozenset()).at([process.initial])

    def at(self, states: Iterable[str]) -> RoleStates:
        return replace(self, states=silently_reached(self.process, states))

    def after(self, event: LogEvent) -> RoleStates:
        """Where the role may be after it has done this; nowhere, if it cannot."""
        return self.at(t.target for t in self._leaving() if event.matches(t.action))

    def waiting(self) -> RoleStates:
        """Where the role may be if it neither sends nor decides anything now."""
        return replace(self, states=frozenset(s for s in self.states if self._may_wait(s)))

    def refusing(self, event: LogEvent) -> RoleStates:
        """Where the role may be if it does not do this; it may have to send something first."""
        doing = {t.source for t in self._leaving() if event.matches(t.action)}
        return replace(self, states=self.states - doing)

    def __bool__(self) -> bool:
        return bool(self.states)

    @property
    def may_send(self) -> bool:
        return any(isinstance(t.action, Send) for t in self._leaving())

    def possible_sends(self) -> list[LogEvent]:
        sent = (event_of(t.action) for t in self._leaving() if isinstance(t.action, Send))
        return list(dict.fromkeys(sent))

    def can(self, event: LogEvent) -> bool:
        return any(event.matches(t.action) for t in self._leaving())

    def possible(self) -> list[str]:
        """What the role may do next, in words."""
        done = [str(event_of(t.action)) for t in self._leaving() if not is_silent(t.action)]
        return list(dict.fromkeys(done)) or ["has ended"]

    def _leaving(self) -> list[Transition]:
        """In the order of the automaton, so that tests do not depend on hash seeds."""
        return [t for t in self.process.transitions if t.source in self.states]

    def _may_wait(self, state: str) -> bool:
        leaving = [t.action for t in self.process.outgoing(state)]
        waits = any(isinstance(a, Receive) or (isinstance(a, Internal) and a.timeout) for a in leaving)
        return waits or not any(isinstance(a, Send) or is_silent(a) for a in leaving)
