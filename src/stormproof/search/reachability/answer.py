"""What `reach` says, and its JSON form."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...kernel.goals.cubes import Cube
from ...kernel.model.failures import FailureModel
from ...kernel.model.run import Witness
from ...kernel.model.system import System
from ...trust.reachability.certificates import Certificate
from ...trust.survival_certificate import ClosedSet

REACHABLE, UNREACHABLE, UNDECIDED = "reachable", "unreachable", "undecided"


@dataclass(frozen=True)
class Answer:
    """*reachable* with a run, *unreachable* with a certificate, or *undecided*.

    `because` names the theorem or the search that gave the answer; `tried` says what else was tried, with
    what result. `checked`: the run was replayed, or the certificate accepted, by the checker. `fewest`: no
    run to the goal has fewer faults.
    """

    answer: str
    goal: str
    because: str
    system: System
    model: FailureModel
    cubes: tuple[Cube, ...]
    run: Witness | None = None
    certificate: Certificate | ClosedSet | None = None
    checked: bool = False
    fewest: bool = False
    tried: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    states: int = 0
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        """0 unreachable, 1 reachable, 3 undecided."""
        return {UNREACHABLE: 0, REACHABLE: 1, UNDECIDED: 3}[self.answer]

    def __bool__(self) -> bool:
        """The configuration is unreachable, which is what is hoped for of a goal."""
        return self.exit_code == 0

    def __str__(self) -> str:
        return f"{self.answer}: {self.because}"

    def to_json(self, certificate: bool = True) -> dict[str, Any]:
        """With `certificate` False only its kind and size are included."""
        proof = self.certificate
        return {
            "stormproof": 1,
            "answer": self.answer,
            "goal": self.goal,
            "because": self.because,
            "tried": list(self.tried),
            "notes": list(self.notes),
            "checked": self.checked,
            "states": self.states,
            "seconds": round(self.seconds, 6),
            "witness": None if self.run is None else self.run.to_json(),
            "faults": None if self.run is None else self.run.fault_count,
            "fewest": None if self.run is None else self.fewest,
            "certificate": None if proof is None else proof.to_json() if certificate else proof.summary(),
        }
