"""What a goal over data means: the goals of every system, over the states of the automata that were made."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ...errors import did_you_mean
from ...records import dataclass
from ..data.evaluate import Compiled, Environment, NameScope, compile, of_type
from ..data.syntax import (
    Apply,
    Condition,
    DataMistake,
    Expression,
    Field,
    HeldByChannel,
    InState,
    Name,
    Quantified,
    RoleName,
)
from ..data.system import DataSystem, LocalState
from ..data.types import NUMBER, TRUTH, MemberOf, SetOf, Type, members, type_of
from ..data.values import Member, Value, spell
from ..model.actions import CRASH, Channel, Message
from ..model.goal import And, At, Contains, Goal, Holds, Named, Not, Or
from ..model.part import in_part
from ..model.rest import STOPPED
from .parse import unrecorded

if TYPE_CHECKING:
    from typing import TypeGuard

#: More combinations of values, or choices of members, are refused.
MOST_COMBINATIONS = 100_000
MOST_COUNTED = 12


def meaning(node: Expression, system: DataSystem, unread: bool = False) -> Goal:
    """The goal that an expression is; DataMistake says what is wrong with it. `unread`: the automata are not
    known, and only names are looked up."""
    return _Meaning(system, unread).goal(node, {})


@dataclass(frozen=True)
class _Choice:
    """A value that is not known before a configuration is: which it may be, and where it is which."""

    values: tuple[tuple[Mapping[str, Value], Goal], ...]


class _Meaning:
    def __init__(self, system: DataSystem, unread: bool) -> None:
        self.system, self.data, self.unread = system, system.data, unread

    # ---- goals ----

    def goal(self, node: Expression, env: Environment) -> Goal:
        if isinstance(node, Apply) and node.operator in ("and", "or"):
            kind = And if node.operator == "and" else Or
            return _joined(kind, [self.goal(part, env) for part in node.parts])
        if isinstance(node, Apply) and node.operator == "not":
            return Not(self.goal(node.parts[0], env))
        if isinstance(node, Quantified) and node.kind != "count":
            return self.quantified(node, env)
        if isinstance(node, InState):
            return self.in_state(node, env)
        if isinstance(node, HeldByChannel):
            return self.held(node, env)
        if isinstance(node, Condition):
            return Named(node.name)
        if isinstance(node, Name) and node.name in self.data.variables and node.name not in env:
            hint = f"write {node.name}@state or {node.name}.variable = value"
            raise DataMistake(f"the role {node.name} alone is no goal", node.start, node.end, hint)
        return self.comparison(node, env)

    def quantified(self, node: Quantified, env: Environment) -> Goal:
        parts = [self.goal(node.body, inner) for inner in self.bindings(node, env)]
        return _joined(And if node.kind == "all" else Or, parts) if parts else self.truth(node.kind == "all")

    def bindings(self, node: Quantified, env: Environment) -> Iterator[dict[str, Value]]:
        """Each choice of values for the names."""
        names = [name.name for name in node.names]
        whole = [self.over(node, name, env) for name in node.names]
        for chosen in itertools.product(*whole):
            if node.kind != "two" or len(set(chosen)) == len(chosen):
                yield {**env, **dict(zip(names, chosen))}

    def over(self, node: Quantified, name: Name, env: Environment) -> Sequence[Value]:
        """What a name goes through: the set that is given, or the family that it is used with."""
        if node.over is not None:
            found = compile(node.over, self.scope(env))
            if not isinstance(found.type, SetOf):
                raise DataMistake(f"this is {found.type}, and no set", node.over.start, node.over.end)
            return sorted(found.run(env))
        families = dict.fromkeys(_families(node.body, name.name))
        if not families:  # `two i, j: ... j in N[i].seen`: it is what the others are
            families = dict.fromkeys(f for n in node.names for f in _families(node.body, n.name))
        if not families:
            problem = f"'{name.name}' stands for no member here"
            hint = f"use it as an index: N[{name.name}]@state; or name a set: {node.kind} x in S: ..."
            raise DataMistake(problem, name.start, name.end, hint)
        if len(families) > 1:
            listed = " and ".join(families)
            raise DataMistake(f"'{name.name}' is a member of {listed} here", name.start, name.end)
        family = next(iter(families))
        if family not in self.data.families:
            raise DataMistake(f"{family} is no family", name.start, name.end)
        return members(family, self.data.families[family])

    def truth(self, value: bool) -> Goal:
        """A goal that always holds, or never."""
        process = self.system.processes[0]
        return At(process.name, process.states if value else ())

    # ---- places ----

    def process(self, role: RoleName, env: Environment) -> str:
        data, name = self.data, role.name
        if role.index is None and self.is_member(name):
            return name
        if name not in data.variables:
            hint = did_you_mean(name, data.variables) or f"roles here: {', '.join(data.variables)}"
            raise DataMistake(f"unknown role '{name}'", role.start, role.end, hint)
        size = data.families.get(name)
        if size is None:
            if role.index is not None:
                raise DataMistake(f"{name} is no family", role.start, role.end, "leave the index out")
            return name
        if role.index is None:
            hint = f"name one, or any: {name}[1], some i: {name}[i]..."
            raise DataMistake(f"{name} is a family", role.start, role.end, hint)
        found = compile(role.index, self.scope(env))
        if found.type != NUMBER and found.type != MemberOf(name, size):
            problem = f"this is {found.type}, and not a member of {name}"
            raise DataMistake(problem, role.index.start, role.index.end)
        value = found.run(env)
        number = value.number if isinstance(value, Member) else value
        if not 1 <= number <= size:
            hint = f"members: {name}[1] to {name}[{size}]"
            raise DataMistake(f"there is no {name}[{number}]", role.start, role.end, hint)
        return str(Member(name, number))

    def is_member(self, name: str) -> bool:
        """Is this the name of one process, as the automata and what is printed have it?"""
        return name in self.system and name.partition("[")[0] in self.data.families

    def family(self, role: RoleName) -> str:
        return role.name.partition("[")[0] if self.is_member(role.name) else role.name

    def in_state(self, node: InState, env: Environment) -> Goal:
        process = self.process(node.role, env)
        named = self.data.states[self.family(node.role)]
        known = (*named, *self.local(process))
        for state in node.states:
            if state.name not in known and (state.name != STOPPED or node.values):
                hint = did_you_mean(state.name, known) or f"states of {node.role.name}: {', '.join(named)}"
                problem = f"{node.role.name} has no state '{state.name}'"
                raise DataMistake(problem, state.start, state.end, hint)
        wanted = {state.name for state in node.states}
        for variable, value in node.values:
            name = variable.name
            kind = self.kind(Field(node.role, name, variable.start, variable.end))
            of_type(value, self.scope(env), kind, f"'{name}'")
        found = []
        for at, local in self.local(process).items():
            whole = at in wanted and not node.values
            named_so = local.name in wanted and not local.failed
            if whole or (named_so and self.has_values(process, node, local, env)):
                found.append(at)
        if STOPPED in wanted - {*known}:
            found.append(STOPPED)
        group = node.states[0].name if len(node.states) == 1 and not node.values else ""
        if node.recorded:
            found = [at for at in found if at != STOPPED]
            wrong = unrecorded(self.system[process], found or [node.states[0].name])
            if wrong:
                raise DataMistake(wrong[0], node.start, node.end, wrong[1])
        return At(process, tuple(found), group, recorded=node.recorded)

    def has_values(self, process: str, node: InState, local: LocalState, env: Environment) -> bool:
        return all(
            self.value(process, local, name) == compile(value, self.scope(env)).run(env)
            for name, value in node.values
        )

    def value(self, process: str, local: LocalState, name: Name | Field) -> Value:
        if name.name in local.values:
            return local.values[name.name]
        problem = f"nobody reads {name.name} in {process}@{local.name}, so that its value is not kept there"
        raise DataMistake(problem, name.start, name.end, "a require line of the file keeps what it names")

    def local(self, process: str) -> Mapping[str, LocalState]:
        return self.data.local.get(process, {})

    def held(self, node: HeldByChannel, env: Environment) -> Goal:
        channel = Channel(self.process(node.sender, env), self.process(node.receiver, env))
        word = tuple(self.message(channel, name, fields, env) for name, fields in node.messages)
        if node.contains:
            return Contains(channel, word[0])
        return Holds(channel, word)

    def message(
        self, channel: Channel, name: Name, fields: Sequence[Expression], env: Environment
    ) -> Message:
        if name.name == "⚡":
            return CRASH
        values = [compile(part, self.scope(env)).run(env) for part in fields]
        spelt = f"{name.name}({', '.join(map(spell, values))})" if values else name.name
        known = in_part(self.system) and name.name in self.data.messages
        if spelt not in self.system.messages and not (self.unread or known):
            here = [str(m) for m in self.system.alphabet(channel)]
            listed = ", ".join(here[:12]) + (", ..." if len(here) > 12 else "")
            hint = did_you_mean(spelt, self.system.messages)
            problem = f"unknown message '{spelt}'"
            hint = hint or f"messages on {channel}: {listed or 'none'}"
            raise DataMistake(problem, name.start, name.end, hint)
        return spelt

    # ---- values ----

    def scope(self, env: Environment) -> NameScope:
        data = self.data
        types: dict[str, Type] = {name: self.type_of(value) for name, value in env.items()}
        return NameScope(types, data.constants, data.words, data.families)

    def type_of(self, value: Value) -> Type:
        if isinstance(value, Member):
            return MemberOf(value.family, self.data.families[value.family])
        return type_of(value)

    def kind(self, node: Field) -> Type:
        known = self.data.variables.get(self.family(node.role))
        if known is None or node.name not in known:
            listed = f"variables of {node.role.name}: {', '.join(known or ()) or 'none'}"
            hint = did_you_mean(node.name, known or ()) or listed
            states = self.data.states.get(node.role.name, ())
            hint = f"a state is written {node.role.name}@{node.name}" if node.name in states else hint
            raise DataMistake(f"{node.role.name} has no variable '{node.name}'", node.start, node.end, hint)
        return known[node.name]

    def comparison(self, node: Expression, env: Environment) -> Goal:
        """A condition on values: of variables at places, and of numbers of members."""
        least = self.at_least(node, env)
        if least is not None:
            return least
        unknown: dict[str, Type] = {}
        by_process: dict[str, dict[str, Field]] = {}
        choices: list[_Choice] = []
        whole = self.without_places(node, env, unknown, by_process, choices)
        condition = of_type(whole, self.scope(env).with_names(unknown), TRUTH, "a goal")
        choices = [*(self.values_of(p, fields) for p, fields in by_process.items()), *choices]
        return self.where(condition, env, choices, node)

    def where(
        self, condition: Compiled, env: Environment, choices: Sequence[_Choice], node: Expression
    ) -> Goal:
        """Where the condition holds: an alternative for each combination of values that satisfies it."""
        if not choices:
            return self.truth(bool(condition.run(env)))
        size = 1
        for choice in choices:
            size *= len(choice.values)
        if size > MOST_COMBINATIONS:
            problem = f"this compares more than {MOST_COMBINATIONS:,} combinations of values"
            raise DataMistake(problem, node.start, node.end)
        found: list[Goal] = []
        *others, last = choices
        for outer in itertools.product(*(choice.values for choice in others)):
            given = dict(env)
            for values, _ in outer:
                given.update(values)
            inner = [at for values, at in last.values if condition.run({**given, **values})]
            if inner:
                found.append(_joined(And, [*(at for _, at in outer), _joined(Or, inner)]))
        return _joined(Or, found) if found else self.truth(False)

    def values_of(self, process: str, fields: Mapping[str, Field]) -> _Choice:
        table: dict[tuple[Value, ...], list[str]] = {}
        for state, local in self.local(process).items():
            if not local.failed:
                key = tuple(self.value(process, local, field) for field in fields.values())
                table.setdefault(key, []).append(state)
        named = (dict(zip(fields, key)) for key in table)
        return _Choice(tuple(zip(named, (At(process, tuple(states)) for states in table.values()))))

    def without_places(
        self,
        node: Expression,
        env: Environment,
        unknown: dict[str, Type],
        by_process: dict[str, dict[str, Field]],
        choices: list[_Choice],
    ) -> Expression:
        """The expression with a name for each variable at a place and each count over places."""
        if isinstance(node, Field):
            key = f"{self.process(node.role, env)}.{node.name}"
            unknown[key] = self.kind(node)
            by_process.setdefault(self.process(node.role, env), {})[key] = node
            return Name(key, node.start, node.end)
        if isinstance(node, Quantified) and node.kind == "count" and _is_about_places(node.body):
            key = f"count {len(choices)}"
            unknown[key] = NUMBER
            choices.append(self.counts(node, env, key))
            return Name(key, node.start, node.end)
        if isinstance(node, Apply):
            parts = [self.without_places(p, env, unknown, by_process, choices) for p in node.parts]
            return replace(node, parts=tuple(parts))
        if isinstance(node, InState | HeldByChannel | Condition):
            raise DataMistake("this is a condition, and no value", node.start, node.end)
        return node

    # ---- counts ----

    def counted(self, node: Quantified, env: Environment) -> list[Goal]:
        goals = [self.goal(node.body, inner) for inner in self.bindings(node, env)]
        if len(goals) > MOST_COUNTED:
            problem = f"this counts more than {MOST_COUNTED} members"
            raise DataMistake(problem, node.start, node.end)
        return goals

    def counts(self, node: Quantified, env: Environment, key: str) -> _Choice:
        goals = self.counted(node, env)
        return _Choice(tuple(({key: n}, self.exactly(goals, n)) for n in range(len(goals) + 1)))

    def exactly(self, goals: Sequence[Goal], number: int) -> Goal:
        parts = []
        for chosen in itertools.combinations(range(len(goals)), number):
            every = [g if i in chosen else Not(g) for i, g in enumerate(goals)]
            parts.append(_joined(And, every) if every else self.truth(True))
        return _joined(Or, parts)

    def at_least(self, node: Expression, env: Environment) -> Goal | None:
        """`count(...) >= n` needs no negation."""
        if not isinstance(node, Apply) or node.operator not in (">=", ">"):
            return None
        count, bound = node.parts
        if not isinstance(count, Quantified) or count.kind != "count" or not _is_about_places(count.body):
            return None
        try:
            found = of_type(bound, self.scope(env), NUMBER, "a number of members")
        except DataMistake:
            return None
        least = found.run(env) + (node.operator == ">")
        goals = self.counted(count, env)
        if not 0 < least <= len(goals):
            return self.truth(least <= 0)
        return _joined(Or, [_joined(And, chosen) for chosen in itertools.combinations(goals, least)])


def _joined(kind: type[And] | type[Or], parts: Iterable[Goal]) -> Goal:
    """The parts together; several sets of states of one role are one set."""
    flat: list[Goal] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else [part]
    if kind is Or:
        flat = _merged(flat)
    once = {frozenset(p.parts) if isinstance(p, And) else p: p for p in reversed(flat)}
    flat = list(reversed(once.values()))
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def _merged(parts: Sequence[Goal]) -> list[Goal]:
    states: dict[str, dict[str, None]] = {}
    for part in parts:
        if _is_place(part):
            states.setdefault(part.process, {}).update(dict.fromkeys(part.states))
    once = {process: At(process, tuple(found)) for process, found in states.items()}
    if sum(map(_is_place, parts)) == len(once):
        return list(parts)
    others = [part for part in parts if not _is_place(part)]
    return [*once.values(), *others]


def _is_place(part: Goal) -> TypeGuard[At]:
    return isinstance(part, At) and not part.recorded


def _is_about_places(node: Expression) -> bool:
    if isinstance(node, Apply):
        return any(map(_is_about_places, node.parts))
    if isinstance(node, Quantified):
        return _is_about_places(node.body)
    return isinstance(node, Field | InState | HeldByChannel | Condition)


def _families(node: Expression | RoleName, name: str) -> Iterator[str]:
    """The families with which a name is an index."""
    if isinstance(node, RoleName):
        if isinstance(node.index, Name) and node.index.name == name:
            yield node.name
    elif isinstance(node, Field | InState):
        yield from _families(node.role, name)
    elif isinstance(node, HeldByChannel):
        yield from _families(node.sender, name)
        yield from _families(node.receiver, name)
    elif isinstance(node, Quantified):
        yield from _families(node.body, name)
    elif isinstance(node, Apply):
        for part in node.parts:
            yield from _families(part, name)
