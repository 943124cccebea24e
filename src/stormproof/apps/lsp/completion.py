"""What may be written at a place: decided by the words before it, so that it works while a text is broken."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from lsprotocol import types as lsp

from ...errors import printable
from ...kernel.model.actions import CRASH, Channel
from ...kernel.model.goal import NAMED
from ...kernel.model.observer import HAPPENINGS
from ...kernel.model.requirement import PROCESS_FAULTS
from ...kernel.model.system import COMMUNICATIONS
from ...kernel.model.timers import WORDS
from ...languages.formats import storm_occurrences as words
from ...languages.formats.storm_faults import FAULTS
from ...languages.formats.storm_parse import MODIFIERS, STATEMENTS
from ...languages.formats.storm_requirements import CLAIMS
from ...languages.formats.storm_scan import NAME, QUOTED, quote, write_message
from ...search.checks.properties import PROPERTIES
from .open_text import OpenText

TRIGGERS = ["!", "?", "@", ">"]

#: So many characters before the cursor are looked at: the patterns that end there are tried at each.
LONGEST_LINE = 1_000

_QUOTED = re.compile(QUOTED)
_TRANSFER = re.compile(rf"({NAME})\s*([!?])\s*\w*$")
_TARGET = re.compile(r"->\s*\w*$")
_PLACE = re.compile(rf"({NAME})@(?:\{{[^}}]*)?\s*\w*$")
_CHANNEL = re.compile(rf"(?:({NAME})|\*)\s*<?->\s*\w*$")
_EVENT = re.compile(rf"({NAME})\s*->\s*({NAME})\s*[!?]\s*\w*$")
_UNDER = re.compile(r"\bunder\b[^\n]*$")

#: What an alternative, or a line of a role, may begin with, or have behind its action.
_IN_ROLES = (
    *("internal", "timeout", "after", "at any time"),
    *("on restart", "durable var", "var", "save"),
)

_KINDS = {
    words.ROLE: lsp.CompletionItemKind.Class,
    words.STATE: lsp.CompletionItemKind.EnumMember,
    words.MESSAGE: lsp.CompletionItemKind.Event,
    words.KEYWORD: lsp.CompletionItemKind.Keyword,
}


def complete(text: OpenText, position: lsp.Position) -> list[lsp.CompletionItem]:
    offset = text.offset(position)
    line = text.text[max(text.line_start(position.line), offset - LONGEST_LINE) : offset]
    if "//" in _QUOTED.sub("", line):
        return []
    unfinished = _unfinished(text, offset)
    return [
        lsp.CompletionItem(label=printable(label), kind=_KINDS[kind], insert_text=label)
        for kind, label in dict.fromkeys(_options(text, offset, line))
        if label != unfinished
    ]


def _unfinished(text: OpenText, offset: int) -> str | None:
    """The word that is being written, if it stands nowhere else: it is no proposal."""
    here = text.outline.at(offset)
    if here is None or sum(w.name == here.name for w in text.outline.words) > 1:
        return None
    return write_message(here.name) if here.kind == words.MESSAGE else quote(here.name)


def _options(text: OpenText, offset: int, line: str) -> Iterator[tuple[str, str]]:
    role, observer = _role_around(text, offset), _role_around(text, offset, "observer")
    if observer is not None:
        yield from _watched(text, observer, line)
    elif role is None:
        yield from _statement(text, line)
    elif found := _TRANSFER.search(line):
        yield from _of(words.MESSAGE, _messages(text, role, _bare(found[1]), found[2]))
    elif _TARGET.search(line):
        yield from _of(words.STATE, map(quote, [*text.outline.of_kind(words.STATE, role), "end"]))
    else:
        yield from _roles(text)
        yield from _of(words.KEYWORD, _IN_ROLES)


def _watched(text: OpenText, observer: str, line: str) -> Iterator[tuple[str, str]]:
    """In the body of an observer: an event, and where it leads."""
    if found := _EVENT.search(line):
        ends = _bare(found[1]), _bare(found[2])
        yield from _of(words.MESSAGE, [*_messages(text, *ends, "!")[:-1], "_"])
    elif found := _PLACE.search(line):
        yield from _of(words.STATE, map(quote, text.outline.of_kind(words.STATE, _bare(found[1]))))
    else:
        if _TARGET.search(line):  # a receiver, or the next state
            yield from _of(words.STATE, map(quote, text.outline.of_kind(words.STATE, observer)))
        else:
            yield from _of(words.KEYWORD, HAPPENINGS)
        yield from _roles(text)


def _statement(text: OpenText, line: str) -> Iterator[tuple[str, str]]:
    """Outside roles: what follows a channel, `@`, `under` or one of the first words of a statement."""
    first = line.split()[0] if line.split() else ""
    if _CHANNEL.search(line):
        yield from _roles(text)
    elif found := _PLACE.search(line):
        yield from _of(words.STATE, map(quote, text.outline.of_kind(words.STATE, _bare(found[1]))))
    elif first == line.strip() and not line[-1:].isspace():
        yield from _of(words.KEYWORD, ("protocol", *STATEMENTS, *MODIFIERS))
    elif first == "durable" and "@" in line:
        yield from _of(words.KEYWORD, ("atomically",))
        yield from _roles(text)
    elif first == "faults" and "|" in line:
        yield from _of(words.KEYWORD, ("stays",))
        yield from _roles(text)
    elif first == "faults" and ":" in line:
        yield from _of(words.KEYWORD, (*FAULTS, *PROCESS_FAULTS))
    elif _UNDER.search(line):
        yield from _of(words.KEYWORD, (*FAULTS, *PROCESS_FAULTS, "at most", "on", "and", "timers on time"))
        yield from _roles(text)
    elif first in ("require", "expect"):
        yield from _of(
            words.KEYWORD,
            (*CLAIMS, "possible", "leads to", "under", "violated", "recorded", *NAMED, *PROPERTIES),
        )
        yield from _roles(text)
    elif first == "timers":
        yield from _of(words.KEYWORD, WORDS.values())
    elif first == "communication":
        yield from _of(words.KEYWORD, COMMUNICATIONS)
    elif first in ("faults", "rest", "durable"):
        yield from _of(words.KEYWORD, ("partition",) if first == "faults" else ())
        yield from _roles(text)


def _of(kind: str, labels: Iterable[str]) -> Iterator[tuple[str, str]]:
    return ((kind, label) for label in labels)


def _roles(text: OpenText) -> Iterator[tuple[str, str]]:
    declared = (b.name.name for b in text.outline.blocks if b.kind == "role" and b.name is not None)
    return _of(words.ROLE, map(quote, declared))


def _role_around(text: OpenText, offset: int, kind: str = "role") -> str | None:
    """The role in whose body the offset is; braces that are not closed reach to the next statement."""
    block = text.outline.block_at(offset)
    if block is None or block.kind != kind or block.name is None or offset <= block.name.end:
        return None
    body = text.text[block.name.end : block.end].strip()
    over = offset >= block.end if body.endswith("}") else "\n" in text.text[block.end : offset]
    return None if over and not (body.startswith("{") and not body.endswith("}")) else block.name.name


def _messages(text: OpenText, role: str, peer: str, sign: str) -> list[str]:
    """Those of the channel in the text, those that the other side already knows included; else all."""
    channel = Channel(role, peer) if sign == "!" else Channel(peer, role)
    found = [w for w in text.outline.words if w.kind == words.MESSAGE]
    here = [w.name for w in found if w.channel == channel] or [w.name for w in found]
    return [*map(write_message, dict.fromkeys(here)), write_message(CRASH)]


def _bare(spelt: str) -> str:
    return spelt.strip('"')
