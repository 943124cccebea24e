"""A .storm text as read, before its names are looked up: what stands where."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from ...errors import InputError
from ...kernel.model.actions import Transition
from ...kernel.model.system import PEER_TO_PEER
from ...kernel.model.timers import ANY
from ...records import dataclass
from .storm_faults import Declared
from .storm_requirements import RequirementSyntax

if TYPE_CHECKING:
    from ...kernel.data.syntax import Expression, Name
    from ...programs.data.syntax import ConstantSyntax, DataRole, RecoverySyntax
    from .storm_types import TypeBody


@dataclass
class RoleBody:
    """A role's body: transitions with their places, and where each state and peer is first named."""

    rows: list[Transition] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)
    targets: dict[str, int] = field(default_factory=dict)
    peers: dict[str, int] = field(default_factory=dict)
    recovery: list[RecoverySyntax] = field(default_factory=list)


@dataclass
class RoleSyntax:
    """A role; `broken` when its body has mistakes, so that its names are not all known."""

    name: str
    start: int
    reliable: bool
    service: bool
    body: RoleBody | TypeBody | DataRole
    broken: bool = False


@dataclass(frozen=True)
class ObserverSyntax:
    """An observer; `broken` when its body has mistakes."""

    body: DataRole
    broken: bool = False


@dataclass(frozen=True)
class Rest:
    """`A@idle` or `A@{idle, done}` in a `rest` or `durable` line: names, each with its place; `values` are
    those of `A@idle{x=1}`; `atomically` may stand behind durable states."""

    role: str
    start: int
    states: tuple[tuple[str, int], ...]
    values: tuple[tuple[Name, Expression], ...] = ()
    atomically: bool = False


@dataclass
class File:
    """A whole text. `roles_unread` when a statement could not be read that may have been a role; `data`: it
    has constants, variables or families."""

    name: str = ""
    communication: str = PEER_TO_PEER
    timers: str = ANY
    roles: dict[str, RoleSyntax] = field(default_factory=dict)
    observers: list[ObserverSyntax] = field(default_factory=list)
    faults: list[Declared] = field(default_factory=list)
    rest: list[Rest] = field(default_factory=list)
    durable: list[Rest] = field(default_factory=list)
    requirements: list[RequirementSyntax] = field(default_factory=list)
    errors: list[InputError] = field(default_factory=list)
    roles_unread: bool = False
    data: bool = False
    constants: list[ConstantSyntax] = field(default_factory=list)
