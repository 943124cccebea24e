"""What the faults of a channel are and do to its content: the steps of a run, and the step relation's reading
of them, which follows the definitions literally.

Two readings. For the properties at a bound faults are silent steps between actions (definitions 2.2 to 2.6,
9.4); for survival they occur at a send or a reception and are counted (definitions 9.1).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field, fields
from itertools import takewhile
from typing import Any

from ...errors import InputError
from ...records import dataclass
from .actions import Action, Channel, Message, Send, Word, message_order
from .failures import ChannelFailure
from .fault_steps import Change, Fault, Item, detail_in, name_in
from .faults import CORRUPTION, DUPLICATION, LOSS, REORDERING
from .phrases import plural

# ---- the steps of a run ---------------------------------------------------------------------------------


def plural_messages(count: int) -> str:
    return "a message" if count == 1 else f"{count} messages"


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
    return make(channel, position, *(detail_in(data, f) for f in fields(step)[2:]))


def _name(message: Message) -> str:
    """The message as a fault names it, with its sender where it has one."""
    return message if isinstance(message, str) else str(message)


# ---- silent faults, at a bound -------------------------------------------------------------------------


def interfere(word: Word, failure: ChannelFailure) -> Iterator[Word]:
    """What one silent step may make of a channel's content."""
    for i, message in enumerate(word):
        if failure.affects(LOSS, message):
            yield word[:i] + word[i + 1 :]
        for other in _others(failure, message):
            yield (*word[:i], other, *word[i + 1 :])
        if i + 1 < len(word) and failure.exchanges(message, word[i + 1]):
            yield (*word[:i], word[i + 1], message, *word[i + 2 :])


def sent(word: Word, message: Message, failure: ChannelFailure, bound: int | None) -> Iterator[Word]:
    """What a send may leave; `bound` None means no bound.

    A send may end in any w' <= w.m, so a send into a full lossy channel is possible if a message is lost in
    the same step (definitions 2.6).
    """
    longer = (*word, message)
    if bound is None or len(word) < bound:
        yield longer
    else:
        for i, lost in enumerate(longer):
            if failure.affects(LOSS, lost):
                yield longer[:i] + longer[i + 1 :]


def received(word: Word, message: Message, failure: ChannelFailure) -> Iterator[Word]:
    """What a reception may leave. Where the channel duplicates, the message at the head may be delivered and
    stay; the copy that is delivered may be corrupted on its own (definitions 9.4)."""
    if not word:
        return
    if word[0] == message:
        yield word[1:]
    if failure.affects(DUPLICATION, word[0]) and failure.may_become(word[0], message):
        yield word


def as_fault(channel: Channel, word: Word, after: Word) -> Fault:
    """The fault by which a content becomes another, as a step of a run."""
    at = next((i for i, (old, new) in enumerate(zip(word, after)) if old != new), min(len(word), len(after)))
    if len(after) < len(word):
        return Lose(channel, at, _name(word[at]))
    if len(after) > len(word):
        return Duplicate(channel, 0, _name(word[0]))
    if word[at + 1 :] == after[at + 1 :]:
        return Corrupt(channel, at, _name(word[at]), _name(after[at]))
    return Swap(channel, at)


# ---- faults at a send or a reception, for survival ------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class ActionFaults:
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


def action_fault_fields(numbers: Mapping[str, int | None], messages: Sequence[Message]) -> dict[str, Any]:
    """The fields of `ActionFaults` from numbers: messages are counted in a list, a flag is 0 or 1."""
    found: dict[str, Any] = dict(numbers)
    for f in fields(ActionFaults):
        number = numbers[f.name]
        if f.type == "Message | None" and number is not None:
            found[f.name] = messages[number]
        elif f.type == "bool":
            found[f.name] = bool(number)
    return found


def faults_at_send(word: Word, message: Message, failure: ChannelFailure) -> Iterator[ActionFaults]:
    """What may go wrong at a send into this content."""
    if failure.affects(LOSS, message):
        yield ActionFaults(lost=True)
    for becomes in (None, *_others(failure, message)):
        for overtakes in range(_passes(failure, message, word[::-1]) + 1):
            if becomes is not None or overtakes:
                yield ActionFaults(becomes=becomes, overtakes=overtakes)


def faults_at_reception(word: Word, message: Message, failure: ChannelFailure) -> Iterator[ActionFaults]:
    """What may go wrong at a reception of the message from this content."""
    if not word or not failure.affects(DUPLICATION, word[0]) or not failure.may_become(word[0], message):
        return
    head = None if message == word[0] else word[0]
    for kept in range(_passes(failure, word[0], word[1:]) + 1):
        for kept_as in (None, *_others(failure, word[0])):
            yield ActionFaults(kept=kept, kept_as=kept_as, head=head)


def content_after(word: Word, action: Action, faults: ActionFaults) -> Word:
    """What a send or a reception leaves in a channel of any length."""
    if isinstance(action, Send):
        if faults.lost:
            return word
        place = len(word) - faults.overtakes
        return (*word[:place], faults.becomes or action.message, *word[place:])
    rest = word[1:]
    if faults.kept is None:
        return rest
    return (*rest[: faults.kept], faults.kept_as or word[0], *rest[faults.kept :])


def _passes(failure: ChannelFailure, message: Message, others: Word) -> int:
    """How many of these messages it may be exchanged with, one after the other."""
    return sum(1 for _ in takewhile(lambda other: failure.exchanges(message, other), others))


def _others(failure: ChannelFailure, message: Message) -> tuple[str, ...]:
    found = failure.becomes.get(message, frozenset()) if isinstance(message, str) else ()
    return tuple(sorted(found, key=message_order))


# ---- from faults at an action to the steps of a run -----------------------------------------------------


def faults_after_send(channel: Channel, word: list[Message], faults: ActionFaults) -> Iterator[Fault]:
    """The message has been put at the end of `word`, which is changed: it is lost, or becomes another, or
    overtakes."""
    at = len(word) - 1
    if faults.lost:
        yield Lose(channel, at, _name(word.pop()))
        return
    yield from _corrupted(channel, word, at, faults.becomes)
    if faults.overtakes:
        yield Overtake(channel, at, _name(word[at]), faults.overtakes)
        word.insert(at - faults.overtakes, word.pop())


def faults_before_reception(
    channel: Channel, word: list[Message], faults: ActionFaults, delivered: Message
) -> Iterator[Fault]:
    """The copy that stays is made first, and moves where it stays; then both may be corrupted."""
    if faults.kept is None:
        return
    yield Duplicate(channel, 0, _name(word[0]), faults.kept)
    word.insert(faults.kept + 1, word[0])
    yield from _corrupted(channel, word, faults.kept + 1, faults.kept_as)
    if faults.head is not None:
        yield from _corrupted(channel, word, 0, delivered)


def _corrupted(channel: Channel, word: list[Message], at: int, becomes: Message | None) -> Iterator[Fault]:
    if becomes is not None and becomes != word[at]:
        yield Corrupt(channel, at, _name(word[at]), _name(becomes))
        word[at] = becomes
