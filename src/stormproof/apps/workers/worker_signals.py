"""What a worker can be told while it answers: to stop with what it knows, or that nobody waits any more.

A worker that is not ready yet is ended by either, silently.
"""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

STOP, ABANDON = signal.SIGUSR1, signal.SIGUSR2


class Abandoned(BaseException):
    """Ends everything, unlike KeyboardInterrupt, at which searches return what they have."""


class Interrupts:
    """A signal interrupts an answer in the making, once, but never the writing of a line.

    Between two questions it does nothing: it was meant for the question that has just been answered.
    """

    def __init__(self) -> None:
        self._allowed = False
        self._held: int | None = None
        for number in (STOP, ABANDON):
            signal.signal(number, self._handle)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        if not self._allowed:
            self._held = number
            return
        self._allowed = False
        raise KeyboardInterrupt if number == STOP else Abandoned

    @contextmanager
    def allowed(self) -> Iterator[None]:
        self._held, self._allowed = None, True
        try:
            yield
        finally:
            self._allowed = False

    @contextmanager
    def held(self) -> Iterator[None]:
        """While something is written in the middle of an answer."""
        before, self._allowed = self._allowed, False
        yield
        self._allowed = before
        if before and self._held is not None:
            self._handle(self._held, None)
