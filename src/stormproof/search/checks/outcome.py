"""What the searches decide, before any run is built or any sentence written."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from ...records import dataclass

if TYPE_CHECKING:
    from ...kernel.model.ask import Ask
    from ...kernel.model.run import Witness
    from ...kernel.model.survival import SurvivalModel
    from ...trust.reachability.certificates import Certificate
    from ...trust.survival_certificate import OutOfReach, SurvivalCertificate
    from ..engine.k_properties import Exploration, Violation
    from ..engine.rsc import RscViolation
    from ..engine.survival import FoundRun
    from ..narrate.reason import RunEnd
    from .on_time import OnTime

    #: What proves a verdict: a certificate of survival, or that a goal is unreachable.
    Proof: TypeAlias = SurvivalCertificate | Certificate


@dataclass(frozen=True)
class Tried:
    """One bound of a search for the least k; `holds` None: a limit stopped it."""

    k: int
    holds: bool | None


@dataclass(frozen=True)
class Survived:
    """What was asked of survival, and of which model: what the replay of its run needs."""

    model: SurvivalModel
    ask: Ask


@dataclass(frozen=True)
class FoundViolation:
    """What violates a property: `part` of it fails, at the bound `k` where there is one. Where nothing is
    `claimed`, the run is only one that could not be judged. `certificate`: no calm run leads from there to
    the goal."""

    part: str
    k: int | None
    violation: Violation | RscViolation | FoundRun | Witness
    survived: Survived | None = None
    claimed: bool = True
    certificate: OutOfReach | None = None
    explain: Callable[[RunEnd], str] | None = None


@dataclass(frozen=True)
class Outcome:
    """One property decided, or not.

    `found` are violations in order of preference: a later one is used where the replay kernel cannot
    establish an earlier one within its budget. `stopped`: the limit that was hit. `exploration`: the one that
    the verdict speaks of. `reason` is set where no run is there to read it off. `vacuous`:
    why it says nothing. `on_time`: a violation, asked again with timers on time.
    """

    property: str
    holds: bool | None
    k: int | None = None
    states: int = 0
    transitions: int = 0
    seconds: float = 0.0
    tried: tuple[Tried, ...] = ()
    found: Sequence[FoundViolation] = ()
    lasts: bool = False
    exploration: Exploration | None = None
    stopped: str = ""
    reason: str = ""
    up_to: int | None = None
    fewest: bool = False
    tolerated: int | None = None
    notes: tuple[str, ...] = ()
    vacuous: tuple[str, ...] = ()
    certificate: Proof | None = None
    fewest_certificate: Proof | None = None
    on_time: OnTime | None = None
