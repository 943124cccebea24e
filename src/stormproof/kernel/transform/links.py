"""The components that say which channels are cut, added to a model (definitions 15.2).

There is one for each channel that may be cut, with two states. What cuts them has no state of its own: its
transitions are the cuts, which are faults. A channel is that of a pair of processes also where messages stand
in mailboxes.
"""

from __future__ import annotations

from dataclasses import replace

from ..model.actions import Internal
from ..model.cuts import name_of
from ..model.faults import CUT
from ..model.links import DOWN, UP, LinkComponents
from ..model.process import Process
from ..model.survival import SurvivalModel
from .extras import with_components

_NETWORK, _ALONE = "network", "links"


def with_links(model: SurvivalModel) -> SurvivalModel:
    """The model with what its cuts need."""
    cuts = {name_of(cut): cut for cut in model.failures.cuts}
    if not cuts:
        return model
    taken = set(model.system.names)
    component = {}
    for channel in dict.fromkeys(channel for cut in cuts.values() for channel in cut):
        component[channel] = _fresh(name_of((channel,)), taken)
    links = LinkComponents(_fresh(_NETWORK, taken), component, cuts)
    added = [Process(name, UP, states=(UP, DOWN)) for name in component.values()]
    rows = [(_ALONE, Internal(name, fault=CUT.keyword), _ALONE) for name in cuts]
    changed = with_components(model, [*added, Process(links.network, _ALONE, rows)])
    return replace(changed, extras=replace(model.extras, links=links))


def _fresh(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "'"
    taken.add(name)
    return name
