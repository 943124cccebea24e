"""`gate`: the protocol is checked, its requirements can fail, and the code does what the protocol says."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from ..kernel.model.failures import Failures
from ..kernel.model.system import System
from ..languages.formats.storm_places import NoPlaces, Places
from ..limits import EFFORT, Limits, why_interrupted
from ..live.testing.generate import RoleUnderTest, what_is_tested
from ..live.testing.run_vectors import CodeReport, run_vectors
from ..records import dataclass
from ..search.checks.report import Report
from .mutants.api import mutate
from .mutants.result import Mutants

#: Where several apply, the first is the exit code.
_PRECEDENCE = (1, 3, 0)


@dataclass(frozen=True)
class GateAnswer:
    """The three parts; None for one that was not asked for, or that there was no time for (`stopped`)."""

    tested: RoleUnderTest
    mutants: Mutants | None
    code: CodeReport | None
    #: So many mutants may survive.
    survivors: int = 0
    stopped: str = ""

    @property
    def report(self) -> Report:
        return self.tested.report

    @property
    def mutants_code(self) -> int:
        if self.mutants is None:
            return 0
        return 0 if 0 < len(self.mutants.survivors) <= self.survivors else self.mutants.exit_code

    def __bool__(self) -> bool:
        return self.exit_code == 0

    @property
    def exit_code(self) -> int:
        """1: something is wrong in any part; 3: something is undecided; 0: the gate is open."""
        codes = [self.report.exit_code, self.mutants_code, 3 if self.stopped else 0]
        codes.append(0 if self.code is None else self.code.exit_code)
        return next(code for code in _PRECEDENCE if code in codes)

    @property
    def headline(self) -> str:
        name = self.report.system.name or "the protocol"
        word = {0: "passes", 1: "does not pass", 3: "is undecided at"}[self.exit_code]
        parts = (("the check", self.report.exit_code), ("the mutants", self.mutants_code))
        code = ("the code", 0 if self.code is None else self.code.exit_code)
        wrong = [what for what, found in (*parts, code) if found == self.exit_code and found]
        because = f": {' and '.join(wrong)}" if wrong else f": {self.stopped}" if self.stopped else ""
        return f"{name} {word} the gate{because}"

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "gate": {0: "passed", 1: "failed", 3: "undecided"}[self.exit_code],
            "stopped": self.stopped or None,
            "check": self.report.to_json(),
            "mutants": None if self.mutants is None else self.mutants.to_json(),
            "survivors_allowed": self.survivors,
            "code": None if self.code is None else self.code.to_json(),
        }


def gate(
    system: System,
    role: str,
    command: str,
    failures: Failures | None = None,
    *,
    mutants: bool = True,
    operators: Iterable[str] | None = None,
    survivors: int = 0,
    jobs: int | None = None,
    places: Places | NoPlaces | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    limits: Limits | None = None,
    effort: int = EFFORT,
) -> GateAnswer:
    """Check the system, ask whether its requirements notice mistakes, and run `command`, which tests an
    implementation of `role` with the vectors that STORMPROOF_VECTORS names."""
    tested = what_is_tested(system, role, failures, limits=limits, effort=effort)
    answer = GateAnswer(tested, None, None, survivors)
    try:
        found = None
        if mutants:
            found = mutate(
                system,
                failures,
                operators=operators,
                jobs=jobs,
                suggest=False,  # `mutate` does; that takes longer than to judge them
                places=places,
                progress=progress,
                limits=limits,
                effort=effort // 5,
            )
        answer = GateAnswer(tested, found, None, survivors)
        return GateAnswer(tested, found, run_vectors(tested, command), survivors)
    except KeyboardInterrupt:  # what is known by now is not lost
        return GateAnswer(tested, answer.mutants, None, survivors, why_interrupted())
