"""A lock on an open file or folder that ends with the process, whatever ends it."""

from __future__ import annotations

import sys


def lock(handle: int) -> None:
    """BlockingIOError where another process has it."""
    if sys.platform == "win32":
        import msvcrt

        try:
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        except OSError as problem:
            raise BlockingIOError(str(problem)) from None
    else:
        import fcntl

        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
