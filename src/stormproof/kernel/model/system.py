"""Systems of communicating automata: processes and the channels between them.

Everything is frozen, hashable and validated when made.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import ClassVar

from ...errors import ModelError, did_you_mean
from ...records import dataclass
from .actions import Action, Channel, Crash, Internal, Message, Send, Transition, channel_of, pair_of
from .cuts import Cut, check_cuts, cuts_renamed
from .faults import ChannelFaults
from .observer import RECEIVES, SENDS, ObservedEvent, Observer
from .process import Process
from .requirement import Requirement
from .timers import ANY, check_mode


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


#: How the processes of a system communicate: one channel per ordered pair, or one queue per receiver.
PEER_TO_PEER, MAILBOX = "peer-to-peer", "mailbox"
COMMUNICATIONS = (PEER_TO_PEER, MAILBOX)


@dataclass(frozen=True)
class System:
    """Processes that communicate by one channel per ordered pair or by mailboxes (definitions 1.2, 12.1);
    `faults`, `cuts`, `requirements` and `observers` are those of the file, and so is when its `timers` expire
    (definitions 16.1)."""

    processes: tuple[Process, ...]
    name: str = ""
    faults: tuple[ChannelFaults, ...] = ()
    requirements: tuple[Requirement, ...] = ()
    communication: str = PEER_TO_PEER
    timers: str = ANY
    observers: tuple[Observer, ...] = ()
    cuts: tuple[Cut, ...] = ()

    #: Were its automata made of roles in Python?
    extracted: ClassVar[bool] = False
    #: Were its automata made of roles with variables, for the messages that are sent or named in full?
    made_of_data: ClassVar[bool] = False

    def __init__(
        self,
        processes: Iterable[Process],
        name: str = "",
        faults: Iterable[ChannelFaults] = (),
        requirements: Iterable[Requirement] = (),
        communication: str = PEER_TO_PEER,
        timers: str = ANY,
        observers: Iterable[Observer] = (),
        cuts: Iterable[Cut] = (),
    ) -> None:
        put = object.__setattr__
        put(self, "processes", tuple(processes))
        put(self, "name", name)
        put(self, "faults", tuple(faults))
        put(self, "requirements", tuple(requirements))
        put(self, "communication", communication)
        put(self, "timers", check_mode(timers) or ANY)
        put(self, "observers", tuple(observers))
        put(self, "cuts", tuple(dict.fromkeys(cuts)))
        self._validate()

    @property
    def mailboxes(self) -> bool:
        """Has each process one queue for all that is sent to it? Nothing that is proved for channels of pairs
        may then be used (definitions 12.4)."""
        return self.communication == MAILBOX

    def _validate(self) -> None:
        if self.communication not in COMMUNICATIONS:
            problem = f"communication is {' or '.join(COMMUNICATIONS)}, not '{self.communication}'"
            raise ModelError(problem, hint=did_you_mean(self.communication, COMMUNICATIONS))
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
        check_cuts(self.cuts, known)
        self._validate_observers(known)
        self._validate_requirements(known | {o.name for o in self.observers})

    def _validate_observers(self, known: set[str]) -> None:
        """Names that differ from those of roles, and roles that exist. States and messages are looked up
        where an observer is read."""
        taken = set(known)
        for observer in self.observers:
            if observer.name in taken:
                raise ModelError(f"two roles or observers are called '{observer.name}'")
            taken.add(observer.name)
            for event in (row.event for row in observer.alternatives):
                for name in (event.role, *([event.peer] if event.peer else ())):
                    if name not in known:
                        problem = f"the observer '{observer.name}' watches an unknown process '{name}'"
                        raise ModelError(problem, hint=did_you_mean(name, known))

    def _validate_requirements(self, known: set[str]) -> None:
        """Roles that exist, and names that differ. States are looked up where a requirement is read: a
        transformation may drop some that cannot be reached."""
        names = set()
        for requirement in self.requirements:
            if requirement.name and requirement.name in names:
                raise ModelError(f"two requirements are called '{requirement.name}'")
            names.add(requirement.name)
            for process in requirement.processes:
                if process not in known:
                    problem = f"the requirement '{requirement.title}' names an unknown process '{process}'"
                    raise ModelError(problem, hint=did_you_mean(process, known))

    @cached_property
    def _by_name(self) -> Mapping[str, Process]:
        return {p.name: p for p in self.processes}

    @cached_property
    def observed(self) -> System:
        """With its observers as roles that never act: what goals may name."""
        if not self.observers:
            return self
        added = (Process(o.name, o.initial, states=o.states) for o in self.observers)
        return replace(self, processes=(*self.processes, *added), observers=())

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

    @cached_property
    def names(self) -> tuple[str, ...]:
        return tuple(p.name for p in self.processes)

    @property
    def unreliable(self) -> tuple[str, ...]:
        """The processes that may crash."""
        return tuple(p.name for p in self.processes if not p.reliable)

    @cached_property
    def alphabets(self) -> Mapping[Channel, tuple[Message, ...]]:
        """For each channel in use, the messages that some send or reception on it names.

        Taken from the system as given, before any unreachable state is removed (definitions 1.2).
        """
        table: dict[Channel, dict[Message, None]] = defaultdict(dict)
        for process in self.processes:
            for transition in process.transitions:
                channel = channel_of(process.name, transition.action)
                if channel is not None:
                    assert not isinstance(transition.action, Internal)
                    table[channel][transition.action.message] = None
        order = {name: i for i, name in enumerate(self.names)}
        used = sorted(table, key=lambda c: (order.get(c.sender, -1), order[c.receiver]))
        return {c: tuple(table[c]) for c in used}

    @cached_property
    def sent_on(self) -> Mapping[Channel, frozenset[Message]]:
        """For each channel in use, the messages that some send puts into it."""
        table: dict[Channel, set[Message]] = {channel: set() for channel in self.channels}
        for process in self.processes:
            for action in (t.action for t in process.transitions):
                channel = channel_of(process.name, action)
                if isinstance(action, Send) and channel is not None:
                    table[channel].add(action.message)
        return {channel: frozenset(messages) for channel, messages in table.items()}

    @cached_property
    def channels(self) -> tuple[Channel, ...]:
        """The channels that some action names, in the order of the processes."""
        return tuple(self.alphabets)

    @cached_property
    def pairs(self) -> tuple[Channel, ...]:
        """The ordered pairs of processes between which messages go, also where they stand in mailboxes."""
        table = self.alphabets.items()
        return tuple(dict.fromkeys(pair_of(c, m) for c, alphabet in table for m in alphabet))

    @cached_property
    def self_channels(self) -> tuple[Channel, ...]:
        """The channels from a process to itself (definitions 1.1)."""
        return tuple(c for c in self.channels if c.sender == c.receiver)

    @cached_property
    def channel_index(self) -> Mapping[Channel, int]:
        """The place of each channel in `channels`."""
        return {c: i for i, c in enumerate(self.alphabets)}

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
        """A system of communicating session automata: deterministic, no mixed state (definitions 1.5)."""
        return self.classification.csa

    def _repr_svg_(self) -> str:
        from ...tell.draw.automaton import system_svg

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
            message = action.message if isinstance(action.message, Crash) else letters.get(action.message)
            return type(action)(roles.get(action.peer, action.peer), message or action.message)

        def renamed(event: ObservedEvent) -> ObservedEvent:
            names = event.names
            if event.kind in (SENDS, RECEIVES) and names is not None:
                names = tuple(letters.get(m, m) for m in names if isinstance(m, str))
            role, peer = roles.get(event.role, event.role), roles.get(event.peer, event.peer)
            return replace(event, role=role, peer=peer, names=names)

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
            faults=tuple(f.renamed(roles, letters) for f in self.faults),
            requirements=tuple(r.renamed(roles, letters) for r in self.requirements),
            communication=self.communication,
            timers=self.timers,
            observers=tuple(o.with_events(renamed) for o in self.observers),
            cuts=cuts_renamed(self.cuts, roles),
        )
