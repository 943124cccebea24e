"""The definitions, executed literally and slowly: the specification (definitions, chapters 2 and 3).

Channels hold words; interference consists of silent steps. Everything else, above all the engine, is
compared with this module, so it is short enough to be read next to the definitions and uses no clever
algorithms: the whole k-bounded transition system is built, and each property is backward reachability in it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field
from functools import cached_property

from ..kernel.model.actions import (
    Channel,
    Configuration,
    Crash,
    Internal,
    Message,
    Receive,
    Send,
    channel_of,
)
from ..kernel.model.failures import FailureModel
from ..kernel.model.process import Process, StateKind
from ..kernel.model.system import System
from ..kernel.semantics.explore import TooLarge as TooLarge
from ..kernel.semantics.silent_steps import FiredAction as FiredAction, Successor as Successor
from ..records import dataclass
from .steps import initial as initial, steps as steps


def events_of(process: Process) -> frozenset[FiredAction]:
    """All that the process may do or suffer."""
    return frozenset(FiredAction(process.name, t.action) for t in process.transitions)


def faults_of(process: Process) -> frozenset[FiredAction]:
    """Its crash, its stop and its restart."""
    return frozenset(e for e in events_of(process) if isinstance(e.action, Internal) and e.action.is_fault)


def communications_of(process: Process) -> frozenset[FiredAction]:
    """Its sends, those of its crash broadcast excepted, and its receptions."""
    found = ((e, e.action) for e in events_of(process) if not isinstance(e.action, Internal))
    return frozenset(e for e, a in found if isinstance(a, Receive) or not isinstance(a.message, Crash))


@dataclass
class TransitionSystem:
    """All k-reachable configurations with all steps between them."""

    system: System
    failures: FailureModel
    k: int
    steps: dict[Configuration, list[Successor]]
    _before: dict[frozenset[FiredAction], dict[Configuration, list[Configuration]]] = field(
        default_factory=dict
    )

    @cached_property
    def enabled(self) -> dict[FiredAction, list[Configuration]]:
        """Where each event can happen."""
        table: dict[FiredAction, list[Configuration]] = {}
        for source, leaving in self.steps.items():
            for event in {step.event for step in leaving if step.event is not None}:
                table.setdefault(event, []).append(source)
        return table

    def before(self, without: frozenset[FiredAction]) -> dict[Configuration, list[Configuration]]:
        """What leads to each configuration in one step that is none of `without`."""
        if without not in self._before:
            table = self._before[without] = {}
            for source, leaving in self.steps.items():
                for event, after in leaving:
                    if event not in without:
                        table.setdefault(after, []).append(source)
        return self._before[without]

    def can_reach(
        self,
        fires: Callable[[FiredAction], bool],
        without: frozenset[FiredAction] = frozenset(),
        ends: Callable[[Configuration], bool] = lambda at: False,
    ) -> set[Configuration]:
        """The configurations from which a run with no event of `without` leads to an event that `fires` or to
        a configuration that `ends` it."""
        seen = {at for event, sources in self.enabled.items() if fires(event) for at in sources}
        seen |= {at for at in self.steps if ends(at)}
        found, before = deque(seen), self.before(without)
        while found:
            for source in before.get(found.popleft(), ()):
                if source not in seen:
                    seen.add(source)
                    found.append(source)
        return seen


def explore(system: System, failures: FailureModel, k: int, most: int | None = None) -> TransitionSystem:
    """RS_k: everything that k-bounded runs reach. Raises TooLarge past `most` configurations."""
    start = initial(system)
    table: dict[Configuration, list[Successor]] = {}
    queue = deque([start])
    seen = {start}
    while queue:
        at = queue.popleft()
        table[at] = list(steps(system, failures, at, k))
        for _, after in table[at]:
            if after not in seen:
                seen.add(after)
                queue.append(after)
        if most is not None and len(seen) > most:
            raise TooLarge
    return TransitionSystem(system, failures, k, table)


def is_receive_on(channel: Channel, message: Message | None = None) -> Callable[[FiredAction], bool]:
    """Receptions from a channel, of one message or of any."""

    def test(event: FiredAction) -> bool:
        action = event.action
        return (
            isinstance(action, Receive)
            and channel_of(event.process, action) == channel
            and (message is None or action.message == message)
        )

    return test


def crashed(system: System, at: Configuration, process: str) -> bool:
    """Is the process in its crash broadcast or in `stop` (definitions 5.6)?"""
    return at.states[system.names.index(process)] in system[process].crashed_states


def k_exh(ts: TransitionSystem, literal: bool = False, up_to_crash: bool = False) -> Iterator[Configuration]:
    """Definitions 3.1: where some send of a sending state cannot be fired within the bound.

    The process itself does not act on the run to the send, unless `literal` (definitions 3.2).
    """
    for i, process in enumerate(ts.system):
        for state in process.states:
            if process.kind(state) is not StateKind.SENDING:
                continue
            for send in set(process.sends(state)):
                wanted = FiredAction(process.name, send)
                good = ts.can_reach(wanted.__eq__, frozenset() if literal else events_of(process))
                for at in ts.steps:
                    if at.states[i] == state and at not in good:
                        if not (up_to_crash and crashed(ts.system, at, send.peer)):
                            yield at


def k_er(ts: TransitionSystem, weak: bool = False, up_to_crash: bool = False) -> Iterator[Configuration]:
    """Definitions 3.3: where the first message of a channel is never received; weak (3.4): nor any other."""
    for i, channel in enumerate(ts.system.channels):
        heads = {at.words[i][0] for at in ts.steps if at.words[i]}
        for head in heads:
            good = ts.can_reach(is_receive_on(channel, None if weak else head))
            for at in ts.steps:
                if at.words[i][:1] == (head,) and at not in good:
                    if not (up_to_crash and crashed(ts.system, at, channel.receiver)):
                        yield at


def k_pg(ts: TransitionSystem) -> Iterator[Configuration]:
    """Definitions 3.5: where a process in a receiving state never sends, receives or comes to a final state
    unless it crashes, stops or restarts."""
    for i, process in enumerate(ts.system):
        proceeds, faults = communications_of(process), faults_of(process)
        kinds = {state: process.kind(state) for state in process.states}
        final = {state for state, kind in kinds.items() if kind is StateKind.FINAL}
        good = ts.can_reach(proceeds.__contains__, faults, lambda at, i=i, final=final: at.states[i] in final)  # type: ignore[misc]
        for at in ts.steps:
            if kinds[at.states[i]] is StateKind.RECEIVING and at not in good:
                yield at


def k_obi(ts: TransitionSystem) -> Iterator[Configuration]:
    """Output bound independence (definitions 3.7): one send of a state fits, another does not."""
    for at, leaving in ts.steps.items():
        fired = {e for e, _ in leaving if e is not None and isinstance(e.action, Send)}
        for i, process in enumerate(ts.system):
            wanted = {FiredAction(process.name, a) for a in process.sends(at.states[i])}
            if wanted & fired and not wanted <= fired:
                yield at
                break


def k_sibi(ts: TransitionSystem) -> Iterator[Configuration]:
    """Strong input bound independence (definitions 3.8): when `q->p?a` can be taken, a reception from
    another process is not enabled as well, nor can the message that it waits for still be sent afterwards."""
    for at, leaving in ts.steps.items():
        if any(_breaks_sibi(ts, at, event, after) for event, after in leaving):
            yield at


def _breaks_sibi(
    ts: TransitionSystem, at: Configuration, event: FiredAction | None, after: Configuration
) -> bool:
    if event is None or not isinstance(event.action, Receive):
        return False
    enabled = {e for e, _ in ts.steps[at]}
    state = at.states[ts.system.names.index(event.process)]
    for other in ts.system[event.process].receives(state):
        if other.peer == event.action.peer:
            continue
        sent = FiredAction(other.peer, Send(event.process, other.message))
        if FiredAction(event.process, other) in enabled or after in ts.can_reach(sent.__eq__):
            return True
    return False


#: Property name -> the configurations that violate it. The others are conjunctions, see `CONJUNCTIONS`.
VIOLATIONS: dict[str, Callable[[TransitionSystem], Iterable[Configuration]]] = {
    "k-exh": k_exh,
    "k-exh-literal": lambda ts: k_exh(ts, literal=True),
    "k-exh-up-to-crash": lambda ts: k_exh(ts, up_to_crash=True),
    "k-er": k_er,
    "k-wer": lambda ts: k_er(ts, weak=True),
    "k-er-up-to-crash": lambda ts: k_er(ts, up_to_crash=True),
    "k-pg": k_pg,
    "k-obi": k_obi,
    "k-sibi": k_sibi,
}

#: Properties that are conjunctions of others (definitions 3.6, 5.7).
CONJUNCTIONS: dict[str, tuple[str, ...]] = {
    "k-safe": ("k-er", "k-pg"),
    "k-mc": ("k-exh", "k-er", "k-pg"),
    "k-wmc": ("k-exh", "k-er"),
    "k-wmc-up-to-crash": ("k-exh-up-to-crash", "k-er-up-to-crash"),
}


def holds(ts: TransitionSystem, name: str) -> bool:
    """Does the property hold of the whole transition system?"""
    return all(next(iter(VIOLATIONS[part](ts)), None) is None for part in CONJUNCTIONS.get(name, (name,)))
