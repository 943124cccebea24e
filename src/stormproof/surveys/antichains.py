"""The frontier of a yes-or-no question over all sets of choices: maximal good sets, minimal bad ones.

A question is *monotone* when every superset of a bad set is bad. Then both halves of the frontier are found
without asking about every set: the complements of the minimal hitting sets of the known minimal bad sets are
the candidates for maximal good sets; a candidate that is bad after all is shrunk to a new minimal bad set,
and when every candidate is good both halves are complete (dualise and advance, Gunopulos et al. 1997).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

FaultChoice = frozenset[int]


@dataclass(frozen=True)
class Classified:
    """Good (True), bad (False), undecided (None); `core` is a bad subset that the evidence shows, if any."""

    good: bool | None
    core: FaultChoice | None = None


ClassifyChoice = Callable[[FaultChoice], Classified]


@dataclass(frozen=True)
class LatticeFrontier:
    """`complete`: both halves are exact for the whole lattice, or for the sets that `covered` names."""

    maximal_good: tuple[FaultChoice, ...]
    minimal_bad: tuple[FaultChoice, ...]
    undecided: tuple[FaultChoice, ...]
    asked: int
    complete: bool


def monotone_frontier(
    size: int, ask: ClassifyChoice, singly: bool = False, groups: Iterable[FaultChoice] = ()
) -> LatticeFrontier:
    """Both halves exactly, for a monotone question over the subsets of range(size).

    `singly`: nothing and each choice alone are asked first. A choice that is undecided alone is left out of
    larger sets, which would be undecided with it. Where a candidate for a maximal good set is undecided, a
    smaller one is grown by whole `groups`.
    """
    full = frozenset(range(size))
    memory = _Memory(ask)
    bad: list[FaultChoice] = []
    if singly:
        if memory(frozenset()).good is False:
            return LatticeFrontier((), (frozenset(),), (), 1, complete=True)
        alone = [frozenset({i}) for i in range(size)]
        bad = [choice for choice in alone if memory(choice).good is False]
        full -= {i for i in range(size) if memory(alone[i]).good is None}
    good: set[FaultChoice] = set()
    doubtful: set[FaultChoice] = set()
    try:
        while _advanced(memory, full, good, bad, doubtful):
            pass
    except KeyboardInterrupt:  # there may be too many candidates to list
        doubtful.add(full)
    if doubtful:
        _grow(memory, [group & full - frozenset().union(*bad) for group in groups])
    doubtful |= memory.undecided if singly else set()
    # What holds up to some bound only may be seen to be violated by a part of it.
    better = (choice for choice in (memory.good if doubtful else good) if not any(b <= choice for b in bad))
    return LatticeFrontier(
        maximal_sets(better),
        tuple(sorted(bad, key=_order)),
        tuple(sorted(doubtful, key=_order)),
        memory.asked,
        complete=not (doubtful or memory.doubt),
    )


def _advanced(
    memory: _Memory,
    full: FaultChoice,
    good: set[FaultChoice],
    bad: list[FaultChoice],
    doubtful: set[FaultChoice],
) -> bool:
    """Ask for the candidates for maximal good sets, until one of them leads to a new minimal bad set."""
    for transversal in list(minimal_transversals(bad)):
        candidate = full - transversal
        if candidate in good or candidate in doubtful:
            continue
        answer = memory(candidate)
        if answer.good:
            good.add(candidate)
        elif answer.good is None:
            doubtful.add(candidate)
        else:
            bad.append(_shrink(answer.core or candidate, memory))
            return True
    return False


def _grow(ask: ClassifyChoice, groups: Iterable[FaultChoice]) -> None:
    """Ask for larger and larger sets, each with one group more if that was good."""
    current: FaultChoice = frozenset()
    for group in groups:
        if ask(current | group).good:
            current |= group


class _Memory:
    """Asks each set once."""

    def __init__(self, ask: ClassifyChoice) -> None:
        self._ask = ask
        self._known: dict[FaultChoice, Classified] = {}
        self.doubt = False

    @property
    def asked(self) -> int:
        return len(self._known)

    @property
    def good(self) -> set[FaultChoice]:
        """Every set that was seen to be good: maximal ones among them stand where not all is decided."""
        return {choice for choice, answer in self._known.items() if answer.good}

    @property
    def undecided(self) -> set[FaultChoice]:
        return {choice for choice, answer in self._known.items() if answer.good is None}

    def __call__(self, choice: FaultChoice) -> Classified:
        if choice not in self._known:
            self._known[choice] = self._ask(choice)
            self.doubt |= self._known[choice].good is None
        return self._known[choice]


def _shrink(bad: FaultChoice, ask: ClassifyChoice) -> FaultChoice:
    """A minimal bad subset: drop one element after the other as long as the rest stays bad."""
    current = bad
    for element in sorted(bad):
        if element not in current:
            continue
        smaller = current - {element}
        answer = ask(smaller)
        if answer.good is False:
            current = answer.core if answer.core is not None and answer.core <= smaller else smaller
    return current


def minimal_transversals(family: Iterable[FaultChoice]) -> Iterator[FaultChoice]:
    """The minimal sets that meet every set of the family (Berge's algorithm)."""
    found: set[FaultChoice] = {frozenset()}
    for edge in family:
        meeting = {t for t in found if t & edge}
        extended = {t | {e} for t in found - meeting for e in edge}
        found = meeting | {t for t in extended if not any(m <= t for m in meeting)}
        found = set(minimal_sets(found))
    return iter(sorted(found, key=_order))


def exhaustive_frontier(choices: Iterable[FaultChoice], ask: ClassifyChoice) -> LatticeFrontier:
    """The frontier among the given sets, each asked: for questions that are not monotone."""
    good: list[FaultChoice] = []
    bad: list[FaultChoice] = []
    doubtful: list[FaultChoice] = []
    asked = 0
    for choice in choices:
        answer = ask(choice)
        asked += 1
        (doubtful if answer.good is None else good if answer.good else bad).append(choice)
    return LatticeFrontier(
        maximal_sets(good), minimal_sets(bad), tuple(doubtful), asked, complete=not doubtful
    )


def subsets(size: int, most: int | None = None) -> Iterator[FaultChoice]:
    """All subsets of range(size), small ones first, up to `most` elements."""
    for count in range(min(size, size if most is None else most) + 1):
        yield from map(frozenset, combinations(range(size), count))


def minimal_sets(family: Iterable[FaultChoice]) -> tuple[FaultChoice, ...]:
    kept: list[FaultChoice] = []
    for candidate in sorted(set(family), key=_order):
        if not any(smaller <= candidate for smaller in kept):
            kept.append(candidate)
    return tuple(kept)


def maximal_sets(family: Iterable[FaultChoice]) -> tuple[FaultChoice, ...]:
    kept: list[FaultChoice] = []
    for candidate in sorted(set(family), key=_order, reverse=True):
        if not any(candidate <= larger for larger in kept):
            kept.append(candidate)
    return tuple(sorted(kept, key=_order))


def _order(choice: FaultChoice) -> tuple[int, list[int]]:
    return len(choice), sorted(choice)
