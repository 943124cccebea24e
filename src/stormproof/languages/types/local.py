"""Local types as text: a parser that takes the spellings in use, and two printers.

    Shop!order; Shop?{price(int); mu t. Bank!pay; t, crash; end}          the .storm spelling
    shop⊕order . shop&{price(int) . μ(t)(bank⊕pay . t), crash . end}      the .ctx spelling (mpstk)

The parser reads both, mixed freely: `!`, `⊕` or `(+)` to send; `?` or `&` to wait; `;` or `.` before what
follows; `mu t.`, `rec t.`, `μ(t)` or `rec(t)` for recursion; `end` may be left out. `crash` (or `⚡`) is the
crash label. A name that is not a word stands in double quotes.

`parse_local(text)` reads a whole text; `scan_local(source, position)` reads the type that starts at a
position of a longer text and says where it ends, for languages that embed types.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import NoReturn

from ...errors import ModelError, Place
from ...kernel.model.actions import CRASH, Message
from .stackless import Task, run
from .syntax import RESERVED, Alternative, Branch, Choice, End, LocalType, Rec, Select, Stop, Var, bottom_up
from .text import TextToken, TypeSource, message_name, payload_end

__all__ = [
    "Alternative",
    "Branch",
    "Choice",
    "End",
    "LocalType",
    "Rec",
    "Select",
    "Stop",
    "TypeSource",
    "Var",
    "layout_local",
    "message_text",
    "parse_local",
    "scan_local",
    "show_local",
]

#: A comment takes its end with it, so that no text can be divided in two ways.
BLANKS = re.compile(r"\s*(?:(?:(?:#|//)[^\n]*(?:\n|\Z)|/\*(?:[^*]|\*(?!/))*\*/)\s*)*")
_TOKEN = re.compile(r'\(\+\)|[^\W\dμµ][\w\']*|\d[\w\']*|"(?:[^"\\\n]|\\.)*"|.', re.DOTALL)
_NAME = re.compile(r"[^\W\dμµ][\w']*")
_LABEL = re.compile(r"(?![μµ])\w[\w']*")
_SEND = {"!", "⊕", "(+)"}
_WAIT = {"?", "&"}
_MU = {"mu", "rec", "μ", "µ"}
_SEPARATOR = {";", "."}


def parse_local(text: str, file: str | None = None) -> LocalType:
    """The local type that a text is; raises ParseError with the place."""
    source = TypeSource(text, file)
    found, end = scan_local(source, 0)
    rest = Reader(source, end).peek()
    if rest:
        source.fail(f"'{rest}' is left over after the type", rest.start, rest.end)
    return found


def scan_local(
    source: TypeSource, position: int = 0, blanks: re.Pattern[str] = BLANKS
) -> tuple[LocalType, int]:
    """The type that starts at a position, and the position just behind it.

    `blanks` matches what stands between tokens: white space and the comments of the language around.
    """
    reader = Reader(source, position, blanks)
    return reader.read_type(), reader.behind


#: Whether one sends, the peer, and its place.
Subject = tuple[bool, str, Place]


def _choice_of(subject: Subject, branches: tuple[Alternative, ...]) -> Choice:
    sends, peer, place = subject
    return (Select if sends else Branch)(peer, branches, place)


class Reader:
    """Moves over a text token by token and reads types."""

    def __init__(self, source: TypeSource, position: int, blanks: re.Pattern[str] = BLANKS) -> None:
        self.source = source
        self.position = position
        self.behind = position
        self.blanks = blanks
        self.ahead: TextToken | None = None

    def peek(self) -> TextToken:
        if self.ahead is None or self.ahead.start != self.position:
            self.ahead = self._scan()
        return self.ahead

    def _scan(self) -> TextToken:
        match = self.blanks.match(self.source.text, self.position)
        assert match is not None
        self.position = match.end()
        token = _TOKEN.match(self.source.text, self.position)
        if token is None:
            return TextToken("", self.position, self.position)
        return TextToken(token[0], token.start(), token.end())

    def next(self) -> TextToken:
        token = self.peek()
        self.position = self.behind = token.end
        return token

    def expect(self, wanted: str, why: str) -> TextToken:
        token = self.next()
        if token != wanted:
            self.wrong(token, f"'{wanted}' {why}")
        return token

    def wrong(self, token: TextToken, wanted: str, hint: str | None = None) -> NoReturn:
        found = f"'{token}'" if token else "the text ends"
        self.source.fail(
            f"expected {wanted}, but {found} {'stands here' if token else 'here'}", *_span(token), hint
        )

    def place(self, token: TextToken) -> Place:
        return self.source.place(token.start, token.end)

    def read_type(self) -> LocalType:
        """The type that starts here; the reader then stands behind it."""
        found = run(self.type())
        self.position = self.behind
        return found

    def type(self) -> Task[LocalType]:
        """A chain of single messages is read in a loop, and folded from its end; the rest recursively."""
        chain: list[tuple[Subject, Message, Place]] = []
        while True:
            token = self.peek()
            if token == "(":
                self.next()
                found: LocalType = yield self.type()
                self.expect(")", "to close the bracket")
                break
            if token == "{":
                found = yield self.group()
                break
            if token in _MU and not self._is_action():
                found = yield self.recursion()
                break
            subject = self.subject()
            if not isinstance(subject, tuple):
                found = subject
                break
            if self.peek() == "{":
                branches: tuple[Alternative, ...] = yield self.alternatives()
                found = _choice_of(subject, branches)
                break
            label = self.next()
            chain.append((subject, self.message(label), self.place(label)))
            if self.peek() not in _SEPARATOR:
                found = End()
                break
            self.next()
        for subject, message, place in reversed(chain):
            found = _choice_of(subject, (Alternative(message, found, place),))
        return found

    def _is_action(self) -> bool:
        """Does an operator follow the word that comes next?"""
        before = self.position, self.behind
        self.next()
        operator = self.peek()
        self.position, self.behind = before
        return operator in _SEND or operator in _WAIT

    def recursion(self) -> Task[LocalType]:
        start = self.next()
        bracket = self.peek() == "("
        if bracket:
            self.next()
        name = self.next()
        if not _NAME.fullmatch(name) or name in RESERVED:
            self.wrong(name, f"the name of a variable behind '{start}'")
        if bracket:
            self.expect(")", f"behind the variable {name}")
        if self.peek() in _SEPARATOR:
            self.next()
        elif not bracket:
            self.wrong(self.peek(), f"'.' behind '{start} {name}'")
        body: LocalType = yield self.type()
        return Rec(str(name), body, self.place(name))

    def group(self) -> Task[LocalType]:
        """`{A!a; T, A!b; T}`, the kmc way to write a choice: every alternative repeats the peer."""
        opening = self.next()
        choices: list[Choice] = []
        while True:
            token = self.peek()
            found = yield self.type()
            if not isinstance(found, (Branch, Select)):
                self.source.fail(
                    "every alternative of a choice starts with a send or a reception", *_span(token)
                )
            first = choices[0] if choices else found
            if type(first) is not type(found) or first.peer != found.peer:
                self.source.fail(
                    "the alternatives of one choice all send to one role, or all wait for one role",
                    *_span(token),
                )
            choices.append(found)
            token = self.next()
            if token == "}":
                break
            if token != ",":
                self.wrong(token, "',' or '}' behind an alternative")
        branches = tuple(b for choice in choices for b in choice.branches)
        return type(choices[0])(choices[0].peer, branches, self.place(opening))

    def subject(self) -> Subject | LocalType:
        """A role and whether it is sent to or waited for; or a type that is just a word."""
        token = self.next()
        name = self.name(token)
        operator = self.peek()
        if operator in _SEND or operator in _WAIT:
            self.next()
            return operator in _SEND, name, self.place(token)
        if token == "end":
            return End(self.place(token))
        if token == "stop":
            return Stop(self.place(token))
        return Var(name, self.place(token))

    def name(self, token: TextToken) -> str:
        if token.startswith('"') and len(token) > 1:
            return _unquote(self.source, token)
        if not _NAME.fullmatch(token):
            self.wrong(
                token, "a type", "a type is end, a variable, mu t. T, Role!message; T or Role?message; T"
            )
        return str(token)

    def alternatives(self) -> Task[tuple[Alternative, ...]]:
        opening = self.next()
        if self.peek() == "}":
            self.source.fail("a choice needs at least one message", *_span(opening))
        found = [(yield self.alternative())]
        while True:
            token = self.next()
            if token == "}":
                return tuple(found)
            if token != ",":
                self.wrong(token, "',' or '}' behind an alternative")
            found.append((yield self.alternative()))

    def alternative(self) -> Task[Alternative]:
        token = self.next()
        message = self.message(token)
        then: LocalType = End()
        if self.peek() in _SEPARATOR:
            self.next()
            then = yield self.type()
        return Alternative(message, then, self.place(token))

    def message(self, token: TextToken) -> Message:
        if token == "⚡":
            return CRASH
        if token.startswith('"') and len(token) > 1:
            return _unquote(self.source, token)
        if not _LABEL.fullmatch(token):
            self.wrong(token, "a message")
        behind = self.peek()
        payload = behind == "(" or behind == "<"
        if payload:
            end = payload_end(self.source, behind.start)
            self.position = self.behind = end
            if token == "crash":
                self.source.fail("the crash label carries nothing", behind.start, end)
            return message_name(token, self.source.text[behind.start : end])
        return CRASH if token == "crash" else str(token)


def _span(token: TextToken) -> tuple[int, int]:
    return token.start, token.end


def _unquote(source: TypeSource, token: TextToken) -> str:
    try:
        text = json.loads(token)
    except ValueError:
        source.fail("this quoted name is not understood", *_span(token))
    if not text:
        source.fail("a name cannot be empty", *_span(token))
    return str(text)


_PLAIN = re.compile(r"(?![μµ])\w+(?:\([^()\"/]*\)|<[^<>\"/]*>)?")
_PLAIN_ROLE = re.compile(r"[^\W\dμµ]\w*")


def message_text(message: Message) -> str:
    """A message as a type shows it; quoted where the parser would read something else."""
    if message is CRASH:
        return "crash"
    assert isinstance(message, str)
    match = _PLAIN.fullmatch(message)
    if match and message != "crash":
        label = re.match(r"\w+", message)
        assert label is not None
        payload = message[label.end() :]
        if label[0] != "crash" and (not payload or message_name(label[0], payload) == message):
            return message
    return json.dumps(message, ensure_ascii=False)


def role_text(role: str) -> str:
    """A role as a type shows it."""
    return role if _PLAIN_ROLE.fullmatch(role) and role not in _MU else json.dumps(role, ensure_ascii=False)


_STYLES = {
    "storm": {"send": "!", "wait": "?", "then": "; ", "mu": "mu {}. ", "open": "", "close": ""},
    "ctx": {"send": "⊕", "wait": "&", "then": " . ", "mu": "μ({})", "open": "(", "close": ")"},
}


def show_local(type_: LocalType, style: str = "storm") -> str:
    """A local type on one line, in the spelling of `.storm` or of `.ctx`."""
    _sizes(type_, _STYLES[style])
    return "".join(_pieces(type_, _STYLES[style], None, 0))


def layout_local(type_: LocalType, style: str = "storm", width: int = 100, indent: int = 0) -> str:
    """A local type over several lines: a choice that does not fit gets a line for each branch."""
    sizes = _sizes(type_, _STYLES[style])
    return "".join(_pieces(type_, _STYLES[style], sizes, indent, width))


_DEEPEST = 40
_LONGEST = 50_000_000


def _pieces(
    type_: LocalType, style: dict[str, str], sizes: dict[int, int] | None, indent: int, width: int = 0
) -> Iterator[str]:
    stack: list[str | tuple[LocalType, int]] = [(type_, indent)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
            continue
        node, depth = item
        if isinstance(node, Rec):
            yield style["mu"].format(node.name) + style["open"]
            stack += [style["close"], (node.body, depth)]
        elif isinstance(node, (Branch, Select)):
            yield role_text(node.peer) + style["send" if isinstance(node, Select) else "wait"]
            broken = sizes is not None and len(node.branches) > 1 and sizes[id(node)] + 2 * depth > width
            stack += reversed(list(_choice(node, style, min(depth, _DEEPEST), broken)))
        elif isinstance(node, Var):
            yield node.name
        else:
            yield "end" if isinstance(node, End) else "stop"


def _choice(
    node: Choice, style: dict[str, str], depth: int, broken: bool
) -> Iterator[str | tuple[LocalType, int]]:
    several = len(node.branches) != 1
    line = "\n" + "  " * (depth + 1) if broken else ""
    if several:
        yield "{"
    for i, branch in enumerate(node.branches):
        comma = ("," if broken else ", ") if i else ""
        yield comma + line + message_text(branch.message) + style["then"]
        yield (branch.then, depth + 1 if broken else depth)
    if several:
        yield ("\n" + "  " * depth if broken else "") + "}"


def _sizes(root: LocalType, style: dict[str, str]) -> dict[int, int]:
    """How many characters each type takes on one line; refuses what is too long to write.

    A projection shares what several branches have in common, which text cannot.
    """
    sizes: dict[int, int] = {}
    for node in bottom_up(root):
        if isinstance(node, Rec):
            sizes[id(node)] = len(style["mu"].format(node.name)) + sizes[id(node.body)] + 2
        elif isinstance(node, (Branch, Select)):
            each = (len(message_text(b.message)) + 3 + sizes[id(b.then)] + 2 for b in node.branches)
            sizes[id(node)] = len(node.peer) + 3 + sum(each)
        else:
            sizes[id(node)] = len(node.name) if isinstance(node, Var) else 4
    if sizes[id(root)] > _LONGEST:
        raise ModelError(
            f"as text this session type has more than {_LONGEST:,} characters",
            hint="its automaton is small: convert it to storm or json",
        )
    return sizes
