"""Every set of unreliable processes, with its verdicts: which crashes does a protocol tolerate?

For each set the system is taken as given, less what only the crash of a reliable process could use; crash
handling that is missing is completed, as `check` does. A property's *weakest assumptions* are the largest
sets of unreliable processes under which it holds: no larger set that was decided keeps it.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from math import comb
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..kernel.model.arguments import check_arguments
from ..kernel.model.failures import Failures
from ..kernel.model.faults import PROCESS_KINDS
from ..kernel.model.phrases import listed
from ..kernel.model.system import System
from ..kernel.transform.crash_completion import without_impossible_crashes
from ..limits import as_a_whole, is_over, why_interrupted
from ..options import Options, QuietKnobs
from ..search.checks.api import check
from ..search.checks.headline import extent
from ..search.checks.properties import CRASH_PROPERTIES, DEFAULT_PROPERTIES, RECOVERS, undefined_under
from ..search.checks.report import Verdict
from .choices import CRASH, process_assumptions

if TYPE_CHECKING:
    from typing_extensions import Unpack

#: More sets than this are not swept unless their size is bounded.
MOST_SETS = 4096


@dataclass(frozen=True)
class CrashSetRow:
    """One set of unreliable processes; `completed` when crash handling was missing and was added."""

    unreliable: tuple[str, ...]
    verdicts: tuple[Verdict, ...]
    completed: bool = False

    def holds(self, name: str) -> bool | None:
        return next(v.holds for v in self.verdicts if v.property == name)

    def to_json(self) -> dict[str, Any]:
        return {
            "unreliable": list(self.unreliable),
            "completed": self.completed,
            "verdicts": [v.to_json() for v in self.verdicts],
        }


@dataclass(frozen=True)
class CrashSets:
    """The rows, smallest sets first. `largest` is the size up to which sets were looked at; the exit code
    depends on the properties that are `counted`."""

    system: System
    properties: tuple[str, ...]
    rows: tuple[CrashSetRow, ...]
    largest: int
    seconds: float = 0.0
    counted: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    _weakest: dict[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict, repr=False)

    def weakest(self, name: str) -> tuple[tuple[str, ...], ...]:
        """The largest sets of unreliable processes under which the property holds, none inside another."""
        if name not in self._weakest:
            kept: list[frozenset[str]] = []
            for row in reversed(self.rows):
                members = frozenset(row.unreliable)
                if row.holds(name) and not any(members < other for other in kept):
                    kept.append(members)
            self._weakest[name] = tuple(tuple(n for n in self.system.names if n in k) for k in kept)
        return self._weakest[name]

    @property
    def all_sets(self) -> bool:
        return self.largest == len(self.system.names)

    @property
    def exit_code(self) -> int:
        """As for a check: 1 when some verdict that counts is a violation, 3 when one is undecided, else 0."""
        answers = {v.holds for row in self.rows for v in row.verdicts if v.property in self.counted}
        if False in answers:
            return 1
        return 3 if None in answers else 0

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "name": self.system.name,
            "processes": list(self.system.names),
            "properties": list(self.properties),
            "largest": self.largest,
            "notes": list(self.notes),
            "sets": [row.to_json() for row in self.rows],
            "weakest": {name: [list(s) for s in self.weakest(name)] for name in self.properties},
            "seconds": round(self.seconds, 6),
        }


@as_a_whole
def crash_sets(
    system: System,
    failures: Failures | None = None,
    *,
    properties: Iterable[str] | None = None,
    k: int | None = None,
    max_k: int | None = None,
    max_size: int | None = None,
    progress: Callable[[int, int | None], None] | None = None,
    **knobs: Unpack[QuietKnobs],
) -> CrashSets:
    """Check the system for every set of unreliable processes, or those of at most `max_size`.

    Survival is asked first and the classes beside it, unless `properties` are named. The time limit is for
    the whole sweep; what it does not reach is undecided.

    >>> import stormproof as sp
    >>> from stormproof.surveys.crash_sets import crash_sets
    >>> found = crash_sets(sp.protocol("alternating-bit"), properties=["rsc"], max_size=1)
    >>> [row.unreliable for row in found.rows]
    [(), ('Sender',), ('Receiver',)]
    """
    check_arguments(system, failures)
    started = time.monotonic()
    asked = _leave_crash_out(failures or Failures())
    named = tuple(dict.fromkeys(properties or ()))
    names = named or _default_names(system, asked)
    largest = len(system.names) if max_size is None else min(max_size, len(system.names))
    sets = _sets(system.names, largest)
    options = Options().but(**knobs)
    rows: list[CrashSetRow] = []
    stopped = ""
    for unreliable in sets:
        if is_over():
            stopped = stopped or f"{why_interrupted()} before this set was looked at"
        if stopped:
            rows.append(CrashSetRow(unreliable, tuple(Verdict(n, None, k=k, reason=stopped) for n in names)))
            continue
        rows.append(_row(system, unreliable, asked, names, k, max_k, options))
        stopped = _interrupted(rows[-1])
        if progress is not None:
            progress(len(rows), len(sets))
    counted = frozenset(named or (RECOVERS.name,))
    model = asked.on(system)
    others = [kind.keyword for kind in PROCESS_KINDS if getattr(model, kind.keyword)]
    notes = process_assumptions([CRASH, *others])
    return CrashSets(system, names, tuple(rows), largest, time.monotonic() - started, counted, notes)


def _default_names(system: System, failures: Failures) -> tuple[str, ...]:
    """Survival, and the classes that are defined under the failures."""
    model, budget = failures.on(system), failures.budget
    every = (RECOVERS.name, *DEFAULT_PROPERTIES, *CRASH_PROPERTIES)
    return tuple(name for name in every if not undefined_under(name, model, budget, system.mailboxes))


def _sets(names: Sequence[str], largest: int) -> list[tuple[str, ...]]:
    count = sum(comb(len(names), size) for size in range(largest + 1))
    if count > MOST_SETS:
        raise UsageError(
            f"{len(names)} processes have {count:,} sets of up to {largest}, more than {MOST_SETS:,}",
            hint="bound their size with --max-size",
        )
    return [chosen for size in range(largest + 1) for chosen in combinations(names, size)]


def _leave_crash_out(failures: Failures) -> Failures:
    """The same faults; who may crash is for the sweep to choose."""
    if failures.crash:
        raise UsageError("a sweep tries every set of unreliable processes; remove --crash")
    return failures


def _row(
    system: System,
    unreliable: tuple[str, ...],
    failures: Failures,
    names: tuple[str, ...],
    k: int | None,
    max_k: int | None,
    options: Options,
) -> CrashSetRow:
    assumed = without_impossible_crashes(system.with_unreliable(unreliable))
    report = check(assumed, failures, k=k, max_k=max_k, properties=names, options=options)
    return CrashSetRow(unreliable, report.verdicts, any("completed" in note for note in report.notes))


def _interrupted(row: CrashSetRow) -> str:
    stopped = any(v.stopped == "interrupted" for v in row.verdicts)
    return f"{why_interrupted()} before this set was looked at" if stopped else ""


def in_words(unreliable: Iterable[str]) -> str:
    """`P`, `P and Q`, `P, Q and R`, or `nobody`."""
    return listed(unreliable) or "nobody"


def assumptions(found: CrashSets) -> Iterator[tuple[str, str]]:
    """For each property, in words, the weakest assumptions under which it holds."""
    for name in found.properties:
        open_ = any(row.holds(name) is None for row in found.rows)
        yield (
            name,
            _needs(found, name) + _within(found, name) + ("; some sets are undecided" if open_ else ""),
        )


def _within(found: CrashSets, name: str) -> str:
    """Of survival, for which channels; the shortest over all sets that it survives."""
    held = [v for row in found.rows for v in row.verdicts if v.property == name and v.survival and v.holds]
    bounds = [v for v in held if v.up_to is not None]
    shortest = min(bounds, key=lambda v: v.up_to or 0, default=held[0] if held else None)
    return "" if shortest is None else f" ({extent(shortest)})"


def _needs(found: CrashSets, name: str) -> str:
    sets = found.weakest(name)
    if not sets:
        return "holds under none that was decided"
    if found.all_sets and all(row.holds(name) for row in found.rows):
        return "holds whoever crashes"
    if sets == ((),):
        return "holds when nobody crashes"
    ordered = (row.unreliable for row in found.rows if row.unreliable in sets)
    inside = {chosen: _broken_inside(found, name, chosen) for chosen in ordered}
    plain = [in_words(chosen) for chosen, broken in inside.items() if broken is None]
    said = [f"holds as long as only {', or only '.join(plain)} may crash"] if plain else []
    said += [_despite(chosen, broken) for chosen, broken in inside.items() if broken is not None]
    return "; ".join(said)


def _broken_inside(found: CrashSets, name: str, chosen: tuple[str, ...]) -> CrashSetRow | None:
    """A smaller set under which it fails all the same: properties are not monotone."""
    inside = (r for r in found.rows if set(r.unreliable) < set(chosen) and r.holds(name) is False)
    return next(inside, None)


def _despite(chosen: tuple[str, ...], broken: CrashSetRow) -> str:
    fewer = f"only {in_words(broken.unreliable)} may" if broken.unreliable else "nobody does"
    return f"holds when {in_words(chosen)} may crash, but not when {fewer}"
