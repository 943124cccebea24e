"""Effort: how much is searched for what only makes an answer stronger.

It is counted and not measured, so that an answer is the same on every machine. The unit is a configuration of
a search with channels of up to 6 messages; with longer ones each is larger and tells less, and counts more.
Methods that explore no configurations count something of their own, and may take as much of that.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from ...limits import EFFORT, Limits

#: The name of this limit.
SPENT = "effort"

#: All bounds up to this one are tried; after it some, each larger by a third or a half.
DENSE = 6


class Effort:
    """What is left of it. What is spent of a part is spent of the whole, too."""

    def __init__(self, amount: int, whole: Effort | None = None) -> None:
        self._own, self._whole = amount, whole

    @property
    def left(self) -> int:
        return self._own if self._whole is None else min(self._own, self._whole.left)

    def part(self, of: int, most: int | None = None) -> Effort:
        """One part of so many of what is left, and at most so much."""
        share = self.left // of
        return Effort(share if most is None else min(share, most), self)

    def spend(self, amount: int) -> None:
        self._own = max(0, self._own - amount)
        if self._whole is not None:
            self._whole.spend(amount)

    def configurations(self, k: int) -> int:
        """How many a search with k messages per channel may explore."""
        return self.left // weight(k)

    def spend_on(self, configurations: int, k: int) -> None:
        self.spend(configurations * weight(k))


def weight(k: int) -> int:
    """What a configuration counts in a search with k messages per channel."""
    return 1 if k <= DENSE else k


def bounds_from(first: int, last: int) -> Iterator[int]:
    """Which bounds are tried: 1 to 6, 8, 12, 16, 24, ..., and the last one."""
    k = 1
    while k < last:
        if k >= first:
            yield k
        k = k + 1 if k < DENSE else 8 if k == DENSE else k * 3 // 2 if k & (k - 1) == 0 else k * 4 // 3
    if k >= last >= first:
        yield last


def worth_trying(effort: Effort, k: int, known: int) -> bool:
    """May a search with k messages per channel end within the effort? It has as many configurations as one
    with fewer, of which so many are `known`."""
    return effort.configurations(k) >= max(known, 1)


def is_for_here(most: int | None) -> bool:
    """Is a search so small that a cluster is not asked? The cluster leaves out nothing, and counts more."""
    return most is not None and most <= EFFORT


def within(limits: Limits, most: int | None) -> Limits:
    """The limits of a search that may explore so many configurations."""
    if most is None or (limits.states is not None and limits.states <= most):
        return limits
    return replace(limits, states=max(most, 1))


def stopped_by(stopped: str, limits: Limits, most: int | None) -> str:
    """The limit that ended a search, where that on configurations may be the effort."""
    return SPENT if stopped == "states" and within(limits, most) is not limits else stopped
