"""Messages, channels, actions and configurations: the vocabulary of communicating automata."""

from __future__ import annotations

import enum
from dataclasses import dataclass
from typing import NamedTuple


class Crash(enum.Enum):
    """The type of the crash message, which has just one value."""

    CRASH = "crash"

    def __str__(self) -> str:
        return "⚡"

    def __repr__(self) -> str:
        return "CRASH"


CRASH = Crash.CRASH


Message = str | Crash


#: The internal action by which a process crashes (definitions 5.3).
CRASH_ACTION = "crash"


#: The name of a timer that has none of its own.
TIMEOUT = "timeout"


class Channel(NamedTuple):
    """The FIFO channel from one process to another."""

    sender: str
    receiver: str

    def __str__(self) -> str:
        return f"{self.sender}->{self.receiver}"


@dataclass(frozen=True, slots=True)
class Send:
    """Put a message into the channel towards `peer`."""

    peer: str
    message: Message

    def __str__(self) -> str:
        return f"{self.peer}!{self.message}"


@dataclass(frozen=True, slots=True)
class Receive:
    """Take a message from the head of the channel from `peer`."""

    peer: str
    message: Message

    def __str__(self) -> str:
        return f"{self.peer}?{self.message}"


@dataclass(frozen=True, slots=True)
class Internal:
    """An action that touches no channel; with `timeout`, a timer that runs out; with `fault`, which is `stop`
    or `restart`, a fault of its process."""

    name: str
    timeout: bool = False
    fault: str = ""

    def __str__(self) -> str:
        if not self.timeout or self.name == TIMEOUT:
            return self.name
        return f"{TIMEOUT} {self.name}"

    @property
    def crashes(self) -> bool:
        """Is this the action by which a process crashes?"""
        return self.name == CRASH_ACTION and not self.timeout

    @property
    def is_fault(self) -> bool:
        """Does this happen to the process, instead of being done by it?"""
        return self.crashes or bool(self.fault)

    @property
    def deed(self) -> str:
        """What a sentence says of the process: `times out`, `does work`."""
        if self.crashes:
            return "crashes"
        if self.fault:
            return f"{self.fault}s"
        if self.timeout:
            return "times out" if self.name == TIMEOUT else f"times out ({self.name})"
        return f"does {self.name}"


Action = Send | Receive | Internal


Word = tuple[Message, ...]


class Configuration(NamedTuple):
    """Local states in the order of the processes, words in the order of `System.channels`."""

    states: tuple[str, ...]
    words: tuple[Word, ...]


class Transition(NamedTuple):
    """From one local state to another by an action."""

    source: str
    action: Action
    target: str

    def __str__(self) -> str:
        return f"{self.source} --{self.action}--> {self.target}"


class Firing(NamedTuple):
    """A process takes one of its transitions; which faults that needs is left open."""

    process: str
    transition: Transition


def channel_of(process: str, action: Action) -> Channel | None:
    """The channel that an action of a process touches."""
    if isinstance(action, Send):
        return Channel(process, action.peer)
    if isinstance(action, Receive):
        return Channel(action.peer, process)
    return None
