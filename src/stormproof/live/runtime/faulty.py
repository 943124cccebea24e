"""A network made unreliable: the faults of a failure model, at random and reproducibly."""

from __future__ import annotations

import asyncio
import random
from typing import Any

from ...errors import UsageError
from ...kernel.model.actions import Channel
from ...kernel.model.cuts import Cut
from ...kernel.model.failures import PERFECT, ChannelFailure, FailureModel, Failures
from ...kernel.model.faults import CORRUPTION, PLAIN_KINDS
from ...programs.extraction.requests import Received
from .codec import parse_message
from .inbox import Inbox, Network

#: How long a message that is to be overtaken is held back if none follows it.
_HOLD_SECONDS = 0.02
#: A message arrives at most so often, even if every fault occurs.
_MOST_COPIES = 8


class FaultyNetwork:
    """Loses, duplicates, reorders and corrupts messages, stops and restarts roles, within a failure model.

    What a corrupted message becomes depends on the system: `sp.Failures(corrupt=True).on(system)`. Each
    possible fault occurs with the probability `rate`. What happens to the n-th message of a channel, and at
    the n-th step of a role, depends on `seed` alone. `storm = False` ends the storm.
    """

    def __init__(
        self, network: Network, failures: Failures | FailureModel, seed: int, *, rate: float = 0.2
    ) -> None:
        if failures.unreliable if isinstance(failures, FailureModel) else failures.crash:
            raise UsageError("announced crashes cannot be run", hint="let roles stop instead: stop=[...]")
        if not 0 <= rate <= 1:
            raise UsageError(f"a rate is a probability, not {rate}")
        self.storm = True
        self.faults = 0
        self._network = network
        self._failures = failures
        self._seed, self._rate = seed, rate
        self._chances: dict[str, random.Random] = {}
        self._held: dict[Channel, list[Received]] = {}
        self._sending: set[asyncio.Future[None]] = set()
        self._enums: dict[str, Any] = {}
        self._cuts = _cuts_of(failures)
        self._down: set[Channel] = set()

    async def inbox(self, name: str, enums: dict[str, Any]) -> Inbox:
        self._enums |= enums
        return await self._network.inbox(name, enums)

    async def send(self, message: Received, receiver: str) -> None:
        channel = Channel(message.peer, receiver)
        if self._is_down(channel):
            return
        failure = _on(self._failures, channel) if self.storm else PERFECT
        for copy in self._after_faults(channel, failure, message):
            await self._pass_on(channel, copy, failure.reorder)

    def _is_down(self, channel: Channel) -> bool:
        """Is the channel cut, or does it fall now? It stays down also when the storm is over."""
        for cut in self._cuts if self.storm and channel not in self._down else ():
            # A link is used more often than it is cut, and a cut is for good.
            if channel in cut and self._occurs(f"cut {cut}", self._rate / 20):
                self._down.update(cut)
                for down in cut:
                    self._held.pop(down, None)
        return channel in self._down

    def fate(self, name: str) -> str | None:
        kinds = [k for k in ("stop", "restart") if name in getattr(self._failures, k)]
        for kind in kinds if self.storm else ():
            # A role steps more often than it sends, and a stop is for good.
            if self._occurs(f"{kind} {name}", self._rate / (50 if kind == "stop" else 2)):
                return kind
        return self._network.fate(name)

    def _chance(self, what: str) -> random.Random:
        """Each channel and each role has its own chance, whatever happens elsewhere meanwhile."""
        return self._chances.setdefault(what, random.Random(f"{self._seed} {what}"))

    def _occurs(self, what: str, rate: float | None = None) -> bool:
        occurs = self._chance(what).random() < (self._rate if rate is None else rate)
        self.faults += occurs
        return occurs

    def _after_faults(self, channel: Channel, failure: ChannelFailure, message: Received) -> list[Received]:
        """What is left of a message: nothing, the message or another, once or several times."""
        if failure.loss and self._occurs(f"loss {channel}"):
            return []
        copies = 1
        while failure.duplicate and copies < _MOST_COPIES and self._occurs(f"duplicate {channel}"):
            copies += 1
        return [self._corrupted(channel, failure, message) for _ in range(copies)]

    def _corrupted(self, channel: Channel, failure: ChannelFailure, message: Received) -> Received:
        others = sorted(failure.becomes.get(message.message, ()))
        if not others or not self._occurs(f"corrupt {channel}"):
            return message
        other = self._chance(f"corrupt {channel}").choice(others)
        return parse_message(message.peer, other, self._enums) or message

    async def _pass_on(self, channel: Channel, message: Received, reorder: bool) -> None:
        """Send it, or hold it back until another has overtaken it."""
        if reorder and channel not in self._held and self._occurs(f"reorder {channel}"):
            self._held[channel] = [message]
            asyncio.get_running_loop().call_later(_HOLD_SECONDS, self._release, channel, message)
            return
        await self._network.send(message, channel.receiver)
        for late in self._held.pop(channel, ()):
            await self._network.send(late, channel.receiver)

    def _release(self, channel: Channel, message: Received) -> None:
        """Nothing has overtaken the message that was held back."""
        if any(held is message for held in self._held.get(channel, ())):
            late = self._held.pop(channel)[0]
            task = asyncio.ensure_future(self._network.send(late, channel.receiver))
            self._sending.add(task)
            task.add_done_callback(self._sending.discard)

    @property
    def held(self) -> int:
        """How many messages are held back now."""
        return len(self._held)


def _cuts_of(failures: Failures | FailureModel) -> tuple[Cut, ...]:
    if isinstance(failures, FailureModel):
        return failures.cuts
    if failures.cut or failures.cut_link or failures.partition_stays:
        hint = "write sp.Failures(...).on(system)"
        raise UsageError("which channels a cut takes down depends on the system", hint=hint)
    return ()


def _on(failures: Failures | FailureModel, channel: Channel) -> ChannelFailure:
    if isinstance(failures, FailureModel):
        return failures.on(channel)
    if failures.asks(CORRUPTION, channel) or failures.corrupt_map:
        hint = "write sp.Failures(...).on(system)"
        raise UsageError("what a message becomes depends on the system", hint=hint)
    plain: dict[str, Any] = {kind.keyword: failures.asks(kind, channel) for kind in PLAIN_KINDS}
    return ChannelFailure(**plain)
