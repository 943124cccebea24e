"""What has arrived for a role, in one queue per sender, and what every network offers."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Protocol

from ...programs.extraction.requests import Received, ReceiveRequest
from .within import happens_within


class ArrivalQueues:
    """The queues of one role. The role takes the message at the head of a queue, and only that."""

    def __init__(self) -> None:
        self._queues: dict[str, deque[tuple[int, Received]]] = {}
        self._order = count()
        self._refused: set[int] = set()  # of the heads, by place: those that were unexpected

    def put(self, message: Received) -> None:
        self._queues.setdefault(message.peer, deque()).append((next(self._order), message))

    def __len__(self) -> int:
        return sum(map(len, self._queues.values()))

    def waiting_of(self, sender: str) -> int:
        return len(self._queues.get(sender, ()))

    def heads(self) -> list[tuple[int, Received]]:
        """The message at the head of each queue, with its place in the order of arrival."""
        return [queue[0] for queue in self._queues.values() if queue]

    def pop(self, request: ReceiveRequest) -> Received | None:
        """Of the heads that the request takes, the one that arrived first."""
        fitting = sorted((place, m.peer) for place, m in self.heads() if request.takes(m))
        if not fitting:
            return None
        place, sender = fitting[0]
        self._refused.discard(place)
        return self._queues[sender].popleft()[1]

    def unexpected(self, request: ReceiveRequest) -> Iterator[Received]:
        """Once each head in a queue that the request reads, and does not take."""
        for place, message in self.heads():
            if message.peer in request.peers and place not in self._refused and not request.takes(message):
                self._refused.add(place)
                yield message


class Inbox(ArrivalQueues):
    """Queues that a role waits at. `most`: so many messages of one sender wait; a network asks for `room`
    before it puts another one."""

    def __init__(self, most: int | None = None) -> None:
        super().__init__()
        self._most = most
        self._arrived, self._taken = asyncio.Event(), asyncio.Event()

    def put(self, message: Received) -> None:
        super().put(message)
        self._arrived.set()

    async def room(self, sender: str) -> None:
        """Wait until fewer than the most messages of this sender wait."""
        while self._most is not None and self.waiting_of(sender) >= self._most:
            self._taken.clear()
            await self._taken.wait()

    async def take(
        self, request: ReceiveRequest, seconds: float | None, unexpected: Callable[[Received], None]
    ) -> Received | None:
        """Wait for a message that the request takes; None after so many seconds.

        `unexpected` is called once with each head in a queue that the request reads, and does not take.
        """
        loop = asyncio.get_running_loop()
        until = None if seconds is None else loop.time() + seconds
        while True:
            self._arrived.clear()
            found = self.pop(request)
            if found is not None:
                self._taken.set()
                return found
            for message in self.unexpected(request):
                unexpected(message)
            left = None if until is None else until - loop.time()
            if left is not None and left <= 0:
                return None
            if not await happens_within(self._arrived, left):
                return None


class Network(Protocol):
    """What a `Runner` needs of a network: FIFO per pair of roles. Write one for your transport.

    A message that has been sent arrives once, or never (`loss`), or as the failures of the check say.
    """

    async def inbox(self, name: str, enums: dict[str, Any]) -> Inbox:
        """Begin to receive for a role; `enums` are the enum classes that its messages may carry."""
        ...

    async def send(self, message: Received, receiver: str) -> None:
        """Put a message, which carries its sender, into the channel to the receiver."""
        ...

    def fate(self, name: str) -> str | None:
        """Asked before each step of a role: None, or the fault `stop` or `restart` that it suffers now."""
        ...
