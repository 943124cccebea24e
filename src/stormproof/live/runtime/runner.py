"""Drive a role over a network: what it yields is done, and what comes back is sent to it."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from pathlib import Path
from typing import Any, Final

from ...errors import OutputError, UsageError
from ...programs.extraction.requests import ChooseRequest, Received, ReceiveRequest, RoleRequest, SendRequest
from ...programs.extraction.role import Role, RoleCall, RoleGenerator, as_call
from ...programs.extraction.values import named, spell
from .codec import enums_of
from .durable import DurableRecord
from .inbox import Network
from .log import RunLog

_log = logging.getLogger("stormproof")


_REQUESTS = "a role yields sp.send(...), sp.receive(...) or sp.choose(...)"


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
        self.waiting: RoleRequest | None = None
        self.unexpected: list[Received] = []
        self._default_timeout = default_timeout
        self._enums = enums_of(self.call)
        self._record = DurableRecord(durable, self.name, self._enums)
        self._log = RunLog(self.name, log)
        self._chance = random.Random(seed)

    async def run(self) -> Any:
        """Until the role returns, is stopped, or raises."""
        try:
            self._record.open()
            self._log.begin(self._record.continues, self._record.logged)
            return await self._run()
        except Exception as problem:
            with contextlib.suppress(OutputError):  # it may be the log that cannot be written
                self._log.write(self._log.line("raise", error=type(problem).__name__))
            raise
        finally:
            self.waiting = None
            self._log.close()
            self._record.close()

    async def _run(self) -> Any:
        self._inbox = await self.network.inbox(self.name, self._enums)
        try:
            generator, request = self._record.replay(self.call)
        except StopIteration as end:
            return self._ended(end)
        while True:
            if not isinstance(request, RoleRequest):
                raise UsageError(f"{self.name} yields {named(type(request))}", hint=_REQUESTS)
            self.waiting = request
            # Somebody who never waits must not keep the others from running.
            await asyncio.sleep(0)
            fate = self.network.fate(self.name)
            if fate == "stop":
                self._log.write(self._log.line("stop"))
                return STOPPED
            if fate == "restart":
                self._log.write(self._log.line("restart"))
                generator.close()
                generator, request = self._record.replay(self.call)
                continue
            value, line = await self._answer(request)
            after = _resumed(generator, value)
            await self._happened(request, value, line, after)
            if isinstance(after, StopIteration):
                return self._ended(after)
            if isinstance(after, Exception):
                raise after
            request = after

    async def _answer(self, request: RoleRequest) -> tuple[Any, str]:
        """What the role gets for its request, and the event to be logged."""
        if isinstance(request, SendRequest):
            return None, self._log.line("send", request.peer, request.message)
        if isinstance(request, ChooseRequest):
            value = self._chance.choice(request.values)
            return value, self._log.line("choose", value=spell(value))
        found = await self._inbox.take(request, self._seconds(request), self._does_not_take)
        if found is None:
            return None, self._log.line("timeout")
        return found, self._log.line("receive", found.peer, found.message)

    async def _happened(
        self, request: RoleRequest, value: Any, line: str, after: RoleRequest | Exception
    ) -> None:
        """A process may end at any moment. So a durable point that the event leads to is recorded before the
        event is logged, and the event is logged before anybody else can notice it."""
        self._record.gave(request, value)
        if isinstance(after, RoleRequest) and after.durable:
            self._record.reached(self._log.coming(line))
        self._log.write(line)
        if isinstance(request, SendRequest):
            await self.network.send(Received(self.name, request.name, request.fields), request.peer)

    def _ended(self, end: StopIteration) -> Any:
        self._log.write(self._log.line("end"))
        return end.value

    def _seconds(self, request: ReceiveRequest) -> float | None:
        if not request.timed:
            return None
        return self._default_timeout if request.timeout is True else float(request.timeout or 0)

    def _does_not_take(self, message: Received) -> None:
        """The message stays where it is, as in the automaton; whether it is ever taken is the role's."""
        self.unexpected.append(message)
        self._log.write(self._log.line("unexpected", message.peer, message.message))
        _log.warning("%s does not take %s from %s", self.name, message.message, message.peer)


def _resumed(generator: RoleGenerator, value: Any) -> RoleRequest | Exception:
    """What the role yields next, or the exception with which it ends."""
    try:
        return generator.send(value)
    except Exception as problem:
        return problem
