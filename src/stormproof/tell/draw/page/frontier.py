"""The frontier of tolerated failures as a section of the report page: a row per choice, a column per set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ....kernel.model.phrases import plural
from ....kernel.model.status import Status
from ....search.checks.report import Report
from ....surveys.choices import CHANNEL_FAULTS, PROCESS_FAULTS, Atom, fault_noun, in_words
from ....surveys.frontier import Frontier
from ....surveys.timer_modes import said_of_modes
from .report_data import VerdictMatrix, css_class


@dataclass(frozen=True)
class FrontierColumn:
    """A set of failures; `cell` is the verdict whose run shows how a breaking set breaks."""

    mark: str
    kind: str
    atoms: frozenset[Atom]
    cell: str | None = None


@dataclass(frozen=True)
class FrontierCell:
    """The effect of one choice; `cell` is the verdict whose run shows how it breaks."""

    sign: str
    kind: str
    cell: str | None = None


@dataclass(frozen=True)
class FrontierMap:
    """A row per channel or process, a column per fault; None where there is no such choice."""

    faults: tuple[str, ...]
    rows: Mapping[str, tuple[FrontierCell | None, ...]]


@dataclass(frozen=True)
class FrontierSection:
    """What the template of the section shows; of survival, sets of several choices only."""

    title: str
    facts: str
    maps: tuple[FrontierMap, ...]
    atoms: tuple[Atom, ...]
    heads: tuple[FrontierColumn, ...]
    lines: tuple[str, ...]


def breaking_reports(found: Frontier | None) -> dict[str, Report]:
    """The minimal breaking sets as failure models of the page, so that each opens its run."""
    return (
        {}
        if found is None
        else {f"{Status.VIOLATED.sign} {i}": b.report for i, b in enumerate(found.breaking, 1)}
    )


def frontier_section(found: Frontier, page: VerdictMatrix) -> FrontierSection:
    bound = "" if found.k is None else f" at k = {found.k}"
    budget = f", {found.budget}" if found.budget.limited else ""
    facts = f"{plural(len(found.tolerated), 'maximal tolerated set')}, "
    open_ = f"{plural(len(found.undecided), 'set')} undecided within the limits"
    rest = f"covered: {found.covered}" if found.complete else open_
    facts += f"{plural(len(found.breaking), 'minimal breaking set')}; {rest}."
    runs = _runs(found, page)
    several = not found.survival or any(len(b.atoms) > 1 for b in found.breaking)
    return FrontierSection(
        f"Frontier of {found.property}{bound}{budget}",
        facts,
        () if found.without_faults else tuple(_maps(found, runs)),
        tuple(found.atoms) if several else (),
        (*_tolerated(found), *_breaking(found, runs)) if several else (),
        tuple(_lines(found)),
    )


def _maps(found: Frontier, runs: Mapping[tuple[Atom, ...], str]) -> Iterator[FrontierMap]:
    for faults in (CHANNEL_FAULTS, PROCESS_FAULTS):
        atoms = {(a.place, a.fault): a for a in found.atoms if a.fault in faults}
        shown = [f for f in faults if any(f == fault for _, fault in atoms)]
        places = dict.fromkeys(place for place, _ in atoms)
        rows = {place: tuple(_cell(found, runs, atoms.get((place, f))) for f in shown) for place in places}
        if rows:
            yield FrontierMap(tuple(map(fault_noun, shown)), rows)


def _cell(found: Frontier, runs: Mapping[tuple[Atom, ...], str], atom: Atom | None) -> FrontierCell | None:
    if atom is None:
        return None
    return FrontierCell(found.sign(atom), css_class(found.status(atom)), runs.get((atom,)))


def _runs(found: Frontier, page: VerdictMatrix) -> dict[tuple[Atom, ...], str]:
    """Each breaking set with the verdict that opens its run."""
    runs = {}
    for mark, broken in zip(breaking_reports(found), found.breaking, strict=True):
        cell = page.cells.get((mark, broken.verdict.property))
        if cell is not None and cell.run is not None:
            runs[broken.atoms] = cell.id
    return runs


def _tolerated(found: Frontier) -> list[FrontierColumn]:
    return [
        FrontierColumn(f"{t.status.sign} {i}", css_class(t.status), frozenset(t.atoms))
        for i, t in enumerate(found.tolerated, 1)
    ]


def _breaking(found: Frontier, runs: Mapping[tuple[Atom, ...], str]) -> list[FrontierColumn]:
    return [
        FrontierColumn(mark, css_class(Status.VIOLATED), frozenset(broken.atoms), runs.get(broken.atoms))
        for mark, broken in zip(breaking_reports(found), found.breaking, strict=True)
    ]


def _lines(found: Frontier) -> list[str]:
    lines = [f"note: {note}" for note in found.notes]
    lines += [_line("tolerates", t.atoms, found.extent(t)) for t in found.tolerated]
    lines += [_line("breaks at", b.atoms, found.reason(b)) for b in found.breaking]
    lines += [_line("undecided", atoms) for atoms in found.undecided]
    return lines + ([f"timers: {said_of_modes(found.timers)}"] if found.timers else [])


def _line(what: str, atoms: Sequence[Atom], why: str = "") -> str:
    return f"{what}: {in_words(atoms)}" + (f" ({why})" if why else "")
