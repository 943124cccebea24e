"""The sides of a partition of the network: every role stands on exactly one."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import UsageError
from .phrases import listed
from .system import System

#: How a partition that does not heal is written: `A,B | C stays`.
STAYS = "stays"


def stays_in(partition: str | Iterable[Iterable[str]]) -> bool:
    """Does the text end with `stays`, and not with a role of this name alone on its side?"""
    last = partition.rpartition("|")[2].split() if isinstance(partition, str) else []
    return len(last) > 1 and last[-1] == STAYS and not last[-2].endswith(",")


def sides_of(partition: str | Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """The sides of a partition, from `A,B | C` or from lists; whether it stays is left out."""
    if isinstance(partition, str) and stays_in(partition):
        partition = partition.rstrip().removesuffix(STAYS)
    if isinstance(partition, str):
        partition = [side.split(",") for side in partition.split("|")]
    return tuple(tuple(name.strip() for name in side if name.strip()) for side in partition)


def check_sides(system: System, sides: tuple[tuple[str, ...], ...]) -> None:
    if not sides:
        return
    if len(sides) < 2 or not all(sides):
        raise UsageError("a partition has at least two sides", hint="write it 'A,B | C'")
    placed = [name for side in sides for name in side]
    twice = [name for name in system.names if placed.count(name) > 1]
    missing = [name for name in system.names if name not in placed]
    if twice:
        raise UsageError(f"{twice[0]} is on two sides of the partition")
    if missing:
        verb = "is" if len(missing) == 1 else "are"
        raise UsageError(
            f"{listed(missing)} {verb} on no side of the partition", hint="every role is on one side"
        )
