"""The words of the .storm language: names, quoted names, messages with payloads, comments (docs/language.md).

A cursor moves over the text by regular expressions; nothing is kept of what has been passed, so that a
file of
millions of words needs no more memory than its text and its system.
"""

from __future__ import annotations

import re
from dataclasses import field
from typing import NoReturn

from ...kernel.model.actions import CRASH, Message
from ...records import dataclass
from ..types.text import message_name
from .text import Source, shorten

#: Blanks and comments. A comment runs to the end of its line, so that no text can be split in two ways.
BLANK = r"\s*(?://[^\n]*(?:\n\s*|\Z))*"
WORD = r"\w+(?:-\w+)*"
QUOTED = r'"(?:[^"\\\n]|\\.)*"'
NAME = rf"{WORD}|{QUOTED}"

_BLANK = re.compile(BLANK)
_WORD = re.compile(rf"{BLANK}({WORD})")
_NAME = re.compile(rf"{BLANK}({NAME})")
_SYMBOL = re.compile(rf"{BLANK}(<->|->|=>|[^\w\s])")
_FOUND = re.compile(rf"{NAME}|<->|->|=>|--|.")
_BARE = re.compile(WORD)
_LABEL = re.compile(rf"{BLANK}(?:{NAME}){BLANK}:")
_PAYLOAD = re.compile(r'[^<>()"\n/]+|/(?!/)|[<>()]')
_CLOSES = {"(": ")", "<": ">"}
_DEEPEST_PAYLOAD = 100


def quote(name: str) -> str:
    """A name as the language writes it: bare where it can be, else as a JSON string."""
    return name if _BARE.fullmatch(name) else quoted(name)


def quoted(name: str) -> str:
    """A JSON string; `*/` is broken up so that the name can stand in any comment."""
    import json

    return json.dumps(name, ensure_ascii=False).replace("*/", "*\\/")


def write_message(message: Message) -> str:
    """A message as the language writes it: its payload stays bare when it would be read back as it is."""
    if message is CRASH:
        return "crash"
    assert isinstance(message, str)
    if message == "crash":
        return quoted(message)
    if _BARE.fullmatch(message):
        return message
    word = _BARE.match(message)
    if word and payload_end(message, word.end()) == len(message):
        if message_name(word.group(), message[word.end() :]) == message:
            return message
    return quoted(message)


def payload_end(text: str, start: int, end: int | None = None) -> int | None:
    """Where the bracket at `start` closes, on the same line and balanced; None if it does not, or is none."""
    if text[start : start + 1] not in _CLOSES:
        return None
    stack: list[str] = []
    at, end = start, len(text) if end is None else end
    while at < end:
        match = _PAYLOAD.match(text, at, end)
        if match is None:
            return None
        piece = match.group()
        at = match.end()
        if piece in _CLOSES:
            stack.append(_CLOSES[piece])
            if len(stack) > _DEEPEST_PAYLOAD:
                return None
        elif piece in (")", ">"):
            if not stack or stack.pop() != piece:
                return None
        if not stack:
            return at
    return None


@dataclass
class Trace:
    """What the formatter needs: where each word stands, and which word begins what."""

    words: list[tuple[int, int]] = field(default_factory=list)
    marks: dict[int, str] = field(default_factory=dict)
    types: list[tuple[int, int]] = field(default_factory=list)
    goals: list[tuple[int, int]] = field(default_factory=list)
    #: In a file with data: the braces of updates, and whether there is data at all.
    updates: set[int] = field(default_factory=set)
    data: bool = False

    def mark(self, what: str) -> None:
        """The next word begins a construct."""
        self.marks[len(self.words)] = what


class Cursor:
    """A position in the text, and what may stand there."""

    def __init__(
        self, source: Source, start: int = 0, end: int | None = None, trace: Trace | None = None
    ) -> None:
        self.source = source
        self.text = source.text
        self.at = start
        self.end = len(source.text) if end is None else end
        self.trace = trace
        #: Has the text constants, variables or families?
        self.data = False

    def mark(self, what: str) -> None:
        """The next word begins a construct."""
        if self.trace is not None:
            self.trace.mark(what)

    def skip(self) -> int:
        """Pass over blanks and comments; where the next word starts."""
        self.at = self.ahead()
        return self.at

    def ahead(self) -> int:
        """Where the next word starts; the cursor stays behind the last one."""
        match = _BLANK.match(self.text, self.at, self.end)
        assert match is not None
        return match.end()

    def done(self) -> bool:
        return self.skip() >= self.end

    def at_line_end(self) -> bool:
        """Does the next word begin another line, if there is one?"""
        start = self.ahead()
        return start >= self.end or "\n" in self.text[self.at : start]

    def took(self, start: int, end: int) -> None:
        if self.trace is not None:
            self.trace.words.append((start, end))
        self.at = end

    def symbol(self, wanted: str) -> bool:
        """Take this punctuation if it is next."""
        match = _SYMBOL.match(self.text, self.at, self.end)
        if match is None or match.group(1) != wanted:
            return False
        self.took(*match.span(1))
        return True

    def expect(self, wanted: str, hint: str | None = None) -> None:
        if not self.symbol(wanted):
            self.fail(f"'{wanted}'", hint)

    def peek_word(self) -> str | None:
        """The bare word that is next, if one is."""
        match = _WORD.match(self.text, self.at, self.end)
        return match.group(1) if match else None

    def has_label(self) -> bool:
        """Is a name and a colon next?"""
        return _LABEL.match(self.text, self.at, self.end) is not None

    def keyword(self, *wanted: str) -> str | None:
        """Take the next word if it is one of these."""
        match = _WORD.match(self.text, self.at, self.end)
        if match is None or match.group(1) not in wanted:
            return None
        self.took(*match.span(1))
        return match.group(1)

    def name(self, what: str, hint: str | None = None) -> tuple[str, int]:
        """A name and where it starts."""
        match = _NAME.match(self.text, self.at, self.end)
        if match is None:
            self.fail(what, hint)
        start, end = match.span(1)
        self.took(start, end)
        return self.unquote(match.group(1), start), start

    def role(self, what: str, hint: str | None = None) -> tuple[str, int]:
        """A role, or members of a family: `N[2]`, `N[n]` with a constant, `N[*]`."""
        name, start = self.name(what, hint)
        if not self.text.startswith("[", self.at, self.end) or not self.symbol("["):
            return name, start
        index = "*" if self.symbol("*") else self.name("a member's number or '*'", f"write {name}[1]")[0]
        self.expect("]", f"write {name}[{index}]")
        return f"{name}[{index}]", start

    def message(self, hint: str | None = None) -> tuple[Message, int]:
        """A message and where it starts: `crash`, a word with or without payload, or a quoted name."""
        match = _NAME.match(self.text, self.at, self.end)
        if match is None:
            self.fail("a message", hint)
        start, end = match.span(1)
        if self.text[start] == '"':
            self.took(start, end)
            return self._nonempty(self.unquote(match.group(1), start), start, end), start
        if end < self.end and self.text[end] in _CLOSES:
            closed = payload_end(self.text, end, self.end)
            if closed is None:
                self.source.fail(
                    "this bracket is not closed on its line",
                    end,
                    hint='a message with odd brackets is quoted: "m(x"',
                )
            self.took(start, closed)
            return message_name(self.text[start:end], self.text[end:closed]), start
        self.took(start, end)
        spelt = self.text[start:end]
        return (CRASH if spelt == "crash" else spelt), start

    def _nonempty(self, name: str, start: int, end: int) -> str:
        if not name:
            self.source.fail("a message needs a name", start, end)
        return name

    def unquote(self, spelt: str, start: int) -> str:
        """The name that is meant by a bare or quoted spelling."""
        if spelt[0] != '"':
            return spelt
        import json

        try:
            name = json.loads(spelt)
            name.encode("utf-8")
        except ValueError as problem:
            reason = "half of a surrogate pair" if isinstance(problem, UnicodeEncodeError) else str(problem)
            self.source.fail(
                f"not a quoted name: {reason}", start, start + len(spelt), "it is written as in JSON"
            )
        assert isinstance(name, str)
        return name

    def fail(self, expected: str, hint: str | None = None) -> NoReturn:
        """Complain about what is next, or that the line ends before it."""
        behind, start = self.at, self.skip()
        if start >= self.end:
            where = start if self.end < len(self.text) else self.source.end()
            self.source.fail(f"expected {expected}, found the end", where, hint=hint)
        if behind > 0 and "\n" in self.text[behind:start]:
            self.source.fail(f"expected {expected}, found the end of the line", behind, hint=hint)
        match = _FOUND.match(self.text, start, self.end)
        found = match.group() if match else self.text[start]
        self.source.fail(
            f"expected {expected}, found '{shorten(found)}'",
            start,
            start + len(found),
            hint or _comment_hint(found),
        )


def _comment_hint(found: str) -> str | None:
    if found in ("#", "--", "/", "%"):
        return "a comment starts with //"
    if found == ";":
        return "leave it out: lines end without a sign"
    if found in "“”„‘’‚«»'`":
        return 'a name is quoted as in JSON: "wait here"'
    if found == '"':
        return "this quotation mark is never closed on its line"
    return None
