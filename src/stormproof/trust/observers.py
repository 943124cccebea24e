"""Where observers are after a step (definitions 17.1): a reading of its own for the trusted kernels."""

from __future__ import annotations

from collections.abc import Mapping

from ..kernel.model.actions import Crash, Internal, Send, Transition
from ..kernel.model.observer import IS_AT, RECEIVES, SENDS, Observer
from ..kernel.model.survival import SurvivalModel

#: What is seen: the kind of the event, the other role of a message, and the message or the state.
SeenAction = tuple[str, str, str]


class Watch:
    """The observers of a model, which stand behind its roles."""

    def __init__(self, model: SurvivalModel) -> None:
        self._model = model
        names = model.system.names
        self._observers = [(names.index(o.name), o) for o in model.extras.observers]
        self._known: dict[tuple[str, Transition], dict[int, dict[str, str]]] = {}

    def moves(self, role: str, taken: Transition) -> Mapping[int, Mapping[str, str]]:
        """For each observer that watches such a step, by its number: where it goes from each state."""
        if not self._observers:
            return {}
        if (role, taken) not in self._known:
            seen = self._seen(role, taken)
            self._known[role, taken] = {
                i: {s: _after(o, role, s, seen) for s in o.states} for i, o in self._observers
            }
        return self._known[role, taken]

    def after(self, states: tuple[str, ...], role: str, taken: Transition) -> tuple[str, ...]:
        """The states after the step, given those of the roles after it."""
        moves = self.moves(role, taken)
        if not moves:
            return states
        return tuple(moves[i].get(s, s) if i in moves else s for i, s in enumerate(states))

    def _seen(self, role: str, taken: Transition) -> list[SeenAction]:
        action, entered = taken.action, (IS_AT, "", taken.target)
        if not isinstance(action, Internal):
            if isinstance(action.message, Crash):
                return [entered]
            kind = SENDS if isinstance(action, Send) else RECEIVES
            return [(kind, action.peer, str(action.message)), entered]
        if action.record:
            return []
        marked = action.fault or self._model.process_faults.get((role, action.name))
        fault = "crash" if action.crashes else marked
        if not fault:
            return [entered]
        return [(fault, "", "")] if fault == "restart" else [(fault, "", ""), entered]


def _after(observer: Observer, role: str, state: str, seen: list[SeenAction]) -> str:
    for kind, peer, name in seen:
        targets = (
            target
            for source, event, target in observer.alternatives
            if source == state
            and (event.kind, event.role, event.peer) == (kind, role, peer)
            and (event.names is None or name in event.names)
        )
        state = next(targets, state)
    return state
