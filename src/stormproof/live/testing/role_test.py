"""One role of a protocol, an implementation of it, and what the implementation must do in a given run."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

from ...errors import UsageError
from ...kernel.model.actions import Configuration
from ...kernel.model.budget import budget_of
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.phrases import listed
from ...kernel.model.storm_step import StormStep
from ...kernel.model.survival import SurvivalModel
from ...kernel.model.system import System
from ...kernel.semantics.faulty_steps import stormy_steps
from ...kernel.transform.extras import survival_model
from ...kernel.transform.prepare import prepare, with_process_faults
from ...kernel.transform.stop_restart import Transformed, with_restarts_in_place
from ...languages.formats import loads
from ...programs.extraction.naming import is_raised
from ..conformance.log import LogEvent
from .interface import Implementation
from .role_states import RoleStates

#: So many implementations are started before a run is given up in which the role has to choose.
ATTEMPTS = 100

WAITS = LogEvent("wait")


def sends(peer: str, message: str) -> LogEvent:
    """The role sends this message next."""
    return LogEvent("send", peer, message)


def receives(peer: str, message: str) -> LogEvent:
    """The role is given this message, and takes it."""
    return LogEvent("receive", peer, message)


def timer() -> LogEvent:
    """The timer of the role expires."""
    return LogEvent("timeout")


def restarts() -> LogEvent:
    """The role restarts from what is durable."""
    return LogEvent("restart")


def waits() -> LogEvent:
    """The role sends nothing more for now."""
    return WAITS


class ChoseOtherwise(Exception):
    """The implementation did something else than the run, which the protocol allows too."""


@dataclass(frozen=True)
class RoleTest:
    """A role of a protocol, which is given as a .storm text, and what makes an implementation of it."""

    protocol: str
    role: str
    implementation: Callable[[], Implementation]
    #: At most so many faults in a run, in all (`total`) and by kind.
    budget: Mapping[str, int] = field(default_factory=dict)

    @cached_property
    def model(self) -> SurvivalModel:
        """The protocol with the faults that it declares."""
        marked, failures, changed = self._prepared
        # A restart that changes no state is one, too: what was durable must still be there. Timers of what
        # runs are real, and may expire early.
        real = replace(failures, on_time=False)
        return survival_model(with_restarts_in_place(changed, marked), real, budget_of(self.budget))

    @cached_property
    def _prepared(self) -> tuple[System, FailureModel, Transformed]:
        marked, failures, _ = prepare(loads(self.protocol, "storm"), Failures())
        return marked, failures, with_process_faults(marked, failures)

    def user_state(self, state: str) -> str:
        """The name of a state of the role in the protocol; a role that restarts has more states."""
        return self._prepared[2].user_state(self.role, state)

    def steps(self, at: Configuration) -> tuple[StormStep, ...]:
        """What may happen in a configuration, computed once."""
        if at not in self._steps:
            self._steps[at] = tuple(stormy_steps(self.model, at))
        return self._steps[at]

    @cached_property
    def _steps(self) -> dict[Configuration, tuple[StormStep, ...]]:
        return {}

    def start(self) -> DrivenRole:
        return DrivenRole(self.implementation(), RoleStates.start(self.model.system[self.role]))

    def follow(self, *events: LogEvent) -> None:
        """Start an implementation and take it through these events; AssertionError if it does anything that
        the protocol does not allow. A run with choices is skipped if no attempt has made them."""
        for _ in range(ATTEMPTS):
            driven = self.start()
            try:
                for event in events:
                    driven.do(event)
                return
            except ChoseOtherwise as problem:
                other = problem
        raise unittest.SkipTest(f"in {ATTEMPTS} attempts {other}")


class DrivenRole:
    """An implementation that runs, and where it may be by the protocol."""

    def __init__(self, implementation: Implementation, states: RoleStates) -> None:
        self.implementation, self.states = implementation, states
        self.history: list[LogEvent] = []
        self.name = states.process.name

    @property
    def can_restart(self) -> bool:
        return hasattr(self.implementation, "restart")

    def do(self, event: LogEvent) -> None:
        """One event of a run."""
        if event.do == "send":
            self._expect(event)
        elif event.do == "restart":
            self.restart()
        elif event == WAITS:
            self._expect_nothing()
        else:
            self._expect_taken(event)

    def _expect(self, event: LogEvent) -> None:
        found = self.send()
        if found != event:
            did = "waits" if found is None else found
            raise ChoseOtherwise(f"{self.name} never {event} here; it {did}, which the protocol allows too")

    def _expect_nothing(self) -> None:
        found = self.send()
        if found is not None:
            raise ChoseOtherwise(f"{self.name} never waited here; it {found}, which the protocol allows too")

    def _expect_taken(self, event: LogEvent) -> None:
        if not self.states.may_send:
            self._expect_nothing()
        taken = self.timer() if event.do == "timeout" else self.receive(event.peer, event.message)
        if not taken:
            raise ChoseOtherwise(f"{self.name} never {event} here, and the protocol allows that too")

    def send(self) -> LogEvent | None:
        """What it sends next, or None if it waits; both must be allowed."""
        try:
            found = self.implementation.send()
        except Exception:
            if not any(map(is_raised, self.states.states)):
                raise
            found = None
        if found is None:
            self._go(self.states.waiting(), "waits")
            return None
        event = sends(*found)
        self._go(self.states.after(event), str(event))
        self.history.append(event)
        return event

    def receive(self, peer: str, message: str) -> bool:
        """Deliver a message that the protocol lets it take here. Was it taken?"""
        event = receives(peer, message)
        return self._given(event, lambda: self.implementation.receive(peer, message), "does not take")

    def timer(self) -> bool:
        """Let its timer expire. Was one running?"""
        return self._given(timer(), self.implementation.timer, "has no timer that expires")

    def _given(self, event: LogEvent, give: Callable[[], bool | None], refusal: str) -> bool:
        if not self.states.can(event):
            raise ChoseOtherwise(f"{self.name} never came to where it {event}")
        if give() is False:
            what = f"{refusal} {event.message} from {event.peer}" if event.peer else refusal
            self._go(self.states.refusing(event), what)
            return False
        self.history.append(event)
        self._go(self.states.after(event), str(event))
        return True

    def restart(self) -> None:
        if not self.can_restart:
            raise UsageError(f"{self.name} restarts here, and its implementation has no method 'restart'")
        self.history.append(restarts())
        self._go(self.states.after(restarts()), "restarts")
        getattr(self.implementation, "restart")()  # noqa: B009  only some implementations have it

    def _go(self, after: RoleStates, what: str) -> None:
        if not after:
            done = ", ".join(map(str, self.history)) or "nothing"
            allowed = listed(self.states.possible(), "or")
            raise AssertionError(f"{self.name} {what}; the protocol allows: {allowed}. Before: {done}")
        self.states = after
