"""Systems of communicating machines as McScM and ReSCu have them, written. States become numbers."""

from __future__ import annotations

import re

from ...errors import FormatError
from ...kernel.model.actions import Action, Channel, Internal, Message, Receive, Send, channel_of
from ...kernel.model.faults import ChannelFaults
from ...kernel.model.phrases import listed
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .annotations import Aliases, MessageAliases, role_notes, write_notes
from .scm import TAU
from .storm_cuts import write_cuts
from .storm_faults import write_faults
from .storm_scan import quote

_FITS = re.compile(r"[A-Za-z]\w*", re.ASCII)
_RESERVED = (
    *("scm", "nb_channels", "parameters", "automaton", "initial", "state", "to", "when", "true", "false"),
    *("real", "int", "bool", "bad_states", "with", "in", "and", "or", "not", "lossy", "not_named"),
)


def write(system: System) -> str:
    """What the language cannot say stands in notes; `lossy` is the tools' own annotation."""
    if system.mailboxes:
        _check_receptions(system)
    roles = Aliases(system.names, _FITS, _RESERVED, "p")
    messages = MessageAliases(system, _FITS, _RESERVED)
    numbers = _numbers(system)
    names = Aliases([system.name], _FITS, _RESERVED, "s")
    lines = [
        f"scm {names[system.name] if system.name else 'not_named'} :",
        "",
        f"nb_channels = {len(set(numbers.values()))} ;",
    ]
    lines += _lossy(system, numbers)
    lines += write_notes(_notes(system, names, roles, messages, numbers), "/*", " */")
    lines += ["", "parameters :", *(f"real {m} ;" for m in _parameters(system, messages))]
    for process in system:
        lines += ["", *_automaton(process, roles, messages, numbers)]
    return "\n".join(lines) + "\n"


def _numbers(system: System) -> dict[Channel, int]:
    """Channels in use, and those that the file declares faults for; with mailboxes, one per receiver."""
    if not system.mailboxes:
        used = [*system.channels, *(Channel(f.sender, f.receiver) for f in system.faults)]
        return {channel: i for i, channel in enumerate(dict.fromkeys(used))}
    owners = {name: i for i, name in enumerate(dict.fromkeys(c.receiver for c in system.channels))}
    return {channel: owners[channel.receiver] for channel in system.channels}


def _check_receptions(system: System) -> None:
    """A reception from a channel of this language takes a message whoever sent it."""
    for process in system:
        into = [c for c in system.channels if c.receiver == process.name]
        rows = [t for t in process.transitions if isinstance(t.action, Receive)]
        for source, action, target in rows:
            assert isinstance(action, Receive)
            meant = [c.sender for c in into if _sends(system, c, action.message)] or [c.sender for c in into]
            others = [s for s in meant if (source, Receive(s, action.message), target) not in rows]
            if others or action.peer not in meant:
                raise FormatError(
                    f"a reception from a mailbox does not name the sender in scm: {process.name} takes "
                    f"{action.message} from {action.peer} in {source}, not from {listed(others or meant)}",
                    hint="give the messages of different senders different names",
                )


def _sends(system: System, channel: Channel, message: Message) -> bool:
    return any(t.action == Send(channel.receiver, message) for t in system[channel.sender].transitions)


def _parameters(system: System, messages: MessageAliases) -> list[str]:
    found = dict.fromkeys(messages.of(m) for alphabet in system.alphabets.values() for m in alphabet)
    return list(found)


def _lossy(system: System, numbers: dict[Channel, int]) -> list[str]:
    lossless = () if system.mailboxes else system.faults
    lossy = sorted(numbers[Channel(f.sender, f.receiver)] for f in lossless if f.loss)
    return [f"/*# lossy: {', '.join(map(str, lossy))} #*/"] if lossy else []


def _notes(
    system: System, names: Aliases, roles: Aliases, messages: MessageAliases, numbers: dict[Channel, int]
) -> list[str]:
    lines = [f"protocol {quote(system.name)}"] if names.changed() and system.name else []
    lines += [f"unreliable role {quote(role)}" for role in system.unreliable]
    just_loss = (
        []
        if system.mailboxes
        else [f for f in system.faults if f == ChannelFaults(f.sender, f.receiver, loss=True)]
    )
    rest = tuple(f for f in system.faults if f not in just_loss)
    declared = write_faults(System(system.processes, faults=rest), each=True)
    lines += [f"faults {line}" for line in (*declared, *write_cuts(system))]
    lines += [*role_notes(roles), *messages.notes()]
    if system.mailboxes:
        lines.append("communication mailbox")
    known = _used_both_ways(system)
    for channel, number in numbers.items():
        if channel not in known:
            lines.append(f"channel {number}: {quote(channel.sender)} -> {quote(channel.receiver)}")
    return lines


def _used_both_ways(system: System) -> set[Channel]:
    """The channels on which somebody sends and somebody receives."""
    sent: set[Channel] = set()
    received: set[Channel] = set()
    for process in system:
        for transition in process.transitions:
            channel = channel_of(process.name, transition.action)
            if channel is not None:
                (sent if isinstance(transition.action, Send) else received).add(channel)
    return sent & received


def _automaton(
    process: Process, roles: Aliases, messages: MessageAliases, numbers: dict[Channel, int]
) -> list[str]:
    state = {name: i for i, name in enumerate(process.states)}
    lines = [f"automaton {roles[process.name]} :", "", f"initial : {state[process.initial]}"]
    for name, number in state.items():
        lines += ["", f"state {number} :"]
        for transition in process.outgoing(name):
            action = _action(process.name, transition.action, messages, numbers)
            lines.append(f"to {state[transition.target]} : when true {action};")
    return lines


def _action(owner: str, action: Action, messages: MessageAliases, numbers: dict[Channel, int]) -> str:
    if isinstance(action, Internal):
        return "" if action.name == TAU else f"/* stormproof: internal {quote(action.name)} */ "
    channel = channel_of(owner, action)
    assert channel is not None
    sign = "?" if isinstance(action, Receive) else "!"
    return f", {numbers[channel]} {sign} {messages.of(action.message)} "
