"""How many faults it takes: the least number of each kind that breaks survival, alone and together."""

from __future__ import annotations

import builtins
import math
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ..errors import UnknownName, UsageError
from ..kernel.model.arguments import check_arguments
from ..kernel.model.budget import NO_BUDGET, Budget
from ..kernel.model.phrases import any_of, plural
from ..kernel.model.system import System
from ..limits import as_a_whole, is_over, why_interrupted
from ..options import Options, QuietKnobs
from ..search.checks.headline import with_extent
from ..search.checks.report import Report, Verdict
from .choices import (
    FAULTS,
    Atom,
    choices,
    crashes_left_out,
    failures_of,
    fault_noun,
    process_assumptions,
)
from .claims import SURVIVAL, asked_of, decisive

if TYPE_CHECKING:
    from typing_extensions import Unpack

TOGETHER = "together"


@dataclass(frozen=True)
class FaultCount:
    """One kind of fault, wherever it may occur, or all kinds together; `verdict` is the decisive one."""

    fault: str
    report: Report
    verdict: Verdict

    def __bool__(self) -> bool:
        return bool(self.verdict)

    @builtins.property
    def name(self) -> str:
        return TOGETHER if self.fault == TOGETHER else fault_noun(self.fault)

    @builtins.property
    def sentence(self) -> str:
        """`survives any 2 losses; 3 break it`."""
        verdict = self.verdict
        if verdict.holds:
            return ", ".join(with_extent(f"survives {self._all_runs}", verdict))
        if verdict.holds is False:
            return self._broken(verdict.faults or 0)
        if verdict.tolerated is None:
            return f"undecided: {verdict.reason}"
        survived = f"survives {any_of(verdict.tolerated, self._word)}; " if verdict.tolerated else ""
        return f"{survived}{verdict.tolerated + 1} not decided"

    def _broken(self, count: int) -> str:
        if count == 0:
            return "fails without any fault"
        if count == 1:
            return f"{plural(1, self._word)} breaks it"
        if not self.verdict.fewest:
            return f"{plural(count, self._word)} break it; fewer are not excluded"
        return f"survives {any_of(count - 1, self._word)}; {count} break it"

    @builtins.property
    def _all_runs(self) -> str:
        """`any number of losses`, or what the budget leaves of them."""
        given = self.report.failures.budget
        kinds = {k: most for k, most in given.kinds.items() if self.fault == TOGETHER or k == self.name}
        budget = Budget(given.total, kinds)
        return f"every run with {budget}" if budget.limited else f"any number of {plural(2, self._word)[2:]}"

    @builtins.property
    def _word(self) -> str:
        return "fault" if self.fault == TOGETHER else self.name

    def to_json(self) -> dict[str, Any]:
        return {
            "fault": self.fault,
            "status": self.verdict.status.value,
            "sentence": self.sentence,
            "faults": self.verdict.faults,
            "fewest": self.verdict.fewest,
            "up_to": self.verdict.up_to,
            "verdicts": [v.to_json() for v in self.report],
        }


@dataclass(frozen=True)
class FaultCounts:
    """The answer for each kind of fault, and for all together at the end."""

    system: System
    property: str
    counts: tuple[FaultCount, ...]
    seconds: float
    notes: tuple[str, ...] = ()
    budget: Budget = NO_BUDGET
    left_out: tuple[str, ...] = ()

    @builtins.property
    def exit_code(self) -> int:
        answers = [row.verdict.holds for row in self.counts]
        answers += [None for row in self.counts if row.report.interrupted] + [None] * len(self.left_out)
        return 1 if False in answers else 3 if None in answers else 0

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def __getitem__(self, fault: str) -> FaultCount:
        for row in self.counts:
            if row.fault == fault:
                return row
        raise UnknownName("count of", fault, (row.fault for row in self.counts))

    def to_json(self) -> dict[str, Any]:
        """What `frontier --count --json` prints; schemas/frontier.schema.json describes it."""
        return {
            "stormproof": 1,
            "name": self.system.name,
            "property": self.property,
            "budget": self.budget.to_json(),
            "notes": list(self.notes),
            "counts": [row.to_json() for row in self.counts],
            "seconds": round(self.seconds, 6),
        }


@as_a_whole
def fault_counts(
    system: System,
    property: str = SURVIVAL,
    *,
    k: int | None = None,
    faults: Iterable[str] | None = None,
    channels: Iterable[str | tuple[str, str]] | None = None,
    processes: Iterable[str] | None = None,
    corrupt_scope: str = "channel",
    file_faults: bool = False,
    budget: Budget = NO_BUDGET,
    progress: Callable[[int, int | None], None] | None = None,
    **knobs: Unpack[QuietKnobs],
) -> FaultCounts:
    """The least number of faults of each kind that breaks survival or a requirement, alone and together.

    The arguments are those of `frontier`; each kind may occur everywhere that they name.

    >>> import stormproof as sp
    >>> sp.fault_counts(sp.protocol("alternating-bit"), faults=["loss"])["loss"].sentence
    '1 loss breaks it'
    """
    check_arguments(system)
    started = time.monotonic()
    base = system if file_faults else system.with_unreliable(())
    asked = asked_of(base, property)
    if not asked.survival:
        raise UsageError(
            f"{property} has no number of faults that breaks it", hint="ask for survival or a requirement"
        )
    atoms = choices(base, faults, channels, processes, declared=file_faults)
    rows, options = _rows(atoms), Options().but(**knobs)
    share = replace(options, effort=options.effort // len(rows))
    counts: list[FaultCount] = []
    for i, (name, chosen) in enumerate(rows):
        if progress is not None:
            progress(i, len(rows))
        failures = failures_of(
            base, chosen, corrupt_scope=corrupt_scope, file_faults=file_faults, budget=budget, as_written=True
        )
        report = asked.check(failures, k, share)
        counts.append(_counted(name, report, counts))
        if report.interrupted or is_over():
            break
    left_out = tuple(name for name, _ in rows[len(counts) :])
    cut = [f"{why_interrupted()}: nothing was counted for {', '.join(left_out)}"] if left_out else []
    notes = (*cut, *process_assumptions({atom.fault for atom in atoms}), *crashes_left_out(system))
    seconds = time.monotonic() - started
    return FaultCounts(asked.system, asked.name, tuple(counts), seconds, notes, budget, left_out)


def _counted(name: str, report: Report, before: Sequence[FaultCount]) -> FaultCount:
    """A run with one kind of fault is one with all kinds together, which may be explored less far."""
    own = FaultCount(name, report, decisive(report))
    if name != TOGETHER:
        return own
    best = min((own, *before), key=lambda row: _faults(row.verdict))
    if _faults(best.verdict) == _faults(own.verdict):
        return own
    return FaultCount(name, best.report, replace(best.verdict, fewest=not best.verdict.faults))


def _faults(verdict: Verdict) -> float:
    return math.inf if verdict.holds is not False else verdict.faults or 0


def _rows(atoms: Sequence[Atom]) -> list[tuple[str, list[Atom]]]:
    by_fault = [(f, [a for a in atoms if a.fault == f]) for f in FAULTS if any(a.fault == f for a in atoms)]
    return by_fault if len(by_fault) < 2 else [*by_fault, (TOGETHER, list(atoms))]
