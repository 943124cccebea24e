"""A parser of Scribble and nuScr protocols (`.scr`, `.nuscr`), with `reliable role` (or `safe role`) and
`crash from A to B;`.

Nested protocols and `calls` are read as well, so that what is wrong with them can be said.
"""

from __future__ import annotations

from typing import cast

from ...errors import ParseError, did_you_mean
from .scribble_syntax import (
    Block,
    Calls,
    ChoiceStatement,
    Continue,
    CrashStatement,
    Do,
    MessageStatement,
    Module,
    Protocol,
    ProtocolParameter,
    Recursion,
    Statement,
)
from .scribble_tokens import ScribbleTokens, is_name
from .stackless import Task, run
from .text import TextToken, TypeSource, message_name

_STATEMENTS = "message, choice, rec, continue, do, crash"


def parse_scribble(text: str, file: str | None = None) -> Module:
    """The protocols of a file; raises ParseError with the place."""
    return _Parser(TypeSource(text, file)).module()


_DECLARATIONS = ("module", "import", "type", "data", "sig", "typedecl", "payloadtype")


def starts_protocol(text: str) -> bool:
    """Does a global protocol come first, comments and declarations aside?"""
    parser = _Parser(TypeSource(text))
    try:
        while parser.peek() in _DECLARATIONS:
            parser.declaration()
        while parser.peek() in ("aux", "explicit", "nested"):
            parser.next()
        parser.header()
        parser.name("the name of a protocol")
        return parser.next() in ("(", "<")
    except ParseError:
        return False


class _Parser(ScribbleTokens):
    """A `Tokens` that knows the grammar."""

    def __init__(self, source: TypeSource) -> None:
        super().__init__(source)
        self.crashes = False

    # -- the file -------------------------------------------------------------------------------------

    def module(self) -> Module:
        protocols: dict[str, Protocol] = {}
        nested: list[Protocol] = []
        while self.peek():
            token = self.peek()
            if token in _DECLARATIONS:
                self.declaration()
            elif token == "nested":
                self._early(token, bool(protocols))
                self.next()
                nested.append(run(self.nested()))
            else:
                protocol = self.protocol()
                if protocol.name in protocols:
                    self.source.fail(f"two protocols are called '{protocol.name}'", token.start, token.end)
                protocols[protocol.name] = protocol
        if not protocols:
            token, kind = self.peek(), "global protocol" if nested else "protocol"
            self.source.fail(f"there is no {kind} in this file", token.start, token.end)
        unchecked = tuple(self.source.place(start, end) for start, end in sorted(self.unchecked.items()))
        return Module(protocols, self.crashes, tuple(nested), unchecked)

    def _early(self, token: TextToken, late: bool) -> None:
        if late:
            self.source.fail(
                "a nested protocol stands before the global ones, or first in the protocol that calls it",
                token.start,
                token.end,
            )

    def declaration(self) -> None:
        """`module m;`, `type <...> "..." from "..." as T;`: nothing that behaviour depends on."""
        first = self.next()
        while True:
            token = self.next()
            if token == ";":
                return
            if not token:
                self.source.fail(f"this '{first}' is not closed by ';'", first.start, first.end)

    def header(self) -> None:
        """`global protocol`; either word may be left out."""
        if self.peek() == "local":
            self.wrong(self.peek(), "'global protocol'", "only global protocols are read")
        if self.expect("global", "protocol") == "protocol":
            return
        before, token = self.position, self.next()
        if token != "protocol":
            if self.peek() not in ("(", "<"):
                self.wrong(token, "'protocol'", did_you_mean(token, ("protocol",)))
            self.position = before

    def protocol(self) -> Protocol:
        aux = False
        while self.peek() in ("aux", "explicit"):
            aux = self.next() == "aux" or aux
        self.header()
        name = self.name("the name of a protocol")
        place = self.source.place(name.start, name.end)
        parameters = self._parameters() if self.peek() == "<" else ()
        self.expect("(")
        roles, _ = self._roles(")")
        self.values()
        reliable = frozenset(role for role, kept in roles.items() if kept)
        nested, block = run(self.body())
        return Protocol(str(name), tuple(roles), reliable, block, aux, place, parameters, nested)

    def nested(self) -> Task[Protocol]:
        """`protocol P(role A, role B; new role C) { ... }` behind the word `nested`."""
        self.expect("protocol")
        name = self.name("the name of a protocol")
        parameters = self._parameters() if self.peek() == "<" else ()
        self.expect("(")
        roles, last = self._roles(";", ")")
        created: dict[str, bool] = {}
        if last == ";":
            self.expect("new")
            created, _ = self._roles(")")
        self.values()
        nested, block = yield self.body()
        place = self.source.place(name.start, name.end)
        return Protocol(
            str(name), tuple(roles), frozenset(), block, True, place, parameters, nested, tuple(created)
        )

    def body(self) -> Task[tuple[tuple[Protocol, ...], Block]]:
        """The nested protocols of a protocol, then its statements."""
        opening = self.expect("{")
        nested: list[Protocol] = []
        found: list[Statement] = []
        while self.peek() != "}":
            token = self._statement_start(opening)
            if token == "nested" and self.peek() == "protocol":
                self._early(token, bool(found))
                nested.append((yield self.nested()))
            else:
                found.append((yield self.statement(token)))
        self.next()
        return tuple(nested), Block(tuple(found), self.source.place(opening.start, opening.end))

    def _statement_start(self, opening: TextToken) -> TextToken:
        if not self.peek():
            self.source.fail("this '{' is never closed", opening.start, opening.end)
        return self.next()

    def _parameters(self) -> tuple[ProtocolParameter, ...]:
        """`<sig M, type T>`; `data` is another word for `type`, and `sig Given as M` is called M inside."""
        self.expect("<")
        found: dict[str, ProtocolParameter] = {}
        while True:
            kind = self.expect("sig", "type", "data")
            name = self.name("the name of a parameter")
            if self.peek() == "as":
                self.next()
                name = self.name("the name of a parameter")
            if name in found or name == "crash":
                why = "is declared twice" if name in found else "is reserved for the crash of a role"
                self.source.fail(f"the parameter '{name}' {why}", name.start, name.end)
            found[str(name)] = ProtocolParameter(str(name), kind == "sig")
            if self.expect(",", ">") == ">":
                return tuple(found.values())

    def _roles(self, *closing: str) -> tuple[dict[str, bool], TextToken]:
        """`role A, reliable role B)`: each role and whether it is reliable, and what closed the list."""
        roles: dict[str, bool] = {}
        while True:
            mark = self.expect("role", "reliable", "safe")
            if mark != "role":
                self.crashes = True
                self.expect("role")
            role = self.name("the name of a role")
            if role in roles:
                self.source.fail(f"the role '{role}' is declared twice", role.start, role.end)
            roles[str(role)] = mark != "role"
            last = self.expect(",", *closing)
            if last != ",":
                return roles, last

    # -- statements -----------------------------------------------------------------------------------

    def block(self) -> Task[Block]:
        opening = self.expect("{")
        found: list[Statement] = []
        while self.peek() != "}":
            found.append((yield self.statement(self._statement_start(opening))))
        self.next()
        return Block(tuple(found), self.source.place(opening.start, opening.end))

    def statement(self, token: TextToken) -> Task[Statement]:
        behind = self.peek()
        named = is_name(behind) and behind != "from"
        if token == "choice" and behind == "at":
            return cast(Statement, (yield self.choice(token)))
        if token == "rec" and named:
            return cast(Statement, (yield self.recursion()))
        if token == "continue" and named:
            name = self.next()
            self.variables()
            if self.peek() == "with":
                self.wrong(
                    self.peek(), "';'", "'continue ... with' is not supported: a loop starts again as it is"
                )
            self.expect(";")
            return Continue(str(name), self.source.place(token.start, name.end))
        if token == "do" and named:
            return self.do(token)
        if token == "crash":
            return self.crash(token)
        if is_name(token) and behind == "calls":
            return self.calls(token)
        return self.message(token)

    def choice(self, start: TextToken) -> Task[Statement]:
        self.expect("at")
        at = self.name("the role that chooses")
        blocks = [(yield self.block())]
        while self.peek() == "or":
            self.next()
            blocks.append((yield self.block()))
        return ChoiceStatement(str(at), tuple(blocks), self.source.place(start.start, at.end))

    def recursion(self) -> Task[Statement]:
        name = self.next()
        self.variables()
        block: Block = yield self.block()
        return Recursion(str(name), block, self.source.place(name.start, name.end))

    def do(self, start: TextToken) -> Do:
        name = self.name("the name of a protocol")
        arguments = self._arguments() if self.peek() == "<" else ()
        roles = self._actual_roles()
        return Do(str(name), roles, self.source.place(start.start, name.end), arguments)

    def calls(self, caller: TextToken) -> Calls:
        self.next()
        name = self.name("the name of a protocol")
        if self.peek() == "<":
            self._arguments()
        roles = self._actual_roles()
        return Calls(str(caller), str(name), roles, self.source.place(caller.start, name.end))

    def _actual_roles(self) -> tuple[str, ...]:
        """`(A, B);`"""
        if self.peek() == ";":
            self.next()
            return ()
        self.expect("(")
        roles = [str(self.name("the name of a role"))]
        while self.expect(",", ")") == ",":
            roles.append(str(self.name("the name of a role")))
        self.expect(";")
        return tuple(roles)

    def _arguments(self) -> tuple[str, ...]:
        """`<M, N(int), T>`: messages with or without a payload, and types."""
        opening = self.next()
        found = []
        while True:
            label = self.name("a message or a type")
            if label == "crash":
                self.source.fail("'crash' is reserved for the crash of a role", label.start, label.end)
            payload = self.brackets(self.next()) if self.peek() in ("(", "<") else "()"
            found.append(message_name(label, payload))
            if self.peek() not in (",", ">"):
                self.source.fail("this '<' is never closed", opening.start, opening.end)
            if self.next() == ">":
                return tuple(found)

    def crash(self, start: TextToken) -> CrashStatement:
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
        return CrashStatement(sender, receivers[0], self.source.place(start.start, start.end))

    def message(self, token: TextToken) -> MessageStatement:
        if not is_name(token) and token != "(":
            hint = None
            if token in ("or", "}"):
                hint = "an 'or' stands directly behind the '}' of a branch of a choice"
            self.wrong(token, f"a statement ({_STATEMENTS})", hint)
        label = "" if token == "(" else str(token)
        opening = token if token == "(" else self.peek()
        if opening == "(":
            self.position = opening.end
            label = message_name(label, self.brackets(opening))
            if not label:
                self.source.fail("a message needs a label or a payload", opening.start, self.position)
        elif opening != "from":
            self.wrong(opening, f"'from' or a payload behind the message '{token}'", _statement_hint(token))
        sender, receivers = self._ends()
        return MessageStatement(label, sender, receivers, self.source.place(token.start, token.end))

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
}


def _statement_hint(token: TextToken) -> str | None:
    return _FORMS.get(token) or did_you_mean(token, ("choice", "rec", "continue", "do"))
