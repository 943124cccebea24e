"""Names of local states that read well: `waiting{bit=0}`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

T = TypeVar("T")


def choose_names(points: Iterable[T], *spellings: Callable[[T], str]) -> list[str]:
    """A name for each point, every one different: the first spelling that no other point shares."""
    found = list(points)
    names = [spellings[0](point) for point in found]
    for longer in spellings[1:]:
        often = Counter(names)
        names = [n if often[n] == 1 else longer(p) for n, p in zip(names, found, strict=True)]
    return _distinct(names)


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
