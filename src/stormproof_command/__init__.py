"""The command `stormproof`, as a shell starts it. Use the package `stormproof` from Python.

It stands outside that package so that it is there before anything of it is loaded: from then on Ctrl-C, and
the SIGTERM of `timeout`, a batch system or a container, stop a search, let it say what it knows, and never
leave a traceback. For the same reason it imports next to nothing itself.
"""

from __future__ import annotations

import atexit
import gc
import os
import signal
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import NoReturn

INTERRUPTED = 3

#: Does this process belong to the command, and not to somebody who calls the command from Python?
owns_process = False

#: After so many new objects Python looks for cycles to free. A small check makes fewer, and so never waits.
_OBJECTS_BETWEEN_COLLECTIONS = 100_000


def main() -> NoReturn:
    """Run the command line of this process and leave with its exit code."""
    global owns_process
    code: object = INTERRUPTED
    owns_process = True
    gc.set_threshold(_OBJECTS_BETWEEN_COLLECTIONS)
    try:
        # Registered first, so it is the last to run: what is being said and written by then is not cut short.
        atexit.register(_deaf)
        if signal.getsignal(signal.SIGTERM) is not signal.SIG_IGN:  # what is ignored from the start stays so
            signal.signal(signal.SIGTERM, _stop)
        from stormproof.apps.cli import main as run
        from stormproof.apps.cli.streams import guard

        gc.freeze()  # what is loaded by now is needed to the end
        guard()
        run()
    except SystemExit as leaving:
        code = leaving.code
    except KeyboardInterrupt:
        _say(b"undecided: interrupted\n")
    # CPython remembers that code in a string, as dataclasses have it, was interrupted, even if that was
    # caught, and would end the process by the signal. The next such code makes it forget.
    exec("")
    _leave_copy(code)
    gc.disable()  # what is left ends with the process
    sys.exit(code)  # type: ignore[arg-type]


def _leave_copy(code: object) -> None:
    """Where this is a copy of a process, that one hears the exit code."""
    copies = sys.modules.get("stormproof.apps.cli.copy_of_process")
    if copies is not None:
        copies.leave_copy(code)


def _say(words: bytes) -> None:
    try:
        os.write(2, words)
    except OSError:  # standard error is closed, so nobody listens
        return


def _stop(number: int, frame: FrameType | None) -> None:
    raise KeyboardInterrupt


def _deaf() -> None:
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, signal.SIG_IGN)
