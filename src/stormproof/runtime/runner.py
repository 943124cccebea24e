"""Drive a role over a network: what it yields is done, and what comes back is sent to it."""

from __future__ import annotations

import logging
import random
from pathlib import Path
from typing import Any, Final

from ..extraction.requests import ChooseRequest, Received, ReceiveRequest, RoleRequest, SendRequest
from ..extraction.role import Role, RoleCall, as_call
from ..extraction.values import spell
from .codec import enums_of
from .durable import DurableRecord
from .inbox import Network
from .log import RunLog

_log = logging.getLogger("stormproof")


class _Stopped:
    def __repr__(self) -> str:
        return "STOPPED"


#: What `run` gives for a role that was stopped by a fault.
STOPPED: Final = _Stopped()


async def run(
    role: Role | RoleCall,
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
    `default_timeout` seconds. `log` is the file that its events are appended to, `durable` the one that what
    it received up to its durable points is recorded in: if that exists, the role continues from there.
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
        role: Role | RoleCall,
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
        self.waiting: RoleRequest | None = None
        self.unexpected: list[Received] = []
        self._default_timeout = default_timeout
        self._enums = enums_of(self.call)
        self._record = DurableRecord(durable, self._enums)
        self._log = RunLog(self.name, log)
        self._chance = random.Random(seed)

    async def run(self) -> Any:
        """Until the role returns, is stopped, or raises."""
        self._log.begin()
        try:
            return await self._run()
        except Exception as problem:
            self._log.write("raise", error=type(problem).__name__)
            raise
        finally:
            self.waiting = None
            self._log.close()

    async def _run(self) -> Any:
        self._inbox = await self.network.inbox(self.name, self._enums)
        try:
            generator, request = self._record.replay(self.call)
            while True:
                self.waiting = request
                self._record.reached(request)
                fate = self.network.fate(self.name)
                if fate == "stop":
                    self._log.write("stop")
                    return STOPPED
                if fate == "restart":
                    self._log.write("restart")
                    generator.close()
                    generator, request = self._record.replay(self.call)
                    continue
                value = await self._do(request)
                self._record.gave(request, value)
                request = generator.send(value)
        except StopIteration as end:
            self._log.write("end")
            return end.value

    async def _do(self, request: RoleRequest) -> Any:
        if isinstance(request, SendRequest):
            self._log.write("send", request.peer, request.message)
            await self.network.send(Received(self.name, request.name, request.fields), request.peer)
            return None
        if isinstance(request, ChooseRequest):
            value = self._chance.choice(request.values)
            self._log.write("choose", value=spell(value))
            return value
        return await self._receive(request)

    async def _receive(self, request: ReceiveRequest) -> Received | None:
        found = await self._inbox.take(request, self._seconds(request), self._does_not_take)
        if found is None:
            self._log.write("timeout")
        else:
            self._log.write("receive", found.peer, found.message)
        return found

    def _seconds(self, request: ReceiveRequest) -> float | None:
        if not request.timed:
            return None
        return self._default_timeout if request.timeout is True else float(request.timeout or 0)

    def _does_not_take(self, message: Received) -> None:
        """The message stays where it is, as in the automaton; whether it is ever taken is the role's."""
        self.unexpected.append(message)
        self._log.write("unexpected", message.peer, message.message)
        _log.warning("%s does not take %s from %s", self.name, message.message, message.peer)
