"""Different spellings of one message: tools that agree on a protocol still write `int` or `i32`.

Readers keep the names that users wrote. Only a comparison looks through spellings, and only by a bijection on
each channel, so that no two messages which one system keeps apart become one.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple

from ..model.actions import Action, Channel, Internal, Message, Transition, channel_of
from ..model.faults import ChannelFaults
from ..model.process import Process
from ..model.system import System

#: The spellings of each payload sort. `int` without a width is what code generators make `i32` of; what
#: spells out another width or sign (`i64`, `u32`) is another sort.
SORTS = {
    "int": ("int", "Int", "integer", "Integer", "i32", "int32"),
    "string": ("string", "String", "str", "Str"),
    "bool": ("bool", "Bool", "boolean", "Boolean"),
    "unit": ("unit", "Unit"),
}
_SORT = {word: sort for sort, words in SORTS.items() for word in words}

_MESSAGE = re.compile(r"(?P<label>[^()<>]*)(?:\((?P<round>.*)\)|<(?P<angle>.*)>)", re.DOTALL)
_TOKEN = re.compile(r"\w+|::|\(\s*\)|\S")
_PATH = (".", "::")

#: For each channel, the second system's spelling of a message -> the first system's.
Renaming = Mapping[Channel, Mapping[str, str]]


class PayloadAlias(NamedTuple):
    """One message that two systems spell differently."""

    channel: Channel
    first: str
    second: str


def meaning(message: str) -> tuple[str, ...]:
    """What two spellings of one message have in common: the label, then the payload's words.

    Blanks do not count, `m<int>` is `m(int)`, and `m`, `m()` and `m(unit)` carry nothing.
    """
    found = _MESSAGE.fullmatch(message.strip())
    if found is None:
        return (message.strip(),)
    inside = found["round"] if found["round"] is not None else found["angle"]
    words = _payload(inside)
    return (found["label"].rstrip(), *(() if words == ("unit",) else words))


def _payload(text: str) -> tuple[str, ...]:
    """The words of a payload, sorts by one name each; a parameter (`int: str`) or a path is no sort."""
    words = [w if w[0] != "(" or len(w) == 1 else "unit" for w in _TOKEN.findall(text)]
    around = ["", *words, ""]
    return tuple(
        w if before in _PATH or after in (*_PATH, ":") else _SORT.get(w, w)
        for before, w, after in zip(around, words, around[2:], strict=False)
    )


def renaming(first: System, second: System) -> dict[Channel, dict[str, str]]:
    """Which messages of the second system are another spelling of one of the first, channel by channel.

    Only where each system has exactly one spelling of it on that channel. Corruption within the sender or the
    system looks across channels: where that is declared, one bijection must serve all channels, or none does.
    """
    found: dict[Channel, dict[str, str]] = {}
    for channel in second.channels:
        ours, theirs = (_by_meaning(system.alphabet(channel)) for system in (first, second))
        pairs = {theirs[m][0]: ours[m][0] for m in theirs if len(theirs[m]) == len(ours.get(m, ())) == 1}
        changed = {their: our for their, our in pairs.items() if their != our}
        if changed:
            found[channel] = changed
    if found and _looks_across(first, second) and not _one_bijection(second, found):
        return {}
    return found


def _by_meaning(alphabet: Iterable[Message]) -> dict[tuple[str, ...], list[str]]:
    table: dict[tuple[str, ...], list[str]] = defaultdict(list)
    for message in alphabet:
        if isinstance(message, str):
            table[meaning(message)].append(message)
    return table


def _looks_across(*systems: System) -> bool:
    declared = (f.corrupt for s in systems for f in s.faults)
    return any(c is not None and c.pairs is None and c.scope != "channel" for c in declared)


def _one_bijection(system: System, names: Renaming) -> bool:
    images: dict[str, set[str]] = defaultdict(set)
    for channel, alphabet in system.alphabets.items():
        for message in alphabet:
            if isinstance(message, str):
                images[message].add(names.get(channel, {}).get(message, message))
    new = [image for found in images.values() for image in found]
    return len(new) == len(set(new)) == len(images)


def respell(system: System, names: Renaming) -> System:
    """The system with its messages spelt as the renaming says."""
    if not names:
        return system
    return replace(
        system,
        processes=tuple(_respell_process(p, names) for p in system),
        faults=tuple(_respell_fault(f, names) for f in system.faults),
    )


def _respell_process(process: Process, names: Renaming) -> Process:
    rows = (Transition(s, respell_action(process.name, a, names), t) for s, a, t in process.transitions)
    return replace(process, transitions=tuple(rows))


def respell_action(process: str, action: Action, names: Renaming) -> Action:
    channel = channel_of(process, action)
    if channel is None or isinstance(action, Internal) or not isinstance(action.message, str):
        return action
    return replace(action, message=names.get(channel, {}).get(action.message, action.message))


def _respell_fault(fault: ChannelFaults, names: Renaming) -> ChannelFaults:
    here = names.get(Channel(fault.sender, fault.receiver), {})
    return fault.renamed({}, here)
