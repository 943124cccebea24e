"""Faults in a run: a step per thing that a channel may do to its content (definitions 2.5), and the faults
that strike at one send or reception (definitions 9.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import Field, field, fields
from typing import Any, ClassVar, Protocol, TypeVar

from ...errors import InputError
from ...records import dataclass
from .actions import Channel, Message
from .failures import ChannelFailure
from .faults import CORRUPTION, DUPLICATION, LOSS, REORDERING, FaultKind
from .message_json import message_from_json, message_to_json
from .phrases import plural

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

    def is_allowed(self, failure: ChannelFailure) -> bool:
        return failure.may_become(self.message, self.becomes)

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

    @property
    def passing(self) -> tuple[int, int]:
        return self.position, 1


@dataclass(frozen=True)
class Overtake(Fault):
    """The message moves before `passed` others: one fault, however many it overtakes."""

    message: str
    passed: int = field(metadata={"minimum": 1})
    kind, do = REORDERING, "overtake"

    def effect(self, content: Sequence[Item], change: Change[Item]) -> list[Item]:
        to = self.position - self.passed
        if not 0 <= to < self.position:
            raise InputError(f"{self.message} cannot overtake {self.passed} messages on {self.channel}")
        moved = content[self.position]
        return [*content[:to], moved, *content[to : self.position], *content[self.position + 1 :]]

    def phrase(self) -> str:
        return f"{self.message} overtakes {plural_messages(self.passed)}"

    @property
    def passing(self) -> tuple[int, int]:
        return self.position - self.passed, self.passed


@dataclass(frozen=True)
class Duplicate(Fault):
    """The channel puts a copy before the message at its head. It is received at once; the message stays,
    `behind` so many others."""

    message: str
    behind: int = field(default=0, metadata={"minimum": 0})
    kind, do, at_reception = DUPLICATION, "duplicate", True

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


@dataclass(frozen=True, kw_only=True)
class Strike:
    """What goes wrong at one send or reception; nothing where it is calm.

    A send: it is `lost`, it `becomes` another message, it `overtakes` so many messages at the end of the
    channel. A reception with duplication: the message is `kept` at this position of the channel that is
    left, perhaps as another message (`kept_as`), and `head` is what was in the channel if something else was
    delivered.
    """

    lost: bool = False
    becomes: Message | None = None
    overtakes: int = 0
    kept: int | None = None
    kept_as: Message | None = None
    head: Message | None = None

    def counts(self) -> Counter[str]:
        """How many faults of each kind it is."""
        return Counter(noun for noun, _ in self.faults_of(None))

    def faults_of(self, delivered: Message | None) -> Iterator[tuple[str, Message | None]]:
        """Each fault by its noun, and what the message becomes in a corruption; `delivered` is what was
        received."""
        if self.lost:
            yield LOSS.noun, None
        if self.becomes is not None:
            yield CORRUPTION.noun, self.becomes
        if self.overtakes > 0:
            yield REORDERING.noun, None
        if self.head is not None:
            yield CORRUPTION.noun, delivered
        if self.kept is not None:
            yield DUPLICATION.noun, None
        if self.kept_as is not None:
            yield CORRUPTION.noun, self.kept_as

    def phrases(self) -> Iterator[str]:
        """`lost`, `becomes d1`, `overtakes 2 messages`: each follows the name of the message."""
        if self.lost:
            yield "lost"
        if self.becomes is not None:
            yield f"becomes {self.becomes}"
        if self.overtakes:
            yield f"overtakes {plural(self.overtakes, 'message')}"
        if self.head is not None:
            yield f"delivered in place of {self.head}"
        if self.kept is not None:
            as_other = "" if self.kept_as is None else f" as {self.kept_as}"
            behind = f" behind {plural(self.kept, 'message')}" if self.kept else ""
            yield f"a copy stays{as_other}{behind}"


def strike_fields(numbers: Mapping[str, int | None], messages: Sequence[Message]) -> dict[str, Any]:
    """The fields of a strike from numbers: messages are counted in a list, a flag is 0 or 1."""
    found: dict[str, Any] = dict(numbers)
    for f in fields(Strike):
        number = numbers[f.name]
        if f.type == "Message | None" and number is not None:
            found[f.name] = messages[number]
        elif f.type == "bool":
            found[f.name] = bool(number)
    return found


# ---- from what strikes to the steps of a run ------------------------------------------------------------


def faults_after_send(channel: Channel, word: list[Message], strike: Strike) -> Iterator[Fault]:
    """The message has been put at the end of `word`, which is changed: it is lost, or becomes another, or
    overtakes."""
    at = len(word) - 1
    if strike.lost:
        yield Lose(channel, at, _name(word.pop()))
        return
    yield from _corrupted(channel, word, at, strike.becomes)
    if strike.overtakes:
        yield Overtake(channel, at, _name(word[at]), strike.overtakes)
        word.insert(at - strike.overtakes, word.pop())


def faults_before_reception(
    channel: Channel, word: list[Message], strike: Strike, delivered: Message
) -> Iterator[Fault]:
    """The copy that stays is made first, and moves where it stays; then both may be corrupted."""
    if strike.kept is None:
        return
    yield Duplicate(channel, 0, _name(word[0]), strike.kept)
    word.insert(strike.kept + 1, word[0])
    yield from _corrupted(channel, word, strike.kept + 1, strike.kept_as)
    if strike.head is not None:
        yield from _corrupted(channel, word, 0, delivered)


def _corrupted(channel: Channel, word: list[Message], at: int, becomes: Message | None) -> Iterator[Fault]:
    if becomes is not None and becomes != word[at]:
        yield Corrupt(channel, at, _name(word[at]), _name(becomes))
        word[at] = becomes


def _name(message: Message) -> str:
    """The message as a fault names it, with its sender where it has one."""
    return message if isinstance(message, str) else str(message)


# ---- JSON -----------------------------------------------------------------------------------------------


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


def _to_json(detail: str | int) -> Any:
    return message_to_json(detail) if isinstance(detail, str) else detail


def _detail(data: Mapping[str, Any], field: Field[Any]) -> str | int:
    """A message, or a number."""
    if field.type not in ("int", int):
        message = message_from_json(data[field.name])
        return message if isinstance(message, str) else str(message)
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
