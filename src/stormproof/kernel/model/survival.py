"""What a question of survival is about: a system, what may go wrong, how much of it, and where roles rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import NamedTuple

from ...records import dataclass
from .actions import PASSES, Channel, Configuration, Internal, Transition, Word
from .budget import Budget
from .extras import Extras
from .failures import FailureModel
from .rest import RestStates, is_crash
from .system import System

#: How many messages more than a storm a calm run may have in a channel.
SLACK = 2


class BlockSize(NamedTuple):
    """An abstraction of channels of any length: so many blocks of equal messages, counted up to `counted`."""

    blocks: int
    counted: int


#: The abstractions that are tried to prove that a goal is out of reach, the cheapest first.
LADDER = tuple(BlockSize(*size) for size in ((1, 1), (2, 1), (3, 1), (2, 2), (4, 1), (3, 2), (6, 1), (4, 2)))


@dataclass(frozen=True)
class SurvivalModel:
    """A system with everything that its survival depends on.

    `extras`: what configurations have beside roles and channels, as processes behind the roles.
    `process_faults` marks internal actions that are stops and restarts: (process, action) -> kind. The action
    `crash` is a fault of the processes that are unreliable; no other process ever takes it.
    """

    system: System
    failures: FailureModel
    rest: RestStates
    process_faults: Mapping[tuple[str, str], str] = field(default_factory=dict)
    budget: Budget = field(default_factory=Budget)
    extras: Extras = field(default_factory=Extras)

    @property
    def shown(self) -> System:
        """The system as runs show it: its roles, and apart from them its observers."""
        if not self.extras:
            return self.system
        hidden = set(self.extras.names)
        roles = tuple(p for p in self.system if p.name not in hidden)
        return replace(self.system, processes=roles, observers=self.extras.observers)

    def process_fault(self, process: str, action: Internal) -> str | None:
        """The kind of fault that an internal action is; None for an ordinary one."""
        if is_crash(action):
            return "crash"
        return action.fault or self.process_faults.get((process, action.name))

    def can_happen(self, process: str, transition: Transition) -> bool:
        return not is_crash(transition.action) or process in self.failures.unreliable

    def without_impossible_crashes(self) -> System:
        """The system less the crashes of processes that never crash, for what asks no `can_happen`."""
        return self._only(self.can_happen)

    def without_faults(self) -> System:
        """The system less the internal actions that are faults: on perfect channels all its runs are calm."""

        def is_calm(process: str, transition: Transition) -> bool:
            action = transition.action
            return not isinstance(action, Internal) or self.process_fault(process, action) is None

        return self._only(is_calm)

    def _only(self, keeps: Callable[[str, Transition], bool]) -> System:
        """Who asks that knows no clocks, so that nothing is done by time passing."""

        def stays(process: str, transition: Transition) -> bool:
            return transition.action != PASSES and keeps(process, transition)

        kept = (
            replace(p, transitions=tuple(t for t in p.transitions if stays(p.name, t))) for p in self.system
        )
        return replace(self.system, processes=tuple(kept))

    def state(self, at: Configuration, process: str) -> str:
        return at.states[self.system.names.index(process)]

    def has_ended(self, at: Configuration, process: str) -> bool:
        return self.state(at, process) in self.rest.ended[process]

    def word(self, at: Configuration, channel: Channel) -> Word:
        index = self.system.channel_index
        return at.words[index[channel]] if channel in index else ()
