"""Faults as steps of a run: one class per thing that a channel may do to its content (definitions 2.5)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import Field, dataclass, fields
from typing import Any, ClassVar, Protocol, TypeVar

from ..errors import InputError
from .actions import Channel
from .faults import CORRUPTION, DUPLICATION, LOSS, REORDERING, FaultKind

Item = TypeVar("Item")


class Change(Protocol[Item]):
    """How faults change what stands for the messages of a channel."""

    def become(self, item: Item, message: str) -> Item: ...

    def copy(self, item: Item) -> Item: ...


@dataclass(frozen=True)
class Fault:
    """The channel does something to the message at `position`, counted from its head.

    `do` is the step's name in JSON, `touches` how many messages it needs from `position` on.
    """

    channel: Channel
    position: int

    kind: ClassVar[FaultKind]
    do: ClassVar[str]
    touches: ClassVar[int] = 1

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        """What the channel then holds."""
        raise NotImplementedError

    def phrase(self) -> str:
        """What happens, as a sentence without the channel."""
        raise NotImplementedError

    @property
    def mark(self) -> str:
        """What a chart in text shows at the place of the message."""
        return ""

    @property
    def note(self) -> str:
        """What a chart in text says beside it."""
        return self.phrase()

    def to_json(self) -> dict[str, Any]:
        more = {f.name: getattr(self, f.name) for f in fields(self)[2:]}
        ends = {"from": self.channel.sender, "to": self.channel.receiver}
        return {"do": self.do, **ends, "position": self.position, **more}


@dataclass(frozen=True)
class Lose(Fault):
    """The channel drops the message."""

    message: str
    kind, do = LOSS, "lose"

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        return [*content[: self.position], *content[self.position + 1 :]]

    def phrase(self) -> str:
        return f"{self.message} is lost"

    @property
    def mark(self) -> str:
        return "✕"

    @property
    def note(self) -> str:
        return f"{self.message} lost"


@dataclass(frozen=True)
class Corrupt(Fault):
    """The channel turns the message into another."""

    message: str
    becomes: str
    kind, do = CORRUPTION, "corrupt"

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        changed = change.become(content[self.position], self.becomes)
        return [*content[: self.position], changed, *content[self.position + 1 :]]

    def phrase(self) -> str:
        return f"{self.message} becomes {self.becomes}"

    @property
    def mark(self) -> str:
        return f"{self.message} ⇝ {self.becomes}"

    @property
    def note(self) -> str:
        return "corrupted"


@dataclass(frozen=True)
class Swap(Fault):
    """The channel swaps the message with the one behind it."""

    kind, do, touches = REORDERING, "swap", 2

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        at = self.position
        return [*content[:at], content[at + 1], content[at], *content[at + 2 :]]

    def phrase(self) -> str:
        return "two messages swap"


@dataclass(frozen=True)
class Overtake(Fault):
    """The message moves before `passed` others: one fault, however many it overtakes."""

    message: str
    passed: int
    kind, do = REORDERING, "overtake"

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        to = self.position - self.passed
        if not 0 <= to < self.position:
            raise InputError(f"{self.message} cannot overtake {self.passed} messages on {self.channel}")
        moved = content[self.position]
        return [*content[:to], moved, *content[to : self.position], *content[self.position + 1 :]]

    def phrase(self) -> str:
        return f"{self.message} overtakes {plural_messages(self.passed)}"


@dataclass(frozen=True)
class Duplicate(Fault):
    """The channel puts a copy before the message at its head. It is received at once; the message stays,
    `behind` so many others."""

    message: str
    behind: int = 0
    kind, do = DUPLICATION, "duplicate"

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        at, later = self.position, content[self.position + 1 :]
        if not 0 <= self.behind <= len(later):
            raise InputError(f"{self.message} cannot stay behind {self.behind} messages on {self.channel}")
        copy = change.copy(content[at])
        return [*content[:at], copy, *later[: self.behind], content[at], *later[self.behind :]]

    def phrase(self) -> str:
        return f"{self.message} is duplicated"

    @property
    def mark(self) -> str:
        return f"{self.message} twice"

    @property
    def note(self) -> str:
        return "duplicated"


#: The classes of fault steps by their names in JSON.
FAULT_STEPS: Mapping[str, type[Fault]] = {
    step.do: step for step in (Lose, Corrupt, Swap, Overtake, Duplicate)
}


def fault_from_json(data: Mapping[str, Any]) -> Fault | None:
    """The inverse of `Fault.to_json`; None for a step that is not a fault. KeyError: something is missing."""
    step = FAULT_STEPS.get(data["do"])
    if step is None:
        return None
    position = data["position"]
    if not isinstance(position, int) or isinstance(position, bool):
        raise InputError(f"a position in a channel is a number, not {position!r}")
    channel = Channel(name_in(data, "from"), name_in(data, "to"))
    make: Callable[..., Fault] = step
    return make(channel, position, *(_detail(data, f) for f in fields(step)[2:]))


def _detail(data: Mapping[str, Any], field: Field[Any]) -> str | int:
    """A name, or a number."""
    if field.type not in ("int", int):
        return name_in(data, field.name)
    number = data[field.name]
    if not isinstance(number, int) or isinstance(number, bool):
        raise InputError(f"'{field.name}' of a step of the witness is {number!r}, not a number")
    return number


def plural_messages(count: int) -> str:
    return "a message" if count == 1 else f"{count} messages"


def name_in(data: Mapping[str, Any], key: str) -> str:
    if not isinstance(data[key], str):
        raise InputError(f"'{key}' of a step of the witness is {data[key]!r}, not a name")
    return str(data[key])
