"""A network inside one process."""

from __future__ import annotations

from typing import Any

from ...programs.extraction.requests import Received
from .inbox import Inbox


class MemoryNetwork:
    """Messages go from one role to another at once; those to a role that has not begun yet wait for it."""

    def __init__(self) -> None:
        self._inboxes: dict[str, Inbox] = {}

    async def inbox(self, name: str, enums: dict[str, Any]) -> Inbox:
        return self._of(name)

    def _of(self, name: str) -> Inbox:
        return self._inboxes.setdefault(name, Inbox())

    async def send(self, message: Received, receiver: str) -> None:
        self._of(receiver).put(message)

    def fate(self, name: str) -> str | None:
        return None

    def in_flight(self) -> int:
        """How many messages have been sent and not received."""
        return sum(map(len, self._inboxes.values()))
