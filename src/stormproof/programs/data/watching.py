"""Observers with variables, looked up and made into deterministic automata (definitions 17.1, 17.3).

An observer is a program whose actions are the events that it takes: the back end that makes automata of roles
makes its automaton, too. Events are those of the automata of the roles, which are known by then.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...errors import Place, did_you_mean
from ...kernel.data.evaluate import Environment, of_type
from ...kernel.data.syntax import DataMistake, Name
from ...kernel.data.system import LocalState
from ...kernel.data.types import TRUTH, UNKNOWN, MemberOf, SetOf, Type
from ...kernel.data.values import Value
from ...kernel.model.actions import Crash, Internal, Message, Send
from ...kernel.model.observer import HAPPENINGS, IS_AT, RECEIVES, SENDS, ObservedEvent, Observer
from ...kernel.model.requirement import Requirement
from ...kernel.model.rest import STOPPED
from ..automata import build, explore
from ..automata.names import StableNames
from ..automata.program import ActOffer, Offer, Response
from .alternatives import CompiledRole, DataAlternative, FieldPattern, Peers
from .build import BuiltRole, state_name
from .compile import ChannelTypes, RoleCompiler
from .program import DataPoint, DataProgram
from .scope import FileScope
from .syntax import AlternativeSyntax, DataRole, PeerSyntax, WatchSyntax


@dataclass(frozen=True)
class ConcreteEvent:
    """Something that a role does, and what it is: a message with its values, or the state that it is in."""

    event: ObservedEvent
    message: Message = ""
    fields: tuple[Value, ...] = ()
    state: LocalState | None = None


@dataclass(frozen=True)
class WatchPattern:
    """What an alternative waits for, looked up: who, and with which message or in which states."""

    written: WatchSyntax
    role: Peers
    peer: Peers | None = None
    fields: tuple[FieldPattern, ...] = ()


@dataclass
class WatchAlternative(DataAlternative):
    """An alternative of an observer."""

    pattern: WatchPattern | None = None


def compile_observer(
    scope: FileScope, channels: ChannelTypes, body: DataRole, states: Mapping[str, Iterable[str]]
) -> CompiledRole:
    """The observer with its names looked up; mistakes are noted in the scope. `states` are those of roles."""
    made = _ObserverCompiler(scope, body, states)
    made.variables()
    made.alternatives(channels)
    return made.made


class _ObserverCompiler(RoleCompiler):
    def __init__(self, scope: FileScope, role: DataRole, states: Mapping[str, Iterable[str]]) -> None:
        super().__init__(scope, role)
        self.states = states

    def alternative(self, order: int, written: AlternativeSyntax, channels: ChannelTypes) -> DataAlternative:
        self.known_target(written.target)
        assert written.watched is not None
        bound: dict[str, tuple[Name, Type]] = {}
        pattern = self.watched(written.watched, channels, bound)
        names = self.names.with_names({name: kind for name, (_, kind) in bound.items()})
        guard = None if written.guard is None else of_type(written.guard, names, TRUTH, "a condition")
        updates, reads = self.updates(written, names)
        reads |= guard.reads if guard is not None else frozenset()
        self.all_read(bound, reads)
        ends = [peers for peers in (pattern.role, pattern.peer) if peers is not None]
        looked_at = [part.equal for part in (*pattern.fields, *(p.pattern for p in ends)) if part is not None]
        for value in (*looked_at, *(p.index for p in ends)):
            reads |= value.reads if value is not None else frozenset()
        own = frozenset(reads & self.made.variables.keys())
        run = None if guard is None else guard.run
        return WatchAlternative(order, written, guard=run, updates=updates, reads=own, pattern=pattern)

    def watched(
        self, written: WatchSyntax, channels: ChannelTypes, bound: dict[str, tuple[Name, Type]]
    ) -> WatchPattern:
        role = self.member(written.role, bound)
        if written.kind == IS_AT:
            self.known_states(written)
            return WatchPattern(written, role)
        if written.peer is None:
            return WatchPattern(written, role)
        peer = self.member(written.peer, bound)
        types = self.types_of(written, role, peer, channels)
        fields = tuple(self.pattern(part, kind, bound) for part, kind in zip(written.fields, types))
        return WatchPattern(written, role, peer, fields)

    def member(self, peer: PeerSyntax, bound: dict[str, tuple[Name, Type]]) -> Peers:
        """One role, or members of a family, of which a new name binds one."""
        name, index = peer.name, peer.index
        role = self.scope.roles.get(name.name)
        if role is not None and role.family and isinstance(index, Name) and not self.names.known(index.name):
            member = MemberOf(role.name, self.scope.families[role.name])
            return Peers(name.name, family=True, pattern=self.pattern(index, member, bound))
        found = self.peers(peer, "", bound)
        if found.index is not None and isinstance(found.index.type, SetOf) and index is not None:
            hint = f"bind it and ask: {name.name}[j] ... if j in ..."
            raise DataMistake("an event is of one member", index.start, index.end, hint)
        return found

    def types_of(self, written: WatchSyntax, role: Peers, peer: Peers, channels: ChannelTypes) -> list[Type]:
        """What may stand in the fields of the message."""
        if written.message is None:
            return [UNKNOWN for _ in written.fields]
        ends = (role.role, peer.role) if written.kind == SENDS else (peer.role, role.role)
        known = channels.sent.get((*ends, str(written.message)))
        place = written.place
        assert place is not None
        if known is None:
            sent = [message for one, other, message in channels.sent if (one, other) == ends]
            hint = did_you_mean(str(written.message), sent)
            listed = f"{ends[0]} sends {ends[1]}: {', '.join(dict.fromkeys(sent)) or 'nothing'}"
            problem = f"{ends[0]} sends no '{written.message}' to {ends[1]}"
            raise DataMistake(problem, place.start, place.end, hint or listed)
        if len(known[0]) != len(written.fields):
            problem = f"'{written.message}' has {len(known[0])} fields, and not {len(written.fields)}"
            raise DataMistake(problem, place.start, place.end, "write _ for a field of no interest")
        return known[0]

    def known_states(self, written: WatchSyntax) -> None:
        role = written.role.name.name
        known = [*self.states.get(role, ())]
        for state in written.states:
            if state.name not in known and state.name != STOPPED:
                hint = did_you_mean(state.name, known) or f"states of {role}: {', '.join(known)}"
                raise DataMistake(f"{role} has no state '{state.name}'", state.start, state.end, hint)


# ---- the program ---------------------------------------------------------------------------------------


@dataclass
class ObserverProgram(DataProgram):
    """An observer among events: in each local state, the first alternative that takes an event is taken."""

    events: tuple[ConcreteEvent, ...] = ()
    cache: dict[Hashable, list[Offer]] = field(default_factory=dict)

    def _offers(self, point: DataPoint) -> Iterator[Offer]:
        if point.key not in self.cache:
            env = {**self.constant, **point.env}
            found = ((n, self._taken(point, event, env)) for n, event in enumerate(self.events))
            self.cache[point.key] = [ActOffer(Internal(str(n)), taken) for n, taken in found if taken]
        yield from self.cache[point.key]

    def _taken(
        self, point: DataPoint, event: ConcreteEvent, env: Environment
    ) -> tuple[DataAlternative, dict[str, Value]] | None:
        for alternative in self.role.states[point.state]:
            assert isinstance(alternative, WatchAlternative) and alternative.pattern is not None
            bound = self._matched(alternative.pattern, event, env)
            if bound is not None and (alternative.guard is None or alternative.guard(bound)):
                return alternative, bound
        return None

    def after(self, point: DataPoint, response: Response) -> Iterator[DataPoint]:
        alternative, bound = response.value
        yield self._finish(alternative, bound)

    def _matched(
        self, pattern: WatchPattern, concrete: ConcreteEvent, env: Environment
    ) -> dict[str, Value] | None:
        """The values with what the pattern binds; None where it is another event."""
        written, event = pattern.written, concrete.event
        if written.kind != event.kind:
            return None
        bound = dict(env)
        ends = [(pattern.role, event.role)] + ([(pattern.peer, event.peer)] if pattern.peer else [])
        if not all(peers is not None and self._is(peers, name, bound, env) for peers, name in ends):
            return None
        if written.kind == IS_AT:
            return bound if self._is_at(written, concrete) else None
        if written.kind not in (SENDS, RECEIVES) or written.message is None:
            return bound
        if written.message != concrete.message or len(pattern.fields) != len(concrete.fields):
            return None
        for part, value in zip(pattern.fields, concrete.fields):
            if not part.takes(value, env):
                return None
            if part.name:
                bound[part.name] = value
        return bound

    def _is(self, peers: Peers, name: str, bound: dict[str, Value], env: Environment) -> bool:
        """Is this process meant? A pattern binds the member that it is."""
        if not peers.family:
            return peers.role == name
        member = next((m for m in self._members(peers.role) if str(m) == name), None)
        if member is None:
            return False
        if peers.pattern is not None:
            if peers.pattern.name:
                bound[peers.pattern.name] = member
            return peers.pattern.takes(member, env)
        assert peers.index is not None
        value = peers.index.run(env)
        return value is not None and self._one(peers.role, value, self.role.start) == member

    def _is_at(self, written: WatchSyntax, concrete: ConcreteEvent) -> bool:
        names = [state.name for state in written.states]
        if concrete.state is None:
            return STOPPED in names
        return concrete.state.name in names and not concrete.state.failed


# ---- the automaton -------------------------------------------------------------------------------------


@dataclass(frozen=True)
class BuiltObserver:
    """One observer: what its states stand for, and that no value of it leaves its domain."""

    observer: Observer
    local: Mapping[str, LocalState]
    required: tuple[Requirement, ...]


def build_observer(
    role: CompiledRole,
    families: Mapping[str, int],
    kept: frozenset[str],
    place_of: Callable[[int], Place],
    events: tuple[ConcreteEvent, ...],
) -> BuiltObserver:
    program = ObserverProgram(role, families, place_of, None, kept, events)
    automaton = explore.explore([program])[role.name]
    names = StableNames(state_name).names(automaton.points)
    steps = [
        (names[source], events[int(response.action.name)].event, names[to])
        for source, leaving in automaton.steps.items()
        for response, to in leaving
        if source != to and isinstance(response.action, Internal)
    ]
    points = automaton.points.items()
    local = {names[key]: LocalState(p.state, p.env, failed=bool(p.failure)) for key, p in points}
    observer = Observer(role.name, names[automaton.start.key], joined(steps), [*names.values()])
    required = build.failures(automaton, names, "value out of its domain")
    return BuiltObserver(observer, local, tuple(required))


def joined(steps: Iterable[tuple[str, ObservedEvent, str]]) -> list[tuple[str, ObservedEvent, str]]:
    """Events of one kind that lead from one state to another as one alternative."""
    found: dict[tuple[str, ObservedEvent, str], list[Message]] = {}
    for source, event, target in steps:
        found.setdefault((source, replace(event, names=None), target), []).extend(event.names or ())
    return [(a, replace(event, names=tuple(names) or None), b) for (a, event, b), names in found.items()]


def events_of(built: Iterable[BuiltRole]) -> tuple[ConcreteEvent, ...]:
    """Everything that these roles do, and what may happen to them."""
    found: dict[ObservedEvent, ConcreteEvent] = {}
    for made in built:
        for concrete in _events_of_role(made):
            found.setdefault(concrete.event, concrete)
    return tuple(found.values())


def _events_of_role(made: BuiltRole) -> Iterator[ConcreteEvent]:
    name = made.process.name
    for transition in made.process.transitions:
        action = transition.action
        if isinstance(action, Internal) or isinstance(action.message, Crash):
            continue
        kind = SENDS if isinstance(action, Send) else RECEIVES
        letter = made.letters[transition]
        event = ObservedEvent(kind, name, action.peer, (action.message,))
        yield ConcreteEvent(event, letter.name, letter.fields)
    for state, local in made.local.items():
        yield ConcreteEvent(ObservedEvent(IS_AT, name, names=(state,)), state=local)
    yield ConcreteEvent(ObservedEvent(IS_AT, name, names=(STOPPED,)))
    for kind in HAPPENINGS:
        yield ConcreteEvent(ObservedEvent(kind, name))
