"""The language of roles with variables, run directly, as docs/language.md says it.

It shares the parser with the product and nothing else: no types, no compiled expressions, no values left out.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from stormproof.kernel.data.syntax import Apply, Expression, Literal, Name, Quantified
from stormproof.kernel.data.values import Member, spell
from stormproof.languages.formats.storm_parse import parse
from stormproof.languages.formats.text import Source
from stormproof.programs.data.syntax import (
    ACT,
    GO,
    RECEIVE,
    SEND,
    AlternativeSyntax,
    DataRole,
    DomainSyntax,
)

Env = Mapping[str, Any]


class Wrong(Exception):
    """Something has no value, or one out of its domain; the argument is the line."""


@dataclass(frozen=True)
class Local:
    """Where a role is: a named state, all its variables, and to whom it is still sending by which
    alternative; `wrong` is the line in which something went wrong."""

    state: str
    env: tuple[tuple[str, Any], ...]
    alternative: int | None = None
    left: frozenset[Member] = frozenset()
    wrong: int = 0


@dataclass(frozen=True)
class Whole:
    """A configuration: each role's place, and what each channel holds."""

    roles: tuple[Local, ...]
    channels: tuple[tuple[tuple[str, str], tuple[str, ...]], ...]


class Interpreter:
    def __init__(self, text: str) -> None:
        self.source = Source(text)
        file = parse(self.source)
        assert not file.errors, file.errors
        self.constants: dict[str, Any] = {}
        for constant in file.constants:
            self.constants[constant.name.name] = self.value(constant.value, {})
        bodies = [role.body for role in file.roles.values()]
        self.bodies = {body.name: body for body in bodies if isinstance(body, DataRole)}
        self.sizes = {n: self.value(b.size, {}) for n, b in self.bodies.items() if b.size is not None}
        self.processes: list[tuple[str, DataRole, Member | None]] = []
        for name, body in self.bodies.items():
            if name in self.sizes:
                for number in range(1, self.sizes[name] + 1):
                    member = Member(name, number)
                    self.processes.append((str(member), body, member))
            else:
                self.processes.append((name, body, None))
        #: Messages as values, by how they are spelt.
        self.sent: dict[str, tuple[str, tuple[Any, ...]]] = {}

    def line(self, at: int) -> int:
        return self.source.text.count("\n", 0, at) + 1

    # ---- expressions ----

    def value(self, node: Expression, env: Env) -> Any:
        if isinstance(node, Literal):
            return node.value
        if isinstance(node, Name):
            if node.name in env:
                return env[node.name]
            if node.name in self.constants:
                return self.constants[node.name]
            if node.name in self.sizes:
                return frozenset(Member(node.name, n) for n in range(1, self.sizes[node.name] + 1))
            return node.name
        if isinstance(node, Quantified):
            assert node.over is not None
            (name,) = node.names
            found = [self.value(node.body, {**env, name.name: v}) for v in self.value(node.over, env)]
            return {"some": any(found), "all": all(found), "count": sum(found)}[node.kind]
        assert isinstance(node, Apply)
        return self.applied(node, env)

    def applied(self, node: Apply, env: Env) -> Any:
        if node.operator == "if":
            condition, yes, no = node.parts
            return self.value(yes if self.value(condition, env) else no, env)
        if node.operator in ("and", "or"):
            one, other = node.parts
            first = self.value(one, env)
            return first if first == (node.operator == "or") else self.value(other, env)
        values = [self.value(part, env) for part in node.parts]
        if node.operator in ("mod", "div") and values[1] == 0:
            raise Wrong(self.line(node.start))
        return _OPERATORS[node.operator](*values)

    def fits(self, value: Any, domain: DomainSyntax) -> bool:
        if domain.kind == "maybe":
            inner = domain.parts[0]
            assert isinstance(inner, DomainSyntax)
            return value is None or self.fits(value, inner)
        if value is None:
            return False
        if domain.kind == "range":
            low, high = (self.value(part, {}) for part in domain.parts)  # type: ignore[arg-type]
            return bool(low <= value <= high)
        if domain.kind == "set":
            inner = domain.parts[0]
            assert isinstance(inner, DomainSyntax)
            return all(self.fits(part, inner) for part in value)
        return True

    def first_value(self, domain: DomainSyntax) -> Any:
        if domain.kind == "range":
            return self.value(domain.parts[0], {})  # type: ignore[arg-type]
        if domain.kind == "words":
            assert isinstance(domain.parts[0], Name)
            return domain.parts[0].name
        return {"bool": False, "set": frozenset(), "maybe": None}[domain.kind]

    # ---- roles ----

    def initial(self) -> Whole:
        roles = []
        for _, body, member in self.processes:
            env = {
                v.name.name: self.first_value(v.domain) if v.initial is None else self.value(v.initial, {})
                for v in body.variables
            }
            roles.append(self.entered(body, member, next(iter(body.states)), env))
        return Whole(tuple(roles), ())

    def entered(self, body: DataRole, member: Member | None, state: str, env: dict[str, Any]) -> Local:
        """Alternatives without action are taken at once; what is offered then must have values."""
        names = {v.name.name for v in body.variables}
        seen: list[tuple[str, dict[str, Any]]] = []
        while (state, env) not in seen:
            seen.append((state, env))
            mine = self.with_self(body, member, env)
            try:
                gone = next(
                    (a for a in body.states[state].alternatives if a.kind == GO and self.may(a, mine)), None
                )
                if gone is None:
                    for alternative in body.states[state].alternatives:
                        self.try_out(alternative, member, mine)
                    return Local(state, _tuple(env))
                env, state = self.updated(body, gone, mine, names), gone.target.name
            except Wrong as problem:
                return Local(state, (), wrong=int(str(problem)))
        return Local(state, (), wrong=self.line(body.states[state].name.start))

    def with_self(self, body: DataRole, member: Member | None, env: Env) -> dict[str, Any]:
        return {**env, **({body.index.name: member} if body.index is not None else {})}

    def may(self, alternative: AlternativeSyntax, env: Env) -> bool:
        return alternative.guard is None or bool(self.value(alternative.guard, env))

    def try_out(self, alternative: AlternativeSyntax, member: Member | None, env: Env) -> None:
        if alternative.kind == RECEIVE:
            self.peers_heard(alternative, member, env)
        elif alternative.kind == SEND and self.may(alternative, env):
            self.whom(alternative, member, env)
            self.letter(alternative, env)
        elif alternative.kind == ACT:
            self.may(alternative, env)

    def updated(self, body: DataRole, a: AlternativeSyntax, env: Env, names: set[str]) -> dict[str, Any]:
        new = {name: value for name, value in env.items() if name in names}
        domains = {v.name.name: v.domain for v in body.variables}
        for update in a.updates:
            value = self.value(update.value, env)
            if not self.fits(value, domains[update.name.name]):
                raise Wrong(self.line(update.name.start))
            new[update.name.name] = value
        return new

    def letter(self, alternative: AlternativeSyntax, env: Env) -> str:
        fields = tuple(self.value(part, env) for part in alternative.fields)
        spelt = str(alternative.message)
        if fields:
            spelt += f"({', '.join(map(spell, fields))})"
        self.sent[spelt] = (str(alternative.message), fields)
        return spelt

    def members(self, family: str) -> list[Member]:
        return [Member(family, n) for n in range(1, self.sizes[family] + 1)]

    def whom(self, a: AlternativeSyntax, member: Member | None, env: Env) -> frozenset[Member] | str:
        assert a.peer is not None
        if a.peer.everybody:
            return frozenset(m for m in self.members(a.peer.name.name) if m != member)
        if a.peer.index is None:
            return a.peer.name.name
        value = self.value(a.peer.index, env)
        return value if isinstance(value, frozenset) else self.one(a, value)

    def one(self, a: AlternativeSyntax, value: Any) -> str:
        assert a.peer is not None
        family = a.peer.name.name
        if value is None or (isinstance(value, int) and not 1 <= value <= self.sizes[family]):
            raise Wrong(self.line(a.start))
        return str(Member(family, value) if isinstance(value, int) else value)

    def peers_heard(self, a: AlternativeSyntax, member: Member | None, env: Env) -> list[str]:
        assert a.peer is not None
        index = a.peer.index
        if index is None:
            return [a.peer.name.name]
        if isinstance(index, Name) and not self.known(index.name, env):
            return [str(m) for m in self.members(a.peer.name.name) if m != member]
        value = self.value(index, env)
        return [] if value is None else [self.one(a, value)]

    def known(self, name: str, env: Env) -> bool:
        return name in env or name in self.constants or name in self.sizes or name in ("red", "green")

    # ---- configurations ----

    def steps(self, at: Whole, capacity: int) -> Iterator[Whole]:
        channels = dict(at.channels)
        for place, (local, (name, body, member)) in enumerate(zip(at.roles, self.processes)):
            if local.wrong:
                continue
            for to, peer, sent, took in self.moves(local, name, body, member, channels):
                after = dict(channels)
                if sent:
                    word = after.get((name, peer), ())
                    if len(word) == capacity:
                        continue
                    after[name, peer] = (*word, sent)
                if took:
                    after[peer, name] = after[peer, name][1:]
                held = tuple(sorted((c, w) for c, w in after.items() if w))
                yield Whole((*at.roles[:place], to, *at.roles[place + 1 :]), held)

    def moves(
        self,
        local: Local,
        name: str,
        body: DataRole,
        member: Member | None,
        channels: Mapping[tuple[str, str], tuple[str, ...]],
    ) -> Iterator[tuple[Local, str, str, bool]]:
        env = self.with_self(body, member, dict(local.env))
        alternatives = body.states[local.state].alternatives
        if local.alternative is not None:
            yield from self.sends(local, local.alternative, local.left, body, member, env)
            return
        for order, alternative in enumerate(alternatives):
            if alternative.kind == ACT and self.may(alternative, env):
                yield self.finished(body, member, alternative, env), "", "", False
            if alternative.kind == SEND and self.may(alternative, env):
                whom = self.whom(alternative, member, env)
                if isinstance(whom, str):
                    then = self.finished(body, member, alternative, env)
                    yield then, whom, self.letter(alternative, env), False
                elif whom:
                    yield from self.sends(local, order, whom, body, member, env)
                else:
                    yield self.finished(body, member, alternative, env), "", "", False
        for (sender, receiver), word in channels.items():
            if receiver == name and word:
                for then in self.received(local, body, member, env, sender, word[0]):
                    yield then, sender, "", True

    def sends(
        self,
        local: Local,
        order: int,
        left: frozenset[Member],
        body: DataRole,
        member: Member | None,
        env: Env,
    ) -> Iterator[tuple[Local, str, str, bool]]:
        alternative = body.states[local.state].alternatives[order]
        for to in left:
            rest = left - {to}
            then = Local(local.state, local.env, order, rest)
            if not rest:
                then = self.finished(body, member, alternative, env)
            yield then, str(to), self.letter(alternative, env), False

    def received(
        self, local: Local, body: DataRole, member: Member | None, env: Env, sender: str, spelt: str
    ) -> Iterator[Local]:
        name, fields = self.sent[spelt]
        taken = False
        found = []
        try:
            for alternative in body.states[local.state].alternatives:
                if alternative.kind != RECEIVE or (taken and not alternative.also):
                    continue
                bound = self.bound(alternative, member, env, sender, name, fields)
                if bound is not None and self.may(alternative, bound):
                    taken = True
                    found.append((alternative, bound))
        except Wrong as problem:
            yield Local(local.state, (), wrong=int(str(problem)))
            return
        for alternative, bound in found:
            yield self.finished(body, member, alternative, bound)

    def bound(
        self,
        a: AlternativeSyntax,
        member: Member | None,
        env: Env,
        sender: str,
        name: str,
        fields: tuple[Any, ...],
    ) -> dict[str, Any] | None:
        if (
            a.message != name
            or len(a.fields) != len(fields)
            or sender not in self.peers_heard(a, member, env)
        ):
            return None
        bound = dict(env)
        assert a.peer is not None
        index = a.peer.index
        if isinstance(index, Name) and index.name != "_" and not self.known(index.name, env):
            bound[index.name] = next(m for m in self.members(a.peer.name.name) if str(m) == sender)
        for pattern, value in zip(a.fields, fields):
            if isinstance(pattern, Name) and not self.known(pattern.name, env):
                bound[pattern.name] = value
            elif self.value(pattern, env) != value:
                return None
        return bound

    def finished(self, body: DataRole, member: Member | None, a: AlternativeSyntax, env: Env) -> Local:
        names = {v.name.name for v in body.variables}
        try:
            new = self.updated(body, a, env, names)
        except Wrong as problem:
            return Local(a.target.name, (), wrong=int(str(problem)))
        return self.entered(body, member, a.target.name, new)


def _tuple(env: Env) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted(env.items()))


def _minus(*values: Any) -> Any:
    return -values[0] if len(values) == 1 else values[0] - values[1]


_OPERATORS: dict[str, Any] = {
    "+": lambda a, b: a | b if isinstance(a, frozenset) else a + b,
    "-": _minus,
    "*": lambda a, b: a * b,
    "mod": lambda a, b: a - abs(b) * (a // abs(b)),
    "div": lambda a, b: a // b,
    "=": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "in": lambda a, b: a in b,
    "not in": lambda a, b: a not in b,
    "not": lambda a: not a,
    "set": lambda *parts: frozenset(parts),
    "min": min,
    "max": max,
    "size": len,
    "number": lambda member: member.number,
}
