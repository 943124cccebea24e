"""The log of one role: what it did, event by event, and where that is written."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from ...errors import Place
from ...kernel.model.actions import CRASH_ACTION, Action, Crash, Internal, Message, Send


class LogEvent(NamedTuple):
    """What a line of a log says: `do` is send, receive, timeout, stop, restart or crash."""

    do: str
    peer: str = ""
    message: str = ""

    def matches(self, action: Action) -> bool:
        """Is the event this action of the role? A timer may be logged without its name."""
        event = event_of(action)
        unnamed = self.do == "timeout" and not self.message
        return self == event or (unnamed and event.do == "timeout")

    def __str__(self) -> str:
        if self.do == "send":
            return f"sends {self.message} to {self.peer}"
        if self.do == "receive":
            return f"receives {self.message} from {self.peer}"
        return {"timeout": "times out", "crash": "crashes"}.get(self.do, f"{self.do}s")


def event_of(action: Action) -> LogEvent:
    """The event that a log has for an action."""
    if not isinstance(action, Internal):
        return LogEvent(
            "send" if isinstance(action, Send) else "receive", action.peer, logged(action.message)
        )
    if action.timeout:
        return LogEvent("timeout", "", action.name)
    return LogEvent("crash" if action.crashes else action.fault)


def logged(message: Message) -> str:
    """The name that a log has for a message; who sent it is the peer of the event."""
    return CRASH_ACTION if isinstance(message, Crash) else str(message)


def is_silent(action: Action) -> bool:
    """Is it done without being logged?"""
    return isinstance(action, Internal) and not action.timeout and not action.is_fault


@dataclass
class RoleLog:
    """The events of one role, in order; equal events are stored once, so that long logs stay small."""

    role: str
    file: str = "<log>"
    kinds: list[LogEvent] = field(default_factory=list)
    codes: array[int] = field(default_factory=lambda: array("i"))
    lines: array[int] = field(default_factory=lambda: array("I"))
    #: The sends of which the log does not say whether they happened: it ends, or the role restarts, before.
    open: list[int] = field(default_factory=list)
    _known: dict[LogEvent, int] = field(default_factory=dict)

    @classmethod
    def of(cls, role: str, events: Iterable[LogEvent]) -> RoleLog:
        log = cls(role)
        for line, event in enumerate(events, start=1):
            log.append(event, line)
        return log

    def code(self, event: LogEvent) -> int:
        code = self._known.setdefault(event, len(self.kinds))
        if code == len(self.kinds):
            self.kinds.append(event)
        return code

    def append(self, event: LogEvent, line: int) -> None:
        self.codes.append(self.code(event))
        self.lines.append(line)

    def first(self, length: int) -> RoleLog:
        """The log up to an event."""
        open_ = [i for i in self.open if i < length]
        return replace(self, codes=self.codes[:length], lines=self.lines[:length], open=open_)

    def without(self, left_out: Iterable[int]) -> RoleLog:
        """The log in which these sends have not happened, and all others have."""
        gone = frozenset(left_out)
        kept = [i for i in range(len(self)) if i not in gone]
        codes, lines = (array(a.typecode, (a[i] for i in kept)) for a in (self.codes, self.lines))
        return replace(self, codes=codes, lines=lines, open=[])

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, index: int) -> LogEvent:
        return self.kinds[self.codes[index]]

    def __iter__(self) -> Iterator[LogEvent]:
        return (self.kinds[code] for code in self.codes)

    def place(self, index: int) -> Place:
        return Place(self.file, self.lines[index])


def fits(log: RoleLog, action: Action) -> frozenset[int]:
    """The codes of the log's events that are this action."""
    return frozenset(code for code, event in enumerate(log.kinds) if event.matches(action))
