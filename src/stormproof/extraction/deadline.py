"""Expressions that do not end, where no second process watches over them: a timer interrupts Python code."""

from __future__ import annotations

import contextlib
import signal
import threading
from collections.abc import Iterator
from types import FrameType

from . import evaluate
from .evaluate import Overdue
from .snippet import Snippet


@contextlib.contextmanager
def deadlines(seconds: float) -> Iterator[None]:
    """Each expression has so many seconds, unless somebody else watches, or the alarm of the process is not
    ours to use: in a thread, or where a program has set it."""
    if evaluate.watch is not None or not _free():
        yield
        return
    before = signal.signal(signal.SIGALRM, _overdue)
    # Again and again: what is raised in a callback of the garbage collector is lost.
    evaluate.watch = lambda: signal.setitimer(signal.ITIMER_REAL, seconds, seconds / 10)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        evaluate.watch = None


def _free() -> bool:
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def _overdue(_: int, frame: FrameType | None) -> None:
    """Only an expression is interrupted, not what is done between two of them."""
    while frame is not None:
        if frame.f_code is Snippet.call.__code__:
            raise Overdue
        frame = frame.f_back
