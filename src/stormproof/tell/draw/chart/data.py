"""What a message sequence chart is made of; `build` makes one from a run."""

from __future__ import annotations

import enum
from collections.abc import Callable, Collection
from dataclasses import field
from typing import Any

from ....kernel.model.actions import Channel, Message, Receive, Send
from ....kernel.model.message_json import message_to_json
from ....kernel.model.message_tracking import Fate, Flight
from ....kernel.model.run import Step
from ....records import dataclass
from .folding import Fold


class EventKind(enum.Enum):
    """What a process does without any channel, and the sign that text charts have for it."""

    INTERNAL = "■"
    TIMEOUT = "◷"
    CRASH = "⚡"
    STOP = "┷"
    RESTART = "↻"

    @property
    def is_fault(self) -> bool:
        return self in (EventKind.CRASH, EventKind.STOP, EventKind.RESTART)


@dataclass(frozen=True)
class LocalEvent:
    """An event of one process at an instant."""

    at: int
    kind: EventKind
    name: str


@dataclass(frozen=True)
class Wait:
    """What a process cannot get past at the end: receptions nothing serves, or a send that never fits."""

    receives: tuple[Receive, ...] = ()
    sends: tuple[Send, ...] = ()
    culprit: bool = False

    def phrases(self, several: bool) -> tuple[str, ...]:
        """`a, b from Peer` for each peer; the peer is left out where there is only one other process."""
        table: dict[str, list[str]] = {}
        for action in self.receives:
            table.setdefault(action.peer, []).append(str(action.message))
        lines = [", ".join(m) + (f" from {peer}" if several else "") for peer, m in table.items()]
        lines += [f"cannot send {a.message}" + (f" to {a.peer}" if several else "") for a in self.sends]
        return tuple(lines)


@dataclass(frozen=True)
class Span:
    """A local state, held from just after instant `since` (-1: from the start)."""

    state: str
    since: int


@dataclass(frozen=True)
class Lifeline:
    """A process over time, or an observer: `watches`. `last` is the instant of its last action."""

    name: str
    spans: tuple[Span, ...]
    events: tuple[LocalEvent, ...] = ()
    last: int | None = None
    wait: Wait | None = None
    watches: bool = False

    @property
    def crash(self) -> int | None:
        return self._first(EventKind.CRASH)

    @property
    def stop(self) -> int | None:
        return self._first(EventKind.STOP)

    def _first(self, kind: EventKind) -> int | None:
        return next((event.at for event in self.events if event.kind is kind), None)


@dataclass(frozen=True)
class Chart:
    """Everything a renderer needs. `steps` are the instants; `folds` say which are drawn once for many.

    `culprit` is the index of the message that the verdict is about, if it is about one. The steps from
    `repeats` on, if it is given, are repeated for ever; the channels `grows` get longer each time. `places`
    says of states that are points of a program where they are written. `no_return`: the instant from which on
    no run without faults leads to what must stay possible. `stretches`: instants that a picture draws small,
    and `idle`: roles that it leaves out.
    """

    lifelines: tuple[Lifeline, ...]
    steps: tuple[Step, ...]
    flights: tuple[Flight, ...]
    folds: tuple[Fold, ...] = ()
    title: str = ""
    culprit: int | None = None
    repeats: int | None = None
    grows: tuple[Channel, ...] = ()
    contents: tuple[dict[Channel, tuple[Message, ...]], ...] = field(default=(), compare=False, repr=False)
    places: tuple[str, ...] = ()
    no_return: int | None = None
    stretches: tuple[range, ...] = ()
    idle: tuple[str, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(line.name for line in self.lifelines)

    @property
    def hidden(self) -> frozenset[int]:
        """The instants that a fold leaves out."""
        return frozenset(i for f in self.folds for i in f.hidden)

    @property
    def shown(self) -> tuple[Flight, ...]:
        hidden = self.hidden
        return tuple(f for f in self.flights if f.since not in hidden and not self._is_within(f))

    def _is_within(self, flight: Flight) -> bool:
        """Does the message come and go in a stretch that is drawn small?"""
        if not self.stretches or flight.fate is Fate.OPEN:
            return False
        return any(all(i in stretch for i in (flight.sent, *flight.instants)) for stretch in self.stretches)

    @property
    def small(self) -> frozenset[int]:
        """The instants that are drawn small."""
        return frozenset(i for stretch in self.stretches for i in stretch)

    @property
    def events(self) -> dict[int, tuple[str, LocalEvent]]:
        """The local events by their instants, each with its process."""
        return {event.at: (line.name, event) for line in self.lifelines for event in line.events}

    @property
    def for_ever(self) -> str:
        """How long the part that repeats does so: for ever, and which channels grow meanwhile."""
        growing = ", ".join(f"{c.sender} → {c.receiver}" for c in self.grows)
        verb = "grows" if len(self.grows) == 1 else "grow"
        return "for ever" + (f"; {growing} {verb}" if growing else "")

    def outcome(self, flight: Flight) -> str:
        """What is said of a message still in flight at the end. That it is *never* received is known only of
        the one that the verdict is about; a longer run might receive the others."""
        return "never received" if flight.index == self.culprit else Fate.OPEN.value

    def states_at(self, instant: int) -> dict[str, str]:
        """The local states of the roles just after an instant; -1 is the start."""
        found = {}
        for line in (line for line in self.lifelines if not line.watches):
            found[line.name] = next(s.state for s in reversed(line.spans) if s.since <= instant)
        return found

    def to_json(self) -> dict[str, Any]:
        data: dict[str, Any] = {
            "lifelines": [_lifeline_json(line) for line in self.lifelines],
            "messages": [_flight_json(f) for f in self.flights],
            "folds": [{"first": f.first, "length": f.length, "times": f.times} for f in self.folds],
        }
        if self.no_return is not None:
            data["no_return"] = self.no_return
        if self.repeats is not None:
            data["repeats"] = {"from": self.repeats, "grows": [str(c) for c in self.grows]}
        return data

    def to_svg(self) -> str:
        """The chart as an SVG picture."""
        from .svg import chart_svg

        return chart_svg(self)

    def to_text(self, width: int = 80) -> str:
        """The chart for a terminal of this width."""
        from .text import chart_text

        return chart_text(self, width)

    def to_mermaid(self) -> str:
        """The chart as a Mermaid sequence diagram."""
        from .mermaid import chart_mermaid

        return chart_mermaid(self)

    def _repr_svg_(self) -> str:
        return self.to_svg()


#: What charts say where the point of no return is passed.
NO_RETURN = "point of no return"


def numbered(chart: Chart, apart: Collection[int], write: Callable[[int], str]) -> dict[int, str]:
    """Numbers that join the ends of messages drawn in several parts; a copy has that of its original."""
    origin = {f.index: f.index if f.copy_of is None else f.copy_of for f in chart.shown}
    number = {index: write(n) for n, index in enumerate(sorted({origin[i] for i in apart}), 1)}
    return {index: number[first] for index, first in origin.items() if first in number}


def _lifeline_json(line: Lifeline) -> dict[str, Any]:
    data: dict[str, Any] = {"observer" if line.watches else "process": line.name}
    data["states"] = [{"state": s.state, "after": s.since} for s in line.spans]
    for name, at in (("crash", line.crash), ("stop", line.stop)):
        if at is not None:
            data[name] = at
    if line.wait is not None:
        data["waits"] = [{"from": r.peer, "message": message_to_json(r.message)} for r in line.wait.receives]
        data["cannot_send"] = [{"to": s.peer, "message": message_to_json(s.message)} for s in line.wait.sends]
    return data


def _flight_json(flight: Flight) -> dict[str, Any]:
    data: dict[str, Any] = {"from": flight.channel.sender, "to": flight.channel.receiver}
    data |= {"message": message_to_json(flight.message), "sent": flight.sent, "end": flight.fate.value}
    if flight.ended is not None:
        data["ended"] = flight.ended
    if flight.changes:
        data["corrupted"] = [{"at": c.at, "becomes": message_to_json(c.becomes)} for c in flight.changes]
    if flight.copy_of is not None:
        data["copy_of"] = flight.copy_of
    if flight.overtakes:
        data["overtakes"] = list(flight.overtakes)
    return data
