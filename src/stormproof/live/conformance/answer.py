"""What a comparison of logs with a protocol answers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Place
from ...kernel.model.failures import FailureModel
from ...kernel.model.phrases import listed, plural
from ...kernel.model.run import Witness
from ...kernel.model.system import System

#: So many of the events that were possible are said.
MOST_SAID = 8


@dataclass(frozen=True)
class LoggedFault:
    """A fault that explains the logs: which, of what, and the line of the log where it occurred."""

    kind: str
    what: str
    place: Place | None

    def __str__(self) -> str:
        where = f", {self.place}" if self.place else ""
        return f"{self.kind}: {self.what}{where}"

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "what": self.what, **_place_json(self.place)}


@dataclass(frozen=True)
class Unexplained:
    """The first event of a role that no run explains after the events before it, and what was possible."""

    role: str
    event: str
    place: Place
    possible: tuple[str, ...]

    def __str__(self) -> str:
        instead = f"; possible here: {_some(self.possible)}" if self.possible else "; it had finished"
        if self.event in self.possible:
            instead = ", but no such message can arrive"
        return f"{self.place}: {self.role} {self.event}{instead}"

    def to_json(self) -> dict[str, Any]:
        return {
            "role": self.role,
            "event": self.event,
            **_place_json(self.place),
            "possible": list(self.possible),
        }


def _some(possible: Sequence[str]) -> str:
    """The first of many; JSON has all."""
    if len(possible) <= MOST_SAID:
        return listed(possible, "or")
    return f"{', '.join(possible[:MOST_SAID])} and {len(possible) - MOST_SAID} others"


def _place_json(place: Place | None) -> dict[str, Any]:
    return {} if place is None else {"file": place.file, "line": place.line}


@dataclass(frozen=True)
class TraceAnswer:
    """`conforms` True: a run of the protocol has these events, with these `faults`; `fewest`: no run has
    fewer. False: `unexplained` are the first events that no run has, or it takes more faults than the budget
    allows (`reason`). None: a limit was reached (`reason`).
    `run` has the explained events, unless there are too many to keep it."""

    conforms: bool | None
    system: System
    model: FailureModel
    events: int
    roles: tuple[str, ...]
    faults: tuple[LoggedFault, ...] = ()
    fewest: bool = False
    unexplained: tuple[Unexplained, ...] = ()
    run: Witness | None = None
    reason: str = ""
    #: Of a log that grows: how many faults explain what was read so far.
    followed: int | None = None
    notes: Sequence[str] = ()

    @property
    def exit_code(self) -> int:
        return {True: 0, False: 1, None: 3}[self.conforms]

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def headline(self) -> str:
        what = f"{plural(self.events, 'event')} of {plural(len(self.roles), 'role')}"
        if self.conforms is None:
            return f"undecided: {self.reason}"
        if not self.conforms:
            why = self.reason or "no run of the protocol explains all of them"
            return f"does not conform: {what}, and {why}"
        if self.followed is not None:
            faults = plural(self.followed, "fault") if self.followed else "no fault"
            needed = "are" if self.followed > 1 else "is"
            return f"conforms so far: {what}, and {faults} {needed} needed to explain them"
        if not self.faults:
            return f"conforms: {what}, and no fault is needed to explain them"
        extent = "no run has fewer" if self.fewest else "fewer may suffice"
        return f"conforms: {what}, explained by {plural(len(self.faults), 'fault')} ({extent})"

    def __repr__(self) -> str:
        return f"<TraceAnswer {self.headline()}>"

    def __str__(self) -> str:
        lines = [self.headline(), *(f"  {f}" for f in self.faults), *(f"  {u}" for u in self.unexplained)]
        return "\n".join(lines)

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "conforms": self.conforms,
            "events": self.events,
            "roles": list(self.roles),
            "faults": [fault.to_json() for fault in self.faults],
            "fewest": self.fewest,
            "unexplained": [event.to_json() for event in self.unexplained],
            "reason": self.reason,
            "notes": list(self.notes),
            **({"run": self.run.to_json()} if self.run is not None else {}),
        }
