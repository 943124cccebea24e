"""A text that is being read: places for errors, and a tokeniser for the languages that need no more."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NoReturn, TypeVar

from ...errors import InputError, ParseError, Place, did_you_mean
from ...records import dataclass

E = TypeVar("E", bound=InputError)

_WIDEST_CARET = 60
_LONGEST_GUESS = 80
_MOST_GUESSES = 5_000

#: What is larger is refused, so that every text is read or refused within seconds.
MAX_STATES = 200_000
MAX_TRANSITIONS = 500_000
MAX_ACTIONS = 110_000
MAX_TOKENS = 3_000_000


@dataclass(frozen=True)
class Source:
    """The text with the name of its file; errors are made here, so that every one has its place."""

    text: str
    file: str = "<input>"

    def place(self, start: int, end: int | None = None) -> Place:
        """The place of `text[start:end]`, of which only the first line counts."""
        start = max(0, min(start, len(self.text)))
        head = self.text.rfind("\n", 0, start) + 1
        tail = self.text.find("\n", start)
        tail = len(self.text) if tail < 0 else tail
        width = min(max((end or start + 1) - start, 1), max(tail - start, 1), _WIDEST_CARET)
        line = self.text.count("\n", 0, start) + 1
        return Place(self.file, line, start - head + 1, self.text[head:tail], width)

    def error(self, message: str, start: int, end: int | None, hint: str | None, kind: type[E]) -> E:
        """What is wrong with `text[start:end]`."""
        return kind(message, place=self.place(start, end), hint=hint)

    def fail(
        self,
        message: str,
        start: int,
        end: int | None = None,
        hint: str | None = None,
        kind: type[InputError] = ParseError,
    ) -> NoReturn:
        raise self.error(message, start, end, hint, kind)

    def end(self) -> int:
        """Where the text ends, trailing blanks aside: the place of something that is missing."""
        return max(len(self.text.rstrip()) - 1, 0)


def shorten(text: str, limit: int = 40) -> str:
    """A name as an error shows it: never the whole of something huge."""
    shown = text.replace("\n", "\\n")
    return shown if len(shown) <= limit else shown[: limit - 1] + "…"


def near(word: str, known: Iterable[str]) -> str | None:
    """`did you mean`, where comparing is cheap: among not too many names that are not too long."""
    if len(word) > _LONGEST_GUESS:
        return None
    names = [n for n in known if len(n) <= _LONGEST_GUESS]
    return did_you_mean(word, names[:_MOST_GUESSES])


def guess(word: str, known: Iterable[str], what: str) -> str:
    """The hint for an unknown name: the nearest one, and what there is."""
    names = sorted(known)
    listed = ", ".join(shorten(n) for n in names[:12]) + (", …" if len(names) > 12 else "")
    meant = near(word, names)
    return f"{meant} {what} here: {listed}" if meant else f"{what} here: {listed or 'none'}"


class TextTooLarge(ParseError):
    """The text is too large; there is no use in reading on."""


class SizeCount:
    """How much of a system has been read; past the limits it is refused."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.states = 0
        self.transitions = 0
        self.actions = 0

    def state(self, start: int, count: int = 1) -> None:
        self.states += count
        if self.states > MAX_STATES:
            self.source.fail(f"more than {MAX_STATES:,} states; refused", start, kind=TextTooLarge)

    def transition(self, start: int, count: int = 1) -> None:
        self.transitions += count
        if self.transitions > MAX_TRANSITIONS:
            self.source.fail(f"more than {MAX_TRANSITIONS:,} transitions; refused", start, kind=TextTooLarge)

    def action(self, start: int) -> None:
        """In a session type, which costs more to read."""
        self.actions += 1
        if self.actions > MAX_ACTIONS:
            problem = f"types of more than {MAX_ACTIONS:,} actions; refused"
            self.source.fail(problem, start, kind=TextTooLarge)


class Tokens:
    """The tokens of a text, in parallel lists. A punctuation token's kind is its own text.

    `pattern` has one named group for each kind of token; the groups `skip` and `comment` are dropped, `punct`
    is punctuation, and `wrong`, the last one, is any other character: so no search goes beyond a mistake.
    """

    def __init__(self, source: Source, pattern: re.Pattern[str]) -> None:
        self.source = source
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.starts: list[int] = []
        self.comments: list[tuple[int, str]] = []
        self.at = 0
        self._scan(pattern)

    def _scan(self, pattern: re.Pattern[str]) -> None:
        for match in pattern.finditer(self.source.text):
            kind = match.lastgroup or ""
            if kind == "skip":
                continue
            if kind == "wrong":
                self._unexpected(match.start())
            if kind == "comment":
                self.comments.append((match.start(), match.group()))
                continue
            text = match.group()
            self.kinds.append(text if kind == "punct" else kind)
            self.texts.append(text)
            self.starts.append(match.start())
            if len(self.kinds) > MAX_TOKENS:
                self.source.fail(f"more than {MAX_TOKENS:,} words; refused", match.end() - 1)
        self.kinds.append("end of file")
        self.texts.append("")
        self.starts.append(self.source.end())

    def _unexpected(self, start: int) -> NoReturn:
        text = self.source.text
        if text.startswith("/*", start):
            self.source.fail("this comment is never closed", start, start + 2, "it ends with */")
        if text[start] == '"':
            self.source.fail("this quotation mark is never closed", start)
        self.source.fail(f"unexpected character {text[start]!r}", start)

    @property
    def kind(self) -> str:
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        return self.texts[self.at]

    @property
    def start(self) -> int:
        return self.starts[self.at]

    def take(self, kind: str) -> str | None:
        """The next token when it is of this kind; then it is consumed."""
        if self.kinds[self.at] != kind:
            return None
        self.at += 1
        return self.texts[self.at - 1]

    def expect(self, kind: str, what: str | None = None, hint: str | None = None) -> str:
        if self.kinds[self.at] != kind:
            self.fail(what or f"'{kind}'", hint)
        self.at += 1
        return self.texts[self.at - 1]

    def fail(self, expected: str, hint: str | None = None) -> NoReturn:
        found = f"'{shorten(self.text)}'" if self.text else "the end of the file"
        self.source.fail(
            f"expected {expected}, found {found}", self.start, self.start + max(len(self.text), 1), hint
        )
