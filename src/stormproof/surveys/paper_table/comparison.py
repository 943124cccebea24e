"""The paper's table beside ours: agreements counted, and a certificate for every difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .differences import contradicted, grounds
from .matrix import Cell, Column, Matrix
from .published import TIMEOUT, Published, published


@dataclass(frozen=True)
class CellDifference:
    """A cell that is not the published one. `kind` and `certificate` are as `grounds` has them."""

    cell: Cell
    published: bool
    kind: str
    certificate: str

    def to_json(self) -> dict[str, Any]:
        return {
            "protocol": self.cell.protocol,
            "failures": self.cell.failures,
            "property": self.cell.property,
            "semantics": self.cell.semantics,
            "published": self.published,
            "ours": self.cell.holds,
            "kind": self.kind,
            "certificate": self.certificate,
        }


@dataclass(frozen=True)
class Impossible:
    """A published cell that contradicts a theorem, whatever the faults do exactly."""

    row: str
    column: Column
    published: bool
    theorem: str

    def to_json(self) -> dict[str, Any]:
        return {
            "row": self.row,
            "failures": self.column.failures,
            "property": self.column.property,
            "published": self.published,
            "theorem": self.theorem,
        }


@dataclass(frozen=True)
class Count:
    """Agreements in one column: `same` of `of` decided cells; `timeouts` were not decided in the paper."""

    column: Column
    semantics: str
    same: int
    of: int
    timeouts: int


@dataclass(frozen=True)
class PaperComparison:
    matrix: Matrix
    rows: Mapping[str, Published]
    counts: tuple[Count, ...]
    differences: tuple[CellDifference, ...]
    impossible: tuple[Impossible, ...]

    def total(self, semantics: str, failures: str, *names: str) -> tuple[int, int]:
        """Agreements and decided cells over some columns of a failure model."""
        chosen = [
            c
            for c in self.counts
            if c.semantics == semantics and c.column.failures == failures and c.column.property in names
        ]
        return sum(c.same for c in chosen), sum(c.of for c in chosen)

    def to_json(self) -> dict[str, Any]:
        return {
            **self.matrix.to_json(),
            "paper": {
                "published": [
                    {"protocol": name, "failures": c.failures, "property": c.property, "holds": value}
                    for name, row in self.rows.items()
                    for c, value in row.cells.items()
                ],
                "agreements": [
                    {
                        "semantics": c.semantics,
                        "failures": c.column.failures,
                        "property": c.column.property,
                        "same": c.same,
                        "of": c.of,
                        "timeouts": c.timeouts,
                    }
                    for c in self.counts
                ],
                "differences": [d.to_json() for d in self.differences],
                "impossible": [i.to_json() for i in self.impossible],
            },
        }


def compare(matrix: Matrix) -> PaperComparison:
    """Put the published cells beside the matrix; rows that the paper does not have are left out."""
    known = {r.protocol: r for r in published() if r.protocol is not None}
    rows = {name: known[name] for name in matrix.protocols if name in known}
    counts, differences = [], []
    for semantics in matrix.semantics:
        for column in matrix.columns:
            pairs = [(matrix.cell(n, column, semantics), r.cells.get(column)) for n, r in rows.items()]
            decided = [(c, p) for c, p in pairs if isinstance(p, bool) and c.holds is not None]
            same = sum(c.holds == p for c, p in decided)
            timeouts = sum(p == TIMEOUT for _, p in pairs)
            counts.append(Count(column, semantics, same, len(decided), timeouts))
            differences += [
                _difference(c, p, rows[c.protocol], matrix.max_k) for c, p in decided if c.holds != p
            ]
    order = {name: i for i, name in enumerate(matrix.protocols)}
    differences.sort(key=lambda d: (order[d.cell.protocol], d.cell.semantics))
    return PaperComparison(matrix, rows, tuple(counts), tuple(differences), impossible())


def _difference(cell: Cell, value: bool, row: Published, max_k: int) -> CellDifference:
    return CellDifference(cell, value, *grounds(cell, row, max_k))


def impossible() -> tuple[Impossible, ...]:
    """The published cells, of all 32 rows, that no reading of the definitions allows."""
    return tuple(
        Impossible(f"{row.row} [{row.cites}]", column, value, theorem)
        for row in published()
        for column, value in row.cells.items()
        if isinstance(value, bool) and (theorem := contradicted(row, column))
    )
