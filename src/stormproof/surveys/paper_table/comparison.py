"""The paper's table beside ours: agreements counted, and a certificate and a cause for every difference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ...limits import Limits
from ..campaign.jobs import load_source
from .differences import contradicted, grounds
from .matrix import AS_RUN_MAX_K, Cell, Column, Matrix
from .peer_rows import missing_rows
from .published import TIMEOUT, Published, published
from .third_reading import CONJECTURED, IMPOSSIBLE, OPEN, REPRODUCED, Cause, cause


@dataclass(frozen=True)
class CellDifference:
    """A cell that is not the published one. `kind` and `certificate` are as `grounds` has them; `cause` says
    why the published one is what it is, where that is known."""

    cell: Cell
    published: bool
    kind: str
    certificate: str
    cause: Cause

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
            "status": self.cause.status,
            "cause": self.cause.words,
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
class Balance:
    """The published cells of the rows compared, under one semantics: what became of each.

    `conjectured`: reproduced if a file that is not public lost its first machine, as other files did."""

    semantics: str
    cells: int
    agreeing: int
    reproduced: int
    conjectured: int
    impossible: int
    open: int
    undecided: int

    def to_json(self) -> dict[str, Any]:
        return dict(vars(self))


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

    def title(self, protocol: str) -> str:
        """What a row is called: the name in the library or, of a peer's file, the name in the table."""
        row = self.rows.get(protocol)
        return protocol if row is None or protocol in (row.protocol, row.part) else row.row

    @property
    def missing(self) -> tuple[Published, ...]:
        """The rows of the paper's table that are not compared."""
        return missing_rows(self.rows)

    @property
    def balances(self) -> tuple[Balance, ...]:
        return tuple(self._balance(semantics) for semantics in self.matrix.semantics)

    def _balance(self, semantics: str) -> Balance:
        here = [d.cause.status for d in self.differences if d.cell.semantics == semantics]
        decided = [c for c in self.counts if c.semantics == semantics]
        cells = sum(
            isinstance(row.cells.get(column), bool)
            for row in self.rows.values()
            for column in self.matrix.columns
        )
        return Balance(
            semantics,
            cells=cells,
            agreeing=sum(c.same for c in decided),
            reproduced=here.count(REPRODUCED),
            conjectured=here.count(CONJECTURED),
            impossible=here.count(IMPOSSIBLE),
            open=here.count(OPEN),
            undecided=cells - sum(c.of for c in decided),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            **self.matrix.to_json(),
            "paper": {
                "balance": [b.to_json() for b in self.balances],
                "not_compared": [row.row for row in self.missing],
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


def compare(
    matrix: Matrix, peers: Mapping[str, Published] | None = None, limits: Limits | None = None
) -> PaperComparison:
    """Put the published cells beside the matrix; rows that the paper does not have are left out.

    `peers`: the rows of files that are not in the library. `limits`: those of a cell's third reading.
    """
    known = {name: r for r in published() for name in (r.protocol, r.part) if name} | dict(peers or {})
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
                _difference(c, p, rows[c.protocol], matrix, limits or Limits())
                for c, p in decided
                if c.holds != p
            ]
    order = {name: i for i, name in enumerate(matrix.protocols)}
    differences.sort(key=lambda d: (order[d.cell.protocol], d.cell.semantics))
    return PaperComparison(matrix, rows, tuple(counts), tuple(differences), impossible())


def _difference(cell: Cell, value: bool, row: Published, matrix: Matrix, limits: Limits) -> CellDifference:
    column = Column(cell.failures, cell.property)
    known = matrix.max_k >= AS_RUN_MAX_K
    encoded = matrix.cells.get((cell.protocol, column, "encoding")) if known else None
    why = cause(cell, value, row, load_source(cell.protocol), limits, encoded)
    return CellDifference(cell, value, *grounds(cell, row, matrix.max_k), why)


def impossible() -> tuple[Impossible, ...]:
    """The published cells, of all 32 rows, that no reading of the definitions allows."""
    return tuple(
        Impossible(f"{row.row} [{row.cites}]", column, value, theorem)
        for row in published()
        for column, value in row.cells.items()
        if isinstance(value, bool) and (theorem := contradicted(row, column))
    )
