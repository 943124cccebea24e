"""What a message sequence chart is made of; `chart` makes one from a run."""

from __future__ import annotations

import enum
from dataclasses import dataclass, field
from typing import Any

from ...model.actions import Channel, Message, Receive, Send
from ...model.run import Step, message_to_json
from .folding import Fold


class End(enum.Enum):
    """How the flight of a message ends within the run; what is under way at its end is not received."""

    RECEIVED = "received"
    LOST = "lost"
    OPEN = "not received"


@dataclass(frozen=True)
class Change:
    """A corruption on the way, at an instant."""

    at: int
    before: Message
    becomes: Message


@dataclass(frozen=True)
class Flight:
    """One message from its send to its end. `overtakes` are the flights, by index, that it passes by.

    `position` is its place in the channel at the end of the run, for a message not received in it; `culprit`
    marks the one that the verdict is about.
    """

    channel: Channel
    message: Message
    sent: int
    end: End = End.OPEN
    ended: int | None = None
    changes: tuple[Change, ...] = ()
    overtakes: tuple[int, ...] = ()
    position: int | None = None
    culprit: bool = False

    @property
    def arrives(self) -> Message:
        """The message as it is at the end of its flight."""
        return self.changes[-1].becomes if self.changes else self.message

    @property
    def fate(self) -> str:
        """What is said of a message under way at the end. That it is *never* received is known of the one
        only that the verdict is about; the others a longer run might receive."""
        return "never received" if self.culprit else End.OPEN.value

    @property
    def instants(self) -> tuple[int, ...]:
        ends = () if self.ended is None else (self.ended,)
        return (self.sent, *(c.at for c in self.changes), *ends)


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
    name: str
    spans: tuple[Span, ...]
    crash: int | None = None
    last: int | None = None
    wait: Wait | None = None


@dataclass(frozen=True)
class Chart:
    """Everything a renderer needs. `steps` are the instants; `folds` say which are drawn once for many."""

    lifelines: tuple[Lifeline, ...]
    steps: tuple[Step, ...]
    flights: tuple[Flight, ...]
    folds: tuple[Fold, ...] = ()
    title: str = ""
    contents: tuple[dict[Channel, tuple[Message, ...]], ...] = field(default=(), compare=False, repr=False)

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
        return tuple(f for f in self.flights if f.sent not in hidden)

    def states_at(self, instant: int) -> dict[str, str]:
        """The local states just after an instant; -1 is the start."""
        found = {}
        for line in self.lifelines:
            found[line.name] = next(s.state for s in reversed(line.spans) if s.since <= instant)
        return found

    def to_json(self) -> dict[str, Any]:
        return {
            "lifelines": [_lifeline_json(line) for line in self.lifelines],
            "messages": [_flight_json(f) for f in self.flights],
            "folds": [{"first": f.first, "length": f.length, "times": f.times} for f in self.folds],
        }

    def _repr_svg_(self) -> str:
        from .svg import chart_svg

        return chart_svg(self)


def _lifeline_json(line: Lifeline) -> dict[str, Any]:
    data: dict[str, Any] = {"process": line.name}
    data["states"] = [{"state": s.state, "after": s.since} for s in line.spans]
    if line.crash is not None:
        data["crash"] = line.crash
    if line.wait is not None:
        data["waits"] = [{"from": r.peer, "message": message_to_json(r.message)} for r in line.wait.receives]
        data["cannot_send"] = [{"to": s.peer, "message": message_to_json(s.message)} for s in line.wait.sends]
    return data


def _flight_json(flight: Flight) -> dict[str, Any]:
    data: dict[str, Any] = {"from": flight.channel.sender, "to": flight.channel.receiver}
    data |= {"message": message_to_json(flight.message), "sent": flight.sent, "end": flight.end.value}
    if flight.ended is not None:
        data["ended"] = flight.ended
    if flight.changes:
        data["corrupted"] = [{"at": c.at, "becomes": message_to_json(c.becomes)} for c in flight.changes]
    if flight.overtakes:
        data["overtakes"] = list(flight.overtakes)
    return data
