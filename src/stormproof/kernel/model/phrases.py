"""Small pieces of sentences in the protocol's own names, shared by all that speaks to people."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import PurePath

from ...errors import Place
from .actions import CRASH, TIMEOUT, Channel, Crash, Internal, Message, Receive, Send, sender_in
from .cuts import Cut, is_link
from .process import Process, StateKind
from .rest import stopped_states
from .system import System


def listed(words: Iterable[str], last: str = "and", *, distinct: bool = True) -> str:
    """`a`, `a and b`, `a, b and c`; equal words once, unless `distinct` is False."""
    parts = list(dict.fromkeys(words) if distinct else words)
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def clauses(parts: Iterable[str]) -> str:
    """Like `listed`, with a comma before the last one where another has commas of its own."""
    several = list(dict.fromkeys(parts))
    if any("," in part for part in several[:-1]):
        return f"{', '.join(several[:-1])}, and {several[-1]}"
    return listed(several)


def few(states: Sequence[str]) -> str:
    """`a, b or c`; of many states the first three and how many others."""
    if len(states) <= 5:
        return listed(states, "or")
    return f"{', '.join(states[:3])} or {len(states) - 3} other states"


def plural(count: int, word: str) -> str:
    """`1 step`, `2 steps`, `1,000 steps`, `2 losses`, `2 properties`."""
    several = f"{word[:-1]}ies" if word.endswith("ty") else f"{word}{'es' if word[-1] in 'shx' else 's'}"
    return f"{count:,} {word if count == 1 else several}"


def queues(system: System) -> str:
    """`3 channels`, or `2 mailboxes`."""
    if system.mailboxes:
        return plural(len({c.receiver for c in system.channels}), "mailbox")
    return plural(len(system.channels), "channel")


def any_of(count: int, word: str) -> str:
    """`any 2 losses`, `any single loss`."""
    return f"any single {word}" if count == 1 else f"any {plural(count, word)}"


def arrow(channel: Channel) -> str:
    return (
        f"the mailbox of {channel.receiver}" if channel.is_mailbox else f"{channel.sender}→{channel.receiver}"
    )


def cut_name(cut: Cut) -> str:
    """What a cut takes down: `A→B`, `A↔B`, `A→C and B→C`."""
    if is_link(cut):
        return f"{cut[0].sender}↔{cut[0].receiver}"
    links_of, single = _halves(cut)
    return listed([*links_of, *map(arrow, single)])


def _halves(cut: Cut) -> tuple[list[str], list[Channel]]:
    """The links of which both channels are cut, and the other channels."""
    both = [c for c in cut if Channel(c.receiver, c.sender) in cut and c.sender != c.receiver]
    named: Mapping[frozenset[str], Channel] = {frozenset(c): c for c in reversed(both)}
    found = [f"{c.sender}↔{c.receiver}" for c in sorted(named.values(), key=cut.index)]
    return found, [c for c in cut if c not in both]


def named(message: Message, sender: str) -> str:
    """A message as a sentence names it; the crash message is the notice of a crash, and a user's message that
    is spelt as that is drawn stands in quotation marks."""
    if isinstance(message, Crash):
        return f"the crash notice of {sender}"
    return f'"{message}"' if message == str(CRASH) else str(message)


def taken(system: System, action: Receive) -> str:
    """One message to receive, with its sender where there are several."""
    return awaited(system, [action])


def counted(words: Iterable[str]) -> list[str]:
    """Equal neighbours once, with their number: `3 × data`."""
    runs = [(word, len(list(equal))) for word, equal in groupby(words)]
    return [word if count == 1 else f"{count} × {word}" for word, count in runs]


def content(channel: Channel, word: Sequence[Message]) -> str:
    """What a channel holds, head first: `start, 3 × data`; in a mailbox `start from A, 3 × data from B`."""
    if channel.is_mailbox:
        return ", ".join(counted(from_sender(m) for m in word))
    return ", ".join(counted(named(m, channel.sender) for m in word))


def from_sender(message: Message) -> str:
    """A message of a mailbox, with its sender."""
    sender = sender_in(message)
    return named(message, sender) + ("" if isinstance(message, Crash) else f" from {sender}")


def words_in(channel: Channel, word: Sequence[Message]) -> str:
    """`A→B holds a, b`."""
    return f"{arrow(channel)} holds {content(channel, word)}"


def awaited(system: System, receives: Iterable[Receive]) -> str:
    """`a or b`, by peer where there are several processes to wait for: `a or b from P, or c from Q`."""
    table: dict[str, list[str]] = {}
    tail = len(system.processes) > 2
    for action in receives:
        what = (
            "the crash notice"
            if tail and isinstance(action.message, Crash)
            else named(action.message, action.peer)
        )
        table.setdefault(action.peer, []).append(what)
    parts = [listed(m, "or") + (f" from {peer}" if tail else "") for peer, m in table.items()]
    return ", or ".join(parts)


def sends_of(system: System, sends: Iterable[Send]) -> str:
    """`a or b`, with the receiver where there are several."""
    tail = len(system.processes) > 2
    names = [(a, "the crash notice" if isinstance(a.message, Crash) else str(a.message)) for a in sends]
    return listed((f"{name} to {a.peer}" if tail else name for a, name in names), "or")


def own_actions(process: Process, state: str) -> list[str]:
    """What a process may do in a state by itself: `its timer`, `its timer retry`, `its action work`."""
    found = [t.action for t in process.outgoing(state) if isinstance(t.action, Internal)]
    return [_own(action) for action in found if not action.is_fault]


def _own(action: Internal) -> str:
    if not action.timeout:
        return f"its action {action.name}"
    return "its timer" if action.name == TIMEOUT else f"its timer {action.name}"


def placed(process: Process, state: str) -> str:
    """A state, with the line of the program that it stands for, if there is one: `waiting (abp.py:11)`."""
    place = process.place(state)
    return state if place is None else f"{state} ({short_place(place)})"


def short_place(place: Place) -> str:
    return f"{PurePath(place.file or '').name}:{place.line}"


#: Of more processes than these, a sentence about some says nothing of the others.
_MANY = 6


def standing(system: System, states: Mapping[str, str], first: Sequence[str] = ()) -> str:
    """Where everybody is: `N1 leader, N3 follower, N2 stopped`, those that matter `first`."""
    named_first = [name for name in dict.fromkeys(first) if name in states]
    others = [name for name in system.names if name not in named_first]
    shown = named_first if named_first and len(system.names) > _MANY else [*named_first, *others]
    known = system.observed
    return ", ".join(f"{name} {_standing(known[name], states[name])}" for name in shown)


def _standing(process: Process, state: str) -> str:
    if state in process.crashed_states:
        return "crashed"
    return "stopped" if state in stopped_states(process) else placed(process, state)


def situation(system: System, process: Process, state: str) -> str:
    """What a process does in a state: `A waits in s for a or b`, `A has ended in t`, `A has crashed`."""
    if state in process.crashed_states:
        return f"{process.name} has crashed"
    if state in stopped_states(process):
        return f"{process.name} has stopped"
    kind, own, here = process.kind(state), own_actions(process, state), placed(process, state)
    if kind is StateKind.RECEIVING:
        waits = f"{process.name} waits in {here} for {awaited(system, process.receives(state))}"
        return f"{waits}, or for {listed(own, 'or')}" if own else waits
    if kind is StateKind.SENDING:
        return f"{process.name} wants to send {sends_of(system, process.sends(state))} in {here}"
    if kind is StateKind.MIXED:
        wants = f"wants to send {sends_of(system, process.sends(state))}"
        return f"{process.name} {wants} in {here} or waits for {awaited(system, process.receives(state))}"
    if own:
        return f"{process.name} may go on from {here} by {listed(own, 'or')}"
    return f"{process.name} has ended in {here}"
