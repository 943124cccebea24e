"""Roles with variables, constants and domains as read: what stands where."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace

from ...kernel.data.syntax import Expression, Name
from ...kernel.model.actions import Internal, Message
from ...records import dataclass

RANGE, BOOL, WORDS, SET, LIST, MAP, TUPLE, MAYBE, NAMED = (
    *("range", "bool", "words", "set", "list", "map", "tuple", "maybe", "named"),
)


@dataclass(frozen=True)
class DomainSyntax:
    """`0..n`, `bool`, `{red, green}`, `set of D`, `list of D up to n`, `map of D to E`, `(D, E)`, `D?` and
    the name of a family; `parts` are the domains, names and numbers in it, in their order."""

    kind: str
    parts: tuple[DomainSyntax | Expression, ...]
    start: int
    end: int


@dataclass(frozen=True)
class VariableSyntax:
    """`var x: D = value`, `durable var x: D = value`; several names in one line are several of these."""

    name: Name
    domain: DomainSyntax
    initial: Expression | None
    durable: bool = False


@dataclass(frozen=True)
class PeerSyntax:
    """`A`, `N[e]`, `N[*]`."""

    name: Name
    index: Expression | None = None
    everybody: bool = False


@dataclass(frozen=True)
class UpdateSyntax:
    """`x = e`, or `m[k] = e`."""

    name: Name
    key: Expression | None
    value: Expression


SEND, RECEIVE, ACT, GO = "send", "receive", "act", "go"


@dataclass(frozen=True)
class WatchSyntax:
    """What an alternative of an observer waits for, as in `ObservedEvent`; `message` None: any, and `place`
    is where it is written."""

    kind: str
    role: PeerSyntax
    peer: PeerSyntax | None = None
    message: Message | None = None
    place: Name | None = None
    fields: tuple[Expression, ...] = ()
    states: tuple[Name, ...] = ()


@dataclass(frozen=True)
class AlternativeSyntax:
    """One alternative of a state; `GO` has no action, and `also` is written `or`. `saved` are the durable
    variables that it writes; None where it is no `save`. `watched`: what one of an observer waits for."""

    kind: str
    start: int
    end: int
    target: Name
    peer: PeerSyntax | None = None
    message: Message = ""
    fields: tuple[Expression, ...] = ()
    action: Internal | None = None
    guard: Expression | None = None
    updates: tuple[UpdateSyntax, ...] = ()
    also: bool = False
    saved: tuple[Name, ...] | None = None
    watched: WatchSyntax | None = None

    def watching(self, watched: WatchSyntax) -> AlternativeSyntax:
        return replace(self, watched=watched)


@dataclass(frozen=True)
class RecoverySyntax:
    """`on restart -> s`, or `on restart x -> s` where the disk holds x."""

    disk: Name | None
    state: Name


@dataclass
class StateSyntax:
    """A named state with its alternatives, in their order."""

    name: Name
    alternatives: list[AlternativeSyntax] = field(default_factory=list)


@dataclass
class DataRole:
    """A role, or the roles of a family: `index` is what a member calls itself, `size` how many there are. Or
    an observer: its alternatives say what is watched."""

    name: str
    start: int
    index: Name | None = None
    size: Expression | None = None
    variables: list[VariableSyntax] = field(default_factory=list)
    states: dict[str, StateSyntax] = field(default_factory=dict)
    recovery: list[RecoverySyntax] = field(default_factory=list)

    @property
    def family(self) -> bool:
        return self.size is not None


@dataclass(frozen=True)
class ConstantSyntax:
    """`const n = 3`."""

    name: Name
    value: Expression


Roles = Mapping[str, DataRole]
