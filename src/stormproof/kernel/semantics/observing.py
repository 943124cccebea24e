"""What observers see of a step, and where it leads them (definitions 17.1): a table for each transition."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..model.actions import Crash, Internal, Send, Transition
from ..model.observer import IS_AT, RECEIVES, SENDS, ObservedEvent, Observer
from ..model.survival import SurvivalModel

#: An observer, and where it goes from the states that it leaves.
ObserverMoves = tuple[tuple[str, Mapping[str, str]], ...]


def moves_of(model: SurvivalModel, process: str, transition: Transition) -> ObserverMoves:
    """Where each observer goes in a step with this transition; only those that move from somewhere."""
    table = model.extras.tables.setdefault("observers", {})
    action = transition.action
    fault = model.process_fault(process, action) if isinstance(action, Internal) else None
    key = (process, transition, fault)
    if key not in table:
        events = tuple(events_of(model, process, transition))
        found = ((o.name, _moves(o, events)) for o in model.extras.observers)
        table[key] = tuple((name, moves) for name, moves in found if moves)
    known: ObserverMoves = table[key]
    return known


def events_of(model: SurvivalModel, process: str, transition: Transition) -> Iterator[ObservedEvent]:
    """What happens in the step, in this order: the action, or the fault of the process; then, unless it
    restarts, the state that it is in. A record is no event (definitions 14.1)."""
    action = transition.action
    if isinstance(action, Internal):
        if action.record:
            return
        fault = model.process_fault(process, action)
        if fault is not None:
            yield ObservedEvent(fault, process)
        if fault == "restart":
            return
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
