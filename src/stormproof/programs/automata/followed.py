"""Logs that automata are made along, instead of as far as any messages lead."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Protocol

#: What a role did, with whom, and the message as the protocol spells it.
FollowedEvent = tuple[str, str, str]

#: The message of a peer that is spelt so, for a program; None where it cannot be read.
ReadMessage = Callable[[Any, str, str], Any]


class FollowedLog(Protocol):
    """The events of one role, in order."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> FollowedEvent: ...


@dataclass(frozen=True)
class FollowedLogs:
    """The events of each role that has a log. `read` finds messages that no log says were sent."""

    events: Mapping[str, FollowedLog]
    read: ReadMessage


_followed: ContextVar[FollowedLogs | None] = ContextVar("followed", default=None)


def followed() -> FollowedLogs | None:
    """The logs along which automata are made now; None: as far as any messages lead."""
    return _followed.get()


@contextmanager
def following(logs: FollowedLogs | None) -> Iterator[None]:
    """Roles that are made automata of in here are run along these logs, and no further."""
    before = _followed.set(logs)
    try:
        yield
    finally:
        _followed.reset(before)
