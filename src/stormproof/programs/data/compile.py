"""Roles with variables, looked up and made into functions; every mistake is noted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace

from ...errors import did_you_mean
from ...kernel.data.evaluate import Compiled, NameScope, compile, of_type
from ...kernel.data.parse import RESERVED
from ...kernel.data.syntax import DataMistake, Expression, Name
from ...kernel.data.types import (
    TRUTH,
    UNKNOWN,
    MapOf,
    Maybe,
    MemberOf,
    Number,
    SetOf,
    Type,
    as_held,
    assignable,
    default,
    fits,
    join,
)
from ...kernel.data.values import Value, spell
from ...kernel.model.actions import CRASH
from ...records import dataclass
from .alternatives import CompiledRole, DataAlternative, DataVariable, FieldPattern, Peers, Update
from .forestalled import forestalled
from .scope import FileScope
from .syntax import RECEIVE, SEND, AlternativeSyntax, DataRole, PeerSyntax, VariableSyntax

ANYTHING = "_"


def compile_roles(scope: FileScope) -> tuple[dict[str, CompiledRole], ChannelTypes]:
    """All roles of a file, and what their messages are; what is wrong is noted in the scope."""
    compilers = [RoleCompiler(scope, role) for role in scope.roles.values()]
    channels = ChannelTypes(scope)
    for compiler in compilers:
        compiler.variables()
    for compiler in compilers:
        channels.add(compiler)
    for compiler in compilers:
        compiler.alternatives(channels)
    return {compiler.role.name: compiler.made for compiler in compilers}, channels


@dataclass
class RoleCompiler:
    scope: FileScope
    role: DataRole
    made: CompiledRole = field(init=False)
    names: NameScope = field(init=False)

    def __post_init__(self) -> None:
        role = self.role
        size = self.scope.families.get(role.name, 0)
        index = role.index.name if role.index is not None and role.index.name != ANYTHING else ""
        self.made = CompiledRole(role.name, role.start, index=index, members=size)
        self.names = self.scope.names()
        if index:
            self.names = self.names.with_names({index: MemberOf(role.name, size)})

    @contextmanager
    def noting(self) -> Iterator[None]:
        try:
            yield
        except DataMistake as problem:
            self.scope.note(problem)

    # ---- variables ----

    def variables(self) -> None:
        if self.role.index is not None:
            with self.noting():
                self.check_new(self.role.index)
        for written in self.role.variables:
            with self.noting():
                if written.name.name == self.made.index:
                    problem = f"'{written.name.name}' is what a member calls itself"
                    raise DataMistake(problem, written.name.start, written.name.end)
                self.check_new(written.name)
                self.variable(written)
        domains = {name: variable.domain for name, variable in self.made.variables.items()}
        self.names = self.names.with_names(domains)

    def check_new(self, name: Name) -> None:
        scope = self.scope
        taken = name.name in scope.constants or name.name in scope.words or name.name in scope.roles
        if taken or name.name in self.made.variables:
            raise DataMistake(f"'{name.name}' has a meaning already", name.start, name.end)
        if name.name in RESERVED or name.name == ANYTHING:
            raise DataMistake(f"'{name.name}' is a word of the language", name.start, name.end)

    def variable(self, written: VariableSyntax) -> None:
        """What is known of it is known even where something is wrong with the rest."""
        found = DataVariable(written.name.name, UNKNOWN, None, written)
        table = self.made.variables
        table[found.name] = found
        table[found.name] = found = replace(found, domain=self.scope.domain(written.domain))
        table[found.name] = replace(found, initial=self.initial(written, found.domain))

    def initial(self, written: VariableSyntax, domain: Type) -> Value:
        if written.initial is None:
            try:
                return default(domain)
            except KeyError as problem:
                name, start, end = written.name.name, written.name.start, written.name.end
                hint = f"give it one, or write its domain with a question mark: {written.name.name}: ...?"
                said = f"'{name}' needs a first value, since {problem.args[0]} has none of its own"
                raise DataMistake(said, start, end, hint) from None
        start, end = written.initial.start, written.initial.end
        found = compile(written.initial, self.names)
        if not found.constant and found.reads - {self.made.index}:
            raise DataMistake("a first value is a constant", start, end)
        if not found.constant:
            said = "a first value is the same for all members"
            raise DataMistake(said, start, end, "assign it when the role begins: a state with  else ->")
        if not assignable(found.type, domain) or not fits(as_held(found.value, domain), domain):
            raise DataMistake(f"{spell(found.value)} is not in {domain}", start, end)
        return as_held(found.value, domain)

    # ---- alternatives ----

    def alternatives(self, channels: ChannelTypes) -> None:
        self.recovery()
        for name, state in self.role.states.items():
            self.made.names[name] = state.name
            self.made.states[name] = []
            for order, written in enumerate(state.alternatives):
                with self.noting():
                    self.made.states[name].append(self.alternative(order, written, channels))
            for problem in forestalled(self.made.states[name]):
                self.scope.note(problem)

    def recovery(self) -> None:
        """`on restart -> s`; what the disk may hold is known only when the automaton is."""
        for row in self.role.recovery:
            with self.noting():
                self.known_target(row.state)
                if row.disk is not None:
                    self.known_target(row.disk)
                disk = "" if row.disk is None else row.disk.name
                at = row.disk or row.state
                if disk and self.made.durable:
                    said = f"{self.role.name} has durable variables, and its disk holds no state"
                    raise DataMistake(said, at.start, at.end, "write: on restart -> state")
                if disk in self.made.recovery:
                    said = f"where a restart of {self.role.name} leads is said twice"
                    raise DataMistake(said, at.start, at.end, "leave one of the two lines out")
                self.made.recovery[disk] = row.state.name

    def check_saved(self, written: AlternativeSyntax) -> None:
        """`save` writes durable variables, and there are some."""
        durable = self.made.durable
        if written.saved is not None and not durable:
            hint = "declare one: durable var x: 0..3 = 0"
            said = f"{self.role.name} has no durable variable"
            raise DataMistake(said, written.start, written.end, hint)
        for name in written.saved or ():
            if name.name not in durable:
                known = did_you_mean(name.name, durable) or f"durable variables: {', '.join(durable)}"
                raise DataMistake(f"'{name.name}' is no durable variable", name.start, name.end, known)

    def alternative(self, order: int, written: AlternativeSyntax, channels: ChannelTypes) -> DataAlternative:
        self.known_target(written.target)
        self.check_saved(written)
        bound: dict[str, tuple[Name, Type]] = {}
        peers = None if written.peer is None else self.peers(written.peer, written.kind, bound)
        fields: tuple[Compiled, ...] = ()
        patterns: tuple[FieldPattern, ...] = ()
        if written.kind == SEND:
            fields = tuple(compile(part, self.names) for part in written.fields)
        elif written.kind == RECEIVE:
            types = channels.types(self, written)
            patterns = tuple(self.pattern(p, t, bound) for p, t in zip(written.fields, types))
        names = self.names.with_names({name: kind for name, (_, kind) in bound.items()})
        guard = None
        if written.guard is not None:
            guard = of_type(written.guard, names, TRUTH, "a condition")
        updates, read_there = self.updates(written, names)
        reads = read_there | (guard.reads if guard is not None else frozenset())
        self.all_read(bound, reads)
        for part in (*fields, *(p.equal for p in patterns if p.equal is not None)):
            reads |= part.reads
        if peers is not None and peers.index is not None:
            reads |= peers.index.reads
        if peers is not None and peers.pattern is not None and peers.pattern.equal is not None:
            reads |= peers.pattern.equal.reads
        reads |= {name.name for name in written.saved or ()}
        own = frozenset(reads & self.made.variables.keys())
        run = None if guard is None else guard.run
        return DataAlternative(order, written, peers, fields, patterns, run, updates, own)

    def all_read(self, bound: Mapping[str, tuple[Name, Type]], reads: frozenset[str]) -> None:
        for name, (at, _) in bound.items():
            if name not in reads:
                hint = "write _ where a value is of no interest" + self.meant(name)
                raise DataMistake(f"'{name}' is a new name that nothing reads", at.start, at.end, hint)

    def meant(self, name: str) -> str:
        near = did_you_mean(name, (*self.made.variables, *self.scope.constants))
        return f"; {near}" if near else ""

    def known_target(self, target: Name) -> None:
        if target.name not in self.role.states:
            hint = did_you_mean(target.name, self.role.states)
            listed = f"{', '.join(list(self.role.states)[:12])}; a final state is listed too: {target.name}:"
            problem = f"unknown state '{target.name}'"
            raise DataMistake(problem, target.start, target.end, hint or f"States here: {listed}")

    def peers(self, peer: PeerSyntax, kind: str, bound: dict[str, tuple[Name, Type]]) -> Peers:
        name = peer.name
        role = self.scope.roles.get(name.name)
        if role is None:
            hint = did_you_mean(name.name, self.scope.roles) or f"Roles here: {', '.join(self.scope.roles)}"
            raise DataMistake(f"unknown role '{name.name}'", name.start, name.end, hint)
        written = peer.index is not None or peer.everybody
        if role.family != written:
            said = f"{name.name} is {'a' if role.family else 'no'} family"
            one = f"name a member: {name.name}[e], or all others: {name.name}[*]"
            raise DataMistake(said, name.start, name.end, one if role.family else "leave the index out")
        if not role.family:
            return Peers(name.name)
        if peer.everybody:
            if kind == RECEIVE:
                hint = f"a message comes from one member: {name.name}[j], or {name.name}[_]"
                raise DataMistake("a reception is from one member", name.start, name.end, hint)
            return Peers(name.name, family=True, everybody=True)
        assert peer.index is not None
        if kind == RECEIVE:
            member = MemberOf(role.name, self.scope.families[role.name])
            return self.receiving_from(name, peer.index, member, bound)
        found = compile(peer.index, self.names)
        self.check_index(found, role.name, peer.index)
        return Peers(name.name, family=True, index=found)

    def receiving_from(
        self, name: Name, index: Expression, member: MemberOf, bound: dict[str, tuple[Name, Type]]
    ) -> Peers:
        if isinstance(index, Name) and not self.names.known(index.name):
            return Peers(name.name, family=True, pattern=self.pattern(index, member, bound))
        found = compile(index, self.names)
        self.check_index(found, name.name, index)
        if isinstance(found.type, SetOf):
            hint = f"bind it and ask: {name.name}[j]?m if j in ..."
            raise DataMistake("a reception is from one member", index.start, index.end, hint)
        return Peers(name.name, family=True, index=found)

    def check_index(self, found: Compiled, family: str, written: Expression) -> None:
        kind = found.type.of if isinstance(found.type, SetOf | Maybe) else found.type
        if isinstance(kind, MemberOf) and kind.family == family:
            return
        if isinstance(kind, Number) and not isinstance(found.type, SetOf):
            return
        problem = f"this is {found.type}, and not a member of {family} or a set of them"
        raise DataMistake(problem, written.start, written.end)

    def pattern(self, written: Expression, kind: Type, bound: dict[str, tuple[Name, Type]]) -> FieldPattern:
        if isinstance(written, Name) and written.name == ANYTHING:
            return FieldPattern()
        if isinstance(written, Name) and not self.names.known(written.name):
            if written.name in bound:
                problem = f"'{written.name}' is bound twice"
                hint = f"bind two names and compare them: if {written.name} = ..."
                raise DataMistake(problem, written.start, written.end, hint)
            if written.name in RESERVED:
                raise DataMistake(f"'{written.name}' is a word of the language", written.start, written.end)
            bound[written.name] = (written, kind)
            return FieldPattern(written.name)
        found = compile(written, self.names)
        if join(found.type, kind) is None:
            problem = f"this is {found.type}, and what is sent here is {kind}"
            raise DataMistake(problem, written.start, written.end)
        return FieldPattern(equal=found)

    def updates(
        self, written: AlternativeSyntax, names: NameScope
    ) -> tuple[tuple[Update, ...], frozenset[str]]:
        found: list[Update] = []
        reads: frozenset[str] = frozenset()
        for update in written.updates:
            name = update.name
            variable = self.made.variables.get(name.name)
            if variable is None:
                hint = did_you_mean(name.name, self.made.variables)
                known = f"variables of {self.role.name}: {', '.join(self.made.variables) or 'none'}"
                raise DataMistake(f"there is no variable '{name.name}'", name.start, name.end, hint or known)
            if any(u.name == name.name and (u.key is None or update.key is None) for u in found):
                raise DataMistake(f"'{name.name}' is assigned twice", name.start, name.end)
            value = compile(update.value, names)
            key, wanted = None, variable.domain
            if update.key is not None:
                if not isinstance(wanted, MapOf):
                    raise DataMistake(f"'{name.name}' is no map", name.start, name.end)
                key = of_type(update.key, names, wanted.keys, "the key")
                wanted = Maybe(wanted.values)
                reads |= key.reads | {name.name}
            if not assignable(value.type, wanted):
                problem = f"'{name.name}' is {wanted}, and this is {value.type}"
                raise DataMistake(problem, update.value.start, update.value.end)
            reads |= value.reads
            run = None if key is None else key.run
            place = (name.start, update.value.end)
            found.append(Update(name.name, variable.domain, run, value.run, *place))
        return tuple(found), reads


class ChannelTypes:
    """What the fields of messages are: by sender, receiver and message, as roles and families."""

    def __init__(self, scope: FileScope) -> None:
        self.scope = scope
        self.sent: dict[tuple[str, str, str], tuple[list[Type], AlternativeSyntax]] = {}

    def add(self, compiler: RoleCompiler) -> None:
        """The sends of one role. What is wrong with an expression is noted when it is compiled again."""
        for written in _alternatives(compiler.role, SEND):
            assert written.peer is not None
            key = (compiler.role.name, written.peer.name.name, str(written.message))
            types = [_type_or_unknown(part, compiler.names) for part in written.fields]
            known = self.sent.setdefault(key, (types, written))
            if known[1] is not written:
                self.merge(known, types, written)

    def merge(
        self, known: tuple[list[Type], AlternativeSyntax], types: list[Type], written: AlternativeSyntax
    ) -> None:
        before = known[0]
        if len(before) != len(types):
            self.scope.note(_other_count(written, len(before), "it is sent"))
            return
        for at, (one, other) in enumerate(zip(before, types)):
            joined = join(one, other)
            if joined is None:
                part = written.fields[at]
                problem = f"this is {other}, and elsewhere the same field is {one}"
                self.scope.note(DataMistake(problem, part.start, part.end))
            else:
                before[at] = joined

    def types(self, compiler: RoleCompiler, written: AlternativeSyntax) -> list[Type]:
        """What may stand in the fields of a reception."""
        assert written.peer is not None
        if written.message is CRASH:
            return []
        key = (written.peer.name.name, compiler.role.name, str(written.message))
        known = self.sent.get(key)
        if known is None:
            return [UNKNOWN for _ in written.fields]
        if len(known[0]) != len(written.fields):
            raise _other_count(written, len(known[0]), "it is sent")
        return known[0]


def _other_count(written: AlternativeSyntax, count: int, where: str) -> DataMistake:
    fields = f"{count} field{'' if count == 1 else 's'}"
    problem = f"'{written.message}' has {len(written.fields)} here, and {where} with {fields} elsewhere"
    assert written.peer is not None
    return DataMistake(problem, written.start, written.peer.name.end)


def _alternatives(role: DataRole, kind: str) -> Iterable[AlternativeSyntax]:
    return (a for state in role.states.values() for a in state.alternatives if a.kind == kind)


def _type_or_unknown(written: Expression, names: NameScope) -> Type:
    try:
        return compile(written, names).type
    except DataMistake:
        return UNKNOWN
