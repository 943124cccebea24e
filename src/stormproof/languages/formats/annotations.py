"""What another language cannot say, said in its comments: `stormproof: ...`, which the readers understand.

    stormproof: protocol NAME                      the protocol's name
    stormproof: unreliable role A                  A may crash
    stormproof: faults A -> B: loss, reorder       as in the .storm language
    stormproof: role ALIAS = NAME                  the language's spelling of a role whose name it
    cannot spell
    stormproof: message ALIAS = NAME               the same for a message; `= crash` is the crash message
    stormproof: channel 3: A -> B                  the ends of a numbered channel (.scm); of a mailbox, a
    sender and the receiver, as often as there are senders
    stormproof: communication mailbox              channels are mailboxes, even with one sender each (.scm)
    stormproof: internal NAME                      the name of the internal action it stands in (.scm)
    stormproof: state NAME                         a state that no transition names (.fsa)

Names are those of the .storm language, quoted where they are not words. To other tools these are comments.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from ...kernel.model.actions import CRASH, Message
from ...kernel.model.system import System
from .storm_cuts import resolve_cuts, write_cuts
from .storm_faults import Declared, parse_faults, resolve, with_role_faults, write_faults
from .storm_names import Names
from .storm_scan import Cursor, quote, quoted, write_message
from .text import Source

#: A note is all that its comment, or its line of a longer comment, says.
_NOTE = re.compile(r"[ \t]*(?:(?:(?:--|//|/\*+|#+|\*(?!/))#?|#)[ \t]*)?stormproof:[ \t]*")


@dataclass
class Notes:
    """The notes of one text; aliases map the language's spellings to names."""

    source: Source
    name: str = ""
    unreliable: dict[str, int] = field(default_factory=dict)
    faults: list[Declared] = field(default_factory=list)
    roles: dict[str, str] = field(default_factory=dict)
    messages: dict[str, Message] = field(default_factory=dict)
    internals: list[tuple[int, str]] = field(default_factory=list)
    channels: dict[int, list[tuple[str, str]]] = field(default_factory=dict)
    mailboxes: bool = False
    states: set[str] = field(default_factory=set)

    def role(self, alias: str) -> str:
        return self.roles.get(alias, alias)

    def message(self, alias: str) -> Message:
        return self.messages.get(alias, alias)

    def internal(self, start: int, end: int) -> str | None:
        """The name that a note between two places gives to an internal action."""
        at = bisect_left(self.internals, (start, ""))
        return self.internals[at][1] if at < len(self.internals) and self.internals[at][0] < end else None

    def complete(self, system: System) -> System:
        """The system with its name, who may crash, and its faults."""
        names = Names(self.source, system)
        known = [role for role, start in self.unreliable.items() if names.role(role, start)]
        faults, cuts = resolve(names, self.faults), resolve_cuts(names, self.faults)
        changed = with_role_faults(names, self.faults, system)
        names.raise_mistakes()
        system = changed.with_unreliable(known) if known else changed
        system = replace(system, faults=faults, cuts=cuts) if self.faults else system
        return replace(system, name=self.name) if self.name else system


def read_notes(source: Source, comments: Iterable[tuple[int, int]]) -> Notes:
    """The notes in comments, given by where they start and end; a comment may hold several lines of them."""
    notes = Notes(source)
    for start, end in comments:
        while start < end:
            line = source.text.find("\n", start, end)
            line = end if line < 0 else line
            match = _NOTE.match(source.text, start, line)
            if match is not None:
                _read_note(notes, Cursor(source, match.end(), _less_closing(source.text, match.end(), line)))
            start = line + 1
    return notes


def _less_closing(text: str, start: int, end: int) -> int:
    """Without the end of a block comment that stands on the note's line."""
    close = text.find("*/", start, end)
    return close if close >= 0 else end


def _read_note(notes: Notes, cursor: Cursor) -> None:
    word = cursor.keyword(
        *("protocol", "unreliable", "faults", "role", "message", "internal", "channel", "state"),
        "communication",
    )
    if word is None:
        cursor.fail("a note", 'such as: unreliable role A; faults A -> B: loss; message m = "odd name"')
    if word == "protocol":
        notes.name = cursor.name("the protocol's name")[0]
    elif word == "unreliable":
        if cursor.keyword("role") is None:
            cursor.fail("'role'")
        name, start = cursor.name("a role")
        notes.unreliable[name] = start
    elif word == "faults":
        notes.faults.append(parse_faults(cursor))
    elif word == "channel":
        _read_channel(notes, cursor)
    elif word == "communication":
        if cursor.keyword("mailbox") is None:
            cursor.fail("'mailbox'")
        notes.mailboxes = True
    elif word == "internal":
        name, start = cursor.name("an internal action's name")
        notes.internals.append((start, name))
    elif word == "state":
        notes.states.add(cursor.name("a state")[0])
    else:
        _read_alias(notes, cursor, word)
    if not cursor.done():
        cursor.fail("the end of the note")


def _read_channel(notes: Notes, cursor: Cursor) -> None:
    number, start = cursor.name("the channel's number")
    if not (number.isascii() and number.isdigit() and len(number) < 10):
        cursor.source.fail("a channel of this language is a number", start, start + len(number))
    cursor.expect(":")
    sender, _ = cursor.name("a role")
    cursor.expect("->")
    notes.channels.setdefault(int(number), []).append((sender, cursor.name("a role")[0]))


def _read_alias(notes: Notes, cursor: Cursor, word: str) -> None:
    alias, _ = cursor.name("the spelling in this file")
    cursor.expect("=")
    if word == "message":
        notes.messages[alias] = cursor.message()[0]
    else:
        notes.roles[alias] = cursor.name("a role's name")[0]


class Aliases:
    """Spellings for names in a language whose words are narrower: its own where it fits, else one made
    for it."""

    def __init__(
        self, names: Iterable[str], fits: re.Pattern[str], reserved: Iterable[str] = (), stem: str = "m"
    ) -> None:
        listed = list(dict.fromkeys(names))
        self._reserved = frozenset(reserved)
        self.table = {n: n for n in listed if fits.fullmatch(n) and n not in self._reserved}
        self._taken = set(self.table.values()) | self._reserved
        self._fits = fits
        for name in listed:
            if name not in self.table:
                self.table[name] = self.fresh(name, stem)

    def __getitem__(self, name: str) -> str:
        return self.table[name]

    def fresh(self, name: str, stem: str) -> str:
        """A spelling that nobody has yet, as near to the name as the language allows."""
        near = re.sub(r"[^A-Za-z0-9]+", "_", name).strip("_")[:24]
        for base in (near, f"{stem}_{near}", stem):
            if base and self._fits.fullmatch(base):
                break
        made, count = base, 1
        while made in self._taken:
            count += 1
            made = f"{base}_{count}"
        self._taken.add(made)
        return made

    def changed(self) -> list[tuple[str, str]]:
        """Spellings that differ from the name: (spelling, name)."""
        return [(alias, name) for name, alias in self.table.items() if alias != name]


class MessageAliases(Aliases):
    """The same for messages, with a spelling for the crash message."""

    def __init__(
        self, system: System, fits: re.Pattern[str], reserved: Iterable[str] = (), stem: str = "m"
    ) -> None:
        messages = dict.fromkeys(m for alphabet in system.alphabets.values() for m in alphabet)
        named = [m for fault in system.faults for m in fault.messages]
        super().__init__([*(m for m in messages if isinstance(m, str)), *named], fits, reserved, stem)
        self.crash = self.fresh("crash", stem) if CRASH in messages else None

    def of(self, message: Message) -> str:
        if isinstance(message, str):
            return self.table[message]
        assert self.crash is not None
        return self.crash

    def notes(self) -> list[str]:
        lines = [f"message {quote(alias)} = {quoted(name)}" for alias, name in self.changed()]
        if self.crash is not None:
            lines.append(f"message {quote(self.crash)} = {write_message(CRASH)}")
        return lines


def system_notes(system: System, name: bool = True, reliability: bool = True) -> list[str]:
    """The notes that every language without them needs: the name, who may crash, the faults."""
    lines = [f"protocol {quote(system.name)}"] if name and system.name else []
    if reliability:
        lines += [f"unreliable role {quote(role)}" for role in system.unreliable]
    return lines + [f"faults {line}" for line in (*write_faults(system), *write_cuts(system))]


def role_notes(aliases: Aliases) -> list[str]:
    return [f"role {quote(alias)} = {quoted(name)}" for alias, name in aliases.changed()]


def write_notes(lines: Iterable[str], opening: str, closing: str = "") -> list[str]:
    """Notes as comment lines."""
    return [f"{opening} stormproof: {line}{closing}" for line in lines]
