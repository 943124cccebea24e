"""Cuts, and sends on channels that are cut (definitions 15.3, 15.4)."""

from __future__ import annotations

from ..model.actions import Channel, Configuration, Send, Transition, pair_of
from ..model.cuts import Cut
from ..model.links import DOWN, LinkComponents
from ..model.storm_step import StormStep
from ..model.survival import SurvivalModel


def is_cut(model: SurvivalModel, at: Configuration, channel: Channel) -> bool:
    """Is the channel between these two processes cut?"""
    links = model.extras.links
    return links is not None and channel in links.component and _is_down(model, links, at, channel)


def goes_nowhere(model: SurvivalModel, at: Configuration, process: str, action: object) -> bool:
    """Is this a send on a channel that is cut?"""
    return isinstance(action, Send) and is_cut(model, at, Channel(process, action.peer))


def cut_by(model: SurvivalModel, at: Configuration, transition: Transition) -> Cut:
    """The channels that this cut takes down here: none that is down already, or whose receiver has ended."""
    links = model.extras.links
    assert links is not None
    return tuple(
        channel
        for channel in links.cuts[str(transition.action)]
        if not _is_down(model, links, at, channel) and not model.has_ended(at, channel.receiver)
    )


def is_network(model: SurvivalModel, process: str) -> bool:
    """Is it what cuts channels, and no process?"""
    return model.extras.links is not None and process == model.extras.links.network


def after_cut(model: SurvivalModel, at: Configuration, step: StormStep) -> Configuration:
    """What was in the channels is lost, crash messages too; in a mailbox the messages of others stay."""
    links = model.extras.links
    assert links is not None
    cut = cut_by(model, at, step.transition)
    down = {links.component[channel] for channel in cut}
    states = tuple(DOWN if name in down else state for name, state in zip(model.system.names, at.states))
    words = tuple(
        tuple(message for message in word if pair_of(channel, message) not in cut)
        for channel, word in zip(model.system.channels, at.words)
    )
    return at._replace(states=states, words=words)


def _is_down(model: SurvivalModel, links: LinkComponents, at: Configuration, channel: Channel) -> bool:
    return model.state(at, links.component[channel]) == DOWN
