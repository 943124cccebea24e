"""The end of a studio: a signal asks for it, and comes to it in time whatever the studio waits for."""

from __future__ import annotations

import os
import signal
from typing import NoReturn

from .server import Studio

#: Seconds after a signal until the process ends, even if a file or a thread does not let go of it.
LAST = 1.5


def stop_by_signals(studio: Studio) -> None:
    """To the end of the process, Ctrl-C, SIGTERM and a closed terminal only stop the studio, and what is
    being written is written. An exception instead could come in the middle of anything, asyncio's own code
    included. What is ignored, as under nohup or in the background of a script, stays ignored."""

    def stop(*_: object) -> None:
        studio.stopped = True
        if not signal.getitimer(signal.ITIMER_REAL)[0]:
            signal.setitimer(signal.ITIMER_REAL, LAST)

    def end(*_: object) -> NoReturn:
        studio.pool.kill()
        studio.forget_redirect()
        os.write(1, b"stopped\n")
        os._exit(0)

    signal.signal(signal.SIGALRM, end)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, stop)
