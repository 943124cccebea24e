"""What a program is: an initial local state, what a local state offers, and what comes then.

Roles in Python and roles in .storm with variables are the two kinds of programs.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from ...errors import ModelError, Place
from ...kernel.model.actions import Action, Message

if TYPE_CHECKING:
    from .disks import Contents, ProgramDisk


class InTransit(Protocol):
    """A message with its values: `message` is how it is spelt, and `identity` tells it from every other."""

    @property
    def peer(self) -> str:
        """Who sends it."""

    @property
    def name(self) -> Message: ...

    @property
    def message(self) -> str: ...

    @property
    def identity(self) -> Hashable: ...


@dataclass(frozen=True)
class Variable:
    """A variable at a point: what tells it from others, its name, and its value, as key and as text."""

    identity: Hashable
    name: str
    value: Hashable
    spelt: str


class ProgramPoint(Protocol):
    """A local state; `group` is what its author calls it, with others perhaps."""

    @property
    def key(self) -> Hashable: ...

    @property
    def place(self) -> Place | None: ...

    @property
    def group(self) -> str: ...

    @property
    def durable(self) -> bool: ...

    @property
    def failure(self) -> str:
        """What has gone wrong here, if anything has: then nothing follows."""


P = TypeVar("P", bound=ProgramPoint)


@dataclass(frozen=True)
class SendOffer:
    """A message can be sent to a peer; `value` says to the program which way on this is."""

    peer: str
    message: InTransit
    value: Any = None


@dataclass(frozen=True)
class ReceiveOffer:
    """What comes from this peer may be received; which messages, `after` says."""

    peer: str


@dataclass(frozen=True)
class ActOffer:
    """An internal action."""

    action: Action
    value: Any = None


Offer = SendOffer | ReceiveOffer | ActOffer


@dataclass(frozen=True)
class Response:
    """What an offer gives: the action that it is in the automaton, and the value that the program gets."""

    action: Action
    value: Any


class AnyProgram(Protocol[P]):
    """A role; what follows a message that is not received is nothing."""

    @property
    def name(self) -> str: ...

    @property
    def start(self) -> P: ...

    def offers(self, point: P) -> Iterable[Offer]: ...

    def after(self, point: P, response: Response) -> Iterable[P]: ...

    @property
    def disk(self) -> ProgramDisk[P] | None:
        """What its disk may hold, if it has durable variables."""

    def saved(self, point: P, response: Response) -> Contents:
        """The durable variables that this response writes to the disk, with their values."""

    @property
    def recovery(self) -> Mapping[str, P]:
        """Where recovery code begins, by the name of what the disk holds; "" for anything else."""

    def named(self) -> Iterable[InTransit]:
        """Messages that the program names as received, whether anybody sends them or not."""

    def variables(self, point: P) -> Iterable[Variable]: ...

    def refusal(
        self, problem: str, hint: str, point: P | None = None, variable: Hashable = None
    ) -> ModelError:
        """The error, with its place: that of the point, or where the variable is assigned."""


@dataclass
class Automaton(Generic[P]):
    """The points of a program, by key, and where each response leads; of `unmade` ones that is not known."""

    program: AnyProgram[P]
    points: dict[Hashable, P] = field(default_factory=dict)
    steps: dict[Hashable, list[tuple[Response, Hashable]]] = field(default_factory=dict)
    unmade: set[Hashable] = field(default_factory=set)

    @property
    def name(self) -> str:
        return self.program.name

    @property
    def start(self) -> P:
        return self.program.start


def listed_last(values: Sequence[str], most: int = 3) -> str:
    """The last of many values, for an error."""
    return f"the last ones are {', '.join(values[-most:])}"
