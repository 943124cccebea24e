"""Waiting for so many seconds, and no longer."""

from __future__ import annotations

import asyncio


async def happens_within(event: asyncio.Event, seconds: float | None) -> bool:
    """Does it happen in time? Not by `asyncio.wait_for`, which before Python 3.12 loses a cancellation that
    comes together with the event: whoever is cancelled then would go on for ever."""
    waiting = asyncio.ensure_future(event.wait())
    try:
        done, _ = await asyncio.wait({waiting}, timeout=seconds)
    finally:
        waiting.cancel()
    return bool(done)
