"""A parser of Scribble and nuScr protocols (`.scr`, `.nuscr`), with `reliable role` and `crash from A to B;`.

Comments: `// line`, `/* block */`, `(* nested *)`, `(*) line`, and pragmas `(*# ... #*)`, which are skipped.
"""

from __future__ import annotations

import re
from typing import NoReturn, cast

from ..errors import ParseError, did_you_mean
from .scribble_syntax import (
    Block,
    Choice,
    Continue,
    Crash,
    Do,
    Message,
    Module,
    Parameter,
    Protocol,
    Recursion,
    Statement,
)
from .stackless import Task, run
from .text import Source, Token, message_name

_TOKEN = re.compile(r"""[^\W\d][\w']*|\d+|"(?:[^"\n])*"|.""", re.DOTALL)
_NAME = re.compile(r"[^\W\d][\w']*")
_BLANK = re.compile(r"(?:\s+|//[^\n]*|\(\*\)[^\n]*)+")
_NESTING = re.compile(r"\(\*\)[^\n]*|\(\*|\*\)")
_STATEMENTS = "message, choice, rec, continue, do, crash"


def parse_scribble(text: str, file: str | None = None) -> Module:
    """The protocols of a file; raises ParseError with the place."""
    return _Parser(Source(text, file)).module()


_DECLARATIONS = ("module", "import", "type", "data", "sig", "typedecl", "payloadtype")


def starts_protocol(text: str) -> bool:
    """Does a global protocol come first, comments and declarations aside?"""
    parser = _Parser(Source(text))
    try:
        while parser.peek() in _DECLARATIONS:
            parser.declaration()
        while parser.peek() in ("aux", "explicit"):
            parser.next()
        return parser.next() == "global" and parser.next() == "protocol"
    except ParseError:
        return False


class _Parser:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.position = 0
        self.crashes = False
        self.ahead: Token | None = None

    # -- tokens ---------------------------------------------------------------------------------------

    def _skip(self) -> None:
        text = self.source.text
        while True:
            match = _BLANK.match(text, self.position)
            if match:
                self.position = match.end()
            elif text.startswith("/*", self.position):
                end = text.find("*/", self.position + 2)
                if end < 0:
                    self.source.fail("this comment is never closed", self.position, self.position + 2)
                self.position = end + 2
            elif text.startswith("(*", self.position):
                self.position = self._nested(self.position)
            else:
                return

    def _nested(self, start: int) -> int:
        """Behind a `(* ... *)` comment; a `(*)` inside hides the rest of its line."""
        depth = 0
        for match in _NESTING.finditer(self.source.text, start):
            if match[0] in ("(*", "*)"):
                depth += 1 if match[0] == "(*" else -1
                if depth == 0:
                    return match.end()
        self.source.fail("this comment is never closed", start, start + 2)

    def peek(self) -> Token:
        if self.ahead is None or self.ahead.start != self.position:
            self._skip()
            match = _TOKEN.match(self.source.text, self.position)
            end = match.end() if match else self.position
            self.ahead = Token(match[0] if match else "", self.position, end)
        return self.ahead

    def next(self) -> Token:
        token = self.peek()
        self.position = token.end
        return token

    def wrong(self, token: Token, wanted: str, hint: str | None = None) -> NoReturn:
        found = f"'{token}' stands here" if token else "the file ends here"
        self.source.fail(f"expected {wanted}, but {found}", token.start, token.end, hint)

    def expect(self, *wanted: str) -> Token:
        token = self.next()
        if token not in wanted:
            quoted = " or ".join(f"'{w}'" for w in wanted)
            self.wrong(token, quoted, did_you_mean(token, wanted) if _NAME.fullmatch(token) else None)
        return token

    def name(self, what: str) -> Token:
        token = self.next()
        if not _NAME.fullmatch(token):
            self.wrong(token, what)
        return token

    # -- the file -------------------------------------------------------------------------------------

    def module(self) -> Module:
        protocols: dict[str, Protocol] = {}
        while self.peek():
            token = self.peek()
            if token in _DECLARATIONS:
                self.declaration()
                continue
            protocol = self.protocol()
            if protocol.name in protocols:
                self.source.fail(f"two protocols are called '{protocol.name}'", token.start, token.end)
            protocols[protocol.name] = protocol
        if not protocols:
            token = self.peek()
            self.source.fail("there is no protocol in this file", token.start, token.end)
        return Module(protocols, self.crashes)

    def declaration(self) -> None:
        """`module m;`, `type <...> "..." from "..." as T;`: nothing that behaviour depends on."""
        first = self.next()
        while True:
            token = self.next()
            if token == ";":
                return
            if not token:
                self.source.fail(f"this '{first}' is not closed by ';'", first.start, first.end)

    def protocol(self) -> Protocol:
        aux = False
        while self.peek() in ("aux", "explicit"):
            aux = self.next() == "aux" or aux
        if self.peek() in ("local", "nested", "protocol"):
            self.wrong(self.peek(), "'global protocol'", "only global protocols are read")
        self.expect("global")
        self.expect("protocol")
        name = self.name("the name of a protocol")
        place = self.source.place(name.start, name.end)
        parameters = self._parameters() if self.peek() == "<" else ()
        roles, reliable = self._roles()
        block = run(self.block())
        return Protocol(str(name), roles, reliable, block, aux, place, parameters)

    def _parameters(self) -> tuple[Parameter, ...]:
        """`<sig M, type T>`; `data` is another word for `type`."""
        self.expect("<")
        found: dict[str, Parameter] = {}
        while True:
            kind = self.expect("sig", "type", "data")
            name = self.name("the name of a parameter")
            if name in found or name == "crash":
                why = "is declared twice" if name in found else "is reserved for the crash of a role"
                self.source.fail(f"the parameter '{name}' {why}", name.start, name.end)
            found[str(name)] = Parameter(str(name), kind == "sig")
            if self.expect(",", ">") == ">":
                return tuple(found.values())

    def _roles(self) -> tuple[tuple[str, ...], frozenset[str]]:
        self.expect("(")
        roles: dict[str, bool] = {}
        while True:
            mark = self.expect("role", "reliable")
            if mark == "reliable":
                self.crashes = True
                self.expect("role")
            role = self.name("the name of a role")
            if role in roles:
                self.source.fail(f"the role '{role}' is declared twice", role.start, role.end)
            roles[str(role)] = mark == "reliable"
            if self.expect(",", ")") == ")":
                return tuple(roles), frozenset(r for r, kept in roles.items() if kept)

    # -- statements -----------------------------------------------------------------------------------

    def block(self) -> Task[Block]:
        opening = self.expect("{")
        found: list[Statement] = []
        while self.peek() != "}":
            if not self.peek():
                self.source.fail("this '{' is never closed", opening.start, opening.end)
            found.append((yield self.statement(first=not found)))
        self.next()
        return Block(tuple(found), self.source.place(opening.start, opening.end))

    def statement(self, first: bool) -> Task[Statement]:
        token = self.next()
        behind = self.peek()
        if token == "choice" and behind == "at":
            return cast(Statement, (yield self.choice(token)))
        if token == "rec" and _NAME.fullmatch(behind) and behind != "from":
            return cast(Statement, (yield self.recursion()))
        if token == "continue" and _NAME.fullmatch(behind) and behind != "from":
            name = self.next()
            self.expect(";")
            return Continue(str(name), self.source.place(token.start, name.end))
        if token == "do" and _NAME.fullmatch(behind) and behind != "from":
            return self.do(token)
        if token == "crash":
            return self.crash(token)
        return self.message(token)

    def choice(self, start: Token) -> Task[Statement]:
        self.expect("at")
        at = self.name("the role that chooses")
        blocks = [(yield self.block())]
        while self.peek() == "or":
            self.next()
            blocks.append((yield self.block()))
        return Choice(str(at), tuple(blocks), self.source.place(start.start, at.end))

    def recursion(self) -> Task[Statement]:
        name = self.next()
        block: Block = yield self.block()
        return Recursion(str(name), block, self.source.place(name.start, name.end))

    def do(self, start: Token) -> Do:
        name = self.name("the name of a protocol")
        arguments = self._arguments() if self.peek() == "<" else ()
        self.expect("(")
        roles = [str(self.name("the name of a role"))]
        while self.expect(",", ")") == ",":
            roles.append(str(self.name("the name of a role")))
        self.expect(";")
        return Do(str(name), tuple(roles), self.source.place(start.start, name.end), arguments)

    def _arguments(self) -> tuple[str, ...]:
        """`<M, N(int), T>`: messages with or without a payload, and types."""
        opening = self.next()
        found = []
        while True:
            label = self.name("a message or a type")
            if label == "crash":
                self.source.fail("'crash' is reserved for the crash of a role", label.start, label.end)
            payload = self._brackets(self.next()) if self.peek() in ("(", "<") else "()"
            found.append(message_name(label, payload))
            if self.peek() not in (",", ">"):
                self.source.fail("this '<' is never closed", opening.start, opening.end)
            if self.next() == ">":
                return tuple(found)

    def _brackets(self, opening: Token) -> str:
        """The text from an opening bracket, which was just read, to the one that closes it, comments left
        out."""
        parts, behind, depth = [str(opening)], opening.end, 1
        closing = ")" if opening == "(" else ">"
        while depth:
            token = self.next()
            if not token:
                self.source.fail(f"this '{opening}' is never closed", opening.start, opening.end)
            parts += [" ", token] if token.start > behind else [token]
            depth += (token == opening) - (token == closing)
            behind = token.end
        return "".join(parts)

    def crash(self, start: Token) -> Crash:
        self.crashes = True
        if self.peek() != "from":
            token = self.peek()
            self.source.fail(
                "'crash' is reserved for the crash of a role",
                token.start,
                token.end,
                "write: crash from P to Q;  at the head of a branch",
            )
        sender, receivers = self._ends()
        if len(receivers) > 1:
            self.source.fail("a crash branch says who learns of the crash: one role", start.start, start.end)
        return Crash(sender, receivers[0], self.source.place(start.start, start.end))

    def message(self, token: Token) -> Message:
        if not _NAME.fullmatch(token) and token != "(":
            hint = None
            if token in ("or", "}"):
                hint = "an 'or' stands directly behind the '}' of a branch of a choice"
            self.wrong(token, f"a statement ({_STATEMENTS})", hint)
        label = "" if token == "(" else str(token)
        opening = token if token == "(" else self.peek()
        if opening == "(":
            self.position = opening.end
            label = message_name(label, self._brackets(opening))
            if not label:
                self.source.fail("a message needs a label or a payload", opening.start, self.position)
        elif opening != "from":
            self.wrong(opening, f"'from' or a payload behind the message '{token}'", _statement_hint(token))
        sender, receivers = self._ends()
        return Message(label, sender, receivers, self.source.place(token.start, token.end))

    def _ends(self) -> tuple[str, tuple[str, ...]]:
        """`from A to B, C;`"""
        self.expect("from")
        sender = self.name("the role that sends")
        self.expect("to")
        receivers = [self.name("the role that receives")]
        while self.expect(",", ";") == ",":
            receivers.append(self.name("the role that receives"))
        for receiver in receivers:
            if receiver == sender:
                self.source.fail(f"{sender} sends a message to itself", receiver.start, receiver.end)
        if len(set(receivers)) < len(receivers):
            last = receivers[-1]
            self.source.fail("a role receives the same message twice", last.start, last.end)
        return str(sender), tuple(str(r) for r in receivers)


#: What to write instead of a keyword that something is missing from, or that is another dialect's.
_FORMS = {
    "choice": "write  choice at Role { ... } or { ... }",
    "rec": "write  rec Name { ... }",
    "continue": "write  continue Name;",
    "do": "write  do Protocol(Role, Role);",
    "else": "the branches of a choice are separated by  or",
    "par": "parallel composition is not supported: a role does one thing after the other",
    "connect": "connections are not supported: every two roles are connected from the start",
    "disconnect": "connections are not supported: every two roles stay connected",
    "wrap": "connections are not supported: every two roles are connected from the start",
    "interruptible": "interrupts are not supported",
    "calls": "nested protocols are not supported: put one in place by  do Protocol(Role, Role);",
}


def _statement_hint(token: Token) -> str | None:
    return _FORMS.get(token) or did_you_mean(token, ("choice", "rec", "continue", "do"))
