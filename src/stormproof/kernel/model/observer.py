"""Observers: deterministic automata that move with what roles do, and never act (definitions 17.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import NamedTuple

from ...errors import ModelError, did_you_mean
from ...records import dataclass
from .actions import Crash, Message

#: The kinds of events: a role sends, receives, or is in a state after an action; and what happens to it.
SENDS, RECEIVES, IS_AT = "!", "?", "@"
HAPPENINGS = ("stop", "restart", "crash")


@dataclass(frozen=True)
class ObservedEvent:
    """What an alternative waits for. `peer`: to whom a role sends, or from whom it receives; `names`: the
    messages, or the states, one of which it has to be; None: any message (the crash message is none)."""

    kind: str
    role: str
    peer: str = ""
    names: tuple[Message, ...] | None = None

    def matches(self, other: ObservedEvent) -> bool:
        """Is the other, which has one name or none, such an event?"""
        if (self.kind, self.role, self.peer) != (other.kind, other.role, other.peer):
            return False
        return self.names is None or other.names is None or other.names[0] in self.names

    def __str__(self) -> str:
        if self.kind in HAPPENINGS:
            return f"{self.kind} {self.role}"
        names = "_" if self.names is None else " | ".join(map(str, self.names))
        if self.kind == IS_AT:
            return f"{self.role}@{names}"
        ends = (self.role, self.peer) if self.kind == SENDS else (self.peer, self.role)
        return f"{ends[0]} -> {ends[1]}{self.kind}{names}"


class ObserverAlternative(NamedTuple):
    """In the state `source` the event leads to `target`, unless an earlier alternative takes it."""

    source: str
    event: ObservedEvent
    target: str


@dataclass(frozen=True)
class Observer:
    """A deterministic automaton: of the alternatives of a state, the first that matches an event is taken,
    and what none matches leaves it where it is. `rest`: it counts for rest in these states only; None: it
    does not count."""

    name: str
    initial: str
    alternatives: tuple[ObserverAlternative, ...] = ()
    states: tuple[str, ...] = ()
    rest: tuple[str, ...] | None = None

    def __init__(
        self,
        name: str,
        initial: str,
        alternatives: Iterable[tuple[str, ObservedEvent, str]] = (),
        states: Iterable[str] = (),
        rest: Iterable[str] | None = None,
    ) -> None:
        rows = tuple(ObserverAlternative(*row) for row in alternatives)
        ends = (state for row in rows for state in (row.source, row.target))
        put = object.__setattr__
        put(self, "name", name)
        put(self, "initial", initial)
        listed = tuple(dict.fromkeys((initial, *states, *ends)))
        order = {state: i for i, state in enumerate(listed)}
        put(self, "alternatives", tuple(sorted(rows, key=lambda row: order[row.source])))
        put(self, "states", listed)
        put(self, "rest", None if rest is None else tuple(dict.fromkeys(rest)))
        self._validate()

    def _validate(self) -> None:
        if not self.name:
            raise ModelError("an observer needs a name")
        for state in self.rest or ():
            if state not in self.states:
                hint = did_you_mean(state, self.states)
                raise ModelError(f"{self.name} cannot rest in '{state}': it has no such state", hint=hint)
        for row in self.alternatives:
            if row.event.kind == IS_AT and row.event.names is None:
                raise ModelError(f"{self.name} watches for no state of {row.event.role}")
            if any(isinstance(name, Crash) for name in row.event.names or ()):
                hint = f"write `crash {row.event.role}`: the announcements follow the crash"
                raise ModelError(f"{self.name} cannot watch the crash message", hint=hint)

    def after(self, state: str, event: ObservedEvent) -> str:
        """Where one event leads from a state."""
        for row in self.alternatives:
            if row.source == state and row.event.matches(event):
                return row.target
        return state

    def reachable(self) -> set[str]:
        """The states to which alternatives lead."""
        seen, queue = {self.initial}, [self.initial]
        for state in queue:
            for row in self.alternatives:
                if row.source == state and row.target not in seen:
                    seen.add(row.target)
                    queue.append(row.target)
        return seen

    @property
    def roles(self) -> frozenset[str]:
        """Those whose actions it watches."""
        return frozenset(row.event.role for row in self.alternatives)

    def with_events(self, change: Callable[[ObservedEvent], ObservedEvent]) -> Observer:
        """The same observer of other events."""
        return replace(
            self, alternatives=tuple(row._replace(event=change(row.event)) for row in self.alternatives)
        )
