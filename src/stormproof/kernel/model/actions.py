"""Messages, channels, actions and configurations: the vocabulary of communicating automata."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple


@dataclass(frozen=True, slots=True, repr=False)
class Crash:
    """The crash message. In a mailbox it carries its sender, as every message does there (definitions 12.1);
    there is one value per sender, and `CRASH` in the channel of a pair."""

    sender: str = ""

    def __str__(self) -> str:
        return "⚡"

    def __repr__(self) -> str:
        return f"CRASH from {self.sender}" if self.sender else "CRASH"

    def __reduce__(self) -> tuple[Callable[[str], Crash], tuple[str]]:
        return crash_from, (self.sender,)


@cache
def crash_from(sender: str) -> Crash:
    """The crash message that a process puts into mailboxes; without a name, that of a pair's channel."""
    return Crash(sender)


CRASH = crash_from("")


class Letter(str):
    """A message in a mailbox: its name, and who sent it (definitions 12.1). Two are equal if both are."""

    sender: str

    def __new__(cls, name: str, sender: str) -> Letter:
        made = super().__new__(cls, name)
        made.sender = sender
        return made

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Letter) and self.sender == other.sender and str.__eq__(self, other)

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __hash__(self) -> int:
        return hash((str.__hash__(self), self.sender))

    def __repr__(self) -> str:
        return f"{str.__repr__(self)} from {self.sender}"

    def __reduce__(self) -> tuple[Any, ...]:
        return Letter, (str(self), self.sender)


Message = str | Crash


#: The internal action by which a process crashes (definitions 5.3).
CRASH_ACTION = "crash"


#: The internal action that writes a state to the disk (definitions 14.1).
RECORD = "record"


#: The name of a timer that has none of its own.
TIMEOUT = "timeout"

#: In the place of a timer's number: it may expire at any time (definitions 16.1).
ANY_TIME = 0


class Channel(NamedTuple):
    """The FIFO channel from one process to another; without a sender, the mailbox of its receiver."""

    sender: str
    receiver: str

    @property
    def is_mailbox(self) -> bool:
        return not self.sender

    def __str__(self) -> str:
        return f"{self.sender}->{self.receiver}" if self.sender else f"mailbox of {self.receiver}"


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
    """An action that touches no channel; with `timeout`, a timer that runs out `after` so many units of time,
    or at `ANY_TIME`; with `fault`, which is `stop` or `restart`, a fault of its process; with `record`, the
    writing of its state to its disk."""

    name: str
    timeout: bool = False
    fault: str = ""
    after: int = 1
    record: bool = False

    def __str__(self) -> str:
        if not self.timeout:
            return self.name
        name = self.name if self.name == TIMEOUT else f"{TIMEOUT} {self.name}"
        return name + self.due

    @property
    def due(self) -> str:
        """When a timer expires, as one writes it behind its name; nothing for the usual number, 1."""
        if not self.timeout or self.after == 1:
            return ""
        return " at any time" if self.after == ANY_TIME else f" after {self.after}"

    @property
    def is_timer(self) -> bool:
        """Is this a timer with a number, which is what runs on time (definitions 16.1)?"""
        return self.timeout and self.after != ANY_TIME

    @property
    def crashes(self) -> bool:
        """Is this the action by which a process crashes?"""
        return self.name == CRASH_ACTION and not self.timeout

    @property
    def is_fault(self) -> bool:
        """Does this happen to the process, instead of being done by it?"""
        return self.crashes or bool(self.fault)

    @property
    def verb(self) -> str:
        """What a sentence says of the process: `times out`, `does work`."""
        if self.crashes:
            return "crashes"
        if self.fault:
            return f"{self.fault}s"
        if self.timeout:
            return "times out" if self.name == TIMEOUT else f"times out ({self.name})"
        if self.record:
            return "records its state"
        return f"does {self.name}"


#: By this, time passes by one unit, of a process that is no role (definitions 16.4).
PASSES = Internal("time passes", after=-1)

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
    """The channel that an action of a process touches: the mailbox of the receiver, if the message is one
    that carries its sender."""
    if isinstance(action, Send):
        return Channel("" if sender_in(action.message) else process, action.peer)
    if isinstance(action, Receive):
        return Channel("" if sender_in(action.message) else action.peer, process)
    return None


def sender_in(message: Message) -> str:
    """The sender that a message in a mailbox carries; nothing for a message in the channel of a pair."""
    if type(message) is str:  # by far the most
        return ""
    return message.sender if isinstance(message, (Letter, Crash)) else ""


def pair_of(channel: Channel, message: Message) -> Channel:
    """The pair of processes that a message of the channel, or mailbox, is in flight between."""
    return Channel(sender_in(message) or channel.sender, channel.receiver)


def letter(message: Message, sender: str) -> Message:
    """The message as it stands in a mailbox."""
    return crash_from(sender) if isinstance(message, Crash) else Letter(message, sender)


def without_sender(message: Message) -> Message:
    """The message as the protocol names it."""
    return CRASH if isinstance(message, Crash) else str(message)


def message_order(message: Message) -> tuple[bool, str, str]:
    """By name, and then by sender; crash messages come last."""
    return isinstance(message, Crash), str(message), sender_in(message)
