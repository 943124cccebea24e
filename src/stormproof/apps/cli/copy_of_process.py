"""A Python file may end the process that runs it: without a verdict, and perhaps with exit code 0.

So a command that runs such a file goes on in a copy of its process. The process itself waits, and leaves with
the exit code of the copy, if the copy has come to one.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import signal
import sys
import threading
from collections.abc import Iterator
from types import FrameType
from typing import NoReturn

import stormproof_command

from ...errors import InputError, Place, StormproofError
from ...limits import is_over, ring, set_alarm, why_interrupted
from ...python_process import end_with, need_posix
from .problems import Undecided

#: What both see: was the first told to stop, is a file being run, the exit code of the copy plus one.
_TOLD, _RUNNING, _CODE = range(3)

_shared: mmap.mmap | None = None

#: What was said of the copy that this process has waited for: whoever tries again runs no file here.
_ended: StormproofError | None = None


def leave_copy(code: object) -> None:
    """The last that a copy does: what it has printed is out, and its exit code is a verdict."""
    if _shared is not None:
        with contextlib.suppress(Exception):
            sys.stdout.flush()
            _shared[_CODE] = 1 + (code if isinstance(code, int) else code is not None)


@contextlib.contextmanager
def running(file: str) -> Iterator[None]:
    """What is done within runs a file, and may end the process."""
    if _ended is not None:
        raise _ended
    if _shared is None and stormproof_command.owns_process:
        _go_on_in_a_copy(file)
    try:
        _note(_RUNNING, True)
        yield
    except KeyboardInterrupt:
        if _shared is None or _shared[_TOLD] or is_over():
            raise
        problem = "running the file raises KeyboardInterrupt, or sends a signal"
        raise InputError(problem, place=Place(file)) from None
    finally:
        _note(_RUNNING, False)


def _note(what: int, value: bool) -> None:
    if _shared is not None:
        _shared[what] = value


def _go_on_in_a_copy(file: str) -> None:
    """This returns in the copy."""
    global _shared, _ended
    need_posix("a file with roles in Python, on the command line,")
    sys.stdout.flush()
    sys.stderr.flush()
    _shared = mmap.mmap(-1, 3)
    before, copy = os.getpid(), os.fork()
    if copy:
        try:
            _wait(copy, file)
        except StormproofError as problem:
            _ended = problem
            raise
    # A terminal sends Ctrl-C to both processes, and this one hears of it from the other.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if signal.getsignal(signal.SIGALRM) is ring:
        set_alarm()  # a copy has none
    threading.Thread(target=end_with, args=(before,), daemon=True).start()


def _wait(copy: int, file: str) -> NoReturn:
    """Leave as the copy has left."""
    assert _shared is not None

    def tell(number: int, frame: FrameType | None) -> None:
        _note(_TOLD, True)
        with contextlib.suppress(ProcessLookupError):
            os.kill(copy, signal.SIGTERM)

    def late(number: int, frame: FrameType | None) -> None:
        """The copy ends by itself, unless the file does what Python cannot interrupt."""
        rung.append(number)
        if len(rung) > 1 and _shared is not None and _shared[_RUNNING]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(copy, signal.SIGKILL)

    rung: list[int] = []
    if signal.getsignal(signal.SIGALRM) is ring:
        signal.signal(signal.SIGALRM, late)
    for number in (signal.SIGINT, signal.SIGTERM):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, tell)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, status = os.waitpid(copy, 0)
    if _shared[_CODE]:
        sys.exit(_shared[_CODE] - 1)
    code = os.waitstatus_to_exitcode(status)
    how = f"exit code {code}" if code >= 0 else f"killed by {signal.Signals(-code).name}"
    if code < 0 and len(rung) > 1:
        raise Undecided(f"undecided: {why_interrupted()}")
    if code < 0 and not _shared[_RUNNING]:
        raise Undecided(f"undecided: the process ended before its verdict: {how}")
    hint = "nothing in it may leave Python: no os._exit, no signal, no exec"
    raise InputError(f"the file has ended the process: {how}", place=Place(file), hint=hint)
