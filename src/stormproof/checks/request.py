"""A check made ready: what is searched, for which bounds, within which limits."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from ..engine.watch import ProgressCallback, left
from ..limits import Limits
from ..model.failures import FailureModel
from ..model.run import Witness
from ..model.system import System

#: A witness, whether the replay kernel has established it, and what is to be said of that.
Evidence = tuple[Witness, bool | None, tuple[str, ...]]


@dataclass(frozen=True)
class Question:
    """A check made ready: the system that is really searched, and how."""

    given: System
    system: System
    model: FailureModel
    bounds: tuple[int, ...]
    one_bound: bool
    limits: Limits
    reduction: bool
    threads: int | None
    progress: ProgressCallback | None
    replay: bool
    polish: bool
    notes: tuple[str, ...]
    started: float = field(default_factory=time.monotonic)
    share: float = 1.0
    evidence: dict[tuple[int, int], Evidence] = field(default_factory=dict)

    @property
    def seconds(self) -> float | None:
        """What is left of the time limit, or this question's share of it."""
        rest = left(self.limits, self.started)
        return None if rest is None else rest * self.share
