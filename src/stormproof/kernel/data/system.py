"""A system whose automata were made of roles with variables: what its names and states stand for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import ClassVar

from ...errors import Place
from ...records import dataclass
from ..model.actions import Transition
from ..model.cuts import Cut
from ..model.faults import ChannelFaults
from ..model.observer import Observer
from ..model.part import Making
from ..model.process import Process
from ..model.requirement import Requirement
from ..model.system import PEER_TO_PEER, System
from ..model.timers import ANY
from .types import Type
from .values import Value


@dataclass(frozen=True)
class LocalState:
    """What a state of an automaton is: a named state, and the values that it keeps. `between` while a message
    goes to several members one by one, `failed` where a value has left its domain."""

    name: str
    values: Mapping[str, Value]
    between: bool = False
    failed: bool = False


@dataclass(frozen=True)
class DataNames:
    """What goals may name: `variables` and `states` by role or family, `local` by process and state; `steps`
    says where each transition of a process is written."""

    constants: Mapping[str, Value] = field(default_factory=dict)
    words: frozenset[str] = frozenset()
    families: Mapping[str, int] = field(default_factory=dict)
    variables: Mapping[str, Mapping[str, Type]] = field(default_factory=dict)
    states: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    local: Mapping[str, Mapping[str, LocalState]] = field(default_factory=dict)
    steps: Mapping[str, Mapping[Transition, Place]] = field(default_factory=dict)
    #: The names of all messages of roles, without their values.
    messages: frozenset[str] = frozenset()
    #: The processes whose rest states the file lists.
    rest: frozenset[str] = frozenset()


@dataclass(frozen=True)
class DataSource:
    """The text that a system was made of, and the constants that were given in place of its own."""

    text: str
    given: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, init=False)
class DataSystem(System):
    """A system of roles with variables, made into automata; `data` is what its names mean."""

    data: DataNames = field(default_factory=DataNames, compare=False, repr=False)
    source: DataSource | None = field(default=None, compare=False, repr=False)
    #: What makes more of its automata.
    making: Making | None = field(default=None, compare=False, repr=False)

    made_of_data: ClassVar[bool] = True

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
        data: DataNames | None = None,
        source: DataSource | None = None,
        making: Making | None = None,
    ) -> None:
        super().__init__(processes, name, faults, requirements, communication, timers, observers, cuts)
        object.__setattr__(self, "data", data or DataNames())
        object.__setattr__(self, "source", source)
        object.__setattr__(self, "making", making)
