"""Whoever waits at an inbox can be cancelled at any moment, also when a message arrives."""

from __future__ import annotations

import asyncio

import pytest

from stormproof.live.runtime.inbox import Inbox
from stormproof.live.runtime.within import happens_within
from stormproof.programs.extraction.requests import Received, ReceiveRequest, receive


async def cancelled_after(turns: int, seconds: float | None) -> bool:
    """Put a message, let so many turns of the loop pass, and cancel: is what was cancelled kept?"""
    inbox, request = Inbox(), receive("A")
    assert isinstance(request, ReceiveRequest)
    waiting = asyncio.create_task(inbox.take(request, seconds, lambda message: None))
    for _ in range(5):
        await asyncio.sleep(0)
    inbox.put(Received("A", "m"))
    for _ in range(turns):
        await asyncio.sleep(0)
    taken = waiting.cancel()
    await asyncio.wait({waiting})
    return not taken or waiting.cancelled()


@pytest.mark.parametrize("seconds", [None, 10.0])
def test_a_cancellation_is_never_lost(seconds: float | None) -> None:
    """Before Python 3.12 `asyncio.wait_for` loses one that comes in the same turn as the result."""
    assert all(asyncio.run(cancelled_after(turns, seconds)) for turns in range(6))


def test_it_says_whether_it_happened() -> None:
    async def ask() -> tuple[bool, bool]:
        event = asyncio.Event()
        late = await happens_within(event, 0.01)
        event.set()
        return late, await happens_within(event, None)

    assert asyncio.run(ask()) == (False, True)
