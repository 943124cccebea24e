"""The paper's table beside ours: agreements counted, and a certificate for every difference."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

from .. import protocols
from ..campaign.jobs import STANDARD_FAILURES
from ..encodings import encode, resolve
from ..failures import Failures
from ..semantics import TooLarge, explore, holds
from .matrix import Cell, Column, Matrix

#: A published cell: holds, does not, or the tool gave up after five minutes.
TIMEOUT = "timeout"

MONOTONE = (
    "more faults mean more executions, so RSC under interference implies RSC without errors, "
    "where the same row publishes ✘"
)
LOSSY_SENDS = (
    "under loss on all channels a send into a full channel fits when something is lost in the same step, "
    "so k-exhaustivity holds by definition"
)
ONE_MESSAGE = (
    "each channel carries one message only, so corruption within a channel changes nothing, "
    "and without errors the same row publishes ✔"
)
SAME_AUTOMATON = "the automaton is that of {other}, whose published cell is {mark}"

#: How large a transition system the slow reading of the definitions may have when it confirms a cell.
CONFIRM_STATES = 20_000


@dataclass(frozen=True)
class Published:
    """A row of the paper's table. `protocol`: the same automaton in the library; `ours`: a model of ours."""

    row: str
    cites: str
    protocol: str | None
    ours: str | None
    cells: Mapping[Column, bool | str]


@lru_cache(maxsize=1)
def published() -> tuple[Published, ...]:
    """The 32 rows of the paper's table, as data."""
    text = files("stormproof.protocols").joinpath("paper_table.json").read_text(encoding="utf-8")
    return tuple(
        Published(
            row=r["row"],
            cites=r["cites"],
            protocol=r["protocol"],
            ours=r["model_of_ours"],
            cells={Column(f, p): v for f, by in r["cells"].items() for p, v in by.items()},
        )
        for r in json.loads(text)["rows"]
    )


@dataclass(frozen=True)
class Difference:
    """A cell that is not the published one. `certificate` is a witness, a theorem or an exhaustive search."""

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
    """A published cell that contradicts a theorem, whatever the automaton."""

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
class Comparison:
    matrix: Matrix
    rows: Mapping[str, Published]
    counts: tuple[Count, ...]
    differences: tuple[Difference, ...]
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


def compare(matrix: Matrix) -> Comparison:
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
            differences += [_difference(c, p, rows) for c, p in decided if c.holds != p]
    order = {name: i for i, name in enumerate(matrix.protocols)}
    differences.sort(key=lambda d: (order[d.cell.protocol], d.cell.semantics))
    return Comparison(matrix, rows, tuple(counts), tuple(differences), impossible())


def _difference(cell: Cell, value: bool, rows: Mapping[str, Published]) -> Difference:
    row = rows[cell.protocol]
    theorem = _contradicted(row, Column(cell.failures, cell.property), cell.semantics) or _harmless(cell, row)
    if cell.holds is False:
        text = _witness(cell) + (f"; and {theorem}" if theorem else "")
        return Difference(cell, value, "witness", text)
    if theorem:
        return Difference(cell, value, "theorem", theorem)
    return Difference(cell, value, "exhaustive", _exhaustive(cell))


def _harmless(cell: Cell, row: Published) -> str:
    """k-MC without errors, and corruption that has nothing to corrupt a message into."""
    if (cell.failures, cell.semantics) != ("corruption", "definition") or not cell.property.startswith("k-"):
        return ""
    alphabets = protocols.protocol(cell.protocol).alphabets.values()
    alone = all(len(alphabet) == 1 for alphabet in alphabets)
    return ONE_MESSAGE if alone and row.cells[Column("none", "k-mc")] is True else ""


def _witness(cell: Cell) -> str:
    word = "replayed" if cell.replayed else "not replayed"
    bound = f" at k = {cell.witness_k}" if cell.witness_k else ""
    faults = f", {cell.faults} of them faults" if cell.faults else ""
    twin = " under corruption as defined, whose violations are the encoding's too" if cell.twin else ""
    return f"a {word} run{bound} of {cell.steps} steps{faults}{twin}: {cell.reason}"


def _exhaustive(cell: Cell) -> str:
    """No theorem speaks: every configuration was examined, and where it is small enough twice."""
    where = f"at k = {cell.k}" if cell.k else "of the search"
    text = f"all {cell.states:,} configurations {where} were examined"
    again = confirm(cell)
    if again is None:
        return text
    return f"{text}, and the definitions executed literally {'agree' if again else 'DISAGREE'}"


def confirm(cell: Cell) -> bool | None:
    """Ask the specification itself, `semantics`, at the cell's k; None where it is too large or has no k."""
    if cell.k is None:
        return None
    system = protocols.protocol(cell.protocol)
    asked = Failures(**STANDARD_FAILURES[cell.failures])
    model = asked.on(system)
    if cell.semantics == "encoding":
        system, model = encode(system, resolve(system, asked))
    try:
        found = explore(system, model, cell.k, CONFIRM_STATES)
    except TooLarge:
        return None
    return holds(found, cell.property) == cell.holds


def _contradicted(row: Published, column: Column, semantics: str = "definition") -> str:
    """The theorem that a published cell contradicts, if any, under that semantics."""
    value = row.cells.get(column)
    if semantics == "definition" and column == Column("loss", "k-exh") and value is False:
        return LOSSY_SENDS
    if column.property == "rsc" and column.failures != "none":
        if value is True and row.cells.get(Column("none", "rsc")) is False:
            return MONOTONE
    for other in published():
        twins = {row.protocol, other.protocol} == {"alternating-bit", "alternating-bit-boigelot"}
        if twins and other.cells[column] != value:
            return SAME_AUTOMATON.format(other=other.protocol, mark="✔" if other.cells[column] else "✘")
    return ""


def impossible() -> tuple[Impossible, ...]:
    """The published cells, of all 32 rows, that no automaton can have under the definitions."""
    return tuple(
        Impossible(f"{row.row} [{row.cites}]", column, value, theorem)
        for row in published()
        for column, value in row.cells.items()
        if isinstance(value, bool) and (theorem := _contradicted(row, column))
    )
