"""The faults that a file declares: `faults A -> B: loss, corrupt(x => y)` (docs/language.md, *Faults*).

Shared with the comments by which other languages carry them (notes.py).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ..errors import ModelError
from ..model.actions import CRASH, Channel
from ..model.faults import SCOPES, ChannelFaults, Corruption
from ..model.system import System
from .storm_scan import Cursor, quote, write_message
from .text import Source, guess

FAULTS = ("loss", "reorder", "corrupt", "none")
_ANY = "*"
_MOST_WORK = 1_000_000


#: The end of a channel as written: a role, or None for `*`, and where it stands.
End = tuple[str | None, int]


@dataclass(frozen=True)
class Declared:
    """One `faults` line: channels as written, and what may happen on each."""

    channels: tuple[tuple[End, End], ...]
    loss: bool
    reorder: bool
    corrupt: Corruption | None


def parse_faults(cursor: Cursor) -> Declared:
    """What follows the word `faults`."""
    channels = parse_channel(cursor)
    while cursor.symbol(","):
        channels += parse_channel(cursor)
    cursor.expect(":", hint="write: faults A -> B: loss, reorder")
    loss = reorder = False
    corrupt: Corruption | None = None
    while True:
        fault = cursor.keyword(*FAULTS)
        if fault is None:
            cursor.fail("a fault", hint="the faults are loss, reorder, corrupt and none")
        loss |= fault == "loss"
        reorder |= fault == "reorder"
        if fault == "corrupt":
            corrupt = _add_corruption(corrupt, _corruption(cursor), cursor)
        if not cursor.symbol(","):
            return Declared(tuple(channels), loss, reorder, corrupt)


def parse_channel(cursor: Cursor) -> list[tuple[End, End]]:
    """`A -> B`, `A <-> B` or `*`."""
    sender = _end(cursor)
    if cursor.symbol("->"):
        return [(sender, _end(cursor))]
    if cursor.symbol("<->"):
        receiver = _end(cursor)
        return [(sender, receiver), (receiver, sender)]
    if sender[0] is None:
        return [(sender, sender)]
    cursor.fail("'->' or '<->'", hint="write: faults A -> B: loss")


def _end(cursor: Cursor) -> End:
    start = cursor.skip()
    return (None, start) if cursor.symbol(_ANY) else cursor.name("a role or '*'")


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
            f"'{found}' is no scope of corruption",
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


def _add_corruption(old: Corruption | None, new: Corruption | None, cursor: Cursor) -> Corruption | None:
    try:
        return _merge_corruption(old, new)
    except ModelError as problem:
        cursor.source.fail(problem.message, cursor.at - 1, hint=problem.hint)


def _merge_corruption(old: Corruption | None, new: Corruption | None) -> Corruption | None:
    if old is None or new is None or old == new:
        return new or old
    if old.pairs is not None and new.pairs is not None and old.scope == new.scope:
        return replace(old, pairs=tuple(dict.fromkeys(old.pairs + new.pairs)))
    raise ModelError("corruption is declared twice, in different ways", hint="say once what may become what")


def resolve(source: Source, declared: Sequence[Declared], system: System) -> tuple[ChannelFaults, ...]:
    """The faults of each channel: `*` is every channel in use, and several lines about one channel add up."""
    table: dict[Channel, ChannelFaults] = {}
    work = 0
    for line in declared:
        for sender, receiver in line.channels:
            start = sender[1]
            work += 1 if sender[0] and receiver[0] else len(system.alphabets)
            if work > _MOST_WORK:
                source.fail("too many faults are declared; refused", start)
            for channel in _expand(source, sender, receiver, system):
                old = table.get(channel, ChannelFaults(*channel))
                try:
                    corrupt = _merge_corruption(old.corrupt, line.corrupt)
                except ModelError as problem:
                    source.fail(f"on {channel}, {problem.message}", start, hint=problem.hint, kind=ModelError)
                table[channel] = ChannelFaults(
                    *channel, loss=old.loss or line.loss, reorder=old.reorder or line.reorder, corrupt=corrupt
                )
    return tuple(table.values())


def _expand(source: Source, from_: End, to: End, system: System) -> Iterable[Channel]:
    for end, start in (from_, to):
        if end is not None and end not in system:
            source.fail(
                f"unknown role '{end}'",
                start,
                start + len(end),
                guess(end, system.names, "Roles"),
                ModelError,
            )
    sender, receiver = from_[0], to[0]
    if sender is not None and receiver is not None:
        if sender == receiver:
            source.fail(f"there is no channel from {sender} to itself", from_[1], kind=ModelError)
        return (Channel(sender, receiver),)
    return (c for c in system.channels if sender in (None, c.sender) and receiver in (None, c.receiver))


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
    names = [name for name in ("loss", "reorder") if getattr(fault, name)]
    if fault.corrupt is not None:
        names.append("corrupt" + _write_corruption(fault.corrupt))
    return ", ".join(names) or "none"


def _write_corruption(corrupt: Corruption) -> str:
    if corrupt.pairs is None:
        return "" if corrupt.scope == "channel" else f"({corrupt.scope})"
    pairs = ", ".join(f"{write_message(a)} => {write_message(b)}" for a, b in corrupt.pairs)
    if corrupt.scope == "channel":
        return f"({pairs})"
    return f"({corrupt.scope}, {pairs})"
