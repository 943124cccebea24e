"""The values that a role may send and keep, told apart by type and spelt as Python spells them.

What is sent, chosen or given to a role is immutable. Local variables may have lists, sets and dictionaries.
"""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Callable, Iterator, Mapping
from typing import Any

#: A value told apart from every other that a program can distinguish: `True` from `1`, `'1'` from `1`.
ValueKey = tuple[Any, ...]

#: Python does not spell numbers that are much longer.
MOST_BITS = 10_000

_PLAIN = (type(None), bool, int, str, bytes)
_IN_MESSAGES = (type(None), bool, int, str)


class Unsuitable(Exception):
    """A role cannot keep this value; the argument says why, as the end of a sentence."""


def key(value: Any) -> ValueKey:
    """What tells the value apart; Unsuitable where it is not immutable through and through."""
    kind = type_of(value)
    if kind in _PLAIN:
        if kind is int and value.bit_length() > MOST_BITS:
            raise Unsuitable(f"a number of more than {MOST_BITS:,} bits")
        return (kind, value)
    if isinstance(value, enum.Enum):
        return (kind, value.name if value.name is not None else repr(value))
    if kind is frozenset:
        return (kind, frozenset(map(key, value)))
    inside = parts(value)
    try:
        return (kind, *map(key, inside))
    except Unsuitable as problem:
        raise Unsuitable(f"{named(kind)} with {problem}") from None


def parts(value: Any) -> tuple[Any, ...]:
    """What a tuple, a named tuple or a frozen dataclass is made of."""
    kind = type(value)
    if kind is tuple or is_named_tuple(kind):
        return tuple(value)
    if is_frozen_dataclass(kind):
        return tuple(getattr(value, field.name) for field in dataclasses.fields(value))
    raise Unsuitable(_why_not(kind))


def is_named_tuple(kind: type) -> bool:
    return kind.__bases__ == (tuple,) and hasattr(kind, "_fields")


def is_frozen_dataclass(kind: type) -> bool:
    """Immutable, and compared by its fields: with `eq=False` a role could tell apart what has one key."""
    parameters = getattr(kind, "__dataclass_params__", None)
    return bool(getattr(parameters, "frozen", False)) and bool(getattr(parameters, "eq", False))


def _why_not(kind: type) -> str:
    use: dict[type, str] = {list: "; use a tuple", set: "; use a frozenset", dict: "; use a tuple of pairs"}
    if dataclasses.is_dataclass(kind):
        frozen = getattr(getattr(kind, "__dataclass_params__", None), "frozen", False)
        problem = "compares identities (eq=False)" if frozen else "is not frozen"
        return f"{named(kind)}, a dataclass that {problem}"
    return f"{named(kind)}, which is not among the immutable values{use.get(kind, '')}"


def named(kind: type) -> str:
    """`an int`, `a list`, `None`."""
    if kind is type(None):
        return "None"
    return f"{'an' if kind.__name__[:1].lower() in 'aeiou' else 'a'} {kind.__name__}"


#: Values that can change, which local variables may have.
MUTABLE = (list, set, dict)


class LocalKeys:
    """Keys of values that local variables have together: what can change is told from what is equal to it.

    An object that was seen before is its number; so two variables with one list differ from two with two.
    """

    def __init__(self) -> None:
        self._seen: dict[int, int] = {}

    def key(self, value: Any) -> ValueKey:
        kind = type_of(value)
        if kind not in MUTABLE:
            return key(value) if _is_atom(kind) else self._of_parts(kind, value)
        if id(value) in self._seen:
            return ("same", self._seen[id(value)])
        self._seen[id(value)] = len(self._seen)
        if kind is set:
            return (set, frozenset(map(key, value)))
        if kind is dict:
            return (dict, *((key(name), self.key(part)) for name, part in value.items()))
        return (list, *map(self.key, value))

    def _of_parts(self, kind: type, value: Any) -> ValueKey:
        inside = parts(value)
        try:
            return (kind, *map(self.key, inside))
        except Unsuitable as problem:
            raise Unsuitable(f"{named(kind)} with {problem}") from None


def _is_atom(kind: type) -> bool:
    return kind in _PLAIN or kind is frozenset or issubclass(kind, enum.Enum)


def changeable(value: Any) -> bool:
    """Is there anything in it that can change?"""
    kind = type_of(value)
    if kind in MUTABLE:
        return True
    if _is_atom(kind) or not (kind is tuple or is_named_tuple(kind) or is_frozen_dataclass(kind)):
        return False
    return any(map(changeable, parts(value)))


def reaches(value: Any, wanted: object) -> bool:
    """Is this very object the value, or in it?"""
    if value is wanted:
        return True
    if not changeable(value):
        return False
    if isinstance(value, dict):
        return any(reaches(part, wanted) for part in value.values())
    inside = value if isinstance(value, list) else () if isinstance(value, set) else parts(value)
    return any(reaches(part, wanted) for part in inside)


def copies(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values, with a copy of everything that can change; what was one object stays one."""
    memo: dict[int, Any] = {}
    return {n: _copy(v, memo, lambda v, _: v) if changeable(v) else v for n, v in values.items()}


def twin(value: Any, memo: dict[int, Any] | None = None) -> Any:
    """An equal value that shares no object with it where that can be, and whose sets are in another order.

    An expression that gives something else for it depends on identity or on the order of a set. With one
    `memo` the twins of several values are one object where those are.
    """
    return _copy(value, {} if memo is None else memo, _twin_of_atom)


def _twin_of_atom(value: Any, kind: type) -> Any:
    if kind is str:
        return "".join(list(value))
    if kind is frozenset:
        return _Reversed(map(twin, value))
    return _ReversedSet(map(twin, value)) if kind is set else value


def _copy(value: Any, memo: dict[int, Any], atom: Callable[[Any, type], Any]) -> Any:
    """A copy; `atom` copies what has no parts, and sets once they are others."""
    kind = type_of(value)
    if kind in MUTABLE:
        if id(value) not in memo:
            _copy_changeable(value, kind, memo, atom)
        return memo[id(value)][1]
    if _is_atom(kind):
        return atom(value, kind)
    if kind is tuple:
        return tuple([_copy(part, memo, atom) for part in value])
    if is_named_tuple(kind):
        return kind(*(_copy(part, memo, atom) for part in value))
    copied: Any = object.__new__(kind)
    for field in dataclasses.fields(value):
        object.__setattr__(copied, field.name, _copy(getattr(value, field.name), memo, atom))
    return copied


def _copy_changeable(value: Any, kind: type, memo: dict[int, Any], atom: Callable[[Any, type], Any]) -> None:
    """Into the memo, with the value, so that nothing else gets its identity; what it holds may hold it."""
    if kind is set:
        memo[id(value)] = (value, atom(set(value), set))
    elif kind is list:
        made: list[Any] = []
        memo[id(value)] = (value, made)
        made.extend(_copy(part, memo, atom) for part in value)
    else:
        table: dict[Any, Any] = {}
        memo[id(value)] = (value, table)
        table.update((_copy(name, memo, atom), _copy(part, memo, atom)) for name, part in value.items())


class _Reversed(frozenset[Any]):
    """A set that is iterated from its other end."""

    def __iter__(self) -> Iterator[Any]:
        return iter([*super().__iter__()][::-1])

    def __repr__(self) -> str:
        return f"frozenset({{{', '.join(map(repr, self))}}})" if self else "frozenset()"


_Reversed.__name__ = _Reversed.__qualname__ = frozenset.__name__


class _ReversedSet(set[Any]):
    """The same of a set that can change."""

    def __iter__(self) -> Iterator[Any]:
        return iter([*super().__iter__()][::-1])

    def pop(self) -> Any:
        for value in self:
            self.remove(value)
            return value
        raise KeyError("pop from an empty set")

    def __repr__(self) -> str:
        return f"{{{', '.join(map(repr, self))}}}" if self else "set()"


_ReversedSet.__name__ = _ReversedSet.__qualname__ = set.__name__
_REVERSED: dict[type, type] = {_Reversed: frozenset, _ReversedSet: set}


def type_of(*given: Any) -> type:
    """What a role gets from `type`: a twin of a set is a set."""
    kind: type = type(*given)
    return _REVERSED.get(kind, kind)


def spell(value: Any) -> str:
    """The value as Python would write it, the same in every process."""
    if isinstance(value, enum.Enum):
        return str(f"{type(value).__name__}.{value.name}") if value.name else repr(value)
    if type(value) is tuple:
        inside = ", ".join(map(spell, value))
        return f"({inside},)" if len(value) == 1 else f"({inside})"
    if type_of(value) is frozenset:
        return "{" + ", ".join(sorted(map(spell, value))) + "}" if value else "frozenset()"
    if type(value) in _PLAIN:
        return repr(value)
    if type_of(value) in MUTABLE:
        return _spell_changeable(value)
    inside = ", ".join(map(spell, parts(value)))
    return f"{type(value).__name__}({inside})"


def _spell_changeable(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{spell(name)}: {spell(part)}" for name, part in value.items()) + "}"
    if isinstance(value, set):
        return "{" + ", ".join(sorted(map(spell, value))) + "}" if value else "set()"
    return f"[{', '.join(map(spell, value))}]"


def check_field(value: Any) -> None:
    """Refuse what a message cannot carry: fields are None, bool, int, str, enum and tuples of them."""
    if type(value) is tuple:
        for part in value:
            check_field(part)
    elif isinstance(value, enum.Flag) and value.name not in type(value).__members__:
        raise Unsuitable("a combination of flags; a message carries them one by one")
    elif type(value) not in _IN_MESSAGES and not isinstance(value, enum.Enum):
        kinds = "None, bool, int, str, enum and tuples of these"
        raise Unsuitable(f"{named(type(value))}; a message carries {kinds}")


def check_saved(value: Any) -> None:
    """Refuse what a disk cannot hold: what a message can carry, and frozensets of it."""
    if type_of(value) in (tuple, frozenset):
        for part in value:
            check_saved(part)
    else:
        check_field(value)


def spell_message(name: str, fields: tuple[Any, ...]) -> str:
    """`data`, `data(0)`, `data('0')`, `data(0, (1, 2))`."""
    return f"{name}({', '.join(map(spell, fields))})" if fields else name
