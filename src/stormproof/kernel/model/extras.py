"""What configurations have beside the states of roles and the contents of channels (definitions 17.2).

Each such component is a process without transitions behind the real ones, so that all that stores or shows
configurations carries it. What moves it belongs to the step relation: each reader has one place for that.
"""

from __future__ import annotations

from dataclasses import field
from typing import Any

from ...records import dataclass
from .clocks import Clocks
from .links import LinkComponents
from .observer import Observer


@dataclass(frozen=True)
class Extras:
    """The parts of which there are components. Their processes stand behind those of the roles, in this
    order: one for each observer; if timers are on time, the clocks, and the process by whose step time
    passes; and those of links that may be cut."""

    observers: tuple[Observer, ...] = ()
    clocks: Clocks | None = None
    links: LinkComponents | None = None

    #: What readers work out once for each transition, by reader.
    tables: dict[Any, dict[Any, Any]] = field(default_factory=dict, compare=False, repr=False)

    def __bool__(self) -> bool:
        return bool(self.observers) or self.clocks is not None or self.links is not None

    @property
    def names(self) -> tuple[str, ...]:
        """The components: none of them is a role."""
        observers, parts = (o.name for o in self.observers), (self.clocks, self.links)
        return (*observers, *(name for part in parts if part is not None for name in part.names))

    @property
    def shown(self) -> frozenset[str]:
        """The components that users have named, and that runs show."""
        return frozenset(o.name for o in self.observers)
