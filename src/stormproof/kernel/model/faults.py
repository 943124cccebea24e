"""The kinds of faults that a channel may have (definitions 2.1 to 2.4).

Everything that is peculiar to one kind, and is no algorithm, is in its value here: how files, flags, JSON
and arguments spell it, what sentences and tables call it, and which questions are defined under it. `KINDS`
lists them in the order in which they are shown. A kind also has a field in what a file declares, in what a
user asks for (the argument and its value), and in what one channel does.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import fields, replace
from typing import Any, TypedDict

from ...errors import ModelError
from ...records import dataclass
from .actions import Channel

SCOPES = ("channel", "sender", "system")


@dataclass(frozen=True)
class FaultKind:
    """`keyword` is its spelling in files, flags, JSON and arguments, `noun` its name in sentences.

    `may` says what may happen to messages; `short` is the head of a narrow column. `in_paper`: it is one of
    the paper's interferences, which surveys ask for unless they are asked for others. `matches_once`: every
    message is still received at most once, in a way that the theories of RSC and half-duplex cover; other
    kinds are refused there. `whole_queue`: in a mailbox it affects all messages, whoever sent them. `idle`:
    why it may change nothing where messages are sent.
    """

    keyword: str
    noun: str
    may: str
    short: str
    in_paper: bool = False
    matches_once: bool = False
    whole_queue: bool = False
    idle: str = ""


def _of_paper(
    keyword: str, noun: str, may: str, short: str, idle: str = "", whole_queue: bool = False
) -> FaultKind:
    return FaultKind(keyword, noun, may, short, True, True, whole_queue, idle)


LOSS = _of_paper("loss", "loss", "be lost", "loss")
CORRUPTION = _of_paper(
    "corrupt", "corruption", "turn into others", "corr.", "no message has another to turn into"
)
REORDERING = _of_paper(
    "reorder", "reordering", "overtake each other", "reord.", "all messages are the same", whole_queue=True
)
DUPLICATION = FaultKind("duplicate", "duplication", "be delivered more than once", "dupl.")

KINDS = (LOSS, CORRUPTION, REORDERING, DUPLICATION)
#: The same, the most frequent first, as frontiers list them.
KINDS_BY_FREQUENCY = (LOSS, DUPLICATION, REORDERING, CORRUPTION)
PAPER_KINDS = tuple(kind for kind in KINDS if kind.in_paper)
#: Those that are a yes or a no; a corruption also says what may become what.
PLAIN_KINDS = tuple(kind for kind in KINDS if kind is not CORRUPTION)
#: What a partition does to the channels across it.
PARTITION = LOSS


@dataclass(frozen=True)
class ProcessFaultKind:
    """A fault of a process: `keyword` is its spelling, `may` what a sentence says of the process."""

    keyword: str
    may: str
    option: str


STOP = ProcessFaultKind(
    "stop", "may stop silently", "These processes may stop for good, and nobody is informed."
)
RESTART = ProcessFaultKind(
    "restart", "may restart", "These processes may restart, in their initial or last durable state."
)
PROCESS_KINDS = (STOP, RESTART)


@dataclass(frozen=True)
class LinkFaultKind:
    """A fault after which channels are down for good: `keyword` is its spelling, `may` what a sentence says
    of the channels, `short` the head of a narrow column."""

    keyword: str
    noun: str
    may: str
    short: str


CUT = LinkFaultKind("cut", "cut", "may be cut for good", "cut")


def kind_named(keyword: str) -> FaultKind:
    return next(kind for kind in KINDS if kind.keyword == keyword)


@dataclass(frozen=True, order=True)
class Corruption:
    """Which message may become which: all of a scope, or given pairs.

    `channel`: every message that some send or reception on the channel names; `sender`: those and
    every message that the sender sends to anyone; `system`: every message of the system. With
    `pairs`, only those (closed under reflexivity and transitivity), and the scope is ignored.
    """

    scope: str = "channel"
    pairs: tuple[tuple[str, str], ...] | None = None

    def __post_init__(self) -> None:
        if self.scope not in SCOPES:
            raise ValueError(f"corruption scope '{self.scope}' is none of {', '.join(SCOPES)}")

    def merged(self, other: Corruption) -> Corruption:
        """Both declarations together; raises ModelError where they contradict each other."""
        if self == other:
            return self
        if self.pairs is not None and other.pairs is not None and self.scope == other.scope:
            return replace(self, pairs=tuple(dict.fromkeys(self.pairs + other.pairs)))
        raise ModelError(
            "corruption is declared twice, in different ways", hint="say once what may become what"
        )

    def renamed(self, messages: Mapping[str, str]) -> Corruption:
        if self.pairs is None:
            return self
        return replace(self, pairs=tuple((messages.get(a, a), messages.get(b, b)) for a, b in self.pairs))


@dataclass(frozen=True, order=True)
class ChannelFaults:
    """What may happen on the channel from `sender` to `receiver`, one field per kind of fault."""

    sender: str
    receiver: str
    loss: bool = False
    reorder: bool = False
    corrupt: Corruption | None = None
    duplicate: bool = False

    def has(self, kind: FaultKind) -> bool:
        return getattr(self, kind.keyword) not in (False, None)

    @property
    def messages(self) -> tuple[str, ...]:
        """The messages that the declaration names."""
        pairs = (self.corrupt.pairs or ()) if self.corrupt is not None else ()
        return tuple(message for pair in pairs for message in pair)

    def merged(self, other: ChannelFaults) -> ChannelFaults:
        """What either of the two declares; raises ModelError where they contradict each other."""
        found: dict[str, Any] = {kind.keyword: self.has(kind) or other.has(kind) for kind in PLAIN_KINDS}
        corrupt = self.corrupt or other.corrupt
        if self.corrupt is not None and other.corrupt is not None:
            corrupt = self.corrupt.merged(other.corrupt)
        return replace(self, **found, corrupt=corrupt)

    def renamed(self, processes: Mapping[str, str], messages: Mapping[str, str]) -> ChannelFaults:
        """With other process and message names; what is not mentioned keeps its own."""
        return replace(
            self,
            sender=processes.get(self.sender, self.sender),
            receiver=processes.get(self.receiver, self.receiver),
            corrupt=None if self.corrupt is None else self.corrupt.renamed(messages),
        )


#: Everywhere, nowhere, or on these channels.
ChannelChoice = bool | Iterable[str | tuple[str, str]]


class FaultArguments(TypedDict, total=False):
    """The arguments of `Failures` that name a kind of fault."""

    loss: ChannelChoice
    corrupt: ChannelChoice
    reorder: ChannelChoice
    duplicate: ChannelChoice


@dataclass(frozen=True)
class AskedFaults:
    """Where each kind of fault is asked for."""

    loss: bool | tuple[Channel, ...] = False
    corrupt: bool | tuple[Channel, ...] = False
    reorder: bool | tuple[Channel, ...] = False
    duplicate: bool | tuple[Channel, ...] = False

    def choice(self, kind: FaultKind) -> bool | tuple[Channel, ...]:
        """Where this kind of fault is asked for: everywhere, nowhere, or on these channels."""
        chosen: bool | tuple[Channel, ...] = getattr(self, kind.keyword)
        return chosen


@dataclass(frozen=True, kw_only=True)
class PlainFaults:
    """Which kinds one channel has, corruption aside: `ChannelFailure` says what may become what."""

    loss: bool = False
    reorder: bool = False
    duplicate: bool = False


def _check_fields() -> None:
    keywords = {kind.keyword for kind in KINDS}
    assert keywords == {f.name for f in fields(ChannelFaults)} - {"sender", "receiver"}
    assert keywords == {f.name for f in fields(AskedFaults)} == set(FaultArguments.__annotations__)
    assert set(KINDS_BY_FREQUENCY) == set(KINDS)
    assert {kind.keyword for kind in PLAIN_KINDS} == {f.name for f in fields(PlainFaults)}


_check_fields()
