"""Expressions that do not end, where no second process watches over them: a timer interrupts Python code."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Iterator
from types import FrameType

from ...limits import alarm_is_ours, is_over, ring, set_alarm, time_left
from . import evaluate
from .evaluate import Overdue
from .snippet import Snippet


@contextlib.contextmanager
def deadlines(seconds: float) -> Iterator[None]:
    """Each expression has so many seconds, unless somebody else watches, or the alarm of the process is not
    ours to use: in a thread, or where a program has set it."""
    if evaluate.watch is not None or not alarm_is_ours():
        yield
        return
    before = signal.signal(signal.SIGALRM, _overdue)
    # Again and again: what is raised in a callback of the garbage collector is lost.
    evaluate.watch = lambda: signal.setitimer(
        signal.ITIMER_REAL, time_left(seconds) or seconds, min(seconds / 10, 0.5)
    )
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        evaluate.watch = None
        if before is ring:
            set_alarm()


def _overdue(_: int, frame: FrameType | None) -> None:
    """Of what is done, only an expression is interrupted, unless the deadline of the whole has passed.

    Within an expression nothing is called here: whoever watches what it calls would take that for its own."""
    while frame is not None:
        if frame.f_code is Snippet.call.__code__:
            raise Overdue
        frame = frame.f_back
    if is_over():
        raise KeyboardInterrupt
