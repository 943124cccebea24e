"""Drive a role over a network: what it yields is done, and what comes back is sent to it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from pathlib import Path
from typing import Any, Final

from ...errors import OutputError
from ...programs.extraction.requests import Received, ReceiveRequest, RoleRequest, SaveRequest, SendRequest
from ...programs.extraction.role import Role, RoleCall, as_call
from .codec import enums_of
from .durable import DurableRecord
from .inbox import Network
from .log import RunLog
from .machine import RunningSteps, event_fields, seconds_of

_log = logging.getLogger("stormproof")


class _Stopped:
    def __repr__(self) -> str:
        return "STOPPED"


#: What `run` gives for a role that was stopped by a fault.
STOPPED: Final = _Stopped()


async def run(
    role: Role[Any] | RoleCall,
    network: Network,
    *,
    name: str | None = None,
    default_timeout: float = 1.0,
    log: str | Path | None = None,
    durable: str | Path | None = None,
    seed: int | None = None,
) -> Any:
    """Drive a role until it returns, and give what it returns.

    `name` is its name on the network, by default that of its function. `timeout=True` in the role waits for
    `default_timeout` seconds. `log` is the file that its events are appended to, `durable` its disk, in which
    its durable points or parameters are recorded: if that exists, the role goes on with what is there.
    `seed` makes its choices reproducible.
    """
    runner = Runner(
        role, network, name=name, default_timeout=default_timeout, log=log, durable=durable, seed=seed
    )
    return await runner.run()


class Runner:
    """A role that runs; `waiting` is what it yielded last, `unexpected` the messages that it did not take."""

    def __init__(
        self,
        role: Role[Any] | RoleCall,
        network: Network,
        *,
        name: str | None = None,
        default_timeout: float = 1.0,
        log: str | Path | None = None,
        durable: str | Path | None = None,
        seed: int | None = None,
    ) -> None:
        self.call = as_call(role)
        self.name = name or self.call.role.name
        self.network = network
        self.unexpected: list[Received] = []
        self._default_timeout = default_timeout
        self._record = DurableRecord(durable, self.name, enums_of(self.call))
        self._steps = RunningSteps(self.call, self._record, seed)
        self._log = RunLog(self.name, log)
        #: Has the role come to a durable point that is not recorded yet?
        self._unrecorded = False

    async def run(self) -> Any:
        """Until the role returns, is stopped, or raises."""
        try:
            self._record.open()
            self._log.begin(self._record.continues)
            return await self._run()
        except Exception as problem:
            with contextlib.suppress(OutputError):  # it may be the log that cannot be written
                self._log.write(self._log.line("raise", error=type(problem).__name__))
            raise
        finally:
            self._log.close()
            self._record.close()

    @property
    def waiting(self) -> RoleRequest | None:
        """What the role has yielded last."""
        return self._steps.request

    async def _run(self) -> Any:
        steps = self._steps
        self._inbox = await self.network.inbox(self.name, self._record.enums)
        steps.begin()
        while (request := steps.request) is not None:
            # Somebody who never waits must not keep the others from running.
            await asyncio.sleep(0)
            fate = self.network.fate(self.name)
            if fate == "stop":
                self._log.write(self._log.line("stop"))
                steps.request = None
                return STOPPED
            if fate == "restart":
                self._log.write(self._log.line("restart"))
                self._unrecorded = False
                steps.begin()
                continue
            if self._unrecorded:
                self._record.reached()
                self._unrecorded = False
            await self._step(request, await self._answer(request))
        if steps.error is not None:
            raise steps.error
        self._log.write(self._log.line("end"))
        return steps.result

    async def _answer(self, request: RoleRequest) -> Any:
        """What the role gets for its request."""
        if not isinstance(request, ReceiveRequest):
            return self._steps.choice(request)
        seconds = seconds_of(request, self._default_timeout)
        return await self._inbox.take(request, seconds, self._does_not_take)

    async def _step(self, request: RoleRequest, value: Any) -> None:
        """A process may end at any moment. So the action comes first, and the durable point that it leads to
        is recorded before the next one, as in the automaton (definitions 14.1). What is logged before and
        after a send says whether it was done."""
        if isinstance(request, SaveRequest):
            self._record.save(request)
        self._log.write(self._log.line(**event_fields(request, value)))
        if isinstance(request, SendRequest):
            await self.network.send(Received(self.name, request.name, request.fields), request.peer)
            self._log.write(self._log.line(**event_fields(request, value) | {"do": "sent"}))
        self._unrecorded = self._steps.answer(value)

    def _does_not_take(self, message: Received) -> None:
        """The message stays where it is, as in the automaton; whether it is ever taken is the role's."""
        self.unexpected.append(message)
        self._log.write(self._log.line("unexpected", message.peer, message.message))
        _log.warning("%s does not take %s from %s", self.name, message.message, message.peer)
