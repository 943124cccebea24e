"""Roles with variables as programs: what a local state offers, and what comes then."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from ...errors import ModelError, Place
from ...kernel.data.evaluate import Environment, Failed
from ...kernel.data.types import SetOf, as_held, fits
from ...kernel.data.values import Map, Member, Value, spell
from ...kernel.model.actions import Action, Crash, Internal, Message
from ...languages.types.text import message_name
from ..automata.disks import Contents, HeldValue, ProgramDisk
from ..automata.live import ProgramEdge, live_variables
from ..automata.program import ActOffer, Offer, ReceiveOffer, Response, SendOffer, Variable
from .alternatives import CompiledRole, DataAlternative, Peers, Update
from .syntax import ACT, GO, RECEIVE


@dataclass(frozen=True)
class DataLetter:
    """A message with its values."""

    peer: str
    name: Message
    fields: tuple[Value, ...] = ()

    @property
    def message(self) -> Any:
        """`data(0)`, or the crash message."""
        return spelt_message(self.name, self.fields)

    @property
    def identity(self) -> Hashable:
        return self.peer, self.name, self.fields


def spelt_message(name: Message, fields: Sequence[Value]) -> Message:
    """`data(0)`, with blanks as every reader of such names sets them."""
    if isinstance(name, Crash) or not fields:
        return name
    return message_name(name, f"({', '.join(map(spell, fields))})")


@dataclass(frozen=True)
class DataPoint:
    """A local state: a named state, the values that may still be read, and, while a message goes to several
    members one by one, which alternative that is and who is left."""

    state: str
    values: tuple[tuple[str, Value], ...]
    sending: tuple[int, frozenset[Member]] | None = None
    failure: str = ""
    place: Place | None = field(default=None, compare=False)

    @property
    def key(self) -> Hashable:
        return self.state, self.values, self.sending, self.failure

    @property
    def group(self) -> str:
        return "" if self.failure else self.state

    @property
    def durable(self) -> bool:
        return False

    @property
    def env(self) -> dict[str, Value]:
        return dict(self.values)


class _Leaves(Exception):
    """Something has no value, or one out of its domain."""

    def __init__(self, message: str, start: int) -> None:
        super().__init__(message)
        self.message, self.start = message, start


@dataclass
class DataProgram:
    """A role, or one member of a family. `kept` are the variables that somebody outside reads: goals."""

    role: CompiledRole
    families: Mapping[str, int]
    place_of: Callable[[int], Place]
    member: Member | None = None
    kept: frozenset[str] = frozenset()

    @property
    def name(self) -> str:
        return self.role.name if self.member is None else str(self.member)

    @cached_property
    def constant(self) -> dict[str, Value]:
        return {self.role.index: self.member} if self.role.index else {}

    @cached_property
    def first(self) -> dict[str, Value]:
        """The first value of each variable."""
        return {name: variable.initial for name, variable in self.role.variables.items()}

    @cached_property
    def start(self) -> DataPoint:
        return self.enter(self.role.initial, dict(self.first))

    # ---- restarts (definitions 14.4, 14.6) ----

    @cached_property
    def recovery(self) -> Mapping[str, DataPoint]:
        if self.role.durable:
            return {}
        return {disk: self.enter(state, dict(self.first)) for disk, state in self.role.recovery.items()}

    @cached_property
    def disk(self) -> ProgramDisk[DataPoint] | None:
        if not self.role.durable:
            return None
        return ProgramDisk(self._contents(self.role.durable, self.first), self._again, self.refusal)

    def _contents(self, names: Iterable[str], env: Environment) -> Contents:
        return {name: HeldValue(env[name], env[name], spell(env[name])) for name in names}

    def _again(self, held: Contents) -> DataPoint:
        """Durable variables as on the disk, all others as at the start."""
        env = self.first | {name: on_disk.value for name, on_disk in held.items()}
        return self.enter(self.role.recovery.get("", self.role.initial), env)

    def saved(self, point: DataPoint, response: Response) -> Contents:
        if isinstance(response.value, DataLetter):
            return {}
        alternative, _ = response.value
        return self._contents(alternative.saved, point.env)

    # ---- which values are kept ----

    @cached_property
    def live(self) -> Mapping[Hashable, frozenset[str]]:
        leaving = {state: [self._edge(a) for a in found] for state, found in self.role.states.items()}
        return live_variables(leaving)

    def _edge(self, alternative: DataAlternative) -> ProgramEdge:
        whole = frozenset(u.name for u in alternative.updates if u.key is None)
        return ProgramEdge(alternative.target, alternative.reads, whole)

    def _kept_values(self, names: frozenset[str], env: Environment) -> tuple[tuple[str, Value], ...]:
        chosen = names | self.kept | {*self.role.durable}
        return tuple((name, env[name]) for name in self.role.variables if name in chosen and name in env)

    # ---- steps ----

    def enter(self, state: str, env: Environment) -> DataPoint:
        """The local state that is entered, alternatives without action taken."""
        left: set[tuple[str, tuple[Value, ...]]] = set()
        while (state, values := tuple(env.values())) not in left:
            left.add((state, values))
            try:
                taken = self._at_once(state, env)
                if taken is None:
                    return self._checked(DataPoint(state, self._kept_values(self.live[state], env)))
                env, state = self._updated(taken, env), taken.target
            except (_Leaves, Failed) as problem:
                return self._failed(state, problem)
        said = f"{state} is left at once for ever"
        return self._failed(state, _Leaves(said, self.role.names[state].start))

    def _at_once(self, state: str, env: Environment) -> DataAlternative | None:
        given = {**self.constant, **env}
        for alternative in self.role.states[state]:
            if alternative.kind == GO and (alternative.guard is None or alternative.guard(given)):
                return alternative
        return None

    def _checked(self, point: DataPoint) -> DataPoint:
        """The point, or what goes wrong when it is asked what it offers."""
        try:
            list(self._offers(point))
        except (_Leaves, Failed) as problem:
            return self._failed(point.state, problem)
        return point

    def _failed(self, state: str, problem: _Leaves | Failed) -> DataPoint:
        place = self.place_of(problem.start)
        return DataPoint(state, (), failure=f"{problem.message} in line {place.line}", place=place)

    def _updated(self, alternative: DataAlternative, env: Environment) -> dict[str, Value]:
        """The values after the update, which reads the old ones."""
        given, new = {**self.constant, **env}, {k: v for k, v in env.items() if k in self.role.variables}
        for update in alternative.updates:
            new[update.name] = self._assigned(update, given, new)
        return new

    def _assigned(self, update: Update, given: Environment, new: Environment) -> Value:
        value = update.value(given)
        if update.key is not None:
            value = Map(new[update.name]).put(update.key(given), value)
        value = as_held(value, update.domain)
        if not fits(value, update.domain):
            raise _Leaves(f"{update.name} leaves {update.domain} with {spell(value)}", update.start)
        return value

    def _finish(self, alternative: DataAlternative, env: Environment) -> DataPoint:
        try:
            return self.enter(alternative.target, self._updated(alternative, env))
        except (_Leaves, Failed) as problem:
            return self._failed(alternative.target, problem)

    # ---- what a point offers ----

    def offers(self, point: DataPoint) -> Iterable[Offer]:
        return () if point.failure else self._offers(point)

    def _offers(self, point: DataPoint) -> Iterator[Offer]:
        env = {**self.constant, **point.env}
        if point.sending is not None:
            order, left = point.sending
            yield from self._sends(self._alternative(point.state, order), left, env)
            return
        heard: dict[str, None] = {}
        for alternative in self.role.states[point.state]:
            if alternative.kind == RECEIVE:
                new = [peer for peer in self._heard(alternative, env) if peer not in heard]
                heard.update(dict.fromkeys(new))
                yield from map(ReceiveOffer, new)
            elif alternative.kind != GO and (alternative.guard is None or alternative.guard(env)):
                yield from self._actions(alternative, env)

    def _alternative(self, state: str, order: int) -> DataAlternative:
        return next(a for a in self.role.states[state] if a.order == order)

    def _actions(self, alternative: DataAlternative, env: Environment) -> Iterator[Offer]:
        written = alternative.written
        if alternative.kind == ACT:
            assert written.action is not None
            yield ActOffer(written.action, (alternative, frozenset()))
            return
        assert alternative.peers is not None
        whom, letter = self._whom(alternative.peers, env, written.start), self._letter(alternative, env)
        if isinstance(whom, str):
            yield SendOffer(whom, letter, (alternative, frozenset()))
        elif whom:
            yield from self._sends(alternative, whom, env)
        else:
            nobody = Internal(f"nobody to send {written.message}")
            yield ActOffer(nobody, (alternative, frozenset()))

    def _sends(
        self, alternative: DataAlternative, left: frozenset[Member], env: Environment
    ) -> Iterator[Offer]:
        letter = self._letter(alternative, env)
        for member in sorted(left, key=lambda m: m.number):
            yield SendOffer(str(member), letter, (alternative, left - {member}))

    def _letter(self, alternative: DataAlternative, env: Environment) -> DataLetter:
        values = tuple(part.run(env) for part in alternative.fields)
        return DataLetter(self.name, alternative.written.message, values)

    def _whom(self, peers: Peers, env: Environment, start: int) -> str | frozenset[Member]:
        """The one who is meant, or all of them."""
        if not peers.family:
            return peers.role
        if peers.everybody:
            return frozenset(m for m in self._members(peers.role) if m != self.member)
        assert peers.index is not None
        value = peers.index.run(env)
        if isinstance(peers.index.type, SetOf):
            return frozenset(value)
        return str(self._one(peers.role, value, start))

    def _members(self, family: str) -> list[Member]:
        return [Member(family, number) for number in range(1, self.families[family] + 1)]

    def _one(self, family: str, value: Value, start: int) -> Member:
        if value is None:
            raise _Leaves(f"{family}[none] is nobody", start)
        if isinstance(value, Member):
            return value
        if not 1 <= value <= self.families[family]:
            raise _Leaves(f"there is no {family}[{value}]", start)
        return Member(family, value)

    def _heard(self, alternative: DataAlternative, env: Environment) -> list[str]:
        """From whom a reception takes messages, for now."""
        peers = alternative.peers
        assert peers is not None
        if not peers.family:
            return [peers.role]
        if peers.index is None:
            return [str(m) for m in self._members(peers.role) if m != self.member]
        value = peers.index.run(env)
        return [] if value is None else [str(self._one(peers.role, value, alternative.written.start))]

    # ---- what comes then ----

    def after(self, point: DataPoint, response: Response) -> Iterator[DataPoint]:
        env = {**self.constant, **point.env}
        if isinstance(response.value, DataLetter):
            try:
                taken = list(self._matching(point, response.value, env))
            except (_Leaves, Failed) as problem:
                yield self._failed(point.state, problem)
                return
            for alternative, bound in taken:
                yield self._noted(point, response, alternative, self._finish(alternative, bound))
            return
        alternative, left = response.value
        then = self._still_sending(point, alternative, left) if left else self._finish(alternative, env)
        yield self._noted(point, response, alternative, then)

    def _noted(
        self, point: DataPoint, response: Response, alternative: DataAlternative, then: DataPoint
    ) -> DataPoint:
        self.origins.setdefault((point.key, response.action, then.key), alternative.written.start)
        return then

    @cached_property
    def origins(self) -> dict[tuple[Hashable, Action, Hashable], int]:
        """Where the alternative is written that each step takes."""
        return {}

    def _still_sending(
        self, point: DataPoint, alternative: DataAlternative, left: frozenset[Member]
    ) -> DataPoint:
        written = frozenset(u.name for u in alternative.updates if u.key is None)
        needed = alternative.reads | (self.live[alternative.target] - written)
        return DataPoint(point.state, self._kept_values(needed, point.env), (alternative.order, left))

    def _matching(
        self, point: DataPoint, letter: DataLetter, env: Environment
    ) -> Iterator[tuple[DataAlternative, dict[str, Value]]]:
        """The first reception that takes the message, and the choices beside it."""
        found = False
        for alternative in self.role.states[point.state]:
            if alternative.kind != RECEIVE or (found and not alternative.written.also):
                continue
            bound = self._bound(alternative, letter, env)
            if bound is not None and (alternative.guard is None or alternative.guard(bound)):
                found = True
                yield alternative, bound

    def _bound(
        self, alternative: DataAlternative, letter: DataLetter, env: Environment
    ) -> dict[str, Value] | None:
        """The values with what the reception binds; None where it does not take the message."""
        peers, written = alternative.peers, alternative.written
        assert peers is not None
        if written.message != letter.name or len(alternative.patterns) != len(letter.fields):
            return None
        if letter.peer not in self._heard(alternative, env):
            return None
        bound = dict(env)
        if peers.pattern is not None and peers.pattern.name:
            bound[peers.pattern.name] = next(m for m in self._members(peers.role) if str(m) == letter.peer)
        for pattern, value in zip(alternative.patterns, letter.fields):
            if not pattern.takes(value, env):
                return None
            if pattern.name:
                bound[pattern.name] = value
        return bound

    # ---- for errors ----

    def named(self) -> Iterator[DataLetter]:
        """The messages that receptions name in full, whether anybody sends them or not."""
        for alternative in (a for found in self.role.states.values() for a in found if a.kind == RECEIVE):
            if all(p.equal is not None and p.equal.constant for p in alternative.patterns):
                values = tuple(p.equal.value for p in alternative.patterns if p.equal is not None)
                for peer in self._named_peers(alternative):
                    yield DataLetter(peer, alternative.written.message, values)

    def _named_peers(self, alternative: DataAlternative) -> list[str]:
        peers = alternative.peers
        assert peers is not None
        if peers.index is not None and peers.index.constant:
            return self._heard(alternative, {})
        if peers.family:
            return [str(m) for m in self._members(peers.role) if m != self.member]
        return [peers.role]

    def variables(self, point: DataPoint) -> Iterator[Variable]:
        for name, value in point.values:
            yield Variable(name, name, value, spell(value))

    def refusal(
        self, problem: str, hint: str, point: DataPoint | None = None, variable: Hashable = None
    ) -> ModelError:
        start = self.role.start
        if point is not None:
            start = self.role.names[point.state].start
        if isinstance(variable, str):
            start = self.role.variables[variable].written.name.start
        return ModelError(problem, place=self.place_of(start), hint=hint)
