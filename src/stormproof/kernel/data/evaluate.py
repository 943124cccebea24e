"""Expressions, checked and made into functions of the values of names: the one evaluator of the language."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

from ...errors import did_you_mean
from ...records import dataclass
from .syntax import Apply, DataMistake, Expression, Literal, Name, Quantified
from .types import (
    NUMBER,
    TRUTH,
    UNKNOWN,
    ListOf,
    MapOf,
    Maybe,
    MemberOf,
    Number,
    SetOf,
    TupleOf,
    Type,
    Unknown,
    WordOf,
    join,
    type_of,
)
from .values import List, Map, Member, Value, spell

#: What the names of an expression stand for when it is evaluated.
Environment = Mapping[str, Value]
Run = Callable[[Environment], Value]


class Failed(Exception):
    """An expression has no value: a division by zero, say, or an index that is not there."""

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.message, self.start = message, start


@dataclass(frozen=True)
class Compiled:
    """An expression of a type: `run` gives its value, and `reads` are the names that it looks up."""

    type: Type
    run: Run
    reads: frozenset[str] = frozenset()
    constant: bool = False

    @property
    def value(self) -> Value:
        """Of a constant expression."""
        return self.run({})


@dataclass(frozen=True)
class NameScope:
    """What names mean: `names` have values in the environment, `constants` and words their own, and a family
    is the set of its members."""

    names: Mapping[str, Type]
    constants: Mapping[str, Value]
    words: frozenset[str] = frozenset()
    families: Mapping[str, int] = field(default_factory=dict)

    def with_names(self, more: Mapping[str, Type]) -> NameScope:
        return replace(self, names={**self.names, **more})

    def known(self, name: str) -> bool:
        return name in self.names or name in self.constants or name in self.words or name in self.families


def constant(value: Value, type: Type | None = None) -> Compiled:
    return Compiled(type or type_of(value), lambda env: value, constant=True)


def compile(node: Expression, scope: NameScope) -> Compiled:
    """The expression as a function; DataMistake says what is wrong with it."""
    if isinstance(node, Literal):
        return constant(node.value)
    if isinstance(node, Name):
        return _name(node, scope)
    if isinstance(node, Quantified):
        return _quantified(node, scope)
    if isinstance(node, Apply):
        parts = [compile(part, scope) for part in node.parts]
        made = _OPERATORS[node.operator](node, parts)
        reads = frozenset[str]().union(*(part.reads for part in parts))
        if node.operator not in _TAKE_NONE and any(isinstance(p.type, Maybe | Unknown) for p in parts):
            made = replace(made, run=_of_a_value(node.operator, node.start, made.run))
        if parts and all(part.constant for part in parts):
            return _folded(node, made)
        return replace(made, reads=reads)
    raise DataMistake("this is written in goals only", node.start, node.end)


def _of_a_value(operator: str, start: int, run: Run) -> Run:
    """The function, where a part may be `none`, which has no value here."""

    def guarded(env: Environment) -> Value:
        try:
            return run(env)
        except (TypeError, AttributeError):
            raise Failed(f"'{operator}' of none", start) from None

    return guarded


def _folded(node: Apply, made: Compiled) -> Compiled:
    try:
        return constant(made.value, made.type)
    except Failed as problem:
        raise DataMistake(problem.message, node.start, node.end) from None


def of_type(node: Expression, scope: NameScope, wanted: Type, what: str) -> Compiled:
    """The expression, which must be of this type."""
    made = compile(node, scope)
    if join(made.type, wanted) is None or (isinstance(made.type, Maybe) and not isinstance(wanted, Maybe)):
        raise DataMistake(f"{what} is {wanted}, and this is {made.type}", node.start, node.end)
    return made


def _name(node: Name, scope: NameScope) -> Compiled:
    name = node.name
    if name in scope.names:
        return Compiled(scope.names[name], operator.itemgetter(name), frozenset((name,)))
    if name in scope.constants:
        return constant(scope.constants[name])
    if name in scope.words:
        return constant(name, WordOf((name,)))
    if name in scope.families:
        size = scope.families[name]
        everybody = frozenset(Member(name, number) for number in range(1, size + 1))
        return constant(everybody, SetOf(MemberOf(name, size)))
    known = (*scope.names, *scope.constants, *scope.words, *scope.families)
    parts = name.split("-")
    if len(parts) > 1 and all(part.isdigit() or scope.known(part) for part in parts):
        hint = f"minus has blanks around it: {' - '.join(parts)}"
        raise DataMistake(f"unknown name '{name}'", node.start, node.end, hint)
    hint = did_you_mean(name, known) or f"known here: {', '.join(known) or 'nothing'}"
    raise DataMistake(f"unknown name '{name}'", node.start, node.end, hint)


def _quantified(node: Quantified, scope: NameScope) -> Compiled:
    if node.over is None:
        raise DataMistake("the set is missing", node.start, node.end, f"write: {node.kind} x in S: ...")
    over = compile(node.over, scope)
    whole = _plain(over)
    if not isinstance(whole, SetOf):
        raise DataMistake(f"this is {over.type}, and not a set", node.over.start, node.over.end)
    names = [name.name for name in node.names]
    inner = scope.with_names(dict.fromkeys(names, whole.of))
    body = of_type(node.body, inner, TRUTH, "the condition")
    for name in node.names:
        if name.name not in body.reads:
            raise DataMistake(f"'{name.name}' is not read in the condition", name.start, name.end)
    reads = over.reads | (body.reads - set(names))
    different = node.kind == "two"
    kind = "some" if different else node.kind

    def found(env: Environment, left: list[str], taken: tuple[Value, ...]) -> int:
        """How many choices satisfy the condition; one is enough for `some`, and all but one for `all`."""
        if not left:
            return bool(body.run(env))
        total = 0
        for value in over.run(env):
            if different and value in taken:
                continue
            total += found({**env, left[0]: value}, left[1:], (*taken, value))
        return total

    def run(env: Environment) -> Value:
        count = found(env, names, ())
        if kind == "count":
            return count
        return count > 0 if kind == "some" else count == len(over.run(env)) ** len(names)

    guarded = _of_a_value(node.kind, node.start, run) if isinstance(over.type, Maybe) else run
    return Compiled(NUMBER if kind == "count" else TRUTH, guarded, reads)


# ---- operators: each checks the types of its parts and gives the function ----


def _mistake(node: Apply, parts: list[Compiled], hint: str | None = None) -> DataMistake:
    kinds = " and ".join(str(part.type) for part in parts)
    return DataMistake(f"'{node.operator}' is not for {kinds}", node.start, node.end, hint)


def _binary(function: Callable[[Value, Value], Value], one: Run, other: Run) -> Run:
    return lambda env: function(one(env), other(env))


def _plain(part: Compiled) -> Type:
    """The type of the value where there is one; that it is `none` shows when it is used."""
    return part.type.of if isinstance(part.type, Maybe) else part.type


def _is(wanted: type, part: Compiled) -> bool:
    return isinstance(_plain(part), wanted | Unknown)


def _sum(node: Apply, parts: list[Compiled]) -> Compiled:
    if len(parts) == 1:
        if not _is(Number, parts[0]):
            raise _mistake(node, parts)
        run = parts[0].run
        return Compiled(NUMBER, lambda env: -run(env))
    one, other = parts
    if _is(Number, one) and _is(Number, other):
        function = operator.add if node.operator == "+" else operator.sub
        return Compiled(NUMBER, _binary(function, one.run, other.run))
    joined = join(_plain(one), _plain(other))
    if isinstance(joined, SetOf) and _is(SetOf, one) and _is(SetOf, other):
        function = operator.or_ if node.operator == "+" else operator.sub
        return Compiled(joined, _binary(function, one.run, other.run))
    if isinstance(joined, ListOf) and node.operator == "+":
        return Compiled(ListOf(joined.of), _binary(lambda a, b: List((*a, *b)), one.run, other.run))
    hint = "a set of one is {x}, a list of one [x]" if isinstance(_plain(one), SetOf | ListOf) else None
    raise _mistake(node, parts, hint)


def _arithmetic(node: Apply, parts: list[Compiled]) -> Compiled:
    if not all(_is(Number, part) for part in parts):
        raise _mistake(node, parts)
    one, other = (part.run for part in parts)
    if node.operator == "*":
        return Compiled(NUMBER, _binary(operator.mul, one, other))
    function = operator.mod if node.operator == "mod" else operator.floordiv

    def run(env: Environment) -> Value:
        by = other(env)
        if by == 0:
            raise Failed(f"'{node.operator}' by zero", node.start)
        return function(one(env), abs(by) if node.operator == "mod" else by)

    return Compiled(NUMBER, run)


_COMPARED: dict[str, Callable[[Value, Value], Value]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _comparison(node: Apply, parts: list[Compiled]) -> Compiled:
    if not all(_is(Number, part) for part in parts):
        raise _mistake(node, parts, "numbers are in order, and sets by 'all x in S: x in T'")
    return Compiled(TRUTH, _binary(_COMPARED[node.operator], parts[0].run, parts[1].run))


def _equality(node: Apply, parts: list[Compiled]) -> Compiled:
    one, other = parts
    joined = join(one.type, other.type)
    if isinstance(one.type, WordOf) and isinstance(other.type, WordOf):
        joined = joined if set(one.type.words) & set(other.type.words) else None
    if joined is None:
        raise DataMistake(f"{one.type} is never equal to {other.type}", node.start, node.end)
    function = operator.eq if node.operator == "=" else operator.ne
    return Compiled(TRUTH, _binary(function, one.run, other.run))


def _membership(node: Apply, parts: list[Compiled]) -> Compiled:
    one, other = parts
    whole = _plain(other)
    inside = whole.of if isinstance(whole, SetOf | ListOf) else None
    if inside is None or join(one.type, inside) is None:
        raise _mistake(node, parts)
    if node.operator == "in":
        return Compiled(TRUTH, _binary(lambda a, b: a in b, one.run, other.run))
    return Compiled(TRUTH, _binary(lambda a, b: a not in b, one.run, other.run))


def _logical(node: Apply, parts: list[Compiled]) -> Compiled:
    if not all(part.type in (TRUTH, UNKNOWN) for part in parts):
        raise _mistake(node, parts)
    if node.operator == "not":
        run = parts[0].run
        return Compiled(TRUTH, lambda env: not run(env))
    one, other = (part.run for part in parts)
    if node.operator == "and":
        return Compiled(TRUTH, lambda env: one(env) and other(env))
    return Compiled(TRUTH, lambda env: one(env) or other(env))


def _if(node: Apply, parts: list[Compiled]) -> Compiled:
    condition, yes, no = parts
    joined = join(yes.type, no.type)
    if condition.type not in (TRUTH, UNKNOWN):
        problem = f"the condition is {condition.type}, and not bool"
        raise DataMistake(problem, node.parts[0].start, node.parts[0].end)
    if joined is None:
        problem = f"this is either {yes.type} or {no.type}, which have no value in common"
        raise DataMistake(problem, node.start, node.end)
    ask, one, other = condition.run, yes.run, no.run
    return Compiled(joined, lambda env: one(env) if ask(env) else other(env))


def _collected(node: Apply, parts: list[Compiled]) -> Compiled:
    """A set or a list of its parts."""
    inner: Type = UNKNOWN
    for part, written in zip(parts, node.parts):
        joined = join(inner, part.type)
        if joined is None:
            problem = f"{part.type} among {inner}"
            raise DataMistake(f"values of different types: {problem}", written.start, written.end)
        inner = joined
    runs = [part.run for part in parts]
    made: Callable[[Any], Value] = frozenset if node.operator == "set" else List
    found = SetOf(inner) if node.operator == "set" else ListOf(inner)
    if not runs:
        return constant(made(()), found)
    return Compiled(found, lambda env: made([run(env) for run in runs]))


def _tuple(node: Apply, parts: list[Compiled]) -> Compiled:
    runs = [part.run for part in parts]
    found = TupleOf(tuple(part.type for part in parts))
    return Compiled(found, lambda env: tuple([run(env) for run in runs]))


def _index(node: Apply, parts: list[Compiled]) -> Compiled:
    """`m[k]` of a map, `xs[n]` of a list or a tuple, from 0 on."""
    one, other = parts
    inside, at = one.run, other.run
    whole = _plain(one)
    if isinstance(whole, MapOf):
        if join(whole.keys, other.type) is None:
            raise DataMistake(f"the keys are {whole.keys}, not {other.type}", node.start, node.end)
        return Compiled(Maybe(whole.values), lambda env: Map(inside(env)).get(at(env)))
    if not _is(Number, other) or not isinstance(whole, ListOf | TupleOf | Unknown):
        raise _mistake(node, parts)

    def run(env: Environment) -> Value:
        held, index = inside(env), at(env)
        if not 0 <= index < len(held):
            raise Failed(f"there is no [{index}] in {spell(held)}", node.start)
        return held[index]

    return Compiled(_part_type(whole, other), run)


def _part_type(whole: Type, index: Compiled) -> Type:
    if isinstance(whole, ListOf):
        return whole.of
    if isinstance(whole, TupleOf) and index.constant and 0 <= index.value < len(whole.parts):
        return whole.parts[index.value]
    return UNKNOWN


def _extreme(node: Apply, parts: list[Compiled]) -> Compiled:
    if not all(_is(Number, part) for part in parts):
        raise _mistake(node, parts)
    function = min if node.operator == "min" else max
    runs = [part.run for part in parts]
    return Compiled(NUMBER, lambda env: function([run(env) for run in runs]))


def _size(node: Apply, parts: list[Compiled]) -> Compiled:
    if not isinstance(_plain(parts[0]), SetOf | ListOf | MapOf | Unknown):
        raise _mistake(node, parts)
    run = parts[0].run
    return Compiled(NUMBER, lambda env: len(run(env)))


def _member_number(node: Apply, parts: list[Compiled]) -> Compiled:
    if not isinstance(_plain(parts[0]), MemberOf | Unknown):
        raise _mistake(node, parts)
    run = parts[0].run
    return Compiled(NUMBER, lambda env: run(env).number)


#: These are also of `none`.
_TAKE_NONE = frozenset(("=", "!=", "if", "and", "or", "not", "set", "list", "tuple"))

_OPERATORS: dict[str, Callable[[Apply, list[Compiled]], Compiled]] = {
    **dict.fromkeys(("+", "-"), _sum),
    **dict.fromkeys(("*", "div", "mod"), _arithmetic),
    **dict.fromkeys(_COMPARED, _comparison),
    **dict.fromkeys(("=", "!="), _equality),
    **dict.fromkeys(("in", "not in"), _membership),
    **dict.fromkeys(("and", "or", "not"), _logical),
    **dict.fromkeys(("set", "list"), _collected),
    **dict.fromkeys(("min", "max"), _extreme),
    "if": _if,
    "tuple": _tuple,
    "[]": _index,
    "size": _size,
    "number": _member_number,
}
