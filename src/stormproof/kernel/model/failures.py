"""Failure models: which faults each channel has and who may crash (definitions 2.1, 5.2).

`Failures` is what a user asks for; `Failures.on(system)` resolves it against a system into a
`FailureModel`, which says for every channel exactly what may happen there.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import copy
from dataclasses import field, fields
from functools import cached_property
from itertools import product
from typing import TYPE_CHECKING, Any

from ...errors import UsageError, did_you_mean
from ...records import dataclass
from .actions import CRASH, Channel, Crash, Letter, Message, sender_in
from .budget import NO_BUDGET, Budget, BudgetGiven, budget_of
from .corruption import all_pairs, message_pool, transitive_closure
from .cuts import Cut, across, in_use, link as link_of, links
from .faults import (
    CORRUPTION,
    CUT,
    KINDS,
    PARTITION,
    PLAIN_KINDS,
    PROCESS_KINDS,
    SCOPES,
    AskedFaults,
    ChannelChoice,
    ChannelFaults,
    Corruption,
    FaultArguments,
    FaultKind,
    PlainFaults,
    ProcessFaultKind,
)
from .partition import check_sides, sides_of, stays_in
from .phrases import listed
from .system import System
from .timers import ON_TIME, check_mode

if TYPE_CHECKING:
    from typing_extensions import Unpack


@dataclass(frozen=True)
class ChannelFailure(PlainFaults):
    """What one channel may do to its content (definitions 2.2 to 2.4, 9.4): a flag per kind of fault, and
    what a corruption makes of what.

    `becomes` is the corruption relation closed under transitivity, without the trivial pairs: the
    other messages that a message may turn into. `total` says that it relates every two messages of
    `pool`, and that every message sent here is in `pool`, so that a length stands for the content.
    `only_from` names, in a mailbox, the senders whose messages a kind of fault affects, by the keyword of the
    kind. The crash message is exempt from every fault.
    """

    becomes: Mapping[str, frozenset[str]] = field(default_factory=dict)
    pool: tuple[str, ...] = ()
    total: bool = False
    only_from: Mapping[str, frozenset[str]] = field(default_factory=dict)

    @cached_property
    def corrupt(self) -> bool:
        return any(self.becomes.values())

    @property
    def perfect(self) -> bool:
        return not self.kinds

    def may_become(self, sent: Message, received: Message) -> bool:
        """Is `sent >= received`?"""
        if sent == received:
            return True
        return isinstance(sent, str) and received in self.becomes.get(sent, frozenset())

    def affects(self, kind: FaultKind, message: Message) -> bool:
        """May this kind of fault happen to the message?"""
        if isinstance(message, Crash) or not getattr(self, kind.keyword):
            return False
        return kind.keyword not in self.only_from or sender_in(message) in self.only_from[kind.keyword]

    def exchanges(self, first: Message, second: Message) -> bool:
        """May two neighbours be exchanged? A crash message stays behind all that its sender has sent; only in
        a mailbox are there messages of others (definitions 2.4, 12.2)."""
        if not self.changes_order:
            return False
        crash = isinstance(first, Crash) or isinstance(second, Crash)
        return not crash or sender_in(first) != sender_in(second)

    def contains(self, other: ChannelFailure) -> bool:
        """Does it allow everything that the other one allows?"""
        kinds = set(other.kinds) <= set(self.kinds)
        return kinds and all(ms <= self.becomes.get(m, frozenset()) for m, ms in other.becomes.items())

    @cached_property
    def kinds(self) -> tuple[FaultKind, ...]:
        return tuple(kind for kind in KINDS if getattr(self, kind.keyword))

    @cached_property
    def changes_order(self) -> bool:
        """May messages overtake each other?"""
        return any(kind.whole_queue for kind in self.kinds)

    @property
    def matches_once(self) -> bool:
        """Is every message received at most once?"""
        return all(kind.matches_once for kind in self.kinds)

    def describe(self) -> tuple[str, ...]:
        """The faults by name."""
        return tuple(kind.noun for kind in self.kinds)


PERFECT = ChannelFailure()


@dataclass(frozen=True)
class FailureModel:
    """A failure model resolved against a system: every channel that is not listed is perfect. `on_time`:
    everything is faster than every timer (definitions 16.1). `cuts`: what one cut takes down, each of
    channels in use (definitions 15.1)."""

    channels: Mapping[Channel, ChannelFailure]
    unreliable: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()
    on_time: bool = False
    cuts: tuple[Cut, ...] = ()

    def on(self, channel: Channel) -> ChannelFailure:
        if channel.sender:
            return self.channels.get(channel, PERFECT)
        return self._mailboxes.get(channel.receiver, PERFECT)

    @cached_property
    def _mailboxes(self) -> Mapping[str, ChannelFailure]:
        """What each mailbox may do, by its owner."""
        owners = dict.fromkeys(channel.receiver for channel in self.channels)
        return {name: _mailbox_failure(self.channels, name) for name in owners}

    @property
    def bags(self) -> tuple[str, ...]:
        """Whose mailboxes let messages overtake each other."""
        found = self._mailboxes.items()
        return tuple(name for name, failure in found if failure.changes_order)

    @property
    def perfect(self) -> bool:
        """No interference (a process may still crash)."""
        return all(c.perfect for c in self.channels.values())

    @property
    def harmless(self) -> bool:
        """Nothing can fail, neither a channel nor a process."""
        return self.perfect and not (self.unreliable or self.stop or self.restart or self.cuts)

    def contains(self, other: FailureModel, channels: Iterable[Channel]) -> bool:
        """Does it allow everything that the other one allows, on these channels and of the processes?"""
        processes = ("unreliable", *(kind.keyword for kind in PROCESS_KINDS))
        cuts = set(other.cuts) <= set(self.cuts)
        return (
            cuts
            and all(self.on(c).contains(other.on(c)) for c in channels)
            and all(set(getattr(other, names)) <= set(getattr(self, names)) for names in processes)
        )

    @cached_property
    def kinds(self) -> tuple[FaultKind, ...]:
        """The kinds of faults that some channel has."""
        found = {kind for failure in self.channels.values() for kind in failure.kinds}
        return tuple(kind for kind in KINDS if kind in found)

    def everywhere(self, system: System, kind: FaultKind) -> bool:
        """Do all channels in use have this fault?"""
        standing = ((c, m) for c, alphabet in system.alphabets.items() for m in alphabet)
        return all(self.on(c).affects(kind, m) for c, m in standing if not isinstance(m, Crash))

    def only_length_matters(self, system: System, channel: Channel) -> bool:
        """Does corruption turn every message that can stand in the channel into every other one?"""
        failure = self.on(channel)
        if not failure.corrupt:
            return False
        standing = {m for m in system.sent_on.get(channel, ()) if m is not CRASH}
        standing |= {b for a in standing if isinstance(a, str) for b in failure.becomes.get(a, ())}
        return all(failure.may_become(a, b) for a in standing for b in standing)


#: Every channel is perfect, and nobody crashes, stops or restarts.
NO_FAULTS = FailureModel({})


@dataclass(frozen=True)
class Failures(AskedFaults):
    """What is asked to go wrong; flags add to the faults that the file declares.

    Each kind of fault has an argument: True for all channels, or the channels that have it. `cut`: True for
    any one link, or channels each of which may be cut; `cut_link`: links, by their two roles. A `partition`
    that `stays` is one cut. `budget`: at most so many faults in a run. `as_written`: crash handling that the
    protocol lacks is not added, so that only those crash whose automaton says how. `timers`: `on-time` or
    `any-time`; without it, as the file says.

    >>> Failures(loss=True, corrupt=["A->B"]).corrupt
    (Channel(sender='A', receiver='B'),)
    """

    corrupt_scope: str = "channel"
    corrupt_map: tuple[tuple[Channel, str, str], ...] = ()
    crash: tuple[str, ...] = ()
    stop: tuple[str, ...] = ()
    restart: tuple[str, ...] = ()
    partition: tuple[tuple[str, ...], ...] = ()
    cut: bool | tuple[Channel, ...] = False
    cut_link: tuple[Channel, ...] = ()
    partition_stays: bool = False
    file_faults: bool = True
    budget: Budget = NO_BUDGET
    as_written: bool = False
    timers: str = ""

    def __init__(
        self,
        *,
        corrupt_scope: str = "channel",
        corrupt_map: Mapping[str, Mapping[str, str]] | Iterable[tuple[str | tuple[str, str], str, str]] = (),
        crash: Iterable[str] | str = (),
        stop: Iterable[str] | str = (),
        restart: Iterable[str] | str = (),
        partition: str | Iterable[Iterable[str]] = (),
        cut: ChannelChoice = False,
        cut_link: Iterable[str | tuple[str, str]] | str = (),
        partition_stays: bool = False,
        file_faults: bool = True,
        budget: BudgetGiven | None = None,
        as_written: bool = False,
        timers: str | None = None,
        **faults: Unpack[FaultArguments],
    ) -> None:
        if corrupt_scope not in SCOPES:
            raise UsageError(
                f"unknown corruption scope '{corrupt_scope}'; it is one of {', '.join(SCOPES)}",
                hint=did_you_mean(corrupt_scope, SCOPES),
            )
        put = object.__setattr__
        for kind, choice in _choices(faults).items():
            put(self, kind.keyword, choice)
        put(self, "corrupt_scope", corrupt_scope)
        put(self, "corrupt_map", _pairs(corrupt_map))
        for name, roles in (("crash", crash), ("stop", stop), ("restart", restart)):
            put(self, name, _roles(name, roles))
        put(self, "partition", sides_of(partition))
        put(self, "partition_stays", partition_stays or stays_in(partition))
        put(self, CUT.keyword, _choice(CUT.keyword, cut))
        put(self, "cut_link", _links(cut_link))
        put(self, "file_faults", file_faults)
        put(self, "budget", budget_of(budget))
        put(self, "as_written", as_written)
        put(self, "timers", check_mode(timers))

    def __repr__(self) -> str:
        """What its constructor takes: arguments that are not as by default, in plain values."""
        usual = Failures()
        names = [
            field.name for field in fields(self) if getattr(self, field.name) != getattr(usual, field.name)
        ]
        return f"Failures({', '.join(f'{name}={self._plain(name)!r}' for name in names)})"

    def _plain(self, name: str) -> Any:
        """An argument as one would write it."""
        value = getattr(self, name)
        if name == "budget":
            return self.budget.to_json()
        if name == "corrupt_map":
            return [(str(channel), before, after) for channel, before, after in self.corrupt_map]
        named = isinstance(value, tuple) and name in {kind.keyword for kind in (*KINDS, CUT)} | {"cut_link"}
        return [str(channel) for channel in value] if named else value

    def within(self, budget: BudgetGiven) -> Failures:
        """The same with another budget."""
        changed = copy(self)
        object.__setattr__(changed, "budget", budget_of(budget))
        return changed

    def with_timers(self, mode: str) -> Failures:
        """The same with timers on time, or at any time."""
        changed = copy(self)
        object.__setattr__(changed, "timers", check_mode(mode))
        return changed

    def asks(self, kind: FaultKind, channel: Channel) -> bool:
        """Is this kind of fault asked for on this channel, by name or by a partition?"""
        choice = self.choice(kind)
        named = choice if isinstance(choice, bool) else channel in choice
        apart = kind is PARTITION and not self.partition_stays and self._apart(channel)
        return named or apart

    def may_change_messages(self, system: System) -> bool:
        """May a message become another one, on some channel of the system?"""
        return bool(self.wanted(CORRUPTION, system))

    def wanted(self, kind: FaultKind, system: System) -> tuple[Channel, ...]:
        """The channels that are to have this kind of fault: all, those that are named, those of the file."""
        choice = self.choice(kind)
        found = [c for c in system.channels if self.asks(kind, c)]
        found += [] if isinstance(choice, bool) else choice
        found += [c for c, _, _ in self.corrupt_map] if kind is CORRUPTION else []
        declared = system.faults if self.file_faults else ()
        found += [Channel(f.sender, f.receiver) for f in declared if f.has(kind)]
        return tuple(dict.fromkeys(found))

    def on(self, system: System) -> FailureModel:
        """Resolve against a system: what each of its channels may do, and who may crash."""
        self._check_names(system)
        declared = {Channel(f.sender, f.receiver): f for f in system.faults} if self.file_faults else {}
        channels = {}
        for channel in system.channels:
            failure = self._resolve(system, channel, declared.get(channel, ChannelFaults(*channel)))
            if not failure.perfect:
                channels[channel] = failure
        if system.mailboxes:
            _check_mailboxes(system, channels)
        return FailureModel(
            channels,
            unreliable=tuple(p.name for p in system if not p.reliable or p.name in self.crash),
            on_time=(self.timers or system.timers) == ON_TIME,
            **{kind.keyword: self._affected(system, kind) for kind in PROCESS_KINDS},
            cuts=in_use(self.cuts_on(system), system.pairs),
        )

    def cuts_on(self, system: System) -> tuple[Cut, ...]:
        """What each cut that is asked for or declared takes down, also where no message goes."""
        asked: list[Cut] = [link_of(*pair) for pair in self.cut_link]
        asked += links(system.pairs) if self.cut is True else []
        asked += [(channel,) for channel in self.cut or ()] if not isinstance(self.cut, bool) else []
        asked += [across(self.partition, system.pairs)] if self.partition_stays else []
        return (*asked, *(system.cuts if self.file_faults else ()))

    def _affected(self, system: System, kind: ProcessFaultKind) -> tuple[str, ...]:
        """The processes that may have this fault."""
        asked: tuple[str, ...] = getattr(self, kind.keyword)
        declared = [p.name for p in system if getattr(p, kind.keyword) and self.file_faults]
        return tuple(name for name in system.names if name in asked or name in declared)

    def _apart(self, channel: Channel) -> bool:
        """Does the channel lead from one side of the partition to another?"""
        return any(channel.sender in side and channel.receiver not in side for side in self.partition)

    def _resolve(self, system: System, channel: Channel, declared: ChannelFaults) -> ChannelFailure:
        plain: dict[str, Any] = {k.keyword: declared.has(k) or self.asks(k, channel) for k in PLAIN_KINDS}
        scope, pairs = self._corruption(channel, declared.corrupt)
        if scope is None and not pairs:
            return ChannelFailure(**plain)
        pool = message_pool(system, channel, scope, pairs)
        becomes = transitive_closure(
            [*all_pairs(message_pool(system, channel, scope, ())), *pairs] if scope else pairs
        )
        total = all(becomes.get(m, frozenset()) | {m} == frozenset(pool) for m in pool)
        return ChannelFailure(becomes=becomes, pool=pool, total=total, **plain)

    def _corruption(
        self, channel: Channel, declared: Corruption | None
    ) -> tuple[str | None, tuple[tuple[str, str], ...]]:
        """What the file declares and what is asked for, together: the widest scope and all given pairs."""
        scopes = [declared.scope] if declared is not None and declared.pairs is None else []
        if self.asks(CORRUPTION, channel):
            scopes.append(self.corrupt_scope)
        pairs = list(declared.pairs or ()) if declared is not None else []
        pairs += [(a, b) for c, a, b in self.corrupt_map if c == channel]
        return max(scopes, key=SCOPES.index, default=None), tuple(pairs)

    def _check_names(self, system: System) -> None:
        named = [c for kind in KINDS if isinstance(choice := self.choice(kind), tuple) for c in choice]
        named += [c for c, _, _ in self.corrupt_map]
        named += [*self.cut_link, *(() if isinstance(self.cut, bool) else self.cut)]
        for channel in named:
            for end in channel:
                if end not in system:
                    raise UsageError(_unknown_role(end, system), hint=did_you_mean(end, system.names))
        sides = [name for side in self.partition for name in side]
        for name in (*self.crash, *self.stop, *self.restart, *sides):
            if name not in system:
                raise UsageError(_unknown_role(name, system), hint=did_you_mean(name, system.names))
        check_sides(system, self.partition)
        if self.partition_stays and not self.partition:
            raise UsageError("a partition that stays has sides", hint="write partition='A,B | C stays'")
        known = {*system.messages, *(m for fault in system.faults for m in fault.messages)}
        for channel, *ends in self.corrupt_map:
            for message in ends:
                if message not in known:
                    raise UsageError(
                        f"unknown message '{message}' in the corruption of {channel}",
                        hint=did_you_mean(message, system.messages) or _messages_here(system),
                    )


def _mailbox_failure(channels: Mapping[Channel, ChannelFailure], owner: str) -> ChannelFailure:
    """What the mailbox of a process may do: to the messages of each sender what the sender's channel to it
    does, their senders kept (definitions 12.2)."""
    parts = {c.sender: failure for c, failure in channels.items() if c.receiver == owner}
    affected = {k: frozenset(s for s, f in parts.items() if k in f.kinds) for k in PLAIN_KINDS}
    plain: dict[str, Any] = {kind.keyword: bool(senders) for kind, senders in affected.items()}
    becomes: dict[str, frozenset[str]] = {
        Letter(message, sender): frozenset(Letter(other, sender) for other in others)
        for sender, failure in parts.items()
        for message, others in failure.becomes.items()
    }
    pool = tuple(Letter(message, sender) for sender, failure in parts.items() for message in failure.pool)
    return ChannelFailure(
        becomes=becomes, pool=pool, only_from={k.keyword: s for k, s in affected.items() if s}, **plain
    )


def _check_mailboxes(system: System, channels: Mapping[Channel, ChannelFailure]) -> None:
    """Some kinds of faults affect a whole mailbox, or nothing in it (definitions 12.2)."""
    for kind, owner in product((k for k in KINDS if k.whole_queue), system.names):
        into = [c for c in system.channels if c.receiver == owner]
        affected = [c for c in into if kind in channels.get(c, PERFECT).kinds]
        spared = [c.sender for c in into if c not in affected]
        if affected and spared:
            raise UsageError(
                f"{kind.noun} affects a whole mailbox, and that of {owner} also has messages from "
                f"{listed(spared)}",
                hint=f"declare it on every channel to {owner}, or on none",
            )


def _unknown_role(name: str, system: System) -> str:
    return f"the failures name an unknown role '{name}'; roles here: {', '.join(system.names)}"


def _messages_here(system: System, most: int = 12) -> str:
    names = list(system.messages)
    return "messages here: " + ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def parse_channel(text: str | tuple[str, str]) -> Channel:
    """A channel from `A->B`, `A:B`, `A→B` or a pair."""
    if isinstance(text, tuple):
        return Channel(*text)
    for arrow in ("->", "→", ":"):
        if arrow in text:
            sender, _, receiver = text.partition(arrow)
            if sender.strip() and receiver.strip():
                return Channel(sender.strip(), receiver.strip())
    raise UsageError(f"'{text}' is not a channel", hint="write it Sender:Receiver, or 'Sender->Receiver'")


def _choices(given: FaultArguments) -> dict[FaultKind, bool | tuple[Channel, ...]]:
    left: dict[str, Any] = dict(given)
    found = {kind: _choice(kind.keyword, left.pop(kind.keyword, False)) for kind in KINDS}
    if left:
        raise TypeError(f"Failures has no argument '{next(iter(left))}'")
    return found


def _links(given: Iterable[str | tuple[str, str]] | str) -> tuple[Channel, ...]:
    """Links by their two roles, the lesser one first."""
    found = _choice("cut_link", given)
    assert not isinstance(found, bool)
    for pair in found:
        if pair.sender == pair.receiver:
            raise UsageError(f"'{pair.sender}' has no link to itself", hint="cut_link=['A:B']")
    return tuple(dict.fromkeys(Channel(*sorted(pair)) for pair in found))


def _roles(name: str, given: Iterable[str] | str) -> tuple[str, ...]:
    if isinstance(given, Iterable):
        return (given,) if isinstance(given, str) else tuple(given)
    raise UsageError(f"{name} lists roles, and {given!r} is no list", hint=f"write {name}=['A', 'B']")


def _choice(name: str, choice: ChannelChoice) -> bool | tuple[Channel, ...]:
    if isinstance(choice, bool):
        return choice
    if not isinstance(choice, Iterable):
        raise UsageError(f"{name} is true, false or a list of channels, not {choice!r}")
    if isinstance(choice, str):
        choice = [choice]
    return tuple(dict.fromkeys(parse_channel(c) for c in choice))


def _pairs(
    given: Mapping[str, Mapping[str, str]] | Iterable[tuple[str | tuple[str, str], str, str]],
) -> tuple[tuple[Channel, str, str], ...]:
    if isinstance(given, Mapping):
        given = [(c, a, b) for c, table in given.items() for a, b in table.items()]
    rows: list[tuple[Any, ...]] = [tuple(row) if isinstance(row, Iterable) else () for row in given]
    if not all(len(row) == 3 and isinstance(row[1], str) and isinstance(row[2], str) for row in rows):
        raise UsageError(
            "corrupt_map lists channels with a message and what it may become: ('A:B', 'x', 'y')"
        )
    return tuple(dict.fromkeys((parse_channel(c), a, b) for c, a, b in rows))
