"""Exactly which failures a protocol tolerates: the maximal tolerated sets and the minimal that break it.

The choices are one fault on one channel, or the crash of one process. RSC and half-duplex only get worse with
more of them, since every execution stays one, so their frontier is found exactly by searching the lattice.
The k-properties are not monotone (a fault can break and repair them): they are asked at one k, for every set
while there are few choices, and beyond that for every set up to a size.
"""

from __future__ import annotations

import builtins
import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..checks.api import check
from ..checks.properties import CRASH_HANDLING, HALF_DUPLEX, RSC, known_properties
from ..checks.report import Report, Verdict
from ..errors import UsageError, did_you_mean
from ..limits import Limits
from ..model.actions import CRASH_ACTION, Channel, Internal
from ..model.failures import Failures, parse_channel
from ..model.faults import KINDS, PAPER_KINDS, PROCESS_KINDS, kind_named
from ..model.run import Act, Witness
from ..model.system import System
from .antichains import (
    Classified,
    FaultChoice,
    LatticeFrontier,
    exhaustive_frontier,
    monotone_frontier,
    subsets,
)

PROCESS_FAULTS = ("crash", *(kind.keyword for kind in PROCESS_KINDS))
FAULTS = (*(kind.keyword for kind in KINDS), *PROCESS_FAULTS)
MONOTONE = (RSC.name, HALF_DUPLEX.name)
MOST_EXHAUSTIVE = 12


@dataclass(frozen=True)
class Atom:
    """One yes-or-no choice: a fault on a channel, or the crash of a process."""

    fault: str
    channel: Channel | None = None
    process: str | None = None

    def __str__(self) -> str:
        if self.channel is None:
            return f"{self.fault} of {self.process}"
        return f"{kind_named(self.fault).noun} on {self.channel.sender}→{self.channel.receiver}"

    def to_json(self) -> dict[str, str]:
        if self.channel is None:
            return {self.fault: str(self.process)}
        return {"fault": self.fault, "from": self.channel.sender, "to": self.channel.receiver}


@dataclass(frozen=True)
class Breaking:
    """A minimal breaking set, with the verdict and its witness."""

    atoms: tuple[Atom, ...]
    report: Report
    verdict: Verdict


@dataclass(frozen=True)
class Frontier:
    """`covered` says in words for which sets the two halves are exact."""

    system: System
    property: str
    k: int | None
    atoms: tuple[Atom, ...]
    tolerated: tuple[tuple[Atom, ...], ...]
    breaking: tuple[Breaking, ...]
    undecided: tuple[tuple[Atom, ...], ...]
    asked: int
    covered: str
    monotone: bool
    complete: bool
    seconds: float

    def part(self, atom: Atom) -> str:
        """What one choice does: `alone` it breaks the property, or only `together` with others, in a minimal
        breaking set; `open`: its effect alone was not decided; `` otherwise."""
        guilty = [b.atoms for b in self.breaking if atom in b.atoms]
        if guilty:
            return "alone" if (atom,) in guilty else "together"
        return "open" if (atom,) in self.undecided else ""

    @builtins.property
    def models(self) -> int:
        return int(2 ** len(self.atoms))

    @builtins.property
    def partial(self) -> bool:
        """Were only sets up to a size asked?"""
        return not self.monotone and self.asked < self.models

    @builtins.property
    def exit_code(self) -> int:
        """As for a check: 1 when something breaks it, 3 when a limit left something open, else 0."""
        if self.breaking:
            return 1
        return 0 if self.complete else 3

    def to_json(self) -> dict[str, Any]:
        return {
            "stormproof": 1,
            "name": self.system.name,
            "property": self.property,
            "k": self.k,
            "choices": [a.to_json() for a in self.atoms],
            "tolerated": [[a.to_json() for a in atoms] for atoms in self.tolerated],
            "breaking": [
                {"choices": [a.to_json() for a in b.atoms], "verdict": b.verdict.to_json()}
                for b in self.breaking
            ],
            "undecided": [[a.to_json() for a in atoms] for atoms in self.undecided],
            "asked": self.asked,
            "failure_models": self.models,
            "covered": self.covered,
            "monotone": self.monotone,
            "complete": self.complete,
            "seconds": round(self.seconds, 6),
        }


def frontier(
    system: System,
    property: str = RSC.name,
    *,
    k: int = 1,
    faults: Iterable[str] | None = None,
    channels: Iterable[str | tuple[str, str]] | None = None,
    processes: Iterable[str] | None = None,
    corrupt_scope: str = "channel",
    file_faults: bool = True,
    max_size: int | None = None,
    limits: Limits | None = None,
    progress: Callable[[int, int | None], None] | None = None,
) -> Frontier:
    """The failures that a system tolerates with respect to one property.

    `faults`, `channels` and `processes` say which choices count; by default the three interferences on every
    channel in use, and no crashes. What the file declares is there in every failure model. `max_size` asks a
    k-property for all sets up to that size only. `limits` is for each single check.
    """
    started = time.monotonic()
    known_properties(property)
    if property == CRASH_HANDLING.name:
        raise UsageError(
            "crash-handling has no frontier: it does not depend on the failures of channels",
            hint="`stormproof crash` says what is missing, and for which processes",
        )
    atoms = choices(system, faults, channels, processes)
    asking = _Asking(system, property, k, atoms, corrupt_scope, file_faults, limits or Limits(), progress)
    monotone = property in MONOTONE
    if monotone:
        found = monotone_frontier(len(atoms), asking)
        covered = f"all {2 ** len(atoms):,} failure models, since {property} only gets worse with more faults"
    else:
        size = _size(len(atoms), max_size)
        found = exhaustive_frontier(subsets(len(atoms), size), asking)
        covered = _coverage(len(atoms), size, property, k, found.asked)
    return _frontier(asking, found, covered, monotone, time.monotonic() - started)


def choices(
    system: System,
    faults: Iterable[str] | None = None,
    channels: Iterable[str | tuple[str, str]] | None = None,
    processes: Iterable[str] | None = None,
) -> tuple[Atom, ...]:
    """The yes-or-no choices that count, channel by channel, then process by process."""
    crashing = tuple(processes) if processes is not None else None
    kinds = (
        tuple(faults)
        if faults is not None
        else (*(kind.keyword for kind in PAPER_KINDS), *(("crash",) if crashing else ()))
    )
    for kind in kinds:
        if kind not in FAULTS:
            raise UsageError(f"unknown fault '{kind}'; it is one of {', '.join(FAULTS)}")
    where = _channels(system, channels)
    found = [Atom(kind, channel) for channel in where for kind in kinds if kind not in PROCESS_FAULTS]
    names = crashing if crashing is not None else system.names
    for kind in (kind for kind in kinds if kind in PROCESS_FAULTS):
        found += [Atom(kind, process=n) for n in names if _may_start(system, n, kind)]
    if not found:
        raise UsageError("there is nothing to try: name faults, channels or processes that the system has")
    return tuple(found)


def _channels(system: System, asked: Iterable[str | tuple[str, str]] | None) -> tuple[Channel, ...]:
    if asked is None:
        return system.channels
    chosen = tuple(dict.fromkeys(parse_channel(c) for c in asked))
    for channel in chosen:
        if channel not in system.channels:
            known = [str(c) for c in system.channels]
            raise UsageError(
                f"no message goes from {channel.sender} to {channel.receiver}; "
                f"channels here: {', '.join(known)}",
                hint=did_you_mean(str(channel), known),
            )
    return chosen


def _may_start(system: System, name: str, fault: str) -> bool:
    """A process that crashes in its automaton already does so in every failure model: that is no choice."""
    process = system[name]
    if fault != "crash":
        return not getattr(process, fault)
    return process.reliable and not any(t.action == Internal(CRASH_ACTION) for t in process.transitions)


def _size(count: int, asked: int | None) -> int:
    if asked is not None:
        if asked < 0:
            raise UsageError(f"a size must be at least 0, not {asked}")
        return min(asked, count)
    return count if count <= MOST_EXHAUSTIVE else 2


def _coverage(count: int, size: int, property: str, k: int, asked: int) -> str:
    which = (
        f"all {asked:,} failure models"
        if size == count
        else f"the {asked:,} sets of at most {size} of {count} choices"
    )
    return f"{which}, each asked at k = {k}, since {property} is not monotone"


class _Asking:
    """The question put to the lattice: does the property hold under this set of choices?"""

    def __init__(
        self,
        system: System,
        property: str,
        k: int,
        atoms: tuple[Atom, ...],
        corrupt_scope: str,
        file_faults: bool,
        limits: Limits,
        progress: Callable[[int, int | None], None] | None,
    ) -> None:
        self.system, self.property, self.k, self.atoms = system, property, k, atoms
        self.corrupt_scope, self.file_faults, self.limits = corrupt_scope, file_faults, limits
        self.progress, self.asked = progress, 0

    def __call__(self, choice: FaultChoice) -> Classified:
        self.asked += 1
        if self.progress is not None:
            self.progress(self.asked, None if self.property in MONOTONE else 2 ** len(self.atoms))
        verdict = self.check(choice, replay=False)[self.property]
        core = None
        if verdict.holds is False and verdict.witness is not None and self.property in MONOTONE:
            core = self._used(verdict.witness) & choice
        return Classified(verdict.holds, core)

    def check(self, choice: FaultChoice, replay: bool = True) -> Report:
        report = check(
            self.system,
            self.failures(choice),
            k=self.k,
            properties=[self.property],
            limits=self.limits,
            replay=replay,
            polish=replay,
        )
        if report.interrupted:  # else only this failure model would be left out, and the next one asked
            raise KeyboardInterrupt
        return report

    def failures(self, choice: FaultChoice) -> Failures:
        chosen = [self.atoms[i] for i in sorted(choice)]

        def on(fault: str) -> list[str | tuple[str, str]]:
            return [a.channel for a in chosen if a.fault == fault and a.channel is not None]

        wanted: dict[str, Any] = {kind.keyword: on(kind.keyword) for kind in KINDS}
        for fault in PROCESS_FAULTS:
            wanted[fault] = [a.process for a in chosen if a.process is not None and a.fault == fault]
        return Failures(**wanted, corrupt_scope=self.corrupt_scope, file_faults=self.file_faults)

    def _used(self, witness: Witness) -> FaultChoice:
        """The choices that a witness makes use of: it is a witness under those alone."""
        used: set[Atom] = set()
        for step in witness.steps:
            if not isinstance(step, Act):
                used.add(Atom(step.kind.keyword, step.channel))
            elif isinstance(step.action, Internal) and step.action.is_fault:
                used.add(Atom(step.action.fault or "crash", process=step.process))
        return frozenset(i for i, atom in enumerate(self.atoms) if atom in used)


def _frontier(
    asking: _Asking, found: LatticeFrontier, covered: str, monotone: bool, seconds: float
) -> Frontier:
    def named(choice: FaultChoice) -> tuple[Atom, ...]:
        return tuple(asking.atoms[i] for i in sorted(choice))

    breaking = []
    for choice in found.minimal_bad:
        report = asking.check(choice)
        breaking.append(Breaking(named(choice), report, report[asking.property]))
    return Frontier(
        system=asking.system,
        property=asking.property,
        k=None if monotone else asking.k,
        atoms=asking.atoms,
        tolerated=tuple(named(c) for c in found.maximal_good),
        breaking=tuple(breaking),
        undecided=tuple(named(c) for c in found.undecided),
        asked=found.asked,
        covered=covered,
        monotone=monotone,
        complete=found.complete,
        seconds=seconds,
    )


def in_words(atoms: Sequence[Atom]) -> str:
    """`loss on A→B, B→A · corruption on A→B`, or that nothing may go wrong."""
    groups: dict[str, list[str]] = {}
    for atom in atoms:
        if atom.channel is None:
            groups.setdefault(f"{atom.fault} of", []).append(str(atom.process))
        else:
            word, _, where = str(atom).partition(" on ")
            groups.setdefault(f"{word} on", []).append(where)
    return " · ".join(f"{what} {', '.join(where)}" for what, where in groups.items()) or "no failure at all"
