"""How much a command may take. A limit that is hit gives *undecided*, never a wrong verdict.

Effort is counted, so that an answer is the same on every machine; only the time limit asks the clock.

The time limit is for all that a command or a call does: `within` makes one deadline, and every search, loop
and picture asks `time_left` for what is left until then. For what does not ask there is `interrupting`.
"""

from __future__ import annotations

import functools
import math
import os
import re
import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import field
from pathlib import Path
from typing import NamedTuple, ParamSpec, TypeVar

from .errors import UsageError
from .records import dataclass

#: More than any machine has, and as much as the engine's counters hold.
MOST = 2**62

#: The largest bound that is taken; a search with longer channels than this ends by its other limits anyway.
MAX_K = 10**6

#: The time limit, unless another is asked for.
SECONDS = 300.0

#: Configurations that are explored for what only makes an answer stronger, unless others are asked for.
EFFORT = 1_000_000

#: As many shards of a search as its numbers have room for.
MAX_THREADS = 256

_UNITS = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
_BINARY = {"k": 2**10, "m": 2**20, "g": 2**30, "t": 2**40}


def parse_memory(text: str | int) -> int:
    """Bytes from `4GiB`, `512M`, `1000000`."""
    if isinstance(text, int):
        amount = text
    else:
        match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([kmgt]?)(i?)b?", text.strip(), re.IGNORECASE)
        if not match or (match[3] and not match[2]):
            raise UsageError(f"'{text}' is not an amount of memory", hint="write it like 4GiB or 500MB")
        unit = match[2].lower()
        amount = int(min(float(match[1]) * (_BINARY[unit] if match[3] else _UNITS[unit]), MOST))
    if amount <= 0:
        raise UsageError(f"a memory limit must be positive, not {text}")
    return min(amount, MOST)


def check_bound(k: int, name: str = "k") -> None:
    """A bound on the channels is a number from 1 to MAX_K."""
    if k < 1:
        raise UsageError(f"{name} must be at least 1, not {k}")
    if k > MAX_K:
        raise UsageError(f"{name} must be at most {MAX_K:,}, not {k}")


def check_threads(threads: int | None) -> None:
    """None is for as many threads as the machine has processors."""
    if threads is not None and not 1 <= threads <= MAX_THREADS:
        raise UsageError(
            f"threads must be from 1 to {MAX_THREADS}, not {threads}",
            hint="without it, a search uses what the machine has",
        )


def check_effort(effort: int) -> None:
    """A number of configurations: it was one of seconds once."""
    if not isinstance(effort, int) or effort < 0:
        raise UsageError(
            f"the effort is a number of configurations, 0 or more, not {effort!r}",
            hint="to limit the time, give a time limit",
        )


def check_folder(path: str) -> None:
    """A folder for explorations, which is made if it is missing, and in which files can be written."""
    try:
        Path(path).mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as problem:
        raise UsageError(f"cannot make the folder {path!r}: {problem}") from None
    if not os.access(path, os.W_OK | os.X_OK):
        raise UsageError(f"cannot write into the folder {path!r}", hint="give --disk another one")


def format_memory(amount: float) -> str:
    for unit in ("B", "KiB", "MiB", "GiB"):
        if amount < 1024 or unit == "GiB":
            return f"{amount:.0f} {unit}" if unit == "B" else f"{amount:.1f} {unit}"
        amount /= 1024
    raise AssertionError


def three_quarters(root: Path = Path("/")) -> int:
    """Three quarters of the memory of the machine, or of this process's control group if that has less, so
    that the machine stays usable and the group's limit does not end the process. `root`: where /proc and
    /sys are."""
    try:
        machine = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (ValueError, OSError, AttributeError):
        machine = 16 * 2**30 // 3
    return min([machine, *_group_limits(root)]) * 3 // 4


def _group_limits(root: Path) -> Iterator[int]:
    """The limits of the control groups of this process and of all that they are part of, in both versions.

    In a container the groups above its own are not there, and the path of its own may be that of the host:
    then the limits of the container are those at the top."""
    for line in _read(root / "proc/self/cgroup").splitlines():
        _, _, rest = line.partition(":")
        controllers, _, path = rest.partition(":")
        if controllers and "memory" not in controllers.split(","):
            continue
        top = root / ("sys/fs/cgroup/memory" if controllers else "sys/fs/cgroup")
        name = "memory.limit_in_bytes" if controllers else "memory.max"
        below = [part for part in path.split("/") if part not in ("", ".", "..")]
        for n in range(len(below) + 1):
            text = _read(top.joinpath(*below[:n], name)).strip()
            if text.isdigit() and int(text) > 0:
                yield int(text)


def _read(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except (OSError, ValueError):
        return ""


@functools.cache
def _default_memory() -> int:
    """Groups do not change while a command runs, and every check asks."""
    return three_quarters()


@dataclass(frozen=True)
class Limits:
    """Time in seconds, memory in bytes or as text, number of configurations; None is no limit.

    Without a word from the user: five minutes, as in the paper's evaluation, and most of the memory.
    `disk`: a folder in which an exploration goes on when memory ends.
    """

    seconds: float | None = SECONDS
    memory: int | str | None = field(default_factory=_default_memory)
    states: int | None = None
    disk: str | None = None

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds > 0:
            raise UsageError(f"a time limit must be positive, not {self.seconds}")
        if self.states is not None and self.states < 1:
            raise UsageError(f"a limit on configurations must be at least 1, not {self.states}")
        if self.states is not None:
            object.__setattr__(self, "states", min(self.states, MOST))
        if self.memory is not None:
            object.__setattr__(self, "memory", parse_memory(self.memory))
        if self.disk is not None:
            check_folder(self.disk)

    @property
    def bytes(self) -> int | None:
        return None if self.memory is None else parse_memory(self.memory)


# ---- the deadline --------------------------------------------------------------------------------------

#: How much later than the deadline what does not ask the clock is interrupted, and again and again: there
#: must be time to end a search, and to show what was found.
_GRACE, _GRACE_SHARE = 0.3, 0.03

_P = ParamSpec("_P")
_T = TypeVar("_T")


class _Deadline(NamedTuple):
    """When all must end, on the monotonic clock, and the seconds that were asked for."""

    ends: float = math.inf
    seconds: float = math.inf


_deadline: ContextVar[_Deadline] = ContextVar("deadline", default=_Deadline())  # noqa: B039


@contextmanager
def within(seconds: float | None) -> Iterator[None]:
    """All that is done here has so many seconds, or what the whole that it is part of has left."""
    own = _Deadline() if seconds is None else _Deadline(time.monotonic() + seconds, seconds)
    before = _deadline.set(min(own, _deadline.get()))
    try:
        yield
    finally:
        _deadline.reset(before)


def as_a_whole(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """A function with an argument `limits`, or `options` that have them, whose seconds are for all that it
    does."""

    @functools.wraps(function)
    def limited(*args: _P.args, **named: _P.kwargs) -> _T:
        options = named.get("options")
        mine = (*args, *named.values(), getattr(options, "limits", None))
        given = next((a for a in mine if isinstance(a, Limits)), None)
        with within(SECONDS if given is None else given.seconds):
            return function(*args, **named)

    return limited


def time_left(most: float | None = None) -> float | None:
    """The seconds until the deadline, or `most` if they are fewer; None for no limit, and never zero, which
    the engine reads as none."""
    left = min(_deadline.get().ends - time.monotonic(), math.inf if most is None else most)
    return None if left == math.inf else max(left, 1e-6)


def is_over() -> bool:
    return time.monotonic() >= _deadline.get().ends


def why_interrupted() -> str:
    """What a KeyboardInterrupt means: Ctrl-C, or the deadline."""
    return f"the time limit of {_deadline.get().seconds:g} s was reached" if is_over() else "interrupted"


@contextmanager
def interrupting() -> Iterator[None]:
    """What does not ask the clock is interrupted soon after the deadline, as by Ctrl-C: reading, building,
    drawing. In the main thread, unless the program uses its alarm for something else."""
    if not alarm_is_ours() or signal.getsignal(signal.SIGALRM) is ring:
        yield
        return
    before = signal.signal(signal.SIGALRM, ring)
    set_alarm()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


@contextmanager
def past_the_deadline() -> Iterator[None]:
    """What is done here is not interrupted by the deadline. If it has passed by then, nor is what follows:
    that is the end of a command whose answer is out."""
    if not hasattr(signal, "SIGALRM") or signal.getsignal(signal.SIGALRM) is not ring:
        yield
        return
    signal.signal(signal.SIGALRM, signal.SIG_IGN)
    try:
        yield
    finally:
        if not is_over():
            signal.signal(signal.SIGALRM, ring)


def alarm_is_ours() -> bool:
    """Is this the main thread, and does the program not use its alarm for something else?"""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        return False
    if signal.getsignal(signal.SIGALRM) is ring:
        return True
    return signal.getsignal(signal.SIGALRM) is signal.SIG_DFL and signal.getitimer(signal.ITIMER_REAL)[0] == 0


def set_alarm() -> None:
    """To soon after the deadline, and then again and again: what is raised in a callback of the garbage
    collector is lost."""
    ends, seconds = _deadline.get()
    if ends < math.inf:
        grace = min(_GRACE + _GRACE_SHARE * seconds, 2.0)
        signal.setitimer(signal.ITIMER_REAL, max(ends + grace - time.monotonic(), 1e-6), grace)
    else:
        signal.setitimer(signal.ITIMER_REAL, 0)


def ring(*_: object) -> None:
    """The handler of the alarm."""
    raise KeyboardInterrupt
