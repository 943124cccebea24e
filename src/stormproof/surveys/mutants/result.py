"""What became of the mutants of a protocol, and its JSON form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any

from ...errors import Place
from ...kernel.model.phrases import plural
from ...kernel.model.system import System
from ...records import dataclass
from .judge import MutantFate
from .operators import OPERATORS, Mutant, written


@dataclass(frozen=True)
class WouldNotice:
    """A requirement, as a line of a .storm file, that would notice a mutant, and that the protocol meets: for
    channels of any length, or with at most `up_to` messages in a channel."""

    line: str
    up_to: int | None = None

    def __str__(self) -> str:
        return self.line


@dataclass(frozen=True)
class MutantResult:
    """One mutant: what is different, where that is written, and who notices. `by` is the title of the
    requirement that notices it first, `reason` why it is undecided."""

    mutant: Mutant
    status: MutantFate
    place: Place | None = None
    by: str = ""
    reason: str = ""
    suggestion: WouldNotice | None = None

    @property
    def line(self) -> int | None:
        """The line of the file, if it is known."""
        return None if self.place is None else self.place.line

    @property
    def operator(self) -> str:
        return self.mutant.operator

    @property
    def role(self) -> str:
        return self.mutant.role

    @property
    def state(self) -> str:
        return self.mutant.transition.source

    @property
    def words(self) -> str:
        """`A in wait: without `timeout -> send``."""
        return f"{self.role} in {self.state}: {self.mutant.words}"

    def __str__(self) -> str:
        line = "" if self.line is None else f"line {self.line}: "
        by = f" by {self.by}" if self.by else ""
        return f"{line}{self.words}: {self.status.value}{by}"

    def to_json(self) -> dict[str, Any]:
        suggested = self.suggestion
        return {
            "number": self.mutant.number,
            "operator": self.operator,
            "role": self.role,
            "state": self.state,
            "transition": written(self.mutant.transition),
            "line": self.line,
            "words": self.mutant.words,
            "status": self.status.value,
            "by": self.by or None,
            "reason": self.reason or None,
            "suggestion": None
            if suggested is None
            else {"requirement": suggested.line, "up_to": suggested.up_to},
        }


@dataclass(frozen=True, repr=False)
class Mutants:
    """All mutants of a system that the operators make, in the order of the file.

    `assumed`: what may go wrong, in words. `requirements`: what could notice, each with whether the protocol
    meets it: only then can it. `notes` say what was left out.
    """

    system: System
    results: tuple[MutantResult, ...]
    requirements: tuple[tuple[str, bool | None], ...]
    operators: tuple[str, ...] = tuple(OPERATORS)
    assumed: str = ""
    notes: tuple[str, ...] = ()
    seconds: float = 0.0

    def __iter__(self) -> Iterator[MutantResult]:
        return iter(self.results)

    def __len__(self) -> int:
        return len(self.results)

    def _of(self, status: MutantFate) -> tuple[MutantResult, ...]:
        return tuple(r for r in self.results if r.status is status)

    @property
    def noticed(self) -> tuple[MutantResult, ...]:
        return self._of(MutantFate.NOTICED)

    @property
    def equal(self) -> tuple[MutantResult, ...]:
        return self._of(MutantFate.EQUAL)

    @property
    def survivors(self) -> tuple[MutantResult, ...]:
        return self._of(MutantFate.SURVIVES)

    @property
    def undecided(self) -> tuple[MutantResult, ...]:
        return self._of(MutantFate.UNDECIDED)

    @property
    def exit_code(self) -> int:
        """0: none survives. 1: some do. 3: of some it was not decided, and no other survives."""
        return 1 if self.survivors else 3 if self.undecided else 0

    def __bool__(self) -> bool:
        return self.exit_code == 0

    @property
    def summary(self) -> str:
        """`61 mutants: 54 noticed, 4 equal, 3 survive`."""
        counts = Counter(r.status for r in self.results)
        parts = [f"{counts[MutantFate.NOTICED]:,} noticed", f"{counts[MutantFate.EQUAL]:,} equal"]
        survive = counts[MutantFate.SURVIVES]
        parts.append(f"{survive:,} {'survives' if survive == 1 else 'survive'}")
        if counts[MutantFate.UNDECIDED]:
            parts.append(f"{counts[MutantFate.UNDECIDED]:,} undecided")
        return f"{plural(len(self.results), 'mutant')}: {', '.join(parts)}"

    def __str__(self) -> str:
        """The summary, and a line for each mutant that survives or is undecided."""
        rows = [str(r) for r in (*self.survivors, *self.undecided)]
        return "\n".join([f"{self.system.name}: {self.summary}", *(f"  {row}" for row in rows)])

    def __repr__(self) -> str:
        return f"<Mutants of {self.system.name}: {self.summary.partition(': ')[2]}>"

    def to_json(self) -> dict[str, Any]:
        """What `mutate --json` prints; schemas/mutants.schema.json describes it."""
        counts = Counter(r.status.value for r in self.results)
        return {
            "stormproof": 1,
            "name": self.system.name,
            "assumed": self.assumed,
            "operators": list(self.operators),
            "requirements": [{"title": title, "met": met} for title, met in self.requirements],
            "counts": {status.value: counts[status.value] for status in MutantFate},
            "mutants": [r.to_json() for r in self.results],
            "notes": list(self.notes),
            "seconds": round(self.seconds, 6),
        }
