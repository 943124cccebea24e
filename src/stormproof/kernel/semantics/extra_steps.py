"""What a step does to the components beside roles and channels (definitions 17.2): one call for each part."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.actions import Transition
from ..model.survival import SurvivalModel
from .clocks import clocks_after
from .observing import moves_of


def with_extras(
    model: SurvivalModel, states: tuple[str, ...], process: str, transition: Transition
) -> tuple[str, ...]:
    """The states after a step, given those of the processes that act."""
    if not model.extras:
        return states
    after = _observed(model, states, process, transition)
    return clocks_after(model, after, process, transition) if model.extras.clocks else after


def _observed(
    model: SurvivalModel, states: Sequence[str], process: str, transition: Transition
) -> tuple[str, ...]:
    after = list(states)
    for name, moves in moves_of(model, process, transition):
        i = model.system.names.index(name)
        after[i] = moves.get(after[i], after[i])
    return tuple(after)
