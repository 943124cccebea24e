"""The faults that a file declares: `faults A -> B: loss, corrupt(x => y)` (docs/language.md, *Faults*).

Shared with the comments by which other languages carry them (`annotations`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ...errors import ModelError
from ...kernel.model.actions import CRASH, Channel
from ...kernel.model.cuts import across
from ...kernel.model.faults import (
    CORRUPTION,
    CUT,
    PARTITION,
    PLAIN_KINDS,
    PROCESS_KINDS,
    SCOPES,
    ChannelFaults,
    Corruption,
)
from ...kernel.model.phrases import listed
from ...kernel.model.system import System
from ...records import dataclass
from .storm_cuts import Sides, names_partition, parse_partition, resolved_sides
from .storm_names import Names
from .storm_scan import Cursor, quote, write_message
from .text import TextTooLarge

#: In the order in which they are written: what has arguments comes last.
_KINDS = (*PLAIN_KINDS, CORRUPTION)
FAULTS = (*(kind.keyword for kind in _KINDS), CUT.keyword, "none")
_ANY = "*"
_MOST_WORK = 1_000_000
_EXAMPLE = "write: faults A -> B: loss, or for every channel: faults *: loss"


#: The end of a channel as written: a role, or None for `*`, and where it stands.
ChannelEnd = tuple[str | None, int]


@dataclass(frozen=True)
class Declared:
    """One `faults` line: channels as written, and what may happen on each; or roles, and their faults; or the
    sides of a partition. `cut`: the channels, or links, may be cut; `stays`: the partition does."""

    channels: tuple[tuple[ChannelEnd, ChannelEnd], ...]
    faults: ChannelFaults
    roles: tuple[tuple[str, int], ...] = ()
    role_faults: frozenset[str] = frozenset()
    cut: bool = False
    sides: Sides = ()
    stays: bool = False

    @property
    def declares_faults(self) -> bool:
        """Is it more than cuts? `none` is said of channels, too."""
        return not self.cut or self.faults != ChannelFaults(_ANY, _ANY)


def parse_faults(cursor: Cursor) -> Declared:
    """What follows the word `faults`."""
    if names_partition(cursor):
        return partition_line(cursor)
    if _names_roles(cursor):
        return _parse_role_faults(cursor)
    channels = parse_channel(cursor)
    while cursor.symbol(","):
        channels += parse_channel(cursor)
    cursor.expect(":", hint="write: faults A -> B: loss, reorder")
    faults, cut = ChannelFaults(_ANY, _ANY), False
    while True:
        if cursor.keyword(CUT.keyword):
            cut = True
        else:
            faults = _add(faults, parse_fault(cursor), cursor)
        if not cursor.symbol(","):
            return Declared(tuple(channels), faults, cut=cut)


def partition_line(cursor: Cursor, ends: Sequence[str] = ()) -> Declared:
    """`partition A, B | C`, or with `stays`."""
    sides, stays = parse_partition(cursor, ends)
    return Declared((), ChannelFaults(_ANY, _ANY), sides=sides, stays=stays)


def _names_roles(cursor: Cursor) -> bool:
    """Do roles follow, and no channels?"""
    ahead = Cursor(cursor.source, cursor.at, cursor.end)
    if ahead.symbol(_ANY):
        return False
    ahead.role("a role or '*'", _EXAMPLE)
    return ahead.symbol(":") or ahead.symbol(",")


def _parse_role_faults(cursor: Cursor) -> Declared:
    roles = [cursor.role("a role")]
    while cursor.symbol(","):
        roles.append(cursor.role("a role"))
    cursor.expect(":", hint="write: faults A: stop")
    words = [kind.keyword for kind in PROCESS_KINDS]
    found = set()
    while True:
        word = cursor.keyword(*words)
        if word is None:
            hint = f"a role has {listed(words, 'or')}; channels are written A -> B, and all of them *"
            announced = "an announced crash is declared with the role: unreliable role A"
            cursor.fail("a fault of a role", announced if cursor.peek_word() == "crash" else hint)
        found.add(word)
        if not cursor.symbol(","):
            return Declared((), ChannelFaults(_ANY, _ANY), tuple(roles), frozenset(found))


def with_role_faults(names: Names, declared: Iterable[Declared], system: System) -> System:
    """The system whose roles may stop and restart as the lines say."""
    chosen: dict[str, dict[str, Any]] = {}
    for line in declared:
        for written, start in line.roles:
            for role in names.roles(written, start):
                chosen.setdefault(role, {}).update(dict.fromkeys(line.role_faults, True))
    processes = (replace(p, **chosen[p.name]) if p.name in chosen else p for p in system)
    return replace(system, processes=tuple(processes)) if chosen else system


def write_role_faults(system: System) -> list[str]:
    """The lines that declare which roles may stop and restart, without the word `faults`."""
    lines = []
    for process in system:
        words = [kind.keyword for kind in PROCESS_KINDS if getattr(process, kind.keyword)]
        lines += [f"{quote(process.name)}: {', '.join(words)}"] if words else []
    return lines


def parse_fault(cursor: Cursor) -> ChannelFaults:
    """One fault, or `none`; on which channel is said elsewhere."""
    word = cursor.keyword(*FAULTS)
    if word is None:
        of_roles = [kind.keyword for kind in PROCESS_KINDS]
        hint = f"the faults are {listed(FAULTS)}"
        cursor.fail(
            "a fault", "name the roles: faults A, B: stop" if cursor.peek_word() in of_roles else hint
        )
    if word in ("none", CUT.keyword):
        return ChannelFaults(_ANY, _ANY)
    value: Any = _corruption(cursor) if word == CORRUPTION.keyword else True
    return replace(ChannelFaults(_ANY, _ANY), **{word: value})


def parse_channel(cursor: Cursor, hint: str = _EXAMPLE) -> list[tuple[ChannelEnd, ChannelEnd]]:
    """`A -> B`, `A <-> B` or `*`."""
    sender = _end(cursor, hint)
    if cursor.symbol("->"):
        return [(sender, _end(cursor, hint))]
    if cursor.symbol("<->"):
        receiver = _end(cursor, hint)
        return [(sender, receiver), (receiver, sender)]
    if sender[0] is None:
        return [(sender, sender)]
    cursor.fail("'->' or '<->'", hint)


def _end(cursor: Cursor, hint: str) -> ChannelEnd:
    start = cursor.skip()
    return (None, start) if cursor.symbol(_ANY) else cursor.role("a role or '*'", hint)


def _corruption(cursor: Cursor) -> Corruption:
    if not cursor.symbol("("):
        return Corruption()
    scope, pairs = "channel", None
    if not cursor.symbol(")"):
        first, start = cursor.message()
        if cursor.symbol("=>"):
            pairs = _pairs(cursor, first, start)
        else:
            scope = _scope(cursor, first, start)
            pairs = _pairs_after_scope(cursor)
        cursor.expect(")")
    else:
        pairs = ()
    return Corruption(scope, pairs)


def _scope(cursor: Cursor, found: object, start: int) -> str:
    if found not in SCOPES:
        cursor.source.fail(
            f"'{found}' is not a scope of corruption",
            start,
            cursor.at,
            hint=f"write {', '.join(SCOPES)}, or pairs: corrupt(x => y)",
        )
    return str(found)


def _pairs_after_scope(cursor: Cursor) -> tuple[tuple[str, str], ...] | None:
    if not cursor.symbol(","):
        return None
    if cursor.source.text.startswith(")", cursor.skip()):
        return ()
    first, start = cursor.message()
    cursor.expect("=>")
    return _pairs(cursor, first, start)


def _pairs(cursor: Cursor, first: object, start: int) -> tuple[tuple[str, str], ...]:
    pairs = []
    while True:
        second, where = cursor.message()
        for message, at in ((first, start), (second, where)):
            if message is CRASH:
                cursor.source.fail("the crash message is never corrupted or forged", at, at + len("crash"))
        pairs.append((str(first), str(second)))
        if not cursor.symbol(","):
            return tuple(dict.fromkeys(pairs))
        first, start = cursor.message()
        cursor.expect("=>")


def _add(old: ChannelFaults, new: ChannelFaults, cursor: Cursor) -> ChannelFaults:
    try:
        return old.merged(new)
    except ModelError as problem:
        cursor.source.fail(problem.message, cursor.at - 1, hint=problem.hint)


def resolve(names: Names, declared: Sequence[Declared]) -> tuple[ChannelFaults, ...]:
    """The faults of each channel: `*` is every channel in use, and several lines about one channel add up."""
    table: dict[Channel, ChannelFaults] = {}
    work = 0
    for line in declared:
        if line.sides and not line.stays:
            _add_partition(names, line, table)
        for sender, receiver in line.channels if line.declares_faults else ():
            start = sender[1]
            work += 1 if sender[0] and receiver[0] else len(names.system.alphabets)
            if work > _MOST_WORK:
                names.source.fail("too many faults are declared; refused", start, kind=TextTooLarge)
            for channel in expand(names, sender, receiver):
                old = table.get(channel, ChannelFaults(*channel))
                try:
                    table[channel] = old.merged(line.faults)
                except ModelError as problem:
                    names.fail(f"on {channel}, {problem.message}", start, hint=problem.hint)
                    break
    return tuple(table.values())


def _add_partition(names: Names, line: Declared, table: dict[Channel, ChannelFaults]) -> None:
    """A partition that heals: messages across it may be lost."""
    lost: dict[str, Any] = {PARTITION.keyword: True}
    for channel in across(resolved_sides(names, line.sides), names.system.pairs):
        table[channel] = table.get(channel, ChannelFaults(*channel)).merged(ChannelFaults(*channel, **lost))


def expand(names: Names, from_: ChannelEnd, to: ChannelEnd) -> Iterable[Channel]:
    """The channels that are meant; none where an end is no role."""
    ends = {end: names.roles(*end) for end in dict.fromkeys((from_, to)) if end[0] is not None}
    if not all(ends.values()):
        return ()
    sender, receiver = from_[0], to[0]
    if sender is not None and receiver is not None:
        pairs = [Channel(a, b) for a in ends[from_] for b in ends[to]]
        return pairs if len(pairs) == 1 else [pair for pair in pairs if pair.sender != pair.receiver]
    channels = names.system.channels
    senders, receivers = ends.get(from_), ends.get(to)
    return (
        c
        for c in channels
        if (senders is None or c.sender in senders) and (receivers is None or c.receiver in receivers)
    )


def write_faults(system: System, each: bool = False) -> list[str]:
    """The lines that declare a system's faults, without the word `faults`; channels with the same ones
    share one."""
    groups: dict[str, list[Channel]] = {}
    for fault in system.faults:
        groups.setdefault(_write_fault(fault), []).append(Channel(fault.sender, fault.receiver))
    lines = []
    for what, channels in groups.items():
        if not each and len(channels) > 1 and len(groups) == 1 and set(channels) == set(system.channels):
            lines.append(f"*: {what}")
        else:
            lines += [f"{quote(c.sender)} -> {quote(c.receiver)}: {what}" for c in channels]
    return lines


def _write_fault(fault: ChannelFaults) -> str:
    return ", ".join(write_each(fault)) or "none"


def write_each(fault: ChannelFaults) -> list[str]:
    """The faults of a channel as they are written, one by one."""
    names = [kind.keyword for kind in _KINDS if fault.has(kind)]
    if fault.corrupt is not None:
        names[-1] += _write_corruption(fault.corrupt)
    return names


def _write_corruption(corrupt: Corruption) -> str:
    if corrupt.pairs is None:
        return "" if corrupt.scope == "channel" else f"({corrupt.scope})"
    pairs = ", ".join(f"{write_message(a)} => {write_message(b)}" for a, b in corrupt.pairs)
    if corrupt.scope == "channel":
        return f"({pairs})"
    return f"({corrupt.scope}, {pairs})"
