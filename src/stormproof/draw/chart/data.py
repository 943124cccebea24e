"""What a message sequence chart is made of; `chart` makes one from a run."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ...model.actions import Channel, Message, Receive, Send
from ...model.message_tracking import Fate, Flight
from ...model.run import Step, message_to_json
from .folding import Fold


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
    """Everything a renderer needs. `steps` are the instants; `folds` say which are drawn once for many.

    `culprit` is the index of the message that the verdict is about, if it is about one.
    """

    lifelines: tuple[Lifeline, ...]
    steps: tuple[Step, ...]
    flights: tuple[Flight, ...]
    folds: tuple[Fold, ...] = ()
    title: str = ""
    culprit: int | None = None
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

    def outcome(self, flight: Flight) -> str:
        """What is said of a message still in flight at the end. That it is *never* received is known only of
        the one that the verdict is about; a longer run might receive the others."""
        return "never received" if flight.index == self.culprit else Fate.OPEN.value

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
