"""A role without a network and without a clock: what comes in, and what is to be done then.

asyncio, threads, a web framework, a queue or a test drives it; `Runner` does with a `Network`.
"""

from __future__ import annotations

import random
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from ...errors import InputError, UsageError
from ...programs.extraction.requests import (
    ChooseRequest,
    Received,
    ReceiveRequest,
    RoleRequest,
    SaveRequest,
    SendRequest,
    send,
)
from ...programs.extraction.role import Role, RoleCall, RoleGenerator, as_call
from ...programs.extraction.values import named, spell
from .codec import enums_of
from .durable import DurableRecord, Entry
from .inbox import ArrivalQueues

_REQUESTS = "a role yields sp.send(...), sp.receive(...), sp.choose(...) or sp.save(...)"


@dataclass(frozen=True)
class ToSend:
    """Send this to a peer."""

    peer: str
    message: Received


@dataclass(frozen=True)
class ToSave:
    """Append this to the disk, as JSON; what stands behind it must wait until that is done."""

    entry: Entry


@dataclass(frozen=True)
class ToLog:
    """What the role has done, as a line of its log has it."""

    event: dict[str, Any]


@dataclass(frozen=True)
class RunningTimer:
    """The timer that runs now; `number` tells it from those before."""

    number: int
    seconds: float


@dataclass(frozen=True)
class MachineOutput:
    """`todo`: what is to be done, in this order. `timer`: the one that runs from now on, None for none.
    `ended`: the role has returned `result`, or raised `error`."""

    todo: tuple[ToSend | ToSave | ToLog, ...] = ()
    timer: RunningTimer | None = None
    ended: bool = False
    result: Any = None
    error: Exception | None = None

    @property
    def sends(self) -> tuple[ToSend, ...]:
        return tuple(one for one in self.todo if isinstance(one, ToSend))

    @property
    def saves(self) -> tuple[ToSave, ...]:
        return tuple(one for one in self.todo if isinstance(one, ToSave))


class Machine:
    """A role that runs. `start` it, and tell it what arrives (`receive`) and which timer has expired
    (`expire`); each says what is to be done. One caller at a time.

    A message that the role does not take waits at the head of the queue of its sender. `name` is its name
    among the roles, by default that of its function; `timeout=True` in the role is `default_timeout` seconds;
    `seed` makes its choices reproducible.
    """

    def __init__(
        self,
        role: Role[Any] | RoleCall,
        *,
        name: str | None = None,
        default_timeout: float = 1.0,
        seed: int | None = None,
    ) -> None:
        call = as_call(role)
        self.name = name or call.role.name
        self.steps = RunningSteps(call, DurableRecord(None, self.name, enums_of(call)), seed)
        self._default_timeout = default_timeout
        self._queues = ArrivalQueues()
        self._timer: RunningTimer | None = None
        self._started = False

    @property
    def waiting(self) -> RoleRequest | None:
        """What the role has yielded last, None before it is started and after it has ended."""
        return self.steps.request

    def start(self, disk: Iterable[Entry] = ()) -> MachineOutput:
        """Begin, or go on from what was saved. What was sent up to there is not sent again."""
        if self._started:
            raise UsageError(f"{self.name} runs already", hint="to start it again: restart(disk)")
        saved = list(disk)
        before = [ToLog({"role": self.name, "do": "restart"})] if saved else []
        return self._begin(saved, before)

    def restart(self, disk: Iterable[Entry]) -> MachineOutput:
        """The role forgets everything but what was saved. Messages that wait in its queues stay there."""
        return self._begin(list(disk), [ToLog({"role": self.name, "do": "restart"})])

    def _begin(self, saved: list[Entry], before: list[ToLog]) -> MachineOutput:
        self.steps.record.begin_with(saved)
        self.steps.begin()
        self._started, self._timer = True, None
        return self._go_on([*before])

    def receive(self, peer: str, name: str, *fields: Any) -> MachineOutput:
        """A message has arrived."""
        send(peer, name, *fields)  # refuses what no role could have sent
        return self.receive_message(Received(peer, name, fields))

    def receive_message(self, message: Received) -> MachineOutput:
        """The same, of a message that was sent by a machine: `ToSend.message`."""
        self._check_started()
        self._queues.put(message)
        return self._go_on([])

    def expire(self, timer: RunningTimer | None = None) -> MachineOutput:
        """The timer has expired. One that is given and no longer runs is left out of account."""
        self._check_started()
        if timer is not None and timer != self._timer:
            return self._output([])
        if self._timer is None:
            raise UsageError(f"no timer of {self.name} runs")
        return self._go_on(self._step(None))

    def _check_started(self) -> None:
        if not self._started:
            raise UsageError(f"{self.name} was not started", hint="call start() first")

    def _go_on(self, todo: list[ToSend | ToSave | ToLog]) -> MachineOutput:
        """Up to where the role waits for something that is not there."""
        while True:
            request = self.steps.request
            if isinstance(request, ReceiveRequest):
                found = self._queues.pop(request)
                if found is None:
                    todo += [self._logged("unexpected", m) for m in self._queues.unexpected(request)]
                    return self._output(todo)
                todo += self._step(found)
            elif request is None:
                return self._output(todo)
            else:
                todo += self._step(self.steps.choice(request))

    def _step(self, value: Any) -> list[ToSend | ToSave | ToLog]:
        """First the action, then the record of the state that it leads to (definitions 14.9)."""
        request = self.steps.request
        assert request is not None
        self._timer = None
        todo: list[ToSend | ToSave | ToLog] = []
        if isinstance(request, SaveRequest):
            todo.append(ToSave(self.steps.record.save(request)))
        todo.append(ToLog({"role": self.name, **event_fields(request, value)}))
        if isinstance(request, SendRequest):
            todo.append(ToSend(request.peer, Received(self.name, request.name, request.fields)))
            todo.append(ToLog({"role": self.name, **event_fields(request, value), "do": "sent"}))
        if self.steps.answer(value):
            todo.append(ToSave(self.steps.record.reached()))
        return todo

    def _logged(self, do: str, message: Received) -> ToLog:
        return ToLog({"role": self.name, "do": do, "peer": message.peer, "message": message.message})

    def _output(self, todo: list[ToSend | ToSave | ToLog]) -> MachineOutput:
        request, steps = self.steps.request, self.steps
        if isinstance(request, ReceiveRequest) and request.timed and self._timer is None:
            seconds = seconds_of(request, self._default_timeout)
            self._timer = RunningTimer(steps.count, seconds or 0.0)
        if request is None and not steps.told:
            steps.told = True
            raised = {} if steps.error is None else {"error": type(steps.error).__name__}
            todo.append(ToLog({"role": self.name, "do": "raise" if raised else "end", **raised}))
        return MachineOutput(tuple(todo), self._timer, request is None, steps.result, steps.error)


class RunningSteps:
    """A role that runs, one request after the other: `request` is what it has yielded, None after its end."""

    def __init__(self, call: RoleCall, record: DurableRecord, seed: int | None = None) -> None:
        self.call, self.record = call, record
        self.request: RoleRequest | None = None
        self.result: Any = None
        self.error: Exception | None = None
        self.told = False
        #: Of the steps so far.
        self.count = 0
        self._chance = random.Random(seed)
        self._generator: RoleGenerator | None = None

    def begin(self) -> None:
        """At the last durable point, or at the start with what was saved."""
        if self._generator is not None:
            self._generator.close()
        self.result, self.error, self.told = None, None, False
        self.count += 1
        try:
            self._generator, self.request = self.record.replay(self.call)
        except StopIteration as end:
            self._end(end)
        except InputError:
            raise
        except Exception as problem:
            self._end(problem)
        self._check()

    def choice(self, request: RoleRequest) -> Any:
        """What is given for a choice; nothing, for a send."""
        return self._chance.choice(request.values) if isinstance(request, ChooseRequest) else None

    def answer(self, value: Any) -> bool:
        """Give this for the request. Has the role come to a durable point, which is to be recorded now?"""
        assert self._generator is not None and self.request is not None
        self.record.gave(self.request, value)
        self.count += 1
        try:
            self.request = self._generator.send(value)
        except Exception as problem:
            self._end(problem)
            return False
        self._check()
        return self.request is not None and self.request.durable

    def _check(self) -> None:
        if self.request is not None and not isinstance(self.request, RoleRequest):
            what = f"{self.call.role.name} yields {named(type(self.request))}"
            self._end(UsageError(what, hint=_REQUESTS))
        elif problem := self._misuse():
            self._end(UsageError(problem, hint="a role has durable points or durable parameters, not both"))

    def _misuse(self) -> str:
        """What is wrong with how the role uses its disk; extraction finds it, too."""
        role, request = self.call.role, self.request
        if role.durable and request is not None and request.durable:
            return f"{role.name} has durable parameters and a durable point"
        names = [name for name, _ in request.values] if isinstance(request, SaveRequest) else []
        unknown = next((name for name in names if name not in role.durable), None)
        return "" if unknown is None else f"'{unknown}' is no durable parameter of {role.name}"

    def _end(self, problem: Exception) -> None:
        """A generator that returns raises StopIteration."""
        self.request = None
        if isinstance(problem, StopIteration):
            self.result = problem.value
        else:
            self.error = problem


def seconds_of(request: ReceiveRequest, default: float) -> float | None:
    """How long the role waits; None for ever."""
    if not request.timed:
        return None
    timeout = request.timeout
    return default if timeout is True or isinstance(timeout, str) else float(timeout or 0)


def event_fields(request: RoleRequest, value: Any) -> dict[str, Any]:
    """What the log says of a request and of what the role was given for it; of a send, before it happens."""
    if isinstance(request, SendRequest):
        return {"do": "sends", "peer": request.peer, "message": request.message}
    if isinstance(request, SaveRequest):
        return {"do": "save"}
    if isinstance(request, ChooseRequest):
        return {"do": "choose", "value": spell(value)}
    if value is None:
        return {"do": "timeout"}
    return {"do": "receive", "peer": value.peer, "message": value.message}
