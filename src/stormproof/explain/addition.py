"""One line more in a protocol, and the protocol with it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from ..formats.storm_scan import quote
from ..formats.storm_write import write_action, write_states
from ..model.actions import Transition
from ..model.process import Process
from ..model.rest import default_rest_states
from ..model.system import System


@dataclass(frozen=True)
class Addition:
    """Alternatives of a state of a role, or, where there are none, a `rest` line with this state in it."""

    role: str
    state: str
    alternatives: tuple[Transition, ...] = ()
    rest: tuple[str, ...] = ()

    @property
    def text(self) -> str:
        """The line as the .storm language has it."""
        if self.rest:
            return f"rest {quote(self.role)}@{write_states(self.rest)}"
        return "  ".join(f"{write_action(t.action)} -> {quote(t.target)}" for t in self.alternatives)

    def to(self, process: Process) -> Process:
        if self.rest:
            return replace(process, rest=(*(process.rest or ()), *self.rest))
        return replace(process, transitions=(*process.transitions, *self.alternatives))


def rest_line(process: Process, state: str) -> Addition:
    """A `rest` line replaces the default rest states and adds to those that are declared. The initial state
    is kept only if it is more than the place where everything begins."""
    kept = set() if process.rest is not None else set(default_rest_states(process))
    if process.initial not in {t.target for t in process.transitions}:
        kept.discard(process.initial)
    return Addition(process.name, state, rest=(*(s for s in process.states if s in kept), state))


def extended(system: System, addition: Addition) -> System | None:
    """The system with one line more; None where alternatives change what counts as rest by default: a
    repair must not hide what is stuck by calling it at rest."""
    before = system[addition.role]
    after = addition.to(before)
    if before.rest is None and after.rest is None:
        if default_rest_states(after) - default_rest_states(before):
            return None
    return replace(system, processes=tuple(after if p.name == after.name else p for p in system))
