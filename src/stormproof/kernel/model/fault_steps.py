"""What a step of a run is in which a channel does something to its content (definitions 2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import Field, fields
from typing import Any, ClassVar, Protocol, TypeVar

from ...errors import InputError
from ...records import dataclass
from .actions import Channel
from .failures import ChannelFailure
from .faults import FaultKind
from .message_json import message_from_json, message_to_json

Item = TypeVar("Item")


class Change(Protocol[Item]):
    """How faults change what stands for the messages of a channel."""

    def become(self, item: Item, message: str) -> Item: ...

    def copy(self, item: Item) -> Item: ...


@dataclass(frozen=True)
class Fault:
    """The channel does something to the message at `position`, counted from its head.

    `do` is the step's name in JSON, `touches` how many messages it needs from `position` on.
    `at_reception`: it happens only at the reception that follows, of which it is a part.
    """

    channel: Channel
    position: int

    kind: ClassVar[FaultKind]
    do: ClassVar[str]
    touches: ClassVar[int] = 1
    at_reception: ClassVar[bool] = False

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        """What the channel then holds."""
        raise NotImplementedError

    def is_allowed(self, failure: ChannelFailure) -> bool:
        """Does a channel with these faults ever do that?"""
        return self.kind in failure.kinds

    def phrase(self) -> str:
        """What happens, as a sentence without the channel."""
        raise NotImplementedError

    @property
    def passing(self) -> tuple[int, int]:
        """Where a message that overtakes others is afterwards, and how many are then behind it."""
        return 0, 0

    @property
    def mark(self) -> str:
        """What a chart in text shows at the place of the message."""
        return ""

    @property
    def note(self) -> str:
        """What a chart in text says beside it."""
        return self.phrase()

    def to_json(self) -> dict[str, Any]:
        more = {f.name: _to_json(getattr(self, f.name)) for f in fields(self)[2:]}
        ends = {"from": self.channel.sender, "to": self.channel.receiver}
        return {"do": self.do, **ends, "position": self.position, **more}


# ---- JSON -----------------------------------------------------------------------------------------------


def _to_json(detail: str | int) -> Any:
    return message_to_json(detail) if isinstance(detail, str) else detail


def detail_in(data: Mapping[str, Any], field: Field[Any]) -> str | int:
    """A message, or a number."""
    if field.type not in ("int", int):
        message = message_from_json(data[field.name])
        return message if isinstance(message, str) else str(message)
    number = data[field.name]
    if not isinstance(number, int) or isinstance(number, bool):
        raise InputError(f"'{field.name}' of a step of the witness is {number!r}, not a number")
    return number


def name_in(data: Mapping[str, Any], key: str) -> str:
    if not isinstance(data[key], str):
        raise InputError(f"'{key}' of a step of the witness is {data[key]!r}, not a name")
    return str(data[key])
