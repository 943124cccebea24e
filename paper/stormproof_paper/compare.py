"""The paper's table beside ours: agreements counted, and a certificate and a cause for every difference."""

from __future__ import annotations

from collections.abc import Mapping

from stormproof.limits import Limits
from stormproof.surveys.campaign.jobs import load_source
from stormproof.surveys.paper_table.comparison import (
    TIMEOUT,
    CellDifference,
    Count,
    Impossible,
    PaperComparison,
)
from stormproof.surveys.paper_table.matrix import AS_RUN_MAX_K, Cell, Column, Matrix

from .differences import contradicted, grounds
from .peer_rows import missing_rows
from .published import Published, published
from .third_reading import cause


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
    missing = missing_rows(rows)
    return PaperComparison(matrix, rows, tuple(counts), tuple(differences), impossible(), missing)


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
