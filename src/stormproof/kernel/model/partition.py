"""The sides of a partition of the network: every role stands on exactly one."""

from __future__ import annotations

from collections.abc import Iterable

from ...errors import UsageError
from .phrases import listed
from .system import System


def sides_of(partition: str | Iterable[Iterable[str]]) -> tuple[tuple[str, ...], ...]:
    """The sides of a partition, from `A,B | C` or from lists."""
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
