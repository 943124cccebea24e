"""`stormproof fmt`: the one canonical layout of a .storm text. It changes white space only.

The parser says where each word stands and which word begins what; the layout is read off that alone,
never off the
old line breaks, so that laying out twice changes nothing. A comment stays behind the word it followed
on its line,
or on a line of its own before the word it preceded.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from ...errors import raise_all
from ..types.text import message_name
from .files import clean
from .storm_fmt_data import set_data_blanks
from .storm_fmt_tokens import CONTINUED, PrintedToken
from .storm_parse import STATEMENTS, parse
from .storm_scan import WORD, Trace
from .storm_write import LONGEST_LABEL
from .text import Source

_COMMENT = re.compile(r"//[^\n]*")
_PAYLOAD = re.compile(rf"({WORD})([(<].*[)>])")
_WIDTH = 100
_FLAT_GROUP = 60
_DEEPEST = 20
_GOAL_TIGHT_BEFORE = (",", ")", "]", "}", "@", "->", "=")
_GOAL_TIGHT_BEHIND = ("(", "[", "{", "@", "->", "=", "!")
_TOP_LEVEL = ("protocol", "const", *STATEMENTS)
_TIGHT_BEFORE = (",", ";", ":", ".", ")", "!", "?", "@")
_TIGHT_BEHIND = ("(", "!", "?", "@")


def fmt(text: str, name: str = "<input>") -> str:
    """The canonical layout of a .storm text, comments kept; a ParseError where it is not one."""
    source = Source(clean(text), name)
    trace = Trace()
    raise_all(parse(source, trace).errors)
    words = [PrintedToken(_spell(source.text[s:e]), s, e) for s, e in trace.words]
    _set_blanks(words)
    for first, last in trace.goals if not trace.data else ():
        _set_goal_blanks(words, first, last)
    if trace.data:
        set_data_blanks(words, trace)
    _set_lines(words, trace)
    for first, last in trace.types:
        _lay_out_type(source.text, words, first, last)
    return _Printer(source.text).run(words)


def _spell(word: str) -> str:
    """A word as it is, but for the blanks in a message's payload, which mean nothing."""
    match = _PAYLOAD.fullmatch(word)
    return message_name(match[1], match[2]) if match else word


def _set_blanks(words: list[PrintedToken]) -> None:
    """Blanks within a line: none around `!` and `?`, none before punctuation that ends something."""
    in_set = False
    for before, word in itertools.pairwise(words):
        in_set = (in_set or (before.text == "@" and word.text == "{")) and before.text != "}"
        tight = word.text in _TIGHT_BEFORE or before.text in _TIGHT_BEHIND
        tight = tight or (in_set and (before.text == "{" or word.text == "}"))
        word.space = not (tight or (word.text == "(" and before.text == "corrupt"))


def _set_goal_blanks(words: list[PrintedToken], first: int, last: int) -> None:
    """In a goal only `&`, `|` and words stand apart."""
    words[first].space = True
    for i in range(first + 1, last):
        before, word = words[i - 1].text, words[i].text
        tight = word in _GOAL_TIGHT_BEFORE or before in _GOAL_TIGHT_BEHIND
        words[i].space = not tight


def _set_lines(words: list[PrintedToken], trace: Trace) -> None:
    """Which words begin a line: what is at the top level, states, and alternatives under each other."""
    first, under, short = -1, 0, True
    for i, what in trace.marks.items():
        word = words[i]
        if what in _TOP_LEVEL:
            word.line, word.block = 0, what
        elif what == "close":
            word.line = 0
        elif what in ("var", "recovery"):
            word.line = 2
        elif what == "state":
            width = 2 + len(word.text) + 1
            short = width <= LONGEST_LABEL
            word.line, first, under = 2, i + 2, width + 1 if short else CONTINUED
        else:
            word.line = None if i == first and short else under
            for part in words[i : i + 5]:
                part.under = under + CONTINUED
            word.under = under


def _lay_out_type(text: str, words: list[PrintedToken], first: int, last: int) -> None:
    """On one line where it fits; else each branch of a wide choice on a line of its own."""
    for i in range(first, last - 1):
        words[i].dropped = words[i].text == "," and words[i + 1].text == "}"
    head = first
    while not words[head].block:
        head -= 1
    commented = [
        _COMMENT.search(text, words[i - 1].end, words[i].start) is not None for i in range(first, last)
    ]
    if sum(w.width for w in words[head:last]) > _WIDTH + 1 or any(commented):
        wide = _wide_choices(words, first, last, commented)
        _break_type(words, first, last, wide, sum(w.width for w in words[head:first]))


def _break_type(words: list[PrintedToken], first: int, last: int, wide: set[int], column: int) -> None:
    """Lines begin within wide choices: at each branch, at the closing brace, and where a sequence is long."""
    broken, depth = [False], 0
    for i in range(first, last):
        word, before = words[i], words[i - 1]
        opened = before.text == "{" and i > first
        if opened:
            broken.append(i - 1 in wide)
            depth += broken[-1]
        indent = 2 * min(depth, _DEEPEST)
        word.under = indent + CONTINUED
        if word.text == "}":
            if broken.pop():
                depth -= 1
                word.line = 2 * min(depth, _DEEPEST)
        elif broken[-1] and (opened or before.text == ","):
            word.line = indent
        elif before.text == ";" and column > _WIDTH - 10:
            word.line = indent + CONTINUED
        column = word.width + (column if word.line is None else word.line)


def _wide_choices(words: list[PrintedToken], first: int, last: int, commented: list[bool]) -> set[int]:
    """The braces whose choices are broken: too wide for a line, or with a comment inside."""
    wide: set[int] = set()
    opened: list[tuple[int, int, int]] = []
    width = comments = 0
    for i in range(first, last):
        comments += commented[i - first]
        if words[i].text == "{":
            opened.append((i, width, comments))
        width += words[i].width
        if words[i].text == "}":
            start, before, seen = opened.pop()
            if width - before > _FLAT_GROUP or comments > seen:
                wide.add(start)
    return wide


class _Printer:
    def __init__(self, text: str) -> None:
        self.text = text
        self.lines: list[str] = []
        self.current: list[str] = []
        self.block = ""

    def run(self, words: list[PrintedToken]) -> str:
        at = 0
        for word in words:
            if word.dropped:
                continue
            forced = self.comments(at, word)
            if word.line is not None or forced:
                if word.block and not forced:
                    self.separate(word.block)
                self.flush()
                self.current = [" " * (word.under if word.line is None else word.line), word.text]
            else:
                self.current.append(f" {word.text}" if word.space else word.text)
            self.block = word.block or self.block
            at = word.end
        self.comments(at, PrintedToken("", len(self.text), len(self.text), line=0, block="end"))
        self.flush()
        return "\n".join(self.lines) + "\n"

    def flush(self) -> None:
        if self.current:
            self.lines.append("".join(self.current).rstrip())
        self.current = []

    def separate(self, block: str) -> None:
        """A blank line around roles."""
        if {"role", "observer"} & {block, self.block} and block != "end" and (self.lines or self.current):
            self.blank()

    def blank(self) -> None:
        self.flush()
        if self.lines and self.lines[-1]:
            self.lines.append("")

    def comments(self, at: int, word: PrintedToken) -> bool:
        """Print the comments before a word; True where the word must then begin a line."""
        found = list(self.find(at, word.start))
        for i, (comment, behind, gap) in enumerate(found):
            if behind and i == 0 and self.current:
                self.current.append(f"  {comment}")
                continue
            if word.block and not any(not b for _, b, _ in found[:i]):
                self.separate(word.block)
            if word.block and gap:
                self.blank()
            self.flush()
            self.lines.append(" " * self.indent(word) + comment)
        own_line = [c for c in found if not c[1]]
        if word.block and found:
            if not own_line:
                self.separate(word.block)
            elif self.gap_after(at, word.start):
                self.blank()
        return bool(found)

    def indent(self, word: PrintedToken) -> int:
        if word.text == "}" and word.line == 0:
            return 2
        return word.under if word.line is None else word.line

    def find(self, start: int, end: int) -> Iterator[tuple[str, bool, bool]]:
        """Each comment, whether it stands behind a word, and whether a blank line precedes it."""
        at = start
        for match in _COMMENT.finditer(self.text, start, end):
            between = self.text[at : match.start()]
            yield (
                match.group().rstrip(),
                at == start and "\n" not in between and start > 0,
                between.count("\n") > 1,
            )
            at = match.end()

    def gap_after(self, start: int, end: int) -> bool:
        """Is there a blank line between the last comment and what follows?"""
        last = max((m.end() for m in _COMMENT.finditer(self.text, start, end)), default=start)
        return self.text.count("\n", last, end) > 1 and end < len(self.text)
