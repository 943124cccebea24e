"""What a role yields: to send, to receive, to choose; and what it gets back."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from ...errors import UsageError
from .seconds import AT_ANY_TIME
from .values import Unsuitable, ValueKey, check_field, check_saved, key, spell, spell_message

T = TypeVar("T")

#: A message's name is a word, so that `data(0)` can only be `data` with the field 0.
_NAME = re.compile(r"\w+(?:-\w+)*")
#: A name for states, which goals may write bare.
_GROUP = re.compile(r"\w+(?:-\w+)*")
LONGEST_MESSAGE = 200
#: A longer value is cut where it is one of many.
_LONGEST_VALUE = 40


@dataclass(frozen=True)
class Received:
    """A message as its receiver gets it: who sent it, its name and its fields."""

    peer: str
    name: str
    fields: tuple[Any, ...] = ()

    @property
    def message(self) -> str:
        """As it is spelt in everything that is shown."""
        return spell_message(self.name, self.fields)

    @property
    def identity(self) -> ValueKey:
        """What tells it from messages that are spelt in the same way."""
        return self.peer, self.name, *map(key, self.fields)


def spell_short(value: Any) -> str:
    """A value in the name of a state or in a list: a message as it is spelt, and nothing long."""
    text = value.message if isinstance(value, Received) else spell(value)
    return text if len(text) <= _LONGEST_VALUE else text[: _LONGEST_VALUE - 1] + "…"


@dataclass(frozen=True)
class Pattern:
    """Any message of a peer, those of one name, or just one."""

    peer: str
    name: str | None = None
    fields: tuple[Any, ...] | None = None

    def matches(self, message: Received) -> bool:
        if message.peer != self.peer or (self.name is not None and message.name != self.name):
            return False
        return self.fields is None or key(self.fields) == key(message.fields)


@dataclass(frozen=True)
class SendRequest:
    """Made by `send`."""

    peer: str
    name: str
    fields: tuple[Any, ...] = ()
    at: str | None = None
    durable: bool = False

    #: Whoever wants to send is not at rest.
    rest = False

    @property
    def message(self) -> str:
        return spell_message(self.name, self.fields)

    def key(self) -> ValueKey:
        return ("send", self.peer, self.name, key(self.fields), self.at, self.durable)


@dataclass(frozen=True)
class ReceiveRequest:
    """Made by `receive`; `timeout` is False or None for no timer, True, so many seconds, or `any time`."""

    patterns: tuple[Pattern, ...]
    timeout: float | bool | str | None = False
    at: str | None = None
    rest: bool = False
    durable: bool = False

    @property
    def timed(self) -> bool:
        """Any number is a timer, 0 too."""
        return self.timeout is not False and self.timeout is not None

    def takes(self, message: Received) -> bool:
        return any(pattern.matches(message) for pattern in self.patterns)

    @property
    def peers(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(pattern.peer for pattern in self.patterns))

    def key(self) -> ValueKey:
        patterns = tuple((p.peer, p.name, None if p.fields is None else key(p.fields)) for p in self.patterns)
        return ("receive", patterns, self.timed, self.at, self.rest, self.durable)


@dataclass(frozen=True)
class ChooseRequest:
    """Made by `choose`."""

    values: tuple[Any, ...]

    #: A choice waits for nobody, so it is never recorded, named or a rest state.
    at = None
    rest = durable = False

    def key(self) -> ValueKey:
        return ("choose", tuple(map(key, self.values)))


@dataclass(frozen=True)
class SaveRequest:
    """Made by `save`."""

    values: tuple[tuple[str, Any], ...]

    at = None
    rest = durable = False

    def key(self) -> ValueKey:
        return ("save", *((name, key(value)) for name, value in self.values))


@dataclass(frozen=True)
class Durable:
    """Made by `durable`: what a durable parameter is at first."""

    value: Any


RoleRequest = SendRequest | ReceiveRequest | ChooseRequest | SaveRequest


def send(peer: str, name: str, *fields: Any, at: str | None = None, durable: bool = False) -> SendRequest:
    """Yield this to send a message: `yield sp.send("Receiver", "data", 0)`.

    Fields are None, bool, int, str, enum members and tuples of these.
    """
    _check_peer(peer)
    _check_name(name)
    _check_fields(name, fields)
    _check_group(at)
    return SendRequest(peer, name, fields, at, bool(durable))


def receive(
    *patterns: str | tuple[Any, ...],
    timeout: float | bool | str | None = False,
    at: str | None = None,
    rest: bool = False,
    durable: bool = False,
) -> ReceiveRequest:
    """Yield this to receive: `reply = yield sp.receive(("Receiver", "ack"), timeout=0.5)`.

    A pattern is a peer, `(peer, name)` or `(peer, name, *fields)`. The role gets a `Received`, or None after
    a timeout: of so many seconds, True for those that a run says, or `"any time"`, at any moment, also if
    timers are on time. `rest`: here the role may stay for good. `durable`: what was received up to here
    survives a restart.
    """
    if not patterns:
        raise UsageError("receive needs a pattern", hint='write receive("Peer") or receive(("Peer", "ack"))')
    seconds = 0 if timeout == AT_ANY_TIME else timeout
    if not isinstance(seconds, bool | int | float | None) or not (seconds or 0) >= 0:
        problem = f"a timeout is True or a number of seconds, not {timeout!r}"
        raise UsageError(problem, hint=f"or timeout={AT_ANY_TIME!r}, for what takes as long as it likes")
    _check_group(at)
    return ReceiveRequest(tuple(map(_pattern, patterns)), timeout, at, bool(rest), bool(durable))


def choose(*values: Any) -> ChooseRequest:
    """Yield this to get one of the values; a check tries them all, a run takes one at random."""
    if not values:
        raise UsageError("choose needs a value to choose")
    try:
        distinct = {key(value): value for value in values}
    except Unsuitable as problem:
        raise UsageError(f"choose was given {problem}") from None
    return ChooseRequest(tuple(distinct.values()))


def durable(first: T) -> T:
    """The default of a durable parameter: `def Consumer(seen=sp.durable(frozenset()))`. After a restart the
    role is called again with what it has saved of it."""
    _check_saved("a durable parameter", first)
    return cast(T, Durable(first))


def save(**values: Any) -> SaveRequest:
    """Yield this to write durable parameters to the disk: `yield sp.save(seen=seen)`.

    Values are None, bool, int, str, enum members, and tuples and frozensets of these.
    """
    if not values:
        raise UsageError("save needs a durable parameter", hint="write: yield sp.save(seen=seen)")
    for name, value in values.items():
        _check_saved(f"'{name}'", value)
    return SaveRequest(tuple(values.items()))


def _check_saved(what: str, value: Any) -> None:
    try:
        check_saved(value)
    except Unsuitable as problem:
        raise UsageError(f"{what} is {problem}") from None


def _pattern(pattern: str | tuple[Any, ...]) -> Pattern:
    if isinstance(pattern, str):
        _check_peer(pattern)
        return Pattern(pattern)
    if not isinstance(pattern, tuple) or not pattern:
        raise UsageError(
            f"{pattern!r} is not a pattern", hint="write a peer, (peer, name) or (peer, name, field)"
        )
    _check_peer(pattern[0])
    if len(pattern) == 1:
        return Pattern(pattern[0])
    _check_name(pattern[1])
    if len(pattern) == 2:
        return Pattern(pattern[0], pattern[1])
    _check_fields(pattern[1], pattern[2:])
    return Pattern(pattern[0], pattern[1], pattern[2:])


def _check_peer(peer: object) -> None:
    if type(peer) is not str or not peer:
        raise UsageError(f"a peer is the name of a role, not {peer!r}")


def _check_name(name: object) -> None:
    if type(name) is not str or not _NAME.fullmatch(name):
        raise UsageError(f"a message's name is a word, not {name!r}", hint="what varies goes into the fields")


def _check_fields(name: str, fields: tuple[Any, ...]) -> None:
    for field in fields:
        try:
            check_field(field)
        except Unsuitable as problem:
            raise UsageError(f"a field of '{name}' is {problem}") from None
    if len(spell_message(name, fields)) > LONGEST_MESSAGE:
        raise UsageError(f"a message '{name}' is longer than {LONGEST_MESSAGE} characters")


def _check_group(at: object) -> None:
    if at is not None and (type(at) is not str or not _GROUP.fullmatch(at)):
        raise UsageError(f"the name of a point is a word, not {at!r}")
