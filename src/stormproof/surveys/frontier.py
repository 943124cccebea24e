"""Exactly which failures a protocol tolerates: the maximal tolerated sets and the minimal that break it.

The choices are one fault on one channel, or one fault of one process. Survival, requirements, RSC and
half-duplex only get worse with more of them, so their frontier is found exactly by searching the lattice. The
k-properties are not monotone (a fault can break and repair them): they are asked at one k, for every set
while there are few choices, and beyond that for every set up to a size.
"""

from __future__ import annotations

import builtins
import functools
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from ..errors import UsageError
from ..kernel.model.arguments import check_arguments
from ..kernel.model.budget import NO_BUDGET, Budget
from ..kernel.model.faults import PAPER_KINDS
from ..kernel.model.status import Status, status_of
from ..kernel.model.system import System
from ..limits import Limits, as_a_whole, is_over, why_interrupted
from ..options import Options, QuietKnobs
from ..search.checks.properties import CRASH_HANDLING, undefined_under
from ..search.checks.report import Report, Verdict
from ..search.engine.effort import within
from .antichains import (
    Classified,
    FaultChoice,
    LatticeFrontier,
    exhaustive_frontier,
    monotone_frontier,
    subsets,
)
from .choices import (
    CRASH,
    FAULTS,
    Atom,
    choices,
    crashes_left_out,
    failures_of,
    process_assumptions,
    used_choices,
)
from .claims import SURVIVAL, Asked, asked_of, decisive, requirement_of
from .timer_modes import ByTimers, by_timers, modes_to_json

if TYPE_CHECKING:
    from typing_extensions import Unpack

MOST_EXHAUSTIVE = 12


@dataclass(frozen=True)
class Tolerated:
    """A tolerated set; of survival, for storms with at most `up_to` messages per channel, None for any."""

    atoms: tuple[Atom, ...]
    up_to: int | None = None

    @builtins.property
    def status(self) -> Status:
        return status_of(True, self.up_to)


@dataclass(frozen=True)
class Breaking:
    """A minimal breaking set, with the verdict and its witness."""

    atoms: tuple[Atom, ...]
    report: Report
    verdict: Verdict


@dataclass(frozen=True)
class Frontier:
    """`covered` says in words for which sets the two halves are exact; `alone` is the verdict on each choice
    by itself, where it was asked; `timers` that on none of them, with timers at any time and on time, of a
    protocol that has timers."""

    system: System
    property: str
    k: int | None
    atoms: tuple[Atom, ...]
    tolerated: tuple[Tolerated, ...]
    breaking: tuple[Breaking, ...]
    undecided: tuple[tuple[Atom, ...], ...]
    asked: int
    covered: str
    monotone: bool
    complete: bool
    seconds: float
    alone: Mapping[Atom, Verdict] = field(default_factory=dict)
    survival: bool = False
    notes: tuple[str, ...] = ()
    budget: Budget = NO_BUDGET
    timers: ByTimers = field(default_factory=dict)

    def part(self, atom: Atom) -> str:
        """What one choice does: `alone` it breaks the property, or only `together` with others, in a minimal
        breaking set; `open`: its effect alone was not decided; `` otherwise."""
        return self._parts.get(atom, "")

    @functools.cached_property
    def _parts(self) -> dict[Atom, str]:
        """Of every choice that is not tolerated: there may be thousands, and as many undecided sets."""
        parts = {atoms[0]: "open" for atoms in self.undecided if len(atoms) == 1}
        parts |= {atom: "together" for b in self.breaking for atom in b.atoms}
        return parts | {b.atoms[0]: "alone" for b in self.breaking if len(b.atoms) == 1}

    @functools.cached_property
    def _broken_alone(self) -> dict[Atom, Verdict]:
        return {b.atoms[0]: b.verdict for b in self.breaking if len(b.atoms) == 1}

    def by_itself(self, atom: Atom) -> Verdict | None:
        """The verdict under this choice alone, where it was asked: its number of faults, or its extent."""
        return self._broken_alone.get(atom, self.alone.get(atom))

    def sign(self, atom: Atom) -> str:
        """`✔`, `◐` up to some channel length, `✘ 2` where two faults break it, `✘ ≤2` where fewer are not
        excluded, `✘+` and `?`."""
        part, verdict = self.part(atom), self.by_itself(atom)
        mark = self.status(atom).sign + (BESIDE if part == "together" else "")
        if verdict is None or verdict.holds is not False or not self.survival:
            return mark
        return f"{mark} {'' if verdict.fewest else '≤'}{verdict.faults}"

    def status(self, atom: Atom) -> Status:
        """What the answer to this choice amounts to, by itself or as part of a larger set."""
        part = self.part(atom)
        if part:
            return Status.UNDECIDED if part == "open" else Status.VIOLATED
        verdict = self.by_itself(atom)
        sets = [t.up_to for t in self.tolerated if atom in t.atoms]
        lengths = sets if verdict is None else [*sets, verdict.up_to]
        longest = None if None in lengths else max((n for n in lengths if n is not None), default=None)
        return status_of(True, longest if self.survival else None)

    def extent(self, tolerated: Tolerated) -> str:
        """For which channels a set is tolerated; of a k-property `k` says it, and RSC has no bound."""
        if not self.survival:
            return ""
        up_to = tolerated.up_to
        return "any channel length" if up_to is None else f"up to channels of length {up_to}"

    def reason(self, breaking: Breaking) -> str:
        """Which requirement breaks, where that is not what was asked for, and how."""
        name = requirement_of(breaking.verdict, self.property)
        return (f"{name}: " if name else "") + breaking.verdict.reason

    @builtins.property
    def without_faults(self) -> Breaking | None:
        """The violation that needs no fault, which is then the whole answer."""
        return next((b for b in self.breaking if not b.atoms), None)

    @builtins.property
    def models(self) -> int:
        return int(2 ** len(self.atoms))

    @builtins.property
    def models_in_words(self) -> str:
        return _count_of_sets(len(self.atoms))

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

    def __bool__(self) -> bool:
        return self.exit_code == 0

    def rows(self) -> list[dict[str, Any]]:
        """A row per choice, for pandas.DataFrame(...) or polars.DataFrame(...)."""
        columns = ("fault", "from", "to", "process", "effect", "status", "faults", "fewest", "up_to")
        return [{c: self._choice_to_json(atom).get(c) for c in columns} for atom in self.atoms]

    def to_json(self) -> dict[str, Any]:
        """What `frontier --json` prints; schemas/frontier.schema.json describes it."""
        return {
            "stormproof": 1,
            "name": self.system.name,
            "property": self.property,
            "k": self.k,
            "budget": self.budget.to_json(),
            "choices": [self._choice_to_json(atom) for atom in self.atoms],
            "tolerated": [
                {
                    "choices": [a.to_json() for a in t.atoms],
                    "status": t.status.value,
                    "up_to": t.up_to,
                }
                for t in self.tolerated
            ],
            "breaking": [
                {"choices": [a.to_json() for a in b.atoms], "verdict": b.verdict.to_json()}
                for b in self.breaking
            ],
            "undecided": [[a.to_json() for a in atoms] for atoms in self.undecided],
            "asked": self.asked,
            "failure_models": self.models if len(self.atoms) < _MOST_COUNTED else None,
            "covered": self.covered,
            "monotone": self.monotone,
            "complete": self.complete,
            "notes": list(self.notes),
            **({"timers": modes_to_json(self.timers)} if self.timers else {}),
            "seconds": round(self.seconds, 6),
        }

    def _choice_to_json(self, atom: Atom) -> dict[str, Any]:
        data: dict[str, Any] = {**atom.to_json(), "effect": EFFECTS[self.part(atom)]}
        data["status"] = self.status(atom).value
        verdict = self.by_itself(atom)
        if verdict is not None and self.survival:
            data |= {"faults": verdict.faults, "fewest": verdict.fewest, "up_to": verdict.up_to}
        return data


#: Of so many choices the number of sets has more digits than Python writes.
_MOST_COUNTED = 10_000


def _count_of_sets(choices: int) -> str:
    return f"{2**choices:,}" if choices <= 64 else f"2^{choices}"


#: Behind the sign of a choice that breaks the property only together with others.
BESIDE = "+"

#: What JSON calls the effect of one choice, as `Frontier.part` names it.
EFFECTS = {"alone": "breaks", "together": "breaks together", "open": "undecided", "": "tolerated"}


@as_a_whole
def frontier(
    system: System,
    property: str = SURVIVAL,
    *,
    k: int | None = None,
    faults: Iterable[str] | None = None,
    channels: Iterable[str | tuple[str, str]] | None = None,
    processes: Iterable[str] | None = None,
    corrupt_scope: str = "channel",
    file_faults: bool = False,
    max_size: int | None = None,
    budget: Budget = NO_BUDGET,
    progress: Callable[[int, int | None], None] | None = None,
    **knobs: Unpack[QuietKnobs],
) -> Frontier:
    """The failures that a system tolerates with respect to survival, a requirement or a property.

    `faults`, `channels` and `processes` say which choices count; by default every fault on every channel in
    use and of every process, for other properties than survival the three interferences of the paper. With
    `file_faults` what the file declares is there in every failure model. `max_size` asks a k-property for all
    sets up to that size only. `limits` is for all checks together; `effort` is shared among them, and a set
    of several choices takes no longer than it.
    """
    check_arguments(system)
    if property == CRASH_HANDLING.name:
        raise UsageError(
            "crash-handling has no frontier: it does not depend on the failures of channels",
            hint="`stormproof crash` says what is missing, and for which processes",
        )
    base = system if file_faults else system.with_unreliable(())
    asked = asked_of(base, property)
    if max_size is not None and asked.monotone:
        raise UsageError(
            f"the frontier of {asked.name} covers failures of every size, as more faults only make it worse",
            hint="remove --max-size",
        )
    if faults is None and not asked.survival:
        faults = (*(kind.keyword for kind in PAPER_KINDS), *((CRASH,) if processes is not None else ()))
    atoms = choices(base, faults, channels, processes, as_written=asked.monotone, declared=file_faults)
    model = _Model(corrupt_scope, file_faults, budget, as_written=asked.monotone)
    _refuse_undefined(asked, atoms, model)
    survey = _Survey(asked, k, atoms, model, Options().but(**knobs), progress)
    notes = process_assumptions({atom.fault for atom in atoms})
    notes += crashes_left_out(system) if asked.monotone else ()
    found = survey.frontier(max_size)
    notes += (survey.interrupted,) if survey.interrupted else ()
    return replace(found, notes=notes)


@dataclass(frozen=True)
class _Model:
    """What all failure models of a frontier have in common."""

    corrupt_scope: str
    file_faults: bool
    budget: Budget
    as_written: bool


def _refuse_undefined(asked: Asked, atoms: tuple[Atom, ...], model: _Model) -> None:
    """Refuse faults under which the property has no meaning."""
    system = asked.system
    failures = failures_of(system, atoms, **vars(model)).on(system)
    for name in asked.properties:
        if why := undefined_under(name, failures, model.budget, system.mailboxes):
            raise UsageError(why, hint="leave that out, or ask for survival")


#: The configurations that a check of several choices may explore at each bound, whatever the effort.
MOST_FOR_A_SET = 20_000


class _Survey:
    """The question put to the lattice: does the property hold under this set of choices?"""

    def __init__(
        self,
        asked: Asked,
        k: int | None,
        atoms: tuple[Atom, ...],
        model: _Model,
        options: Options,
        progress: Callable[[int, int | None], None] | None,
    ) -> None:
        self.asked, self.atoms, self.options, self.progress = asked, atoms, options, progress
        self.k = k if asked.survival else k or 1
        self.model = model
        #: Half of the effort is for the choices by themselves, and a quarter for none of them, which decides
        #: whether one fault is the fewest.
        self.effort = options.effort // (2 * len(atoms))
        self.questions, self.started = 0, time.monotonic()
        #: After Ctrl-C or the deadline nothing more is asked; the note that says so.
        self.interrupted = ""
        self.verdicts: dict[FaultChoice, Verdict] = {}
        self.reports: dict[FaultChoice, Report] = {}
        #: What a run has shown to break it -> the larger set for which the run was found.
        self.shown: dict[FaultChoice, FaultChoice] = {}

    def frontier(self, max_size: int | None) -> Frontier:
        asked, count = self.asked, len(self.atoms)
        if asked.monotone:
            groups = [frozenset(i for i in range(count) if self.atoms[i].fault == f) for f in FAULTS]
            found = monotone_frontier(count, self, singly=asked.survival, groups=groups)
            covered = f"all {_count_of_sets(count)} failure models, "
            covered += f"since {asked.name} only gets worse with more faults"
        else:
            size = _size(count, max_size)
            found = exhaustive_frontier(subsets(count, size), self)
            covered = _coverage(count, size, asked.name, self.k or 1, found.asked)
        if not found.complete and is_over():
            self.stop()
        return self._result(found, covered, self.by_timers())

    def by_timers(self) -> ByTimers:
        """Survival is asked again with timers in the other mode; to the classes of the paper they are
        internal actions."""
        if not self.asked.survival:
            return {}
        return by_timers(self.asked.system, self.verdicts.get(frozenset()), self.in_mode)

    def in_mode(self, timers: str) -> Verdict | None:
        if self.interrupted or is_over():
            self.stop()
            return None
        report = self.check(frozenset(), replay=False, timers=timers)
        if report.interrupted:
            self.stop()
        return decisive(report)

    def __call__(self, choice: FaultChoice) -> Classified:
        if is_over():
            self.stop()
        if self.interrupted:
            return Classified(None)
        self.questions += 1
        if self.progress is not None:
            self.progress(self.questions, None if self.asked.monotone else 2 ** len(self.atoms))
        report = self.check(choice, replay=self.asked.survival)
        if report.interrupted:
            self.stop()
        verdict = self.decisive(report)
        self.verdicts[choice] = verdict
        if verdict.holds is False:
            self.reports[choice] = report
        core = None
        if verdict.holds is False and verdict.witness is not None and self.asked.monotone:
            used = used_choices(verdict.witness)
            core = frozenset(i for i in choice if self.atoms[i] in used)
            self.shown.setdefault(core, choice)
        return Classified(verdict.holds, core)

    def stop(self) -> None:
        self.interrupted = f"{why_interrupted()}: what was not asked by then is undecided"

    def decisive(self, report: Report) -> Verdict:
        """One fault is the fewest where everything holds without any, for channels of any length."""
        verdict, without = decisive(report), self.verdicts.get(frozenset())
        holds = without is not None and without.holds and without.up_to is None
        one = self.asked.survival and verdict.holds is False and verdict.faults == 1
        return replace(verdict, fewest=True) if holds and one else verdict

    def check(self, choice: FaultChoice, replay: bool = True, timers: str = "") -> Report:
        failures = failures_of(self.asked.system, self.named(choice), **vars(self.model))
        failures = replace(failures, timers=timers)
        whole = self.options
        limits = whole.limits if len(choice) < 2 or not self.asked.survival else self.for_sets
        effort = self.effort if choice else max(self.effort, whole.effort // 4)
        options = replace(whole, limits=limits, effort=effort)
        return self.asked.check(failures, self.k, options if replay else options.without_runs())

    @builtins.property
    def for_sets(self) -> Limits:
        """A set of several choices may take as much as all choices by themselves."""
        return within(self.options.limits, max(self.options.effort, MOST_FOR_A_SET))

    def named(self, choice: FaultChoice) -> tuple[Atom, ...]:
        return tuple(self.atoms[i] for i in sorted(choice))

    def _result(self, found: LatticeFrontier, covered: str, timers: ByTimers) -> Frontier:
        asked = self.asked
        return Frontier(
            system=asked.system,
            property=asked.name,
            k=self.k if asked.survival or not asked.monotone else None,
            atoms=self.atoms,
            tolerated=tuple(Tolerated(self.named(c), self.verdicts[c].up_to) for c in found.maximal_good),
            breaking=tuple(self._breaking(c) for c in found.minimal_bad),
            undecided=tuple(self.named(c) for c in found.undecided),
            asked=found.asked,
            covered=covered,
            monotone=asked.monotone,
            complete=found.complete,
            seconds=time.monotonic() - self.started,
            alone={
                self.atoms[i]: v for choice, v in self.verdicts.items() if len(choice) == 1 for i in choice
            },
            survival=asked.survival,
            budget=self.model.budget,
            timers=timers,
        )

    def replayed(self, choice: FaultChoice) -> Report:
        """The report on a choice; what was asked without replay is asked again if there is time."""
        known = self.reports.get(choice)
        if known is not None and (self.asked.survival or self.interrupted):
            return known
        report = self.check(choice)
        cut = report.interrupted or is_over()
        return known if cut and known is not None and decisive(report).holds is None else report

    def _breaking(self, choice: FaultChoice) -> Breaking:
        """The run may have been found under more failures, which explore another bound within the effort."""
        report = self.replayed(choice)
        if decisive(report).holds is not False and choice in self.shown:
            report = self.replayed(self.shown[choice])
        return Breaking(self.named(choice), report, self.decisive(report))


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
