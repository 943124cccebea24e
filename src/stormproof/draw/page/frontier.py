"""The frontier of tolerated failures as a section of the report page: a row per choice, a column per set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...checks.report import Report
from ...model.phrases import plural
from ...surveys.frontier import Atom, Frontier, in_words
from .report_data import VerdictMatrix


@dataclass(frozen=True)
class FrontierColumn:
    """A set of failures; `cell` is the verdict whose run shows how a breaking set breaks."""

    mark: str
    kind: str
    atoms: frozenset[Atom]
    cell: str | None = None


@dataclass(frozen=True)
class FrontierSection:
    """What the template of the section shows."""

    title: str
    facts: str
    atoms: tuple[Atom, ...]
    heads: tuple[FrontierColumn, ...]
    lines: tuple[str, ...]


def breaking_reports(found: Frontier) -> dict[str, Report]:
    """The minimal breaking sets as failure models of the page, so that each opens its run."""
    return {f"✘ {i}": b.report for i, b in enumerate(found.breaking, 1)}


def with_frontier(reports: Mapping[str, Report], found: Frontier | None) -> dict[str, Report]:
    """The failure models of a page, those of the frontier after the others."""
    return {**reports, **(breaking_reports(found) if found is not None else {})}


def frontier_section(found: Frontier, page: VerdictMatrix) -> FrontierSection:
    bound = "" if found.k is None else f" at k = {found.k}"
    facts = f"{plural(len(found.tolerated), 'maximal tolerated set')}, "
    facts += f"{plural(len(found.breaking), 'minimal breaking set')}; covered: {found.covered}."
    title, heads = f"Frontier of {found.property}{bound}", (*_tolerated(found), *_breaking(found, page))
    return FrontierSection(title, facts, tuple(found.atoms), heads, tuple(_lines(found)))


def _tolerated(found: Frontier) -> list[FrontierColumn]:
    return [FrontierColumn(f"✔ {i}", "holds", frozenset(s)) for i, s in enumerate(found.tolerated, 1)]


def _breaking(found: Frontier, page: VerdictMatrix) -> list[FrontierColumn]:
    columns = []
    for mark, broken in zip(breaking_reports(found), found.breaking, strict=True):
        cell = page.cells.get((mark, found.property))
        run = None if cell is None or cell.run is None else cell.id
        columns.append(FrontierColumn(mark, "violated", frozenset(broken.atoms), run))
    return columns


def _lines(found: Frontier) -> list[str]:
    lines = [_line("tolerates", atoms) for atoms in found.tolerated]
    lines += [_line("breaks at", b.atoms, b.verdict.reason) for b in found.breaking]
    return lines + [_line("undecided", atoms) for atoms in found.undecided]


def _line(what: str, atoms: Sequence[Atom], why: str = "") -> str:
    return f"{what}: {in_words(atoms)}" + (f" ({why})" if why else "")
