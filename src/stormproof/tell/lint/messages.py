"""Messages that only one side of a channel knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace

from ...errors import Place, did_you_mean, meant_name
from ...kernel.model.actions import CRASH, Channel, Message, Receive, Send, Transition, channel_of
from ...kernel.model.failures import Failures
from ...kernel.model.phrases import listed
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...languages.formats.storm_places import NoPlaces, Places
from .warning import Warning


class _Traffic:
    """What is sent, what is received, and what may arrive on each channel."""

    def __init__(self, system: System) -> None:
        self.sent: dict[Channel, set[Message]] = defaultdict(set)
        self.received: dict[Channel, set[Message]] = defaultdict(set)
        self.corruptions = [Failures().on(s).channels for s in _declared(system)]
        for process, action, _ in _rows(system):
            channel = channel_of(process.name, action)
            assert channel is not None
            (self.sent if isinstance(action, Send) else self.received)[channel].add(action.message)

    def arriving(self, channel: Channel) -> set[Message]:
        """What is sent, and what declared corruption makes of it."""
        arriving = set(self.sent[channel])
        for channels in self.corruptions:
            becomes = channels[channel].becomes if channel in channels else {}
            arriving |= {after for before in self.sent[channel] for after in becomes.get(str(before), ())}
        return arriving


def _declared(system: System) -> Iterator[System]:
    """The system with the faults of its file, and with those of each requirement that has its own."""
    yield system
    for requirement in system.requirements:
        if requirement.under is not None:
            yield replace(system, faults=requirement.under.faults)


def _rows(system: System) -> Iterator[tuple[Process, Send | Receive, list[Transition]]]:
    """Each action of each process, with all transitions that have it."""
    table: dict[tuple[Process, Send | Receive], list[Transition]] = defaultdict(list)
    for process in system:
        for row in process.transitions:
            if isinstance(row.action, Send | Receive) and row.action.message is not CRASH:
                table[process, row.action].append(row)
    yield from ((process, action, rows) for (process, action), rows in table.items())


def message_warnings(system: System, places: Places | NoPlaces) -> Iterator[Warning]:
    """Receptions that nobody sends, and sends that nobody receives, each once.

    What is written once for all members of a family and all values needs a counterpart for one of them.
    """
    traffic = _Traffic(system)
    found: list[Warning] = []
    answered: set[Place] = set()
    for process, action, rows in _rows(system):
        channel = channel_of(process.name, action)
        assert channel is not None
        said, meant = _mismatch(traffic, channel, action)
        if said:
            found.append(Warning(said, places.transition(process.name, rows[0]), instead=meant))
        elif system.made_of_data:
            answered.update(places.transition(process.name, row) for row in rows)
    yield from (warning for warning in found if warning.place not in answered)


def _mismatch(traffic: _Traffic, channel: Channel, action: Send | Receive) -> tuple[str, str | None]:
    """What is wrong with an action whose counterpart is missing, and which message was probably meant."""
    sent, received = traffic.sent[channel], traffic.received[channel]
    if isinstance(action, Receive) and action.message not in traffic.arriving(channel):
        said = f"nobody sends '{action.message}' to {channel.receiver}"
        return _with_others(said, f"{channel.sender} sends", sent - received, action.message)
    if isinstance(action, Send) and action.message not in received:
        said = f"{channel.receiver} never receives '{action.message}' from {channel.sender}"
        return _with_others(said, "it receives", received - sent, action.message)
    return "", None


def _with_others(said: str, clause: str, others: set[Message], message: Message) -> tuple[str, str | None]:
    """What is there instead: the near miss, or else all that has no counterpart."""
    names = sorted(m for m in others if isinstance(m, str))
    close = meant_name(did_you_mean(str(message), names))
    chosen = names[:3] if close is None else [close]
    return said + (f"; {clause} {listed([quoted(n) for n in chosen])}" if chosen else ""), close


def quoted(name: str) -> str:
    return f"'{name}'"
