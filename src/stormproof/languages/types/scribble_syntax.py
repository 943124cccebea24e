"""Global protocols as Scribble and nuScr write them: the statements, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from ...errors import Place


@dataclass(frozen=True)
class MessageStatement:
    """`label(payload) from A to B, C;`"""

    message: str
    sender: str
    receivers: tuple[str, ...]
    place: Place


@dataclass(frozen=True)
class CrashStatement:
    """`crash from A to B;`: B learns that A has crashed, as the first role (at the head of a branch) or
    as a further one."""

    sender: str
    receiver: str
    place: Place


@dataclass(frozen=True)
class ChoiceStatement:
    """`choice at A { ... } or { ... }`"""

    at: str
    blocks: tuple[Block, ...]
    place: Place


@dataclass(frozen=True)
class Recursion:
    """`rec X { ... }`"""

    name: str
    block: Block
    place: Place


@dataclass(frozen=True)
class Continue:
    """`continue X;`"""

    name: str
    place: Place


@dataclass(frozen=True)
class Do:
    """`do P<M, T>(A, B);`"""

    protocol: str
    roles: tuple[str, ...]
    place: Place
    arguments: tuple[str, ...] = ()


@dataclass(frozen=True)
class Calls:
    """`A calls P(A, B);`: a nested protocol starts, with participants of its own."""

    caller: str
    protocol: str
    roles: tuple[str, ...]
    place: Place


Statement = MessageStatement | CrashStatement | ChoiceStatement | Recursion | Continue | Do | Calls


@dataclass(frozen=True, eq=False, repr=False)
class Block:
    """Statements one after the other; `place` is that of its opening brace."""

    statements: tuple[Statement, ...]
    place: Place


class ProtocolParameter(NamedTuple):
    """`sig M`, a whole message (`message`), or `type T`, a type within payloads."""

    name: str
    message: bool


@dataclass(frozen=True, eq=False)
class Protocol:
    """`global protocol name<sig M, type T>(role A, reliable role B) { ... }`, or a nested protocol, which may
    create roles: `nested protocol name(role A; new role B) { ... }`."""

    name: str
    roles: tuple[str, ...]
    reliable: frozenset[str]
    block: Block
    aux: bool
    place: Place
    parameters: tuple[ProtocolParameter, ...] = ()
    nested: tuple[Protocol, ...] = ()
    created: tuple[str, ...] = ()


@dataclass(frozen=True, eq=False)
class Module:
    """A file: its global protocols in order, whether it speaks of crashes at all, the nested protocols beside
    the global ones, and the places of annotations and conditions, which are not checked.

    Without any `reliable` or `crash` in the file every role is reliable; otherwise those that are not marked
    `reliable` may crash.
    """

    protocols: dict[str, Protocol]
    crashes: bool
    nested: tuple[Protocol, ...] = ()
    unchecked: tuple[Place, ...] = ()

    def unreliable(self, protocol: Protocol) -> tuple[str, ...]:
        return tuple(r for r in protocol.roles if r not in protocol.reliable) if self.crashes else ()
