"""What the names of a file mean: its constants, the words of its enumerations, its roles and families."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from ...errors import UsageError, did_you_mean
from ...kernel.data.evaluate import NameScope, compile, of_type
from ...kernel.data.parse import RESERVED, ExpressionParser
from ...kernel.data.syntax import DataMistake, Expression, Name
from ...kernel.data.tokens import WORD, Text
from ...kernel.data.types import (
    NUMBER,
    ListOf,
    MapOf,
    Maybe,
    MemberOf,
    Number,
    SetOf,
    Truth,
    TupleOf,
    Type,
    WordOf,
    join,
    type_of,
)
from ...kernel.data.values import Value, spell
from . import syntax
from .syntax import ConstantSyntax, DataRole, DomainSyntax

#: More members are refused: a family of so many is no role that somebody checks.
MOST_MEMBERS = 1_000


class FileScope:
    """Constants with their values, words and families; mistakes are noted, each once."""

    def __init__(
        self,
        constants: Iterable[ConstantSyntax],
        roles: Mapping[str, DataRole],
        given: Mapping[str, str],
        observers: Iterable[DataRole] = (),
    ) -> None:
        self.roles = roles
        self.mistakes: list[DataMistake] = []
        self.constants: dict[str, Value] = {}
        self.families: dict[str, int] = {}
        bodies = (*roles.values(), *observers)
        self.words = frozenset(word.name for role in bodies for word in _words_of(role))
        self._define(list(constants), given)
        self._count_families()

    def note(self, problem: DataMistake) -> None:
        self.mistakes.append(problem)

    def names(self) -> NameScope:
        """What an expression may name that belongs to no role."""
        return NameScope({}, self.constants, self.words, self.families)

    # ---- constants and families ----

    def _define(self, constants: Sequence[ConstantSyntax], given: Mapping[str, str]) -> None:
        known = [constant.name.name for constant in constants]
        for wanted in given:
            if wanted not in known:
                hint = did_you_mean(wanted, known) or f"constants here: {', '.join(known) or 'none'}"
                raise UsageError(f"there is no constant '{wanted}'", hint=hint)
        for constant in constants:
            name = constant.name
            if name.name in self.constants or name.name in self.roles or name.name in RESERVED:
                self.note(DataMistake(f"'{name.name}' has a meaning already", name.start, name.end))
                continue
            try:
                self.constants[name.name] = self._value(constant, given.get(name.name))
            except DataMistake as problem:
                self.note(problem)
                self.constants[name.name] = 1  # so that nothing else is blamed

    def _value(self, constant: ConstantSyntax, given: str | None) -> Value:
        found = compile(constant.value, self.names())
        if not found.constant:
            raise DataMistake("a constant has a value of its own", constant.value.start, constant.value.end)
        if given is None:
            return found.value
        value = value_of(given, self.names())
        if join(type_of(value), found.type) is None:
            problem = f"the constant '{constant.name.name}' is {found.type}, and {given} is {type_of(value)}"
            raise UsageError(problem)
        return value

    def _count_families(self) -> None:
        for role in self.roles.values():
            if role.size is None:
                continue
            try:
                self.families[role.name] = self._size(role.size)
            except DataMistake as problem:
                self.note(problem)
                self.families[role.name] = 1

    def _size(self, written: Expression) -> int:
        found = of_type(written, self.names(), NUMBER, "the number of members")
        if not found.constant:
            raise DataMistake("the number of members is a constant", written.start, written.end)
        if not 1 <= found.value <= MOST_MEMBERS:
            problem = f"a family has 1 to {MOST_MEMBERS:,} members, not {found.value}"
            raise DataMistake(problem, written.start, written.end)
        return int(found.value)

    # ---- domains ----

    def domain(self, written: DomainSyntax) -> Type:
        """The type that a domain is."""
        parts = [self.domain(p) for p in written.parts if isinstance(p, DomainSyntax)]
        if written.kind == syntax.RANGE:
            return self._range(written)
        if written.kind == syntax.WORDS:
            return self._word_domain(written)
        if written.kind == syntax.NAMED:
            return self._family_domain(written)
        if written.kind == syntax.LIST:
            return ListOf(parts[0], self._number(written.parts[1], "the greatest length"))
        if written.kind == syntax.MAP:
            return MapOf(parts[0], parts[1])
        if written.kind == syntax.TUPLE:
            return TupleOf(tuple(parts))
        if written.kind == syntax.BOOL:
            return Truth()
        return SetOf(parts[0]) if written.kind == syntax.SET else Maybe(parts[0])

    def _number(self, written: DomainSyntax | Expression, what: str) -> int:
        assert not isinstance(written, DomainSyntax)
        found = of_type(written, self.names(), NUMBER, what)
        if not found.constant:
            raise DataMistake(f"{what} is a constant", written.start, written.end)
        return int(found.value)

    def _range(self, written: DomainSyntax) -> Type:
        low = self._number(written.parts[0], "the least value")
        high = self._number(written.parts[1], "the greatest value")
        if low > high:
            raise DataMistake(f"there is nothing in {low}..{high}", written.start, written.end)
        return Number(low, high)

    def _word_domain(self, written: DomainSyntax) -> Type:
        words = []
        for part in written.parts:
            assert isinstance(part, Name)
            if part.name in self.constants or part.name in self.roles:
                raise DataMistake(f"'{part.name}' has a meaning already", part.start, part.end)
            if part.name in words:
                raise DataMistake(f"'{part.name}' is listed twice", part.start, part.end)
            words.append(part.name)
        return WordOf(tuple(words))

    def _family_domain(self, written: DomainSyntax) -> Type:
        name = written.parts[0]
        assert isinstance(name, Name)
        if name.name in self.families:
            return MemberOf(name.name, self.families[name.name])
        hint = did_you_mean(name.name, (*self.families, "bool"))
        known = ", ".join(self.families)
        also = f"; families here: {known}" if known else ""
        listed = f"a domain is a..b, bool, {{red, green}}, set of D, D? or a family{also}"
        raise DataMistake(f"there is no domain '{name.name}'", name.start, name.end, hint or listed)


def value_of(text: str, scope: NameScope) -> Value:
    """The value that somebody gives on a command line."""
    tokens = Text(text, WORD)
    parser = ExpressionParser(tokens)
    try:
        found = compile(parser.parse(), scope)
        if parser.peek() is not None or not found.constant:
            raise UsageError(f"'{text}' is not one value", hint="write it like 3, true or red")
        return found.value
    except DataMistake as problem:
        raise UsageError(f"{problem.message}: {text}", hint=problem.hint) from None


def spelt_constants(constants: Mapping[str, Value]) -> dict[str, str]:
    """The constants as they are written."""
    return {name: spell(value) for name, value in constants.items()}


def _words_of(role: DataRole) -> Iterator[Name]:
    def within(domain: DomainSyntax) -> Iterator[Name]:
        for part in domain.parts:
            if isinstance(part, DomainSyntax):
                yield from within(part)
            elif domain.kind == syntax.WORDS and isinstance(part, Name):
                yield part

    for variable in role.variables:
        yield from within(variable.domain)
