"""The components beside roles and channels as the engine takes them: what moves them, as numbers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ...kernel.model.actions import Channel, Send, Transition, pair_of
from ...kernel.model.links import LinkComponents
from ...kernel.model.survival import SurvivalModel
from ...kernel.semantics.observing import moves_of
from .clocks import PlainClocks, plain_clocks
from .lowering import Lowered

#: (process, transition, observer, where it goes from each of its states)
PlainMove = tuple[int, int, int, list[int]]
#: The network; of each of its transitions the channels that it cuts: (component, channel, receiver, sender
#: into a mailbox); and of each process and transition the component of the channel into which it sends.
PlainLinks = tuple[int, list[list[tuple[int, int, int, int | None]]], list[list[int | None]]]


#: The first component, what observers do, the clocks, and the links.
PlainExtras = tuple[int, list[PlainMove], PlainClocks | None, PlainLinks | None]


def plain_extras(model: SurvivalModel, lowered: Lowered) -> PlainExtras | None:
    """None where there are no components."""
    if not model.extras:
        return None
    first = model.system.names.index(model.extras.names[0])
    clocks, links = plain_clocks(model, lowered), _links(model, lowered)
    return first, list(_observed(model, lowered)), clocks, links


def _observed(model: SurvivalModel, lowered: Lowered) -> Iterator[PlainMove]:
    index = {name: i for i, name in enumerate(model.system.names)}
    states = {o.name: model.system[o.name].states for o in model.extras.observers}
    number = {name: {s: i for i, s in enumerate(rows)} for name, rows in states.items()}
    for p, (role, rows) in enumerate(zip(model.system.names, lowered.transitions, strict=True)):
        for t, transition in enumerate(rows):
            for name, moves in moves_of(model, role, transition):
                numbers = number[name]
                yield p, t, index[name], [numbers[moves.get(s, s)] for s in numbers]


def _links(model: SurvivalModel, lowered: Lowered) -> PlainLinks | None:
    links = model.extras.links
    if links is None:
        return None
    index = {name: i for i, name in enumerate(model.system.names)}
    queue = {pair_of(c, m): c for c, messages in model.system.alphabets.items() for m in messages}

    def cut(channel: Channel) -> tuple[int, int, int, int | None]:
        number = model.system.channel_index[queue[channel]]
        sender = index[channel.sender] if queue[channel].is_mailbox else None
        return index[links.component[channel]], number, index[channel.receiver], sender

    rows = lowered.transitions[index[links.network]]
    cuts = [[cut(channel) for channel in links.cuts[str(t.action)]] for t in rows]
    names = zip(model.system.names, lowered.transitions, strict=True)
    return index[links.network], cuts, [[_says(links, index, name, t) for t in row] for name, row in names]


def _says(
    links: LinkComponents, index: Mapping[str, int], process: str, transition: Transition
) -> int | None:
    action = transition.action
    component = links.component.get(Channel(process, action.peer)) if isinstance(action, Send) else None
    return None if component is None else index[component]
