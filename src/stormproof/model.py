"""Systems of communicating automata: actions, processes, channels (paper, section 2).

Everything here is frozen, hashable and validated when made. Messages are strings; the crash message
is a value of its own, so that no user's message can be equal to it.
"""

from __future__ import annotations

import enum
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

from .errors import ModelError, did_you_mean
from .faults import ChannelFaults


class Crash(enum.Enum):
    """The type of the crash message, which has just one value."""

    CRASH = "crash"

    def __str__(self) -> str:
        return "⚡"

    def __repr__(self) -> str:
        return "CRASH"


CRASH = Crash.CRASH
Message = str | Crash

#: The internal action by which a process crashes (paper, section 5).
CRASH_ACTION = "crash"


class Channel(NamedTuple):
    """The FIFO channel from one process to another."""

    sender: str
    receiver: str

    def __str__(self) -> str:
        return f"{self.sender}->{self.receiver}"


@dataclass(frozen=True, slots=True)
class Send:
    """Put a message into the channel towards `peer`."""

    peer: str
    message: Message

    def __str__(self) -> str:
        return f"{self.peer}!{self.message}"


@dataclass(frozen=True, slots=True)
class Receive:
    """Take a message from the head of the channel from `peer`."""

    peer: str
    message: Message

    def __str__(self) -> str:
        return f"{self.peer}?{self.message}"


@dataclass(frozen=True, slots=True)
class Internal:
    """An action that touches no channel."""

    name: str

    def __str__(self) -> str:
        return self.name


Action = Send | Receive | Internal
Word = tuple[Message, ...]


class Configuration(NamedTuple):
    """Local states in the order of the processes, words in the order of `System.channels`."""

    states: tuple[str, ...]
    words: tuple[Word, ...]


class Transition(NamedTuple):
    """From one local state to another by an action."""

    source: str
    action: Action
    target: str

    def __str__(self) -> str:
        return f"{self.source} --{self.action}--> {self.target}"


class StateKind(enum.Enum):
    """What leaves a state, internal actions aside (semantics, section 1)."""

    SENDING = "sending"
    RECEIVING = "receiving"
    MIXED = "mixed"
    FINAL = "final"


@dataclass(frozen=True)
class Process:
    """A finite automaton. `states` keeps the order in which they are listed; the initial one is first."""

    name: str
    initial: str
    transitions: tuple[Transition, ...] = ()
    states: tuple[str, ...] = ()
    reliable: bool = True

    def __post_init__(self) -> None:
        transitions = tuple(dict.fromkeys(Transition(*t) for t in self.transitions))
        object.__setattr__(self, "transitions", transitions)
        seen = dict.fromkeys((self.initial, *self.states))
        for source, _, target in transitions:
            seen[source] = None
            seen[target] = None
        object.__setattr__(self, "states", tuple(seen))
        self._validate()

    def _validate(self) -> None:
        if not self.name:
            raise ModelError("a process needs a name")
        for transition in self.transitions:
            action = transition.action
            if isinstance(action, Internal):
                continue
            if action.peer == self.name:
                verb = "sends to" if isinstance(action, Send) else "receives from"
                raise ModelError(f"{self.name} {verb} itself in state {transition.source}")
            if isinstance(action.message, str) and not action.message:
                raise ModelError(f"{self.name} has a message without a name in state {transition.source}")
        self._crash_message_is_last()

    def _crash_message_is_last(self) -> None:
        """The crash message is the last of its channel (semantics, section 5)."""
        after: dict[str, list[str]] = {}
        for _, action, target in self.transitions:
            if isinstance(action, Send) and action.message is CRASH:
                after.setdefault(action.peer, []).append(target)
        for peer, starts in after.items():
            for state in self.reachable(*starts):
                for later in self.outgoing(state):
                    if isinstance(later.action, Send) and later.action.peer == peer:
                        raise ModelError(
                            f"{self.name} sends {later.action} in state {state} after the crash message, "
                            f"which is always the last message to {peer}"
                        )

    @cached_property
    def _outgoing(self) -> Mapping[str, tuple[Transition, ...]]:
        table: dict[str, list[Transition]] = {state: [] for state in self.states}
        for transition in self.transitions:
            table[transition.source].append(transition)
        return {state: tuple(leaving) for state, leaving in table.items()}

    def outgoing(self, state: str) -> tuple[Transition, ...]:
        """The transitions that leave a state, in the order of the file."""
        return self._outgoing[state]

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
        """Where the process is crashed: in the broadcast or in `stop` (semantics, section 5).

        That is all that follows the internal action `crash`, less what is also reached without it.
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
        )

    def rename_states(self, names: Mapping[str, str]) -> Process:
        """With other state names; a state that is not in `names` keeps its own."""

        def new(state: str) -> str:
            return names.get(state, state)

        renamed = tuple(new(s) for s in self.states)
        if len(set(renamed)) < len(renamed):
            raise ModelError(f"renaming would merge two states of {self.name}")
        return replace(
            self,
            initial=new(self.initial),
            transitions=tuple(Transition(new(s), a, new(t)) for s, a, t in self.transitions),
            states=renamed,
        )

    def _repr_svg_(self) -> str:
        from .draw.automaton import automaton_svg

        return automaton_svg(self)

    def with_reliable(self, reliable: bool) -> Process:
        return self if self.reliable == reliable else replace(self, reliable=reliable)


@dataclass(frozen=True)
class Classification:
    """Which classes a system is in, and the (process, state) pairs that keep it out."""

    mixed: tuple[tuple[str, str], ...]
    undirected: tuple[tuple[str, str], ...]
    nondeterministic: tuple[tuple[str, str], ...]
    internal: bool

    @property
    def directed(self) -> bool:
        return not self.undirected

    @property
    def deterministic(self) -> bool:
        return not self.nondeterministic

    @property
    def csa(self) -> bool:
        return not self.mixed and not self.nondeterministic


@dataclass(frozen=True)
class System:
    """Processes with one channel per ordered pair; `faults` are those that the file declares."""

    processes: tuple[Process, ...]
    name: str = ""
    faults: tuple[ChannelFaults, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "processes", tuple(self.processes))
        object.__setattr__(self, "faults", tuple(self.faults))
        self._validate()

    def _validate(self) -> None:
        names = [p.name for p in self.processes]
        if not names:
            raise ModelError("a system needs at least one process")
        known = set(names)
        if len(known) < len(names):
            twice = next(n for n in names if names.count(n) > 1)
            raise ModelError(f"two processes are called '{twice}'")
        for process in self.processes:
            for transition in process.transitions:
                if isinstance(transition.action, Internal) or transition.action.peer in known:
                    continue
                raise ModelError(
                    f"{process.name} names an unknown process '{transition.action.peer}' "
                    f"in state {transition.source}",
                    hint=did_you_mean(transition.action.peer, known),
                )
        declared: set[tuple[str, str]] = set()
        for fault in self.faults:
            if (fault.sender, fault.receiver) in declared:
                raise ModelError(f"faults are declared twice for {fault.sender}->{fault.receiver}")
            declared.add((fault.sender, fault.receiver))
            for end in (fault.sender, fault.receiver):
                if end not in known:
                    raise ModelError(
                        f"faults are declared for an unknown process '{end}'", hint=did_you_mean(end, known)
                    )
            if fault.sender == fault.receiver:
                raise ModelError(f"faults are declared for a channel from {fault.sender} to itself")

    @cached_property
    def _by_name(self) -> Mapping[str, Process]:
        return {p.name: p for p in self.processes}

    def __getitem__(self, name: str) -> Process:
        try:
            return self._by_name[name]
        except KeyError:
            raise ModelError(
                f"unknown process '{name}'; there are {', '.join(self._by_name)}",
                hint=did_you_mean(name, self._by_name),
            ) from None

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Process]:
        return iter(self.processes)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.processes)

    @property
    def unreliable(self) -> tuple[str, ...]:
        """The processes that may crash."""
        return tuple(p.name for p in self.processes if not p.reliable)

    @cached_property
    def alphabets(self) -> Mapping[Channel, tuple[Message, ...]]:
        """For each channel in use, the messages that some send or reception on it names.

        Read off the system as given, before any unreachable state is trimmed (semantics, section 2).
        """
        table: dict[Channel, dict[Message, None]] = defaultdict(dict)
        for process in self.processes:
            for transition in process.transitions:
                channel = channel_of(process.name, transition.action)
                if channel is not None:
                    assert not isinstance(transition.action, Internal)
                    table[channel][transition.action.message] = None
        order = {name: i for i, name in enumerate(self.names)}
        used = sorted(table, key=lambda c: (order[c.sender], order[c.receiver]))
        return {c: tuple(table[c]) for c in used}

    @property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that some action names, in the order of the processes."""
        return tuple(self.alphabets)

    @cached_property
    def channel_index(self) -> Mapping[Channel, int]:
        """The place of each channel in `channels`."""
        return {c: i for i, c in enumerate(self.alphabets)}

    @property
    def all_channels(self) -> tuple[Channel, ...]:
        """One channel per ordered pair of processes."""
        return tuple(Channel(p, q) for p in self.names for q in self.names if p != q)

    def alphabet(self, channel: Channel) -> tuple[Message, ...]:
        return self.alphabets.get(Channel(*channel), ())

    @cached_property
    def messages(self) -> tuple[str, ...]:
        """Every message of the system, without the crash message."""
        found = dict.fromkeys(m for alphabet in self.alphabets.values() for m in alphabet)
        return tuple(m for m in found if isinstance(m, str))

    @property
    def product_size(self) -> int:
        """How many control states the product has."""
        size = 1
        for process in self.processes:
            size *= len(process.states)
        return size

    @cached_property
    def classification(self) -> Classification:
        return Classification(
            mixed=tuple((p.name, s) for p in self for s in p.mixed_states),
            undirected=tuple((p.name, s) for p in self for s in p.undirected_states),
            nondeterministic=tuple((p.name, s) for p in self for s in p.nondeterministic_states),
            internal=any(p.has_internal for p in self),
        )

    @property
    def deterministic(self) -> bool:
        return self.classification.deterministic

    @property
    def directed(self) -> bool:
        return self.classification.directed

    @property
    def csa(self) -> bool:
        """A system of communicating session automata: deterministic, no mixed state (Def. csa)."""
        return self.classification.csa

    def _repr_svg_(self) -> str:
        from .draw.automaton import system_svg

        return system_svg(self)

    def trim(self) -> System:
        return replace(self, processes=tuple(p.trim() for p in self.processes))

    def with_unreliable(self, names: Iterable[str]) -> System:
        """Where exactly these processes may crash."""
        chosen = set(names)
        for name in chosen:
            self[name]
        return replace(self, processes=tuple(p.with_reliable(p.name not in chosen) for p in self.processes))

    def rename(
        self, processes: Mapping[str, str] | None = None, messages: Mapping[str, str] | None = None
    ) -> System:
        """With other process and message names; what is not mentioned keeps its own."""
        roles, letters = dict(processes or {}), dict(messages or {})

        def act(action: Action) -> Action:
            if isinstance(action, Internal):
                return action
            message = action.message if action.message is CRASH else letters.get(str(action.message))
            return type(action)(roles.get(action.peer, action.peer), message or action.message)

        return System(
            processes=tuple(
                replace(
                    p,
                    name=roles.get(p.name, p.name),
                    transitions=tuple(Transition(s, act(a), t) for s, a, t in p.transitions),
                )
                for p in self.processes
            ),
            name=self.name,
            faults=tuple(_rename_fault(f, roles, letters) for f in self.faults),
        )


def _rename_fault(
    fault: ChannelFaults, roles: Mapping[str, str], letters: Mapping[str, str]
) -> ChannelFaults:
    corrupt = fault.corrupt
    if corrupt is not None and corrupt.pairs is not None:
        pairs = tuple((letters.get(a, a), letters.get(b, b)) for a, b in corrupt.pairs)
        corrupt = replace(corrupt, pairs=pairs)
    return replace(
        fault,
        sender=roles.get(fault.sender, fault.sender),
        receiver=roles.get(fault.receiver, fault.receiver),
        corrupt=corrupt,
    )


def channel_of(process: str, action: Action) -> Channel | None:
    """The channel that an action of a process touches."""
    if isinstance(action, Send):
        return Channel(process, action.peer)
    if isinstance(action, Receive):
        return Channel(action.peer, process)
    return None
