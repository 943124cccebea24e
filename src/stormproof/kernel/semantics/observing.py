"""What observers see of a step, and where it leads them (definitions 17.1): a table for each transition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from ..model.actions import Crash, Internal, Send, Transition
from ..model.observer import IS_AT, RECEIVES, SENDS, ObservedEvent, Observer
from ..model.run import Act, Step
from ..model.survival import SurvivalModel
from ..model.system import System

#: An observer, and where it goes from the states that it leaves.
ObserverMoves = tuple[tuple[str, Mapping[str, str]], ...]


def moves_of(model: SurvivalModel, process: str, transition: Transition) -> ObserverMoves:
    """Where each observer goes in a step with this transition; only those that move from somewhere."""
    table = model.extras.tables.setdefault("observers", {})
    action = transition.action
    fault = model.process_fault(process, action) if isinstance(action, Internal) else None
    key = (process, transition, fault)
    if key not in table:
        events = tuple(events_of(process, transition, fault))
        found = ((o.name, _moves(o, events)) for o in model.extras.observers)
        table[key] = tuple((name, moves) for name, moves in found if moves)
    known: ObserverMoves = table[key]
    return known


def watched_run(system: System, steps: Sequence[Step]) -> dict[str, list[tuple[int, str]]]:
    """For each observer of the system, after which steps of a run it is in another state, and in which; -1 is
    the start."""
    found = {observer.name: [(-1, observer.initial)] for observer in system.observers}
    state = {process.name: process.initial for process in system}
    for instant, step in enumerate(steps):
        if not isinstance(step, Act) or step.process not in state:
            continue
        transition = Transition(state[step.process], step.action, step.state)
        state[step.process] = step.state
        events = tuple(events_of(step.process, transition, step.fault))
        for observer in system.observers:
            before = found[observer.name][-1][1]
            after = _moves(observer, events).get(before, before)
            if after != before:
                found[observer.name].append((instant, after))
    return found


def events_of(process: str, transition: Transition, fault: str | None) -> Iterator[ObservedEvent]:
    """What happens in the step, in this order: the action, or the fault of the process; then, unless it
    restarts, the state that it is in. A record is no event (definitions 14.1)."""
    action = transition.action
    if isinstance(action, Internal) and action.record:
        return
    if fault is not None:
        yield ObservedEvent(fault, process)
        if fault == "restart":
            return
    elif isinstance(action, Internal):
        pass
    elif not isinstance(action.message, Crash):
        kind = SENDS if isinstance(action, Send) else RECEIVES
        yield ObservedEvent(kind, process, action.peer, (str(action.message),))
    yield ObservedEvent(IS_AT, process, names=(transition.target,))


def _moves(observer: Observer, events: tuple[ObservedEvent, ...]) -> dict[str, str]:
    moves = {}
    for before in observer.states:
        after = before
        for event in events:
            after = observer.after(after, event)
        if after != before:
            moves[before] = after
    return moves
