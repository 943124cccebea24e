"""What one cut takes down: one channel, both channels of a link, or all channels across a partition
(definitions 15.1)."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from ...errors import ModelError
from .actions import Channel

#: The channels that one fault cuts.
Cut = tuple[Channel, ...]


def link(one: str, other: str) -> Cut:
    """Both channels between two roles."""
    return (Channel(one, other), Channel(other, one))


def links(channels: Iterable[Channel]) -> tuple[Cut, ...]:
    """The link of each two roles with a channel between them; no role has a link to itself."""
    pairs = dict.fromkeys(frozenset(c) for c in channels if c.sender != c.receiver)
    first = {frozenset(c): c for c in reversed(tuple(channels)) if c.sender != c.receiver}
    return tuple(link(*first[pair]) for pair in pairs)


def across(sides: Iterable[Collection[str]], channels: Iterable[Channel]) -> Cut:
    """The channels from one side of a partition to another."""
    side = {name: number for number, names in enumerate(sides) for name in names}
    return tuple(c for c in channels if side.get(c.sender) != side.get(c.receiver))


def in_use(cuts: Iterable[Cut], channels: Sequence[Channel]) -> tuple[Cut, ...]:
    """The same cuts of channels that are in use, each once and in one order; those of none are left out."""
    place = {channel: i for i, channel in enumerate(channels)}
    left = (tuple(sorted({c for c in cut if c in place}, key=place.__getitem__)) for cut in cuts)
    return tuple(dict.fromkeys(cut for cut in left if cut))


def is_link(cut: Cut) -> bool:
    return len(cut) == 2 and cut[0] == Channel(cut[1].receiver, cut[1].sender)


def sides_apart(cut: Cut, names: Sequence[str], channels: Iterable[Channel]) -> tuple[tuple[str, ...], ...]:
    """The sides of a partition with just these channels across it: who is still connected is on one side.
    One side where there is none."""
    side = {name: {name} for name in names}
    for channel in channels:
        if channel not in cut:
            joined = side[channel.sender] | side[channel.receiver]
            side.update(dict.fromkeys(joined, joined))
    found = dict.fromkeys(tuple(n for n in names if n in side[name]) for name in names)
    whole = set(across(found, channels)) == set(cut)
    return tuple(found) if whole else (tuple(names),)


def name_of(cut: Cut) -> str:
    """`A -> B`, `A <-> B`, or all of the channels: the name of the cut in runs."""
    if is_link(cut):
        return f"{cut[0].sender} <-> {cut[0].receiver}"
    return ", ".join(f"{c.sender} -> {c.receiver}" for c in cut)


def cuts_renamed(cuts: Iterable[Cut], processes: Mapping[str, str]) -> tuple[Cut, ...]:
    """With other process names; what is not mentioned keeps its own."""

    def new(channel: Channel) -> Channel:
        return Channel(*(processes.get(end, end) for end in channel))

    return tuple(tuple(map(new, cut)) for cut in cuts)


def check_cuts(cuts: Iterable[Cut], known: Collection[str]) -> None:
    """Are these cuts of channels between known processes?"""
    for cut in cuts:
        if not cut:
            raise ModelError("a cut of no channel is declared")
        for channel in cut:
            for end in channel:
                if end not in known:
                    raise ModelError(f"a cut is declared for an unknown process '{end}'")
