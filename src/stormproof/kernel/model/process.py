"""A process: a finite automaton whose transitions send, receive or act internally."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property

from ...errors import ModelError, Place, did_you_mean
from ...records import dataclass
from .actions import CRASH_ACTION, Action, Channel, Crash, Internal, Receive, Send, Transition, channel_of


class StateKind(enum.Enum):
    """The kind of a state by its outgoing transitions, ignoring internal actions (definitions 1.4)."""

    SENDING = "sending"
    RECEIVING = "receiving"
    MIXED = "mixed"
    FINAL = "final"


@dataclass(frozen=True)
class Process:
    """A finite automaton. `states` keeps the order in which they are listed; the initial one is first.

    `rest` are the states in which the process may stay for good: None for the default ones, and for a
    `service` those are all states that only receive. `stop` and `restart`: it may stop silently, or restart,
    and then goes to the last of its `durable` states that it entered, or to the initial one.

    What its author calls several states together are `groups`, and `places` is where a state is written, if
    that is known; neither is a part of what the process does.
    """

    name: str
    initial: str
    transitions: tuple[Transition, ...] = ()
    states: tuple[str, ...] = ()
    reliable: bool = True
    rest: tuple[str, ...] | None = None
    service: bool = False
    stop: bool = False
    restart: bool = False
    durable: tuple[str, ...] = ()
    groups: tuple[tuple[str, tuple[str, ...]], ...] = field(default=(), compare=False, repr=False)
    places: tuple[tuple[str, Place], ...] = field(default=(), compare=False, repr=False)

    def __init__(
        self,
        name: str,
        initial: str,
        transitions: Iterable[tuple[str, Action, str]] = (),
        states: Iterable[str] = (),
        reliable: bool = True,
        rest: Iterable[str] | None = None,
        service: bool = False,
        stop: bool = False,
        restart: bool = False,
        durable: Iterable[str] = (),
        groups: Iterable[tuple[str, tuple[str, ...]]] = (),
        places: Iterable[tuple[str, Place]] = (),
    ) -> None:
        once = tuple(dict.fromkeys(Transition(*t) for t in transitions))
        seen = dict.fromkeys((initial, *states))
        for source, _, target in once:
            seen[source] = None
            seen[target] = None
        put = object.__setattr__
        put(self, "name", name)
        put(self, "initial", initial)
        put(self, "transitions", once)
        put(self, "states", tuple(seen))
        put(self, "reliable", reliable)
        put(self, "rest", None if rest is None else self._ordered(rest, "rest in"))
        put(self, "service", service)
        put(self, "stop", stop)
        put(self, "restart", restart)
        put(self, "durable", self._ordered(durable, "recover in"))
        put(self, "groups", tuple(groups))
        put(self, "places", tuple(places))
        self._validate()

    def _ordered(self, states: Iterable[str], verb: str) -> tuple[str, ...]:
        """In the order of the states, so that processes are equal however such states are listed."""
        order = {state: i for i, state in enumerate(self.states)}
        for state in (chosen := dict.fromkeys(states)):
            if state not in order:
                hint = did_you_mean(state, order)
                raise ModelError(f"{self.name} cannot {verb} '{state}': it has no such state", hint=hint)
        return tuple(sorted(chosen, key=order.__getitem__))

    def _validate(self) -> None:
        if not self.name:
            raise ModelError("a process needs a name")
        for transition in self.transitions:
            action = transition.action
            if isinstance(action, Internal):
                continue
            if action.peer == self.name and isinstance(action.message, Crash):
                verb = "sends itself" if isinstance(action, Send) else "receives from itself"
                raise ModelError(f"{self.name} {verb} the crash message in state {transition.source}")
            if isinstance(action.message, str) and not action.message:
                raise ModelError(f"{self.name} has a message without a name in state {transition.source}")
        self._crash_message_is_last()

    def _crash_message_is_last(self) -> None:
        """The crash message is the last of its channel (definitions 5.1)."""
        after: dict[str, list[str]] = {}
        for _, action, target in self.transitions:
            if isinstance(action, Send) and isinstance(action.message, Crash):
                after.setdefault(action.peer, []).append(target)
        for peer, starts in after.items():
            for state in self.reachable(*starts):
                for later in self.outgoing(state):
                    if isinstance(later.action, Send) and later.action.peer == peer:
                        raise ModelError(
                            f"{self.name} sends {later.action} in state {state} after the crash message, "
                            f"which is always the last message to {peer}"
                        )

    def group(self, name: str) -> tuple[str, ...]:
        """The states that are called so together; none where the name is no group's."""
        members = dict(self.groups).get(name, ())
        return tuple(s for s in self.states if s in members)

    @cached_property
    def _places(self) -> Mapping[str, Place]:
        return dict(self.places)

    def place(self, state: str) -> Place | None:
        """Where the state is written, if that is known."""
        return self._places.get(state)

    @cached_property
    def _outgoing(self) -> Mapping[str, tuple[Transition, ...]]:
        table: dict[str, list[Transition]] = {state: [] for state in self.states}
        for transition in self.transitions:
            table[transition.source].append(transition)
        return {state: tuple(leaving) for state, leaving in table.items()}

    def outgoing(self, state: str) -> tuple[Transition, ...]:
        """The transitions that leave a state, in the order of the file."""
        return self._outgoing[state]

    @cached_property
    def _touching(self) -> Mapping[str, tuple[tuple[Transition, Channel | None], ...]]:
        return {s: tuple((t, channel_of(self.name, t.action)) for t in self.outgoing(s)) for s in self.states}

    def touching(self, state: str) -> tuple[tuple[Transition, Channel | None], ...]:
        """The same, each with the channel that it touches, if any."""
        return self._touching[state]

    def sends(self, state: str) -> tuple[Send, ...]:
        return tuple(t.action for t in self.outgoing(state) if isinstance(t.action, Send))

    def receives(self, state: str) -> tuple[Receive, ...]:
        return tuple(t.action for t in self.outgoing(state) if isinstance(t.action, Receive))

    def kind(self, state: str) -> StateKind:
        sends, receives = bool(self.sends(state)), bool(self.receives(state))
        if sends and receives:
            return StateKind.MIXED
        if sends:
            return StateKind.SENDING
        return StateKind.RECEIVING if receives else StateKind.FINAL

    @cached_property
    def mixed_states(self) -> tuple[str, ...]:
        return tuple(s for s in self.states if self.kind(s) is StateKind.MIXED)

    @cached_property
    def undirected_states(self) -> tuple[str, ...]:
        """States whose sends, or whose receptions, have more than one peer."""
        return tuple(
            s
            for s in self.states
            if len({a.peer for a in self.sends(s)}) > 1 or len({a.peer for a in self.receives(s)}) > 1
        )

    @cached_property
    def nondeterministic_states(self) -> tuple[str, ...]:
        """States with two targets for one action."""
        found = []
        for state in self.states:
            actions = [t.action for t in self.outgoing(state)]
            if len(set(actions)) < len(actions):
                found.append(state)
        return tuple(found)

    @cached_property
    def has_internal(self) -> bool:
        return any(isinstance(t.action, Internal) for t in self.transitions)

    def reachable(self, *starts: str) -> tuple[str, ...]:
        """The states that can be reached in the automaton alone, nearest first; from the initial one, or from
        any of those given."""
        seen = dict.fromkeys(starts or (self.initial,))
        queue = list(seen)
        for state in queue:
            for transition in self.outgoing(state):
                if transition.target not in seen:
                    seen[transition.target] = None
                    queue.append(transition.target)
        return tuple(seen)

    @cached_property
    def crashed_states(self) -> frozenset[str]:
        """The states in which the process is crashed: the broadcast and `stop` (definitions 5.6).

        These are the states after the internal action `crash` that cannot be reached without it.
        """
        after: set[str] = set()
        for transition in self.transitions:
            if transition.action == Internal(CRASH_ACTION) and transition.target not in after:
                after.update(self.reachable(transition.target))
        if not after:
            return frozenset()
        alive = replace(
            self, transitions=tuple(t for t in self.transitions if t.action != Internal(CRASH_ACTION))
        )
        return frozenset(after) - frozenset(alive.reachable())

    def trim(self) -> Process:
        """Without the states that the automaton alone cannot reach."""
        keep = set(self.reachable())
        return replace(
            self,
            transitions=tuple(t for t in self.transitions if t.source in keep),
            states=tuple(s for s in self.states if s in keep),
            rest=None if self.rest is None else tuple(s for s in self.rest if s in keep),
            durable=tuple(s for s in self.durable if s in keep),
        )

    def _repr_svg_(self) -> str:
        from ...tell.draw.automaton import automaton_svg

        return automaton_svg(self)

    def with_reliable(self, reliable: bool) -> Process:
        return self if self.reliable == reliable else replace(self, reliable=reliable)
