"""Is `A x = b` solvable with `x >= 0`? Exactly, over the rationals; if not, why not (Farkas' lemma).

A small phase-one simplex on fractions with Bland's rule, so that it ends. The systems here have a row for
each local state and counter, a column for each transition: tens, not thousands.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction

from ...limits import is_over


class WorkDone(Exception):
    """So much was done as was allowed, and the answer is not known."""


class TableWork:
    """How many entries of tables may still be changed, None for any number."""

    def __init__(self, most: int | None = None) -> None:
        self.left = most

    def spend(self, entries: int) -> None:
        if self.left is not None:
            self.left -= entries
        if is_over() or (self.left is not None and self.left < 0):
            raise WorkDone


def farkas(
    rows: int, columns: Sequence[Mapping[int, int]], right: Sequence[int], work: TableWork | None = None
) -> list[Fraction] | None:
    """None when there is a solution; otherwise y with y·A <= 0 in every column and y·b > 0.

    `columns[j]` maps row numbers to entries.
    """
    sign = [-1 if b < 0 else 1 for b in right]
    count = len(columns)
    # The tableau keeps rows as dictionaries: most entries are zero. Column `count + i` is row i's artificial.
    table: list[dict[int, Fraction]] = [{count + i: Fraction(1)} for i in range(rows)]
    for j, column in enumerate(columns):
        for i, entry in column.items():
            if entry:
                table[i][j] = Fraction(sign[i] * entry)
    value = [Fraction(sign[i] * right[i]) for i in range(rows)]
    basis = [count + i for i in range(rows)]
    reduced: dict[int, Fraction] = {}
    for row in table:
        for j, cost in row.items():
            if j < count:
                reduced[j] = reduced.get(j, Fraction(0)) - cost
    _pivot_all(table, value, basis, reduced, work or TableWork())
    lacking = sum((v for v, b in zip(value, basis, strict=True) if b >= count), Fraction(0))
    if lacking == 0:
        return None
    # The reduced cost of an artificial column is 1 - y_i.
    return [sign[i] * (1 - reduced.get(count + i, Fraction(0))) for i in range(rows)]


def _pivot_all(
    table: list[dict[int, Fraction]],
    value: list[Fraction],
    basis: list[int],
    reduced: dict[int, Fraction],
    work: TableWork,
) -> None:
    while True:
        entering = min((j for j, cost in reduced.items() if cost < 0), default=None)
        if entering is None:
            return
        ratios = [
            (value[i] / row[entering], basis[i], i) for i, row in enumerate(table) if row.get(entering, 0) > 0
        ]
        _, _, leaving = min(ratios)  # phase one is bounded below, so some row limits the step
        touched = sum(entering in row for row in table)
        work.spend(touched * len(table[leaving]))
        _pivot(table, value, reduced, leaving, entering)
        basis[leaving] = entering


def _pivot(
    table: list[dict[int, Fraction]],
    value: list[Fraction],
    reduced: dict[int, Fraction],
    leaving: int,
    entering: int,
) -> None:
    pivot = table[leaving][entering]
    row = {j: entry / pivot for j, entry in table[leaving].items()}
    table[leaving] = row
    value[leaving] /= pivot
    for i, other in enumerate(table):
        factor = other.get(entering)
        if i != leaving and factor:
            _subtract(other, row, factor)
            value[i] -= factor * value[leaving]
    factor = reduced.get(entering)
    if factor:
        _subtract(reduced, row, factor)


def _subtract(row: dict[int, Fraction], other: Mapping[int, Fraction], factor: Fraction) -> None:
    for j, entry in other.items():
        left = row.get(j, 0) - factor * entry
        if left:
            row[j] = Fraction(left)
        else:
            row.pop(j, None)
