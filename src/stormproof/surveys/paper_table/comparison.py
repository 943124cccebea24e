"""A table beside published answers: agreements counted, and a certificate and a cause for every difference.

The answers, and what is known of where they come from, are no part of this package (`--compare paper`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .matrix import Cell, Column, Matrix

#: A published cell: holds, does not, or the tool gave up after five minutes.
TIMEOUT = "timeout"

REPRODUCED, CONJECTURED, IMPOSSIBLE, OPEN = "reproduced", "conjectured", "impossible", "open"


@dataclass(frozen=True)
class PaperRow:
    """A row of a published table. `protocol`: the same automaton in the library; `part`: the protocol of the
    library that is the public part of its automata; `file`: the name of its file among those of ReSCu."""

    row: str
    cites: str
    protocol: str | None
    file: str
    part: str
    cells: Mapping[Column, bool | str]


@dataclass(frozen=True)
class Cause:
    """`status` is one of the four above; `words` say why, and are empty where nothing more is known."""

    status: str
    words: str = ""


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
    rows: Mapping[str, PaperRow]
    counts: tuple[Count, ...]
    differences: tuple[CellDifference, ...]
    impossible: tuple[Impossible, ...]
    #: The rows of the paper's table that are not compared.
    missing: tuple[PaperRow, ...] = ()

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
