"""What a peer on the network can make this process keep or write, at most."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, fields

from ...errors import UsageError, visible

_log = logging.getLogger("stormproof")


@dataclass(frozen=True)
class TcpLimits:
    """`message_bytes`: of a message; more disconnect the peer. `waiting`: messages of one peer that have
    arrived and are not received, and messages that are yet to be written to one; nothing more is read then,
    and a role that sends waits. `unnamed`: connections of one role that have not sent a message yet; another
    one replaces the oldest. `seconds`: for the first message of a connection, for a message that has begun,
    and for a peer to read anything while a role waits to send to it."""

    message_bytes: int = 65_536
    waiting: int = 1_000
    unnamed: int = 64
    seconds: float = 10.0

    def __post_init__(self) -> None:
        for each in fields(self):
            value = getattr(self, each.name)
            if not value > 0:
                raise UsageError(f"{each.name} is {value}, and must be above 0")


class Warnings:
    """Warnings that others cause: so many in a while, and then how many more there were."""

    MOST, SECONDS = 20, 60.0

    def __init__(self) -> None:
        self._since, self._count = -self.SECONDS, 0

    def warn(self, text: str, *values: object) -> None:
        now = time.monotonic()
        if now - self._since >= self.SECONDS:
            if self._count > self.MOST:
                _log.warning("%d warnings about the network were left out", self._count - self.MOST)
            self._since, self._count = now, 0
        self._count += 1
        if self._count <= self.MOST:
            _log.warning(text, *(visible(str(value))[:400] for value in values))
        if self._count == self.MOST:
            _log.warning("further warnings about the network are left out for %g s", self.SECONDS)
