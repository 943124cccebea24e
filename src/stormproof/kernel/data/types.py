"""The types of values: the domains of variables, and what expressions may be."""

from __future__ import annotations

from collections.abc import Sequence

from ...records import dataclass
from .values import List, Map, Member, Value


@dataclass(frozen=True)
class Number:
    """`a..b`; without ends any integer."""

    low: int | None = None
    high: int | None = None

    def __str__(self) -> str:
        return "a number" if self.low is None else f"{self.low}..{self.high}"


@dataclass(frozen=True)
class Truth:
    """`bool`."""

    def __str__(self) -> str:
        return "bool"


@dataclass(frozen=True)
class WordOf:
    """`{red, green}`."""

    words: tuple[str, ...]

    def __str__(self) -> str:
        return "{" + ", ".join(self.words) + "}"


@dataclass(frozen=True)
class MemberOf:
    """`N`: the members of a family."""

    family: str
    size: int

    def __str__(self) -> str:
        return f"a member of {self.family}"


@dataclass(frozen=True)
class Maybe:
    """`D?`: a value, or `none`; of `none` itself the type of the value is unknown."""

    of: Type

    def __str__(self) -> str:
        return "none" if isinstance(self.of, Unknown) else f"{self.of}?"


@dataclass(frozen=True)
class SetOf:
    """`set of D`."""

    of: Type

    def __str__(self) -> str:
        return f"set of {self.of}"


@dataclass(frozen=True)
class ListOf:
    """`list of D up to n`; of an expression the length is not known."""

    of: Type
    most: int | None = None

    def __str__(self) -> str:
        return f"list of {self.of}" + ("" if self.most is None else f" up to {self.most}")


@dataclass(frozen=True)
class MapOf:
    """`map of D to E`."""

    keys: Type
    values: Type

    def __str__(self) -> str:
        return f"map of {self.keys} to {self.values}"


@dataclass(frozen=True)
class TupleOf:
    """`(D, E)`."""

    parts: tuple[Type, ...]

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.parts))})"


@dataclass(frozen=True)
class Unknown:
    """Nothing says what it is: the elements of `{}`, or a field that nobody sends."""

    def __str__(self) -> str:
        return "anything"


Type = Number | Truth | WordOf | MemberOf | Maybe | SetOf | ListOf | MapOf | TupleOf | Unknown

NUMBER, TRUTH, UNKNOWN = Number(), Truth(), Unknown()


def join(one: Type, other: Type) -> Type | None:
    """The type of what may be either; None where no value is common to such types."""
    if isinstance(one, Unknown) or isinstance(other, Unknown):
        return other if isinstance(one, Unknown) else one
    if isinstance(one, Maybe) or isinstance(other, Maybe):
        inner = join(*(t.of if isinstance(t, Maybe) else t for t in (one, other)))
        return None if inner is None else Maybe(inner)
    if isinstance(one, Number) and isinstance(other, Number):
        return one if one == other else NUMBER
    if isinstance(one, WordOf) and isinstance(other, WordOf):
        return WordOf(tuple(dict.fromkeys((*one.words, *other.words))))
    if isinstance(one, SetOf) and isinstance(other, SetOf):
        return _made(SetOf, join(one.of, other.of))
    if isinstance(one, ListOf) and isinstance(other, ListOf):
        return _made(ListOf, join(one.of, other.of))
    if isinstance(one, SetOf | MapOf) and isinstance(other, SetOf | MapOf):
        return _join_maps(one, other)
    if isinstance(one, TupleOf) and isinstance(other, TupleOf) and len(one.parts) == len(other.parts):
        parts = tuple(join(a, b) for a, b in zip(one.parts, other.parts))
        return None if None in parts else TupleOf(tuple(p for p in parts if p is not None))
    return one if one == other else None


def _made(kind: type[SetOf] | type[ListOf], inner: Type | None) -> Type | None:
    return None if inner is None else kind(inner)


def _join_maps(one: SetOf | MapOf, other: SetOf | MapOf) -> Type | None:
    """`{}` is the empty map too."""
    if isinstance(one, MapOf) and isinstance(other, MapOf):
        keys, values = join(one.keys, other.keys), join(one.values, other.values)
        return None if keys is None or values is None else MapOf(keys, values)
    known, empty = (one, other) if isinstance(one, MapOf) else (other, one)
    return known if isinstance(empty, SetOf) and isinstance(empty.of, Unknown) else None


def assignable(found: Type, domain: Type) -> bool:
    """May some value of the one type be in the domain? Whether it is shows when it is there."""
    if isinstance(found, Maybe) and not isinstance(domain, Maybe):
        return not isinstance(found.of, Unknown) and assignable(found.of, domain)
    if isinstance(found, WordOf) and isinstance(domain, WordOf):
        return bool(set(found.words) & set(domain.words))
    return join(found, domain) is not None


def fits(value: Value, domain: Type) -> bool:
    """Is the value, whose type is assignable, in the domain?"""
    if isinstance(domain, Number):
        return value is not None and (domain.low is None or domain.low <= value <= (domain.high or 0))
    if isinstance(domain, Maybe):
        return value is None or fits(value, domain.of)
    if value is None:
        return isinstance(domain, Unknown)
    if isinstance(domain, WordOf):
        return value in domain.words
    if isinstance(domain, SetOf):
        return all(fits(part, domain.of) for part in value)
    if isinstance(domain, ListOf):
        return (domain.most is None or len(value) <= domain.most) and all(fits(x, domain.of) for x in value)
    if isinstance(domain, MapOf):
        return all(fits(key, domain.keys) and fits(held, domain.values) for key, held in value)
    if isinstance(domain, TupleOf):
        return all(fits(part, inner) for part, inner in zip(value, domain.parts))
    return True


def as_held(value: Value, domain: Type) -> Value:
    """The value as a variable of the domain holds it: `{}` is the empty map where one is meant."""
    if isinstance(domain, MapOf) and value == frozenset():
        return Map()
    return value


def default(domain: Type) -> Value:
    """The value of a variable for which none is given; KeyError of the domain that has none."""
    if isinstance(domain, Number):
        return domain.low
    if isinstance(domain, Truth):
        return False
    if isinstance(domain, WordOf):
        return domain.words[0]
    if isinstance(domain, Maybe):
        return None
    if isinstance(domain, SetOf):
        return frozenset()
    if isinstance(domain, ListOf):
        return List()
    if isinstance(domain, MapOf):
        return Map()
    if isinstance(domain, TupleOf):
        return tuple(map(default, domain.parts))
    raise KeyError(str(domain))


def members(family: str, size: int) -> Sequence[Member]:
    return [Member(family, number) for number in range(1, size + 1)]


def type_of(value: Value) -> Type:
    """The type of a constant's value."""
    if isinstance(value, bool):
        return TRUTH
    if isinstance(value, int):
        return NUMBER
    if value is None:
        return Maybe(UNKNOWN)
    if isinstance(value, str):
        return WordOf((value,))
    if isinstance(value, frozenset | List):
        inner: Type = UNKNOWN
        for part in value:
            inner = join(inner, type_of(part)) or inner
        return SetOf(inner) if isinstance(value, frozenset) else ListOf(inner)
    return TupleOf(tuple(map(type_of, value)))
