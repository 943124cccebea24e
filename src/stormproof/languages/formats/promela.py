"""Promela, written for SPIN: channels of capacity k, one label per local state, one transition per action.

SPIN then stores exactly one state per configuration of the system:

    spin -o3 -a abp.pml && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E

(`-o3` keeps SPIN from merging internal steps, `-DNOREDUCE` from omitting interleavings, `-E` from stopping at
a deadlock; without `-E` it searches for one.) Declared faults are part of the model: each faulty channel has
a process that loses, corrupts or swaps one message at a time, atomically, and a send into a full lossy
channel may be lost immediately (definitions 2.6). The crash message is not affected. Stops and restarts are
internal actions (definitions 9.5).
"""

from __future__ import annotations

import re

from ...errors import FormatError, UsageError
from ...kernel.model.actions import (
    Action,
    Channel,
    Internal,
    Message,
    Receive,
    Send,
    channel_of,
    message_order,
    sender_in,
)
from ...kernel.model.failures import ChannelFailure, FailureModel, Failures
from ...kernel.model.faults import DUPLICATION, LOSS
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...kernel.transform.prepare import with_process_faults
from .annotations import Aliases, MessageAliases

_FITS = re.compile(r"[A-Za-z]\w*", re.ASCII)
_WORDS = """active assert atomic bit bool break byte chan d_step D_proctype do else empty enabled end eval
    false fi for full get_priority goto hidden if in inline init int len local ltl mtype nempty never
    nfull notrace np_ od of pc_value pid pml_cexpr print printf printm priority proctype progress
    provided return run select set_priority short show skip STDIN timeout trace true typedef typename
    unless unsigned xr xs c_code c_decl c_expr c_state c_track accept always eventually until weak
    strong next release implies equivalent K x y i n done"""
_RESERVED = frozenset(re.findall(r"\w+", _WORDS))
#: SPIN numbers messages, channels and processes with a byte.
_MOST = 255


def write(system: System, k: int = 1) -> str:
    """The system for SPIN, with its declared faults, channels holding up to k messages."""
    if k < 1:
        raise UsageError(f"the capacity of a channel is at least 1, not {k}")
    failures = Failures().on(system)
    if failures.cuts:
        hint = "leave the cuts out of the file, or declare loss on these channels instead"
        raise UsageError("links that are cut for good are not written for SPIN", hint=hint)
    system = with_process_faults(system, failures).system
    faulty = {c: f for c in system.channels if not (f := failures.on(c)).perfect}
    daemons = {c: f for c, f in faulty.items() if f.kinds != (DUPLICATION,)}
    names = _Names(system, failures, tuple(faulty))
    _check_sizes(system, len(faulty), k)
    lines = _head(system, k)
    lines += [f"mtype = {{ {', '.join(names.messages_used())} }};"] if system.channels else []
    lines += [f"chan {names.channel[c]} = [K] of {{ mtype }};  {_comment(c)}" for c in system.channels]
    for process in system:
        lines += ["", *_proctype(process, names, failures)]
    for channel, failure in daemons.items():
        lines += ["", *_daemon(channel, failure, names)]
    return "\n".join(lines) + "\n"


def _head(system: System, k: int) -> list[str]:
    title = _plain(system.name) or "a system"
    return [
        f"/* {title}, for SPIN, which stores one state for each configuration of it when run so:",
        *_HOW,
        f"#define K {k}",
    ]


_HOW = ["   spin -o3 -a FILE && cc -O2 -DSAFETY -DNOREDUCE -o pan pan.c && ./pan -E */"]


def _plain(text: str) -> str:
    """A name as a comment may hold it."""
    return re.sub(r"[^\w .,:<>()!?-]", "_", text)


def _comment(channel: Channel) -> str:
    if channel.is_mailbox:
        return f"/* the mailbox of {_plain(channel.receiver)} */"
    return f"/* {_plain(channel.sender)} to {_plain(channel.receiver)} */"


def _check_sizes(system: System, faulty: int, k: int) -> None:
    messages = {m for alphabet in system.alphabets.values() for m in alphabet}
    for count, what in (
        (len(messages), "messages"),
        (len(system.channels), "channels"),
        (len(system.processes) + faulty, "processes, those for faulty channels included"),
        (k, "messages a channel"),
    ):
        if count > _MOST:
            raise FormatError(f"SPIN takes at most {_MOST} {what}, and this needs {count}")


class _LetterAliases:
    """Words for messages with their senders, as they stand in mailboxes: `order_Buyer`."""

    crash = None

    def __init__(self, system: System, failures: FailureModel) -> None:
        standing = [m for c in system.channels for m in (*system.alphabet(c), *failures.on(c).pool)]
        spelt = {m: f"{m}\0{sender_in(m)}" for m in standing}
        made = Aliases(spelt.values(), _FITS, _RESERVED, "m")
        self.table = {m: made[name] for m, name in spelt.items()}

    def of(self, message: Message) -> str:
        return self.table[message]


class _Names:
    """Words of Promela for messages, processes and channels, all different."""

    def __init__(self, system: System, failures: FailureModel, faulty: tuple[Channel, ...]) -> None:
        self.system = system
        letters, words = _LetterAliases, MessageAliases
        self.messages = letters(system, failures) if system.mailboxes else words(system, _FITS, _RESERVED)
        taken = {*_RESERVED, *self.messages.table.values(), self.messages.crash or "", "faults"}
        self.roles = Aliases(system.names, _FITS, taken, "p")
        taken |= set(self.roles.table.values())
        pairs = {c: self._ends(c) for c in system.channels}
        made = Aliases(pairs.values(), _FITS, taken, "c")
        self.channel = {c: made[name] for c, name in pairs.items()}
        taken |= set(made.table.values())
        daemons = Aliases([f"faults_{self.channel[c]}" for c in faulty], _FITS, taken, "f")
        self.daemon = {c: daemons[f"faults_{self.channel[c]}"] for c in faulty}

    def _ends(self, channel: Channel) -> str:
        owner = self.roles[channel.receiver]
        return f"mailbox_of_{owner}" if channel.is_mailbox else f"{self.roles[channel.sender]}_to_{owner}"

    def messages_used(self) -> list[str]:
        used = dict.fromkeys(self.messages.of(m) for a in self.system.alphabets.values() for m in a)
        pairs = [name for name in self.messages.table.values() if name not in used]
        return [*used, *pairs]


def _proctype(process: Process, names: _Names, failures: FailureModel) -> list[str]:
    """A label a state; a state that nothing leaves is a valid end."""
    ends = {s for s in process.states if not process.outgoing(s)}
    labels = Aliases(process.states, re.compile(r"\w+", re.ASCII), (), "s")
    spelt = {s: f"end_{labels[s]}" if s in ends else f"s_{labels[s]}" for s in process.states}
    lines = [f"active proctype {names.roles[process.name]}() {{"]
    for state in process.states:
        if state in ends:
            lines.append(f"{spelt[state]}: false;")
            continue
        lines.append(f"{spelt[state]}: if")
        for transition in process.outgoing(state):
            for guard in _guards(process.name, transition.action, names, failures):
                lines.append(f"  :: {guard} -> goto {spelt[transition.target]}")
        lines.append("  fi;")
    return [*lines, "}"]


def _guards(owner: str, action: Action, names: _Names, failures: FailureModel) -> list[str]:
    """How an action is written; a send into a full channel that loses messages may be lost at once."""
    if isinstance(action, Internal):
        # Always so, but SPIN does not see it: it refuses a plain `true` that leads back to its own state.
        return [f"_nr_pr > 0 /* {_plain(action.name)} */"]
    channel = channel_of(owner, action)
    assert channel is not None
    word, message = names.channel[channel], names.messages.of(action.message)
    if not isinstance(action, Send):
        return [f"{word}?{message}", *_staying(failures.on(channel), action, word, names)]
    lost = failures.on(channel).affects(LOSS, action.message)
    return [f"{word}!{message}", *([f"full({word})"] if lost else [])]


def _staying(failure: ChannelFailure, action: Receive, word: str, names: _Names) -> list[str]:
    """Receptions after which the message stays, where the channel duplicates; the copy may be corrupted."""
    if not failure.affects(DUPLICATION, action.message):
        return []
    heads = [action.message, *(m for m in sorted(failure.becomes) if action.message in failure.becomes[m])]
    return [f"{word}?<{names.messages.of(head)}>" for head in heads]


def _daemon(channel: Channel, failure: ChannelFailure, names: _Names) -> list[str]:
    """One step of interference: turn the channel round once, doing at most one thing to one message on the
    way. It ends as it began, so that it adds nothing to the state but what became of the channel."""
    word, second = names.channel[channel], failure.reorder
    return [
        f"active proctype {names.daemon[channel]}() {{",
        f"  mtype x{', y' if second else ''}; byte i, n; bool done;",
        "end: do",
        f"  :: atomic {{ nempty({word}) -> n = len({word});",
        "       do",
        f"       :: i < n -> {word}?x; i++;",
        "          if",
        f"          :: {word}!x",
        *(f"          :: !done && {harm}" for harm in _harms(channel, failure, names)),
        "          fi",
        "       :: i == n -> break",
        f"       od; x = 0;{' y = 0;' if second else ''} i = 0; n = 0; done = false }}",
        "  od",
        "}",
    ]


def _harms(channel: Channel, failure: ChannelFailure, names: _Names) -> list[str]:
    """What may happen to the message x that has just been taken: it is lost, corrupted, or overtaken."""
    word = names.channel[channel]
    standing = dict.fromkeys((*names.system.alphabet(channel), *failure.pool))
    spared = "".join(f"x != {names.messages.of(m)} && " for m in standing if not failure.affects(LOSS, m))
    harms = [f"{spared}n > 0 -> done = true"] if failure.loss else []
    for sent in sorted(failure.becomes, key=message_order):
        for got in sorted(failure.becomes[sent], key=message_order):
            was, becomes = names.messages.of(sent), names.messages.of(got)
            harms.append(f"x == {was} -> done = true; {word}!{becomes}")
    if failure.reorder:
        harms.append(_swap(word, failure, tuple(standing), names))
    return harms


def _swap(word: str, failure: ChannelFailure, standing: tuple[Message, ...], names: _Names) -> str:
    """The next message y goes before x, unless one of them is a crash message that stays where it is."""
    fixed = [m for m in standing if not any(failure.exchanges(m, other) for other in standing)]
    kept = {
        names.messages.of(y): [names.messages.of(x) for x in standing if not failure.exchanges(x, y)]
        for y in standing
        if any(not failure.exchanges(x, y) for x in standing if x not in fixed)
    }
    swap = f"{word}!y; {word}!x"
    if kept:
        every = len(standing)
        cases = (
            f"y == {y}" if len(xs) == every else f"y == {y} && ({' || '.join(f'x == {x}' for x in xs)})"
            for y, xs in kept.items()
        )
        swap = f"if :: {' || '.join(cases)} -> {word}!x; {word}!y :: else -> {swap} fi"
    first = "".join(f"x != {names.messages.of(m)} && " for m in fixed)
    return f"{first}i < n -> done = true; {word}?y; i++; {swap}"
