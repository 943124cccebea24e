"""The graph of a global protocol: messages, choices, silent steps, the end."""

from __future__ import annotations

from dataclasses import dataclass, field

from ...errors import Place
from ...kernel.model.actions import Message as Label
from ...kernel.semantics.explore import reached

MESSAGE, CHOICE, SILENT, END = "message", "choice", "silent", "end"


@dataclass
class GlobalNode:
    """A message (or the crash label) from `sender` to `receiver`; a choice at `sender`; a silent step (the
    head of a recursion (`loop`) or of a call, called `name`); or the end."""

    kind: str
    sender: str = ""
    receiver: str = ""
    label: Label = ""
    next: list[int] = field(default_factory=list)
    place: Place | None = None
    places: tuple[Place, ...] = ()
    name: str = ""
    loop: bool = False


@dataclass
class GlobalGraph:
    nodes: list[GlobalNode]
    start: int

    def unreached(self) -> Place | None:
        """The first statement that no run comes to, since what stands before it goes on for ever."""
        seen = set(reached([self.start], lambda number: self.nodes[number].next))
        acts = [(i in seen, n.place) for i, n in enumerate(self.nodes) if n.kind in (MESSAGE, CHOICE)]
        known = {_at(place) for there, place in acts if there}
        lost = [place for there, place in acts if not there and place and _at(place) not in known]
        return min(lost, key=_at, default=None)


def _at(place: Place | None) -> tuple[int, int]:
    return (0, 0) if place is None else (place.line or 0, place.column or 0)
