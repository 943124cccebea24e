"""The faults that one channel may have, as a file declares them (definitions 2.1 to 2.4)."""

from __future__ import annotations

from dataclasses import dataclass

SCOPES = ("channel", "sender", "system")


@dataclass(frozen=True, order=True)
class Corruption:
    """Which message may become which: all of a scope, or given pairs.

    `channel`: every message that some send or reception on the channel names; `sender`: those and
    every message that the sender sends to anyone; `system`: every message of the system. With
    `pairs`, only those (closed under reflexivity and transitivity), and the scope is ignored.
    """

    scope: str = "channel"
    pairs: tuple[tuple[str, str], ...] | None = None

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise ValueError(f"corruption scope '{self.scope}' is none of {', '.join(SCOPES)}")


@dataclass(frozen=True, order=True)
class ChannelFaults:
    """What may happen on the channel from `sender` to `receiver`."""

    sender: str
    receiver: str
    loss: bool = False
    reorder: bool = False
    corrupt: Corruption | None = None
