"""Which components of a configuration say that channels are cut (definitions 15.2)."""

from __future__ import annotations

from collections.abc import Mapping

from ...records import dataclass
from .actions import Channel
from .cuts import Cut

#: The states of the component of a channel; the initial one stands first.
UP, DOWN = "up", "cut"


@dataclass(frozen=True)
class LinkComponents:
    """`component`: that of each channel that may be cut. `network` is the one whose transitions are the cuts,
    and which has a single state; `cuts` says what each takes down, by its name."""

    network: str
    component: Mapping[Channel, str]
    cuts: Mapping[str, Cut]

    @property
    def names(self) -> tuple[str, ...]:
        return (*self.component.values(), self.network)
