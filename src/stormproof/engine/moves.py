"""What the engine's paths are made of."""

from __future__ import annotations

from typing import NamedTuple

from ..model import Transition


class Move(NamedTuple):
    """One action: who moves, by which transition."""

    process: str
    transition: Transition
