"""Evaluate pieces of a role, each twice: the result must depend on nothing but the values that are read."""

from __future__ import annotations

import enum
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ...errors import ModelError, Place, StormproofError
from ...limits import is_over
from .impure import refusing_impure_calls
from .requests import ChooseRequest, ReceiveRequest, RoleRequest, SaveRequest, SendRequest
from .role import Role, RoleCall
from .snippet import Snippet
from .values import (
    MUTABLE,
    LocalKeys,
    Unsuitable,
    ValueKey,
    changeable,
    copies,
    named,
    reaches,
    twin,
    type_of,
)

#: A loop over more values is refused.
MOST_ITEMS = 10_000

_VIEWS: tuple[type, ...] = (type({}.keys()), type({}.values()), type({}.items()))
_FINITE: tuple[type, ...] = (tuple, list, str, bytes, range, dict)
_REVERSIBLE: tuple[Any, ...] = ((), [], range(0), range(1 << 63), {}, {}.values(), {}.items())
_BACKWARDS: list[type] = [type(reversed(value)) for value in _REVERSIBLE]
#: Made of something else, which may change.
_MADE = (*_VIEWS, enumerate, zip, *_BACKWARDS)
_FINITE = (*_FINITE, *_MADE, enum.EnumMeta)

_LIMITS = (RecursionError, MemoryError)


#: Called before each evaluation, to watch that each comes to an end.
watch: Callable[[], Any] | None = None

#: An expression that takes longer is refused.
EXPRESSION_SECONDS = 5.0


class Overdue(BaseException):
    """An expression takes too long; nothing that a role calls catches this by accident."""


class LimitReached(ModelError):
    """An expression needs too much time or memory; nobody should try it again."""


def overdue(place: Place, seconds: float) -> LimitReached:
    return LimitReached(f"this expression does not end within {seconds:g} seconds", place=place)


class Escaped(Exception):
    """An exception that nobody catches: the role ends in it."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        # A generator from which a StopIteration would escape raises a RuntimeError instead.
        self.kind = "RuntimeError" if isinstance(cause, StopIteration) else type(cause).__name__


@dataclass(frozen=True)
class _Outcome:
    """What one evaluation gave: a value, or an exception."""

    value: Any = None
    escaped: Escaped | None = None

    def same_as(self, other: _Outcome) -> bool:
        if self.escaped is not None or other.escaped is not None:
            kinds = [outcome.escaped.kind if outcome.escaped else None for outcome in (self, other)]
            return kinds[0] == kinds[1]
        return _key(self.value) == _key(other.value)


def _key(value: Any) -> ValueKey:
    if isinstance(value, SendRequest | ReceiveRequest | ChooseRequest | SaveRequest | RoleCall):
        return value.key()
    return LocalKeys().key(value)


def _unchanged(value: Any) -> Any:
    return value


def evaluate(
    snippet: Snippet, variables: Mapping[str, Any], line: int, convert: Callable[[Any], Any] = _unchanged
) -> Any:
    """The snippet's value; Escaped for an exception of the role, ModelError for what cannot be extracted."""
    read = {name: variables[name] for name in snippet.reads if name in variables}
    place = snippet.source.place(line)
    if watch is not None:
        watch()
    try:
        memo: dict[int, Any] = {}
        twins = {name: twin(value, memo) for name, value in read.items()}
        with refusing_impure_calls():
            first = _once(snippet, read, convert)
        second = _once(snippet, twins, convert)
        same = first.same_as(second) and _same_changes(read, twins)
    except Unsuitable as problem:
        raise ModelError(f"this gives {problem}", place=place) from None
    except StormproofError as problem:
        raise ModelError(problem.message, place=problem.place or place, hint=problem.hint) from None
    except _LIMITS as problem:
        raise LimitReached(f"this needs too much: {type(problem).__name__}", place=place) from None
    except Overdue:
        if is_over():
            raise KeyboardInterrupt from None
        raise overdue(place, EXPRESSION_SECONDS) from None
    if not same:
        raise _differs(place)
    if first.escaped is not None:
        raise first.escaped
    return first.value


def _same_changes(read: Mapping[str, Any], twins: Mapping[str, Any]) -> bool:
    """Has the evaluation done the same to what can change?"""
    changed = [name for name, value in read.items() if changeable(value)]
    if not changed:
        return True
    return LocalKeys().key([read[n] for n in changed]) == LocalKeys().key([twins[n] for n in changed])


def _once(snippet: Snippet, values: Mapping[str, Any], convert: Callable[[Any], Any]) -> _Outcome:
    try:
        return _Outcome(convert(snippet.call(values)))
    except (StormproofError, Unsuitable, *_LIMITS):
        raise
    except SystemExit:
        raise StormproofError("this ends the program", hint="a role ends with: return") from None
    except Exception as problem:
        return _Outcome(escaped=Escaped(problem))


def _differs(place: Place) -> ModelError:
    return ModelError(
        "evaluated twice, this gives two different results",
        place=place,
        hint="it depends on chance, on a side effect, on identity or on the order of a set (sort it)",
    )


def bound(snippet: Snippet, variables: Mapping[str, Any], line: int) -> dict[str, Any]:
    """What an assignment binds."""
    values = evaluate(snippet, variables, line, _suitable(snippet.writes))
    return dict(zip(snippet.writes, values, strict=True))


def bound_some(snippet: Snippet, variables: Mapping[str, Any], line: int) -> dict[str, Any]:
    """What a statement binds that may leave variables without a value."""
    values = evaluate(snippet, variables, line, _suitable(snippet.writes))
    return {name: given[0] for name, given in zip(snippet.writes, values, strict=True) if given}


def matched(snippet: Snippet, variables: Mapping[str, Any], line: int) -> dict[str, Any] | None:
    """What a pattern binds, or None where it does not match."""
    values = evaluate(snippet, variables, line, _suitable(snippet.writes))
    return None if values is None else dict(zip(snippet.writes, values, strict=True))


def _suitable(names: tuple[str, ...]) -> Callable[[Any], Any]:
    def check(values: Any) -> Any:
        for name, value in zip(names, values or (), strict=False):
            try:
                LocalKeys().key(value)
            except Unsuitable as problem:
                called = "this" if name.startswith("_stormproof") else f"'{name}'"
                raise StormproofError(f"{called} is {problem}") from None
        return values

    return check


def request(snippet: Snippet, variables: Mapping[str, Any], line: int) -> RoleRequest:
    """What is yielded: a request to send, to receive, to choose or to save."""
    found = evaluate(snippet, variables, line, _known_request)
    assert isinstance(found, SendRequest | ReceiveRequest | ChooseRequest | SaveRequest)
    return found


def _known_request(value: Any) -> Any:
    if isinstance(value, SendRequest | ReceiveRequest | ChooseRequest | SaveRequest):
        return value
    hint = "yield sp.send(...), sp.receive(...), sp.choose(...) or sp.save(...)"
    if isinstance(value, RoleCall):
        hint = f"write: yield from {value.role.name}(...)"
    raise StormproofError(f"a role cannot yield {named(type(value))}", hint=hint)


def delegate(snippet: Snippet, variables: Mapping[str, Any], line: int) -> RoleCall:
    """The role that `yield from` goes on in."""

    def check(value: Any) -> Any:
        if not isinstance(value, RoleCall):
            hint = "write @sp.role above the function, and call it"
            if isinstance(value, Role):
                hint = f"call it: yield from {value.name}(...)"
            raise StormproofError(f"'yield from' needs a role, not {named(type(value))}", hint=hint)
        return value

    found = evaluate(snippet, variables, line, check)
    assert isinstance(found, RoleCall)
    return found


@dataclass(frozen=True)
class LoopOver:
    """What must not change while a loop goes on: the container, whose length is given, or what its values are
    made of, with a copy of that as it was."""

    container: Any
    length: int
    sources: tuple[Any, ...] = ()
    before: tuple[Any, ...] = ()

    def goes_on(self, left: tuple[Any, ...]) -> bool:
        """Would Python go on through these values, which are left?"""
        if self.sources:
            return LocalKeys().key(self.sources) == LocalKeys().key(self.before)
        if self.container is None:
            return True
        now = [*self.container]
        return len(now) == self.length and all(map(_same_item, now[len(now) - len(left) :], left))


def _same_item(one: Any, other: Any) -> bool:
    return one is other or (not changeable(one) and LocalKeys().key(one) == LocalKeys().key(other))


def items(snippet: Snippet, variables: Mapping[str, Any], line: int) -> tuple[tuple[Any, ...], LoopOver]:
    """What a loop goes through, which in Python is the container itself."""
    found, container, made = evaluate(snippet, variables, line, _collected)
    read = {name: variables[name] for name in sorted(snippet.reads & variables.keys())}
    sources = {name: value for name, value in read.items() if changeable(value)}
    if made and sources:
        return found, LoopOver(None, 0, tuple(sources.values()), tuple(copies(sources).values()))
    known = container is not None and any(reaches(value, container) for value in sources.values())
    return found, LoopOver(container if known else None, len(found) if known else 0)


def _collected(value: Any) -> tuple[tuple[Any, ...], Any, bool]:
    """The values, the container if it can change, and whether they are made of something else."""
    if isinstance(value, set | frozenset):
        raise StormproofError("the order of a set is no part of a state", hint="write: for x in sorted(...)")
    through = iter(value)  # a TypeError here is the role's
    if not isinstance(value, _FINITE):
        problem = f"a loop goes through a finite value, not {named(type(value))}"
        raise StormproofError(problem, hint="write: for x in tuple(...)")
    found = tuple(islice(through, MOST_ITEMS + 1))
    if len(found) > MOST_ITEMS:
        raise StormproofError(f"a loop goes through more than {MOST_ITEMS:,} values")
    LocalKeys().key(found)
    return found, value if type_of(value) in MUTABLE else None, isinstance(value, _MADE)
