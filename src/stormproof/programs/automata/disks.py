"""What the disk of a program may hold, as far as its saves were found, and where a restart begins then
(definitions 14.6)."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Generic

from ...errors import ModelError
from ...kernel.model.process import DiskContent
from .program import P

#: More contents of one disk are refused.
MOST_CONTENTS = 5_000


@dataclass(frozen=True)
class HeldValue:
    """The value of a durable variable: what tells it from others, the value itself, and as text."""

    key: Hashable
    value: Any
    spelt: str


Contents = Mapping[str, HeldValue]


def spelt(contents: Contents) -> DiskContent:
    """The values as texts."""
    return tuple((name, held.spelt) for name, held in contents.items())


class ProgramDisk(Generic[P]):
    """What the disk may hold: first what it holds at first. `begin` gives the point in which a restart
    begins, `refuse` the error for a problem."""

    def __init__(
        self, first: Contents, begin: Callable[[Contents], P], refuse: Callable[[str, str], ModelError]
    ) -> None:
        self._begin, self._refuse = begin, refuse
        self._held: dict[Hashable, tuple[Contents, P]] = {}
        self._writes: dict[Hashable, Contents] = {}
        self._new: list[P] = []
        self._hold(first)

    def write(self, values: Contents) -> None:
        """These values may be saved, over whatever the disk holds."""
        key = _key(values)
        if key in self._writes:
            return
        self._writes[key] = values
        for held, _ in list(self._held.values()):
            self._hold({**held, **values})

    def _hold(self, contents: Contents) -> None:
        """What other saves may write over it comes with it."""
        waiting = [contents]
        for held in waiting:
            key = _key(held)
            if key in self._held:
                continue
            if len(self._held) >= MOST_CONTENTS:
                problem = f"the disk may hold more than {MOST_CONTENTS:,} different values"
                raise self._refuse(problem, "save fewer variables, or smaller ones")
            point = self._begin(held)
            self._held[key] = (held, point)
            self._new.append(point)
            waiting += [{**held, **written} for written in self._writes.values()]

    def new(self) -> list[P]:
        """Where restarts begin that were not asked for yet."""
        found, self._new = self._new, []
        return found

    def __iter__(self) -> Iterator[tuple[Contents, P]]:
        return iter(self._held.values())


def _key(contents: Contents) -> Hashable:
    return tuple((name, held.key) for name, held in sorted(contents.items()))
