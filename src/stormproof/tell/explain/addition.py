"""One line more in a protocol, and the protocol with it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from ...kernel.model.actions import Internal, Transition
from ...kernel.model.process import Process
from ...kernel.model.rest import default_rest_states
from ...kernel.model.system import System
from ...languages.formats.storm_scan import quote
from ...languages.formats.storm_write import write_action, write_states


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

    @property
    def parts(self) -> tuple[Addition, ...]:
        """Each alternative by itself."""
        alone = tuple(replace(self, alternatives=(t,)) for t in self.alternatives)
        return alone or (self,)

    def to(self, process: Process) -> Process:
        if self.rest:
            return replace(process, rest=(*(process.rest or ()), *self.rest))
        return replace(process, transitions=(*process.transitions, *self.alternatives))


@dataclass(frozen=True)
class Redirect:
    """A transition of a role that leads to another state than before: a line that is changed."""

    role: str
    before: Transition
    target: str

    @property
    def text(self) -> str:
        return f"{write_action(self.before.action)} -> {quote(self.target)}"

    @property
    def old_text(self) -> str:
        return f"{write_action(self.before.action)} -> {quote(self.before.target)}"


def rest_line(process: Process, state: str) -> Addition:
    """A `rest` line replaces the default rest states and adds to those that are declared. The initial state
    is kept only if it is more than the place where everything begins."""
    kept = set() if process.rest is not None else set(default_rest_states(process))
    if process.initial not in {t.target for t in process.transitions}:
        kept.discard(process.initial)
    return Addition(process.name, state, rest=(*(s for s in process.states if s in kept), state))


def ways_to_add(system: System, addition: Addition) -> Iterator[tuple[Addition, ...]]:
    """The line alone, and with a `rest` line where it would change what counts as rest by default, or lead
    back there on a timer: the role then rests where it has rested before, and nowhere else. A repair must
    not hide what is stuck by calling it at rest."""
    process = system[addition.role]
    if process.rest is not None or addition.rest:
        yield (addition,)
        return
    changed = addition.to(process)
    before, after = default_rest_states(process), default_rest_states(changed)
    if not after - before:
        yield (addition,)
    kept = tuple(s for s in process.states if s in before and s not in process.crashed_states)
    if kept and (after != before or _leads_back(addition, changed, before)):
        yield Addition(process.name, kept[0], rest=kept), addition


def _leads_back(addition: Addition, process: Process, resting: frozenset[str]) -> bool:
    """Is there a timer to a state of rest from which the role may come back to it?"""
    timers = (t for t in addition.alternatives if isinstance(t.action, Internal) and t.target in resting)
    return any(t.source in process.reachable(t.target) for t in timers)


def merged(additions: Iterable[Addition]) -> tuple[Addition, ...]:
    """With the alternatives of one state on one line."""
    found: dict[tuple[str, str, bool], Addition] = {}
    for addition in additions:
        key = (addition.role, addition.state, bool(addition.rest))
        before = found.get(key, Addition(addition.role, addition.state))
        alternatives, rest = before.alternatives + addition.alternatives, before.rest + addition.rest
        found[key] = replace(before, alternatives=alternatives, rest=rest)
    return tuple(found.values())


def parts_of(additions: Iterable[Addition]) -> frozenset[Addition]:
    """All that is added, an alternative or a `rest` line each."""
    return frozenset(part for addition in additions for part in addition.parts)


def extended(system: System, additions: Iterable[Addition]) -> System:
    """The system with further lines."""
    for addition in additions:
        after = addition.to(system[addition.role])
        system = replace(system, processes=tuple(after if p.name == after.name else p for p in system))
    return system
