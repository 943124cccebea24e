"""Evidence for the properties that hold: for each a complete run that shows it, the run that needs the least
bound, and the transitions that no run takes.

One run may show several properties, and is then listed once. Where the failure model has faults or crashes, a
run with one of them is searched for first: it shows how the protocol copes with it. The trusted kernel
replays every run, and what it shows is read off the run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...errors import UsageError
from ...kernel.model.part import in_part
from ...kernel.model.phrases import listed
from ...kernel.model.status import REPLAYED
from ...kernel.model.system import System
from ..checks.properties import RSC, base_names
from ..checks.report import Report, Verdict
from ..engine.effort import Effort
from ..narrate.narrative import Narrative
from .coverage import Coverage, coverage
from .demonstrate import Shown, demonstrable, shown, wish
from .sample_runs import BUDGET, Sample, Wish, sample

#: The configurations of all searches for runs together.
WHOLE_BUDGET = 200_000

#: The kinds of runs that do not get stuck.
_GOOD = ("ends", "round", "loop")


class Example(NamedTuple):
    """A run and what it shows, by property; `bounds` are those of the verdicts."""

    run: Sample
    shows: dict[str, str]
    bounds: dict[str, int | None]

    def to_json(self) -> dict[str, Any]:
        shows = [
            {"property": name, "k": self.bounds[name], "text": text} for name, text in self.shows.items()
        ]
        return {**self.run.to_json(), "shows": shows}


@dataclass(frozen=True)
class Examples:
    """`least` is the number of the run that needs the least bound among the complete ones."""

    system: System
    runs: tuple[Example, ...]
    least: int | None
    missing: tuple[str, ...]
    coverage: Coverage

    def to_json(self) -> dict[str, Any]:
        least = None if self.least is None else {"k": self.runs[self.least].run.k, "run": self.least}
        return {
            "runs": [example.to_json() for example in self.runs],
            "least_k": least,
            "missing": list(self.missing),
            "coverage": self.coverage.to_json(),
        }

    def of(self, property: str) -> Example | None:
        """The run that shows a property."""
        return next((example for example in self.runs if property in example.shows), None)

    def title(self, example: Example) -> str:
        """Which properties a run is for, its size, and how it is complete."""
        names = listed(example.shows) or "the least bound"
        size = Narrative(self.system, example.run.witness).size()
        return f"{names}: {size}, k = {example.run.k}, {REPLAYED}; {example.run.closing}"

    def lines(self, example: Example) -> list[tuple[str, str]]:
        """What a run shows; of a conjunction all of whose parts it shows nothing is left to say."""
        by_text: dict[str, list[str]] = {}
        for name, text in example.shows.items():
            parts = base_names([name])
            if parts == (name,) or not set(parts) <= set(example.shows):
                by_text.setdefault(text, []).append(name)
        return [(", ".join(names), text) for text, names in by_text.items()]

    def remarks(self) -> Iterator[str]:
        """Remarks beside the runs."""
        if self.least is not None:
            k = self.runs[self.least].run.k
            less = "; none that needs less was found" if k > 1 else ", the least there is"
            which = f", run {self.least + 1}," if len(self.runs) > 1 else ""
            yield f"least bound: a run that ends or repeats{which} needs k = {k}{less}"
        if self.missing:
            shown = listed(self.missing)
            yield f"no complete run that shows {shown} was found within the limits of the search"
        if self.least is None:
            yield "no run that ends or repeats was found within the limits of the search"
        yield str(self.coverage)


def examples(
    report: Report, k: int | None = None, budget: int = BUDGET, whole: int = WHOLE_BUDGET
) -> Examples:
    """Runs for all that holds, and coverage at `k`, by default the largest bound that a verdict speaks of."""
    if in_part(report.system):
        said = "sample runs and coverage are found in whole automata, and these are made in part"
        raise UsageError(said, hint="leave out --examples, or give variables fewer values")
    bound = k or max([1, *(v.k or v.witness_k or 1 for v in report)])
    held = [v for v in report if v.holds and demonstrable(v.property)]
    finder = _Finder(report, bound, budget, Effort(whole))
    # What asks for more first: its run may show the others too.
    for verdict in sorted(held, key=_demand):
        finder.provide(verdict)
    chosen, missing = finder.chosen(held)
    least = finder.least([run for run, _ in chosen])
    if least is not None and all(least != run for run, _ in chosen):
        chosen.append((least, {}))
    bounds = {v.property: v.k for v in held}
    runs = tuple(Example(run, shows, {name: bounds[name] for name in shows}) for run, shows in chosen)
    where = next((i for i, example in enumerate(runs) if example.run == least), None)
    return Examples(report.system, runs, where, missing, coverage(report.system, report.model, bound, budget))


def _demand(verdict: Verdict) -> tuple[bool, int]:
    return verdict.property != RSC.name, -len(base_names([verdict.property]))


class _Finder:
    """Searches, none of them twice, and the runs that they have found."""

    def __init__(self, report: Report, bound: int, budget: int, effort: Effort) -> None:
        self.report, self.bound, self.budget, self.effort = report, bound, budget, effort
        self.pool: list[Sample] = []
        self.searched: dict[tuple[str, int, bool], Sample | None] = {}
        fallible = not report.model.perfect or bool(report.model.unreliable)
        self.faults = (True, False) if fallible else (False,)

    def sample(self, wanted: Wish, k: int, fault: bool) -> Sample | None:
        key = (wanted.name, k, fault)
        if key not in self.searched:
            system, model = self.report.system, self.report.model
            self.searched[key] = sample(
                system, model, k, wanted, fault=fault, budget=self.budget, effort=self.effort
            )
        return self.searched[key]

    def shown(self, verdict: Verdict, run: Sample) -> Shown | None:
        return shown(self.report.system, verdict.property, verdict.k or self.bound, run)

    def best(self, verdict: Verdict, first: Sequence[Sample] = ()) -> tuple[Sample, Shown] | None:
        """A run that shows the property wholly and goes on well, or comes nearest to that; `first` those."""
        found = [(run, self.shown(verdict, run)) for run in (*first, *self.pool)]
        fitting = [(run, words) for run, words in found if words is not None]
        return max(fitting, key=lambda pair: (pair[1].whole, pair[0].kind in _GOOD), default=None)

    def provide(self, verdict: Verdict) -> None:
        """Search for a run that shows the property, unless there is one."""
        best, k = self.best(verdict), verdict.k or self.bound
        if best is not None and best[1].whole and best[0].kind in _GOOD:
            return
        wanted = wish(self.report.system, verdict.property, k)
        for fault in self.faults:
            for hope in (wanted, Wish()) if wanted.name else (wanted,):
                run = self.sample(hope, k, fault)
                words = None if run is None else self.shown(verdict, run)
                if run is None or words is None:
                    continue
                if run not in self.pool:
                    self.pool.append(run)
                if words.whole and run.kind in _GOOD:
                    return

    def chosen(self, held: list[Verdict]) -> tuple[list[tuple[Sample, dict[str, str]]], tuple[str, ...]]:
        """The runs that are needed, with what each shows; the run of a conjunction serves for its parts."""
        found: dict[str, tuple[Sample, Shown]] = {}
        for verdict in sorted(held, key=lambda v: -len(base_names([v.property]))):
            whole = [run for name, (run, _) in found.items() if verdict.property in base_names([name])]
            best = self.best(verdict, whole)
            if best is not None:
                found[verdict.property] = best
        names = [v.property for v in held]
        chosen: list[tuple[Sample, dict[str, str]]] = []
        for run, _ in (found[name] for name in names if name in found):
            if all(run != other for other, _ in chosen):
                shows = {
                    name: found[name][1].text for name in names if name in found and found[name][0] == run
                }
                chosen.append((run, shows))
        return chosen, tuple(name for name in names if name not in found)

    def least(self, runs: list[Sample]) -> Sample | None:
        """A run that ends or repeats and needs the least bound of those found."""
        for k in range(1, self.bound + 1):
            known = [run for run in runs if run.kind in _GOOD and run.k <= k]
            if known:
                return known[0]
            for fault in reversed(self.faults):
                run = self.sample(Wish(), k, fault)
                if run is not None and run.kind in _GOOD:
                    return run
                if run is not None and run.kind == "cut":
                    return None  # larger bounds have still more configurations
        return None
