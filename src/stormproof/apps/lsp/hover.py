"""What a name stands for: what a state waits for, who sends and receives a message, what a channel may do."""

from __future__ import annotations

from collections.abc import Iterator

from lsprotocol import types as lsp

from ...kernel.data.system import DataSystem
from ...kernel.model.actions import Channel, Internal, Receive, Send, Transition, channel_of
from ...kernel.model.failures import Failures
from ...kernel.model.failures_text import process_failures
from ...kernel.model.phrases import arrow, listed, plural
from ...kernel.model.process import Process
from ...kernel.model.rest import rest_states
from ...kernel.model.system import System
from ...languages.formats import storm_occurrences as words
from ...languages.formats.storm_occurrences import Occurrence
from .data_hover import data_lines
from .open_text import OpenText
from .shown import content
from .words import explained


def hover(text: OpenText, position: lsp.Position, markdown: bool = True) -> lsp.Hover | None:
    word, system = text.word_at(position), text.system
    if word is None and (found := explained(text.outline, text.offset(position))) is not None:
        return lsp.Hover(content([found.line], markdown), range=text.range(found.start, found.end))
    if word is None or system is None:
        return None
    lines = list(_lines(system, word))
    if not lines:
        return None
    return lsp.Hover(content(lines, markdown), range=text.range(word.start, word.end))


def _lines(system: System, word: Occurrence) -> Iterator[str]:
    if isinstance(system, DataSystem):
        yield from data_lines(system, word)
    elif word.kind == words.ROLE and word.name in system:
        yield from _role(system, system[word.name])
    elif word.kind == words.STATE and word.role in system and word.name in system[word.role].states:
        yield from _state(system, system[word.role], word.name)
    elif word.kind == words.MESSAGE:
        yield from _message(system, word)


def _role(system: System, process: Process) -> Iterator[str]:
    yield f"role {process.name}: {plural(len(process.states), 'state')}, starts in {process.initial}"
    model = Failures().on(system)
    yield from (line for line in process_failures(system, model) if process.name in line)
    for channel in system.channels:
        if process.name in channel:
            yield channel_line(system, channel)


def channel_line(system: System, channel: Channel) -> str:
    """`channel A→B: loss and reordering`, as the file declares it."""
    faults = Failures().on(system).on(channel).describe()
    return f"channel {arrow(channel)}: {listed(list(faults)) if faults else 'no faults declared'}"


def _state(system: System, process: Process, state: str) -> Iterator[str]:
    rests = state in rest_states(system).rest[process.name]
    notes = [*(["initial"] if state == process.initial else []), *(["may rest here"] if rests else [])]
    yield f"state {state} of {process.name}" + (f": {', '.join(notes)}" if notes else "")
    outgoing = process.outgoing(state)
    if not outgoing:
        yield "final: nothing follows"
    yield from _transfers("waits for", "from", [t for t in outgoing if isinstance(t.action, Receive)])
    yield from _transfers("sends", "to", [t for t in outgoing if isinstance(t.action, Send)])
    for transition in outgoing:
        if isinstance(transition.action, Internal):
            yield f"{transition.action} → {transition.target}"


def _transfers(verb: str, preposition: str, taken: list[Transition]) -> Iterator[str]:
    """One line per peer."""
    peers: dict[str, list[str]] = {}
    for _, action, target in taken:
        assert isinstance(action, Send | Receive)
        peers.setdefault(action.peer, []).append(f"{action.message} (→ {target})")
    for peer, messages in peers.items():
        yield f"{verb} {listed(messages, 'or')} {preposition} {peer}"


def _message(system: System, word: Occurrence) -> Iterator[str]:
    """Who sends and who receives it on each channel that has it, the channel at hand first."""
    channels = [c for c in system.channels if word.name in system.alphabet(c)]
    for channel in sorted(channels, key=lambda c: c != word.channel):
        yield f"message {word.name} on {arrow(channel)}"
        yield f"sent by {channel.sender} in {_states(system[channel.sender], channel, word.name, Send)}"
        yield f"received by {channel.receiver} in " + _states(
            system[channel.receiver], channel, word.name, Receive
        )
        yield channel_line(system, channel)


def _states(process: Process, channel: Channel, message: str, kind: type[Send | Receive]) -> str:
    found = dict.fromkeys(
        t.source
        for t in process.transitions
        if isinstance(t.action, kind)
        and t.action.message == message
        and channel_of(process.name, t.action) == channel
    )
    return listed(list(found)) if found else "no state"
