"""Links that stay down, read literally (definitions 15.2 to 15.4).

The local states of a configuration are followed by one for each channel that may be cut, which says whether
it is. This is the oracle's own reading; it shares the names of these components with production code.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..kernel.model.actions import Channel, Configuration, Internal, Message, Transition, sender_in
from ..kernel.model.process import Process
from ..kernel.model.storm_step import StormStep
from ..kernel.model.survival import SurvivalModel


def down(model: SurvivalModel, at: Configuration) -> frozenset[Channel]:
    """Definitions 15.2: the channels that are cut."""
    if model.extras.links is None:
        return frozenset()
    states = dict(zip(model.system.names, at.states))
    return frozenset(c for c, name in model.extras.links.component.items() if states[name] == "cut")


def cuts(model: SurvivalModel, at: Configuration) -> Iterator[tuple[StormStep, Configuration]]:
    """Definitions 15.3: each cut that takes down a channel here, as a step of no process."""
    links = model.extras.links
    states = dict(zip(model.system.names, at.states))
    for named, channels in links.cuts.items() if links is not None else ():
        assert links is not None
        falling = [c for c in channels if c not in down(model, at) and not _has_ended(model, states, c)]
        if not falling:
            continue
        after = states | {links.component[c]: "cut" for c in falling}
        step = StormStep(links.network, _transition(model, links.network, named), process_fault="cut")
        yield step, Configuration(tuple(after.values()), _left(model, at, falling))


def roles(model: SurvivalModel, at: Configuration) -> Iterator[tuple[Process, str]]:
    """The processes that act, and where they are."""
    links = model.extras.links
    for process, state in zip(model.system, at.states):
        if links is None or process.name != links.network:
            yield process, state


def _has_ended(model: SurvivalModel, states: dict[str, str], channel: Channel) -> bool:
    return states[channel.receiver] in model.rest.ended[channel.receiver]


def _left(model: SurvivalModel, at: Configuration, falling: list[Channel]) -> tuple[tuple[Message, ...], ...]:
    """Everything between the processes of these channels is lost, and nothing else."""

    def stays(queue: Channel, message: Message) -> bool:
        sender = queue.sender or sender_in(message)
        return Channel(sender, queue.receiver) not in falling

    rows = zip(model.system.channels, at.words)
    return tuple(tuple(m for m in word if stays(queue, m)) for queue, word in rows)


def _transition(model: SurvivalModel, network: str, named: str) -> Transition:
    rows = model.system[network].transitions
    return next(t for t in rows if isinstance(t.action, Internal) and t.action.name == named)
