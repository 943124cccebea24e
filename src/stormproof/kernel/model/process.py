"""A process: a finite automaton whose transitions send, receive or act internally."""

from __future__ import annotations

import enum
from collections.abc import Iterable, Mapping
from dataclasses import field, replace
from functools import cached_property

from ...errors import ModelError, Place, did_you_mean
from ...records import dataclass
from .actions import CRASH_ACTION, Action, Channel, Crash, Internal, Receive, Send, Transition, channel_of

#: What the disk holds of each durable variable, as text.
DiskContent = tuple[tuple[str, str], ...]


def spell_disk(content: DiskContent) -> str:
    """`seen={1}, next=2`."""
    return ", ".join(f"{name}={value}" for name, value in content)


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
    `service` those are all states that only receive. `stop` and `restart`: it may stop silently, or restart.

    Its disk holds the last of its `durable` states that was recorded, at first the initial one; those of
    `atomic` are recorded by the action that leads to them. `recovery` says where a restart leads, by what the
    disk holds, "" for anything else; without it, to what the disk holds. A process with durable variables has
    `disks` instead, what its disk may hold, each with the state in which a restart then begins, the first one
    at first; and `saves`, transitions that write values (definitions 14.1 to 14.6).

    `unmade` are states whose transitions are not known yet (definitions 18.1): nothing leaves them here, and
    no answer may depend on that.

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
    atomic: tuple[str, ...] = ()
    recovery: tuple[tuple[str, str], ...] = ()
    saves: tuple[tuple[Transition, DiskContent], ...] = ()
    disks: tuple[tuple[DiskContent, str], ...] = ()
    unmade: tuple[str, ...] = ()
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
        atomic: Iterable[str] = (),
        recovery: Iterable[tuple[str, str]] = (),
        saves: Iterable[tuple[Transition, DiskContent]] = (),
        disks: Iterable[tuple[DiskContent, str]] = (),
        unmade: Iterable[str] = (),
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
        put(self, "atomic", self._ordered(atomic, "record"))
        put(self, "recovery", tuple(sorted(dict(recovery).items())))
        put(self, "saves", tuple((Transition(*row), tuple(values)) for row, values in saves if row in once))
        put(self, "disks", tuple((tuple(held), state) for held, state in disks))
        put(self, "unmade", self._ordered(unmade, "stop being made in"))
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
        check_disk(self)

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

    @property
    def begins_in(self) -> tuple[str, ...]:
        """The initial state, and those in which only a restart begins."""
        recovered = (state for _, state in (*self.recovery, *self.disks))
        return tuple(dict.fromkeys((self.initial, *recovered)))

    @cached_property
    def _contents(self) -> Mapping[str, tuple[DiskContent, str]]:
        return {spell_disk(held): (held, state) for held, state in self.disks}

    @property
    def first_disk(self) -> str:
        """What the disk holds at first: a state, or values as text."""
        return next(iter(self._contents), self.initial)

    def recovers_in(self, disk: str) -> str:
        """The state in which a restart begins where the disk holds this."""
        if self.disks:
            return self._contents[disk][1]
        chosen = dict(self.recovery)
        return chosen.get(disk, chosen.get("", disk))

    def saved(self, disk: str, values: DiskContent) -> str:
        """What the disk holds once these values are written, too."""
        return spell_disk(tuple((dict(self._contents[disk][0]) | dict(values)).items()))

    @property
    def recordable(self) -> tuple[str, ...]:
        """The states that the disk may hold."""
        return tuple(s for s in self.states if s in self.durable or s == self.initial)

    def reachable(self, *starts: str) -> tuple[str, ...]:
        """The states that can be reached in the automaton alone, nearest first; from those in which it
        begins, or from any of those given."""
        seen = dict.fromkeys(starts or self.begins_in)
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
        after = self.after_crashes
        if not after:
            return frozenset()
        return after - self.alive_from(*self.begins_in)

    def alive_from(self, *starts: str) -> frozenset[str]:
        """The states that are reached without a crash."""
        seen = dict.fromkeys(starts)
        for state in (queue := list(seen)):
            for transition in self.outgoing(state):
                if transition.action != Internal(CRASH_ACTION) and transition.target not in seen:
                    seen[transition.target] = None
                    queue.append(transition.target)
        return frozenset(seen)

    @cached_property
    def after_crashes(self) -> frozenset[str]:
        """The states that a crash leads to."""
        after: set[str] = set()
        for transition in self.transitions:
            if transition.action == Internal(CRASH_ACTION) and transition.target not in after:
                after.update(self.reachable(transition.target))
        return frozenset(after)

    def trim(self) -> Process:
        """Without the states that the automaton alone cannot reach."""
        keep = set(self.reachable())
        return replace(
            self,
            transitions=tuple(t for t in self.transitions if t.source in keep),
            states=tuple(s for s in self.states if s in keep),
            rest=None if self.rest is None else tuple(s for s in self.rest if s in keep),
            durable=tuple(s for s in self.durable if s in keep),
            atomic=tuple(s for s in self.atomic if s in keep),
            recovery=tuple(row for row in self.recovery if row[0] in keep or not row[0]),
            saves=tuple(row for row in self.saves if row[0].source in keep),
            unmade=tuple(s for s in self.unmade if s in keep),
        )

    def _repr_svg_(self) -> str:
        from ...tell.draw.automaton import automaton_svg

        return automaton_svg(self)

    def with_reliable(self, reliable: bool) -> Process:
        return self if self.reliable == reliable else replace(self, reliable=reliable)


def check_disk(process: Process) -> None:
    """What is said of the disk names states of the process, and says one thing."""
    if process.disks and (process.durable or process.recovery):
        raise ModelError(
            f"{process.name} has durable states and durable variables",
            hint="a role has one or the other: save a variable where the durable state is entered",
        )
    for state in process.atomic:
        if state not in process.durable:
            raise ModelError(f"{process.name} records '{state}' atomically, which is not durable")
    for disk, _ in process.recovery:
        if disk and disk not in process.recordable:
            raise ModelError(
                f"a restart of {process.name} cannot depend on '{disk}', which its disk never holds",
                hint=f"durable states: {', '.join(process.recordable[:8])}; declare it: "
                f"durable {process.name}@{disk}",
            )
    for _, state in (*process.recovery, *process.disks):
        if state not in process.states:
            problem = f"a restart of {process.name} cannot lead to '{state}': it has no such state"
            raise ModelError(problem, hint=did_you_mean(state, process.states))
        if state in process.after_crashes - process.alive_from(process.initial):
            raise ModelError(f"a restart of {process.name} cannot lead to '{state}', in which it has crashed")
    _check_saves(process)


def _check_saves(process: Process) -> None:
    known = {frozenset(held) for held, _ in process.disks}
    for row, values in process.saves:
        if any(frozenset((dict(held) | dict(values)).items()) not in known for held, _ in process.disks):
            raise ModelError(
                f"{process.name} saves {spell_disk(values)} in state {row.source}, and it is not said where "
                "a restart begins then"
            )
    if process.saves and not process.disks:
        raise ModelError(f"{process.name} saves values, and it is not said what its disk holds at first")
