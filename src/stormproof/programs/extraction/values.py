"""The values that a role may keep and send: immutable, told apart by type, spelt as Python spells them."""

from __future__ import annotations

import dataclasses
import enum
from collections.abc import Iterator
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


def twin(value: Any) -> Any:
    """An equal value that shares no object with it where that can be, and whose sets are in another order.

    An expression that gives something else for it depends on identity or on the order of a set.
    """
    kind = type(value)
    if kind is str:
        return "".join(list(value))
    if kind is frozenset:
        return _Reversed(map(twin, value))
    if kind in _PLAIN or isinstance(value, enum.Enum):
        return value
    if kind is tuple:
        return tuple([twin(part) for part in value])
    if is_named_tuple(kind):
        return kind(*map(twin, value))
    copied = object.__new__(kind)
    for field in dataclasses.fields(value):
        object.__setattr__(copied, field.name, twin(getattr(value, field.name)))
    return copied


class _Reversed(frozenset[Any]):
    """A set that is iterated from its other end."""

    def __iter__(self) -> Iterator[Any]:
        return iter([*super().__iter__()][::-1])

    def __repr__(self) -> str:
        return f"frozenset({{{', '.join(map(repr, self))}}})" if self else "frozenset()"


_Reversed.__name__ = _Reversed.__qualname__ = frozenset.__name__


def type_of(*given: Any) -> type:
    """What a role gets from `type`: a twin of a set is a set."""
    kind: type = type(*given)
    return frozenset if kind is _Reversed else kind


def settled(value: Any) -> Any:
    """The value with every set an ordinary one again, so that twins can be compared by their keys."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, _Reversed):
        return frozenset(map(settled, value))
    if type(value) is tuple:
        return tuple([settled(part) for part in value])
    if type(value) is frozenset:
        return frozenset(map(settled, value))
    if isinstance(value, enum.Enum) or not (is_named_tuple(type(value)) or is_frozen_dataclass(type(value))):
        return value
    if is_named_tuple(type(value)):
        return type(value)(*map(settled, value))
    copied = object.__new__(type(value))
    for field in dataclasses.fields(value):
        object.__setattr__(copied, field.name, settled(getattr(value, field.name)))
    return copied


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
    inside = ", ".join(map(spell, parts(value)))
    return f"{type(value).__name__}({inside})"


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


def spell_message(name: str, fields: tuple[Any, ...]) -> str:
    """`data`, `data(0)`, `data('0')`, `data(0, (1, 2))`."""
    return f"{name}({', '.join(map(spell, fields))})" if fields else name
