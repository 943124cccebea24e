"""The values of the language: numbers, truth values, words, members of families, `none`, and what is made of
them. Programs are typed, so that equal values of Python are equal values of the language."""

from __future__ import annotations

from typing import Any, NamedTuple

#: An integer, a truth value, the name of a word, a Member, None, a frozenset, a List, a Map or a tuple.
Value = Any


class Member(NamedTuple):
    """One role of a family: `N[2]`."""

    family: str
    number: int

    def __str__(self) -> str:
        return f"{self.family}[{self.number}]"


class List(tuple[Value, ...]):
    """`[1, 2]`."""

    __slots__ = ()


class Map(tuple[tuple[Value, Value], ...]):
    """`{1: red}`: pairs in the order of their keys; a key that is absent is mapped to `none`."""

    __slots__ = ()

    def get(self, key: Value) -> Value:
        return next((value for known, value in self if known == key), None)

    def put(self, key: Value, value: Value) -> Map:
        """The map with another value of one key; `none` takes the key out."""
        pairs = [pair for pair in self if pair[0] != key]
        pairs += [] if value is None else [(key, value)]
        return Map(sorted(pairs, key=lambda pair: order(pair[0])))


def order(value: Value) -> Any:
    """A key to sort values of one type by."""
    if value is None:
        return (0,)
    if isinstance(value, frozenset):
        return (1, len(value), *sorted(map(order, value)))
    if isinstance(value, Member):
        return (1, value.number)
    if isinstance(value, tuple):
        return (1, *map(order, value))
    return (1, value)


def spell(value: Value) -> str:
    """A value as the language writes it."""
    if value is None:
        return "none"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, frozenset):
        return "{" + ", ".join(map(spell, sorted(value, key=order))) + "}"
    if isinstance(value, Map):
        return "{" + ", ".join(f"{spell(key)}: {spell(held)}" for key, held in value) + "}"
    if isinstance(value, tuple) and not isinstance(value, Member):
        inside = ", ".join(map(spell, value))
        return f"[{inside}]" if isinstance(value, List) else f"({inside})"
    return str(value)


def spell_message(name: str, fields: tuple[Value, ...]) -> str:
    """`ack`, `data(0)`, `accept(1, red)`."""
    return f"{name}({', '.join(map(spell, fields))})" if fields else name
