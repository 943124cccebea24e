"""How much a check may take. A limit that is hit gives *undecided*, never a wrong verdict."""

from __future__ import annotations

import os
import re
from dataclasses import field
from pathlib import Path

from .errors import UsageError
from .records import dataclass

#: More than any machine has, and as much as the engine's counters hold.
MOST = 2**62

#: The largest bound that is taken; a search with longer channels than this ends by its other limits anyway.
MAX_K = 10**6

#: Seconds within which bounds larger than 1 are begun and continued, unless others are asked for.
EFFORT = 5.0

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


def three_quarters() -> int:
    """Three quarters of the machine's memory, so that the machine stays usable."""
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4
    except (ValueError, OSError, AttributeError):
        return 4 * 2**30


@dataclass(frozen=True)
class Limits:
    """Time in seconds, memory in bytes or as text, number of configurations; None is no limit.

    Without a word from the user: five minutes, as in the paper's evaluation, and most of the memory.
    `disk`: a folder in which an exploration goes on when memory ends.
    """

    seconds: float | None = 300
    memory: int | str | None = field(default_factory=three_quarters)
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
