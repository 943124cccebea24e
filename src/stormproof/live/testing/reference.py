"""Implementations to test against: role functions as the runtime drives them, and automata."""

from __future__ import annotations

import random
from functools import lru_cache
from typing import Any

from ...errors import InputError, Place, did_you_mean
from ...kernel.model.actions import Internal, Receive, Send, Transition
from ...programs.extraction.load import load_protocol
from ...programs.extraction.requests import ChooseRequest, ReceiveRequest, SaveRequest, SendRequest
from ...programs.extraction.role import Role, RoleCall, as_call
from ...programs.extraction.system import ExtractedSystem
from ..conformance.log import LogEvent, event_of, is_silent
from ..runtime.codec import enums_of, parse_message
from ..runtime.durable import DurableRecord
from ..runtime.machine import RunningSteps
from .role_test import RoleTest, receives, restarts, timer


class RoleImplementation:
    """A role function, driven step by step as the runtime drives it. Choices are made at random."""

    def __init__(self, role: Role[Any] | RoleCall) -> None:
        call = as_call(role)
        self._enums = enums_of(call)
        self._steps = RunningSteps(call, DurableRecord(None, call.role.name, self._enums))
        self.restart()

    def restart(self) -> None:
        self._steps.begin()

    def send(self) -> tuple[str, str] | None:
        """What it sends; what it raised after its last step is raised here."""
        while isinstance(request := self._steps.request, ChooseRequest | SaveRequest):
            if isinstance(request, SaveRequest):
                self._steps.record.save(request)
            self._answer(self._steps.choice(request))
        if self._steps.error is not None:
            raise self._steps.error
        if not isinstance(request, SendRequest):
            return None
        self._answer(None)
        return request.peer, request.message

    def receive(self, peer: str, message: str) -> bool:
        found, request = parse_message(peer, message, self._enums), self._steps.request
        taken = found is not None and isinstance(request, ReceiveRequest) and request.takes(found)
        if taken:
            self._answer(found)
        return taken

    def timer(self) -> bool:
        request = self._steps.request
        running = isinstance(request, ReceiveRequest) and request.timed
        if running:
            self._answer(None)
        return running

    def _answer(self, value: Any) -> None:
        if self._steps.answer(value):
            self._steps.record.reached()


@lru_cache
def role_in(file: str, name: str, role: str) -> RoleCall:
    """The role function of a protocol in a Python file, which is run."""
    system = load_protocol(file, name)
    calls = system.calls if isinstance(system, ExtractedSystem) else {}
    if role not in calls:
        hint = did_you_mean(role, calls)
        raise InputError(f"'{name}' has no role function '{role}'", place=Place(file), hint=hint)
    return calls[role]


class AutomatonImplementation:
    """A role that does what its automaton says, at random where that leaves a choice."""

    def __init__(self, protocol: str, role: str) -> None:
        self._process = _test(protocol, role).model.system[role]
        self._state = self._process.initial

    def send(self) -> tuple[str, str] | None:
        while True:
            leaving = self._process.outgoing(self._state)
            active = [t for t in leaving if isinstance(t.action, Send) or is_silent(t.action)]
            if not active or (any(map(_waits, leaving)) and random.random() < 0.5):
                return None
            chosen = random.choice(active)
            self._state = chosen.target
            if isinstance(chosen.action, Send):
                event = event_of(chosen.action)
                return event.peer, event.message

    def receive(self, peer: str, message: str) -> bool:
        return self._take(receives(peer, message))

    def timer(self) -> bool:
        return self._take(timer())

    def restart(self) -> None:
        self._take(restarts())

    def _take(self, event: LogEvent) -> bool:
        fitting = [t for t in self._process.outgoing(self._state) if event.matches(t.action)]
        if fitting:
            self._state = random.choice(fitting).target
        return bool(fitting)


def _waits(transition: Transition) -> bool:
    action = transition.action
    return isinstance(action, Receive) or (isinstance(action, Internal) and action.timeout)


@lru_cache
def _test(protocol: str, role: str) -> RoleTest:
    return RoleTest(protocol, role, lambda: AutomatonImplementation(protocol, role))
