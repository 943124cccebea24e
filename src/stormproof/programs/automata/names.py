"""Names of local states that read well: `waiting{bit=0}`."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Callable, Container, Hashable, Iterable, Mapping, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
P = TypeVar("P")


def choose_names(points: Iterable[T], *spellings: Callable[[T], str]) -> list[str]:
    """A name for each point, every one different: the first spelling that no other point shares."""
    found = list(points)
    names = [spellings[0](point) for point in found]
    for longer in spellings[1:]:
        often = Counter(names)
        names = [n if often[n] == 1 else longer(p) for n, p in zip(names, found, strict=True)]
    return _distinct(names)


class StableNames(Generic[P]):
    """The names of points of which more and more are known: a point keeps the name that it has once got."""

    def __init__(self, *spellings: Callable[[P], str]) -> None:
        self.spellings = spellings
        self.known: dict[Hashable, str] = {}

    def names(self, points: Mapping[Hashable, P]) -> dict[Hashable, str]:
        new = [key for key in points if key not in self.known]
        taken = set(self.known.values())
        for key, name in zip(new, choose_names([points[k] for k in new], *self.spellings), strict=True):
            others = (name, *(spelling(points[key]) for spelling in self.spellings[1:]))
            chosen = next((n for n in others if n not in taken), None) or _numbered(name, taken)
            taken.add(chosen)
            self.known[key] = chosen
        return {key: self.known[key] for key in points}


def _numbered(name: str, taken: Container[str]) -> str:
    return next(n for i in itertools.count(2) if (n := f"{name}#{i}") not in taken)


def with_values(base: str, shown: Sequence[str]) -> str:
    """`waiting{bit=0}`, or just `waiting`."""
    return f"{base}{{{', '.join(shown)}}}" if shown else base


def _distinct(names: Iterable[str]) -> list[str]:
    """A number behind each name that was there before."""
    seen: Counter[str] = Counter()
    found: list[str] = []
    for name in names:
        seen[name] += 1
        while seen[name] > 1 and f"{name}#{seen[name]}" in seen:
            seen[name] += 1
        found.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return found
