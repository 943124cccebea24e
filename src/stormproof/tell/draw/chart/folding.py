"""Repeated rounds of a run, found so that they can be drawn once."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from ....records import dataclass

#: A fold must leave out at least this many instants, or it explains less than it hides.
_WORTH = 4
#: Rounds longer than this are not looked for, which keeps the search linear in the length of the run.
_LONGEST_ROUND = 60


@dataclass(frozen=True)
class Fold:
    """The instants `first` to `first + length - 1` stand for `times` rounds that look the same."""

    first: int
    length: int
    times: int

    @property
    def shown(self) -> range:
        return range(self.first, self.first + self.length)

    @property
    def hidden(self) -> range:
        return range(self.first + self.length, self.first + self.length * self.times)


def folds_of(
    signatures: Sequence[object], together: Sequence[tuple[int, ...]], cuts: Sequence[int] = ()
) -> tuple[Fold, ...]:
    """Greedy from the start, the fold that hides most first.

    `together` are instants that one arrow joins. They must all be drawn, or all be hidden in rounds of the
    same number (the third send and the third reception, say), so that the arrow drawn stands for the hidden
    ones; a fold that breaks this is none. Dropping one may break another, so this repeats until none does.
    No fold reaches across one of the instants `cuts`.
    """
    ends = [0, *sorted(cuts), len(signatures)]
    folds = [
        Fold(fold.first + start, fold.length, fold.times)
        for start, end in itertools.pairwise(ends)
        for fold in _candidates([hash(s) for s in signatures[start:end]], signatures[start:end])
    ]
    while True:
        turn = {i: (i - f.first) // f.length for f in folds for i in f.hidden}
        torn = {i for group in together if len({turn.get(i, 0) for i in group}) > 1 for i in group}
        kept = [f for f in folds if not torn.intersection(f.hidden)]
        if len(kept) == len(folds):
            return tuple(folds)
        folds = kept


def _candidates(keys: Sequence[int], signatures: Sequence[object]) -> list[Fold]:
    folds: list[Fold] = []
    i = 0
    while i < len(keys):
        best = max(
            (
                _fold_at(keys, signatures, i, n)
                for n in range(1, min(_LONGEST_ROUND, (len(keys) - i) // 2) + 1)
            ),
            key=lambda f: (len(f.hidden), -f.length),
            default=None,
        )
        if best is not None and len(best.hidden) >= _WORTH:
            folds.append(best)
            i = best.hidden.stop
        else:
            i += 1
    return folds


def _fold_at(keys: Sequence[int], signatures: Sequence[object], start: int, length: int) -> Fold:
    """How often the `length` instants from `start` repeat; hashes first, since most do not."""
    stop = start + length
    while (
        stop < len(keys)
        and keys[stop] == keys[stop - length]
        and signatures[stop] == signatures[stop - length]
    ):
        stop += 1
    return Fold(start, length, (stop - start) // length)
