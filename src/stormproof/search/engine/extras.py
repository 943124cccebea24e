"""The components beside roles and channels as the engine takes them: what moves them, as numbers."""

from __future__ import annotations

from collections.abc import Iterator

from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.observing import moves_of
from .clocks import PlainClocks, plain_clocks
from .lowering import Lowered

#: (process, transition, observer, where it goes from each of its states)
PlainMove = tuple[int, int, int, list[int]]


#: The first component, what observers do, and the clocks.
PlainExtras = tuple[int, list[PlainMove], PlainClocks | None]


def plain_extras(model: SurvivalModel, lowered: Lowered) -> PlainExtras | None:
    """None where there are no components."""
    if not model.extras:
        return None
    first = model.system.names.index(model.extras.names[0])
    return first, list(_observed(model, lowered)), plain_clocks(model, lowered)


def _observed(model: SurvivalModel, lowered: Lowered) -> Iterator[PlainMove]:
    index = {name: i for i, name in enumerate(model.system.names)}
    states = {o.name: model.system[o.name].states for o in model.extras.observers}
    number = {name: {s: i for i, s in enumerate(rows)} for name, rows in states.items()}
    for p, (role, rows) in enumerate(zip(model.system.names, lowered.transitions, strict=True)):
        for t, transition in enumerate(rows):
            for name, moves in moves_of(model, role, transition):
                numbers = number[name]
                yield p, t, index[name], [numbers[moves.get(s, s)] for s in numbers]
