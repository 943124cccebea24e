"""Cuts and partitions: `faults A <-> B: cut`, `partition A, B | C stays` (docs/language.md, *Faults*).

Shared with the comments by which other languages carry them (`annotations`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from ...errors import UsageError
from ...kernel.model.cuts import Cut, across, in_use, is_link, links, sides_apart
from ...kernel.model.faults import CUT
from ...kernel.model.partition import STAYS, check_sides
from ...kernel.model.system import System
from .storm_names import Names
from .storm_scan import Cursor, quote

if TYPE_CHECKING:
    from .storm_faults import ChannelEnd, Declared

PARTITION = "partition"
_EXAMPLE = "write: partition A, B | C, or for good: partition A, B | C stays"

#: The sides of a partition as written.
Sides = tuple[tuple[tuple[str, int], ...], ...]


def names_partition(cursor: Cursor) -> bool:
    """Do the sides of a partition follow, and not channels or faults of a role of this name?"""
    ahead = Cursor(cursor.source, cursor.at, cursor.end)
    if ahead.keyword(PARTITION) is None:
        return False
    return not any(ahead.symbol(sign) for sign in (":", ",", "->", "<->", "["))


def parse_partition(cursor: Cursor, ends: Sequence[str] = ()) -> tuple[Sides, bool]:
    """The sides, and whether it stays. What follows a comma and is one of the words `ends` is no role."""
    cursor.keyword(PARTITION)
    sides: list[list[tuple[str, int]]] = [[cursor.role("a role", _EXAMPLE)]]
    while True:
        if cursor.symbol("|"):
            sides.append([cursor.role("a role", _EXAMPLE)])
        elif _another_role(cursor, ends):
            cursor.symbol(",")
            sides[-1].append(cursor.role("a role", _EXAMPLE))
        else:
            stays = cursor.keyword(STAYS) is not None
            return tuple(map(tuple, sides)), stays


def _another_role(cursor: Cursor, ends: Sequence[str]) -> bool:
    ahead = Cursor(cursor.source, cursor.at, cursor.end)
    return ahead.symbol(",") and ahead.peek_word() not in ends


def resolved_sides(names: Names, sides: Sides) -> tuple[tuple[str, ...], ...]:
    """The roles on each side; none where they are no partition."""
    found = tuple(tuple(role for end in side for role in names.roles(*end)) for side in sides)
    if not all(found) or names.roles_unread:
        return ()
    try:
        check_sides(names.system, found)
    except UsageError as problem:
        names.fail(problem.message, sides[0][0][1], hint=problem.hint)
        return ()
    return found


def resolve_cuts(names: Names, declared: Iterable[Declared]) -> tuple[Cut, ...]:
    """What each cut that the lines declare takes down."""
    found: list[Cut] = []
    for line in declared:
        if line.sides and line.stays:
            found += filter(None, [across(resolved_sides(names, line.sides), names.system.pairs)])
        elif line.cut:
            found += _of_channels(names, line.channels)
    return tuple(dict.fromkeys(found))


def _of_channels(names: Names, written: Sequence[tuple[ChannelEnd, ChannelEnd]]) -> list[Cut]:
    from .storm_faults import expand

    found: list[Cut] = []
    i = 0
    while i < len(written):
        sender, receiver = written[i]
        if sender == receiver and sender[0] is None:  # `*` alone
            found += links(names.system.pairs)
        elif written[i + 1 : i + 2] == ((receiver, sender),):
            both = (*expand(names, sender, receiver), *expand(names, receiver, sender))
            found += links(both)
            i += 1
        else:
            found += [(channel,) for channel in expand(names, sender, receiver)]
        i += 1
    return found


def write_cuts(system: System) -> list[str]:
    """The lines that declare the cuts of a system, without the word `faults`."""
    return [f"{PARTITION} {text}" if apart else f"{text}: {CUT.keyword}" for apart, text in _written(system)]


def write_cuts_under(system: System, cuts: tuple[Cut, ...]) -> list[str]:
    """The same cuts as they stand behind `under`."""
    rows = list(_written(system, cuts))
    where = [text for apart, text in rows if not apart]
    on = "" if where == ["*"] else f" on {' and '.join(where)}"
    return [
        *([f"{CUT.keyword}{on}"] if where else []),
        *(f"{PARTITION} {text}" for apart, text in rows if apart),
    ]


def _written(system: System, cuts: tuple[Cut, ...] | None = None) -> list[tuple[bool, str]]:
    """Each cut as it is written, and whether it is a partition; all links together are `*`."""
    cuts = system.cuts if cuts is None else cuts
    every = set(map(frozenset, links(system.pairs)))
    whole = len(every) > 1 and every <= set(map(frozenset, cuts))
    rows = [(False, "*")] if whole else []
    left = [cut for cut in cuts if not (whole and frozenset(cut) in every)]
    return [*rows, *(_written_cut(system, cut) for cut in left)]


def _written_cut(system: System, cut: Cut) -> tuple[bool, str]:
    ends = f"{quote(cut[0].sender)} {'<->' if is_link(cut) else '->'} {quote(cut[0].receiver)}"
    if is_link(cut) or len(cut) == 1:
        return False, ends
    used = in_use((cut,), system.pairs)
    sides = sides_apart(used[0], system.names, system.pairs) if used else ()
    return True, f"{' | '.join(', '.join(map(quote, side)) for side in sides)} {STAYS}"


def is_written(system: System, cut: Cut) -> bool:
    """Is it one channel, a link, or all channels across a partition?"""
    if len(cut) == 1 or is_link(cut):
        return True
    return len(sides_apart(cut, system.names, system.pairs)) > 1
