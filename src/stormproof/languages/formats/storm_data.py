"""Roles with variables in a .storm text, parsed: constants, domains, patterns, guards, updates, families."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import NoReturn

from ...errors import InputError, ModelError
from ...kernel.data.parse import RESERVED, ExpressionParser
from ...kernel.data.syntax import DataMistake, Expression, Name
from ...kernel.model.actions import CRASH, TIMEOUT, Internal, Message
from ...programs.data import syntax
from ...programs.data.syntax import (
    ACT,
    GO,
    RECEIVE,
    SEND,
    AlternativeSyntax,
    ConstantSyntax,
    DataRole,
    DomainSyntax,
    PeerSyntax,
    StateSyntax,
    UpdateSyntax,
    VariableSyntax,
)
from .storm_disks import begins_recovery, parse_recovery
from .storm_goals import GoalTokens
from .storm_hints import after_word, before_alternative
from .storm_recovery import STATEMENT, Mistakes, next_line
from .storm_scan import BLANK, NAME, Cursor
from .storm_timers import parse_timer
from .text import SizeCount, shorten

#: What makes a file one with data: a constant, a variable, or a family.
_DATA = re.compile(
    rf'(?m)(?:^|\{{)[ \t]*(?:const|(?:durable[ \t]+)?var)[ \t]+[\w"]|\brole[ \t]+(?:{NAME})[ \t]*\['
)
_BEHIND_ARROW = re.compile(r"->\s*(?://[^\n]*\n\s*)*\Z")
_PEER = re.compile(rf"{BLANK}(?:{NAME}){BLANK}[!?\[]")
_CONST = re.compile(r"const[ \t]+[\w\"]")
_EXAMPLE = "write  Peer!message(value) -> next,  Peer?message(name) if CONDITION -> next { x = name }"
_DOMAIN = "write a..b, bool, {red, green}, set of D, D? or the name of a family"
#: `save -> s`, `save x, y -> s`, and these with a guard.
_SAVE = re.compile(rf"save(?:{BLANK}->|[ \t]+if\b|[ \t]+(?:{NAME}){BLANK}(?:,|->|\bif\b))")


def has_data(text: str) -> bool:
    """Is this a text with constants, variables or families? Any other means what it always meant."""
    for match in _DATA.finditer(text):
        head = text[max(0, match.start() - 400) : match.start()]
        comment = "//" in text[text.rfind("\n", 0, match.start()) + 1 : match.start()]
        if not comment and not _BEHIND_ARROW.search(head):
            return True
    return False


class _Reader:
    """Expressions and names at a cursor."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor, self.source = cursor, cursor.source

    def expression(self) -> Expression:
        parser = ExpressionParser(GoalTokens(self.cursor))
        try:
            return parser.parse()
        except DataMistake as problem:
            self.fail(problem)

    def fail(self, problem: DataMistake) -> NoReturn:
        self.source.fail(problem.message, problem.start, problem.end, problem.hint, ModelError)

    def name(self, what: str, hint: str | None = None) -> Name:
        name, start = self.cursor.name(what, hint)
        return Name(name, start, self.cursor.at)

    def new_name(self, what: str) -> Name:
        """The name of a constant or a variable, which no word of expressions may be."""
        name = self.name(what)
        if name.name in RESERVED:
            said = f"'{name.name}' is a word of the language"
            self.source.fail(said, name.start, name.end, "choose another name", ModelError)
        return name

    # ---- domains ----

    def domain(self) -> DomainSyntax:
        found = self._domain()
        while self.cursor.symbol("?"):
            found = DomainSyntax(syntax.MAYBE, (found,), found.start, self.cursor.at)
        return found

    def _domain(self) -> DomainSyntax:
        cursor, start = self.cursor, self.cursor.skip()
        word = cursor.peek_word() if not cursor.text.startswith('"', start) else None
        if word in ("set", "list", "map"):
            cursor.keyword(word)
            return self._collection(word, start)
        if cursor.keyword("bool"):
            return DomainSyntax(syntax.BOOL, (), start, cursor.at)
        if cursor.symbol("{"):
            return self._listed(syntax.WORDS, "}", start)
        if cursor.symbol("("):
            return self._listed(syntax.TUPLE, ")", start)
        return self._range_or_name(start)

    def _collection(self, word: str, start: int) -> DomainSyntax:
        cursor = self.cursor
        if cursor.keyword("of") is None:
            cursor.fail("'of'", "write: set of D, list of D up to n, map of D to E")
        parts: list[DomainSyntax | Expression] = [self.domain()]
        if word == "list":
            if cursor.keyword("up") is None or cursor.keyword("to") is None:
                cursor.fail("'up to'", "a list has a greatest length: list of D up to n")
            parts.append(self.expression())
        if word == "map":
            if cursor.keyword("to") is None:
                cursor.fail("'to'", "write: map of D to E")
            parts.append(self.domain())
        return DomainSyntax(word, tuple(parts), start, cursor.at)

    def _listed(self, kind: str, closing: str, start: int) -> DomainSyntax:
        cursor = self.cursor
        parts: list[DomainSyntax | Expression] = []
        while not cursor.symbol(closing):
            if parts:
                cursor.expect(",")
            parts.append(self.name("a word") if kind == syntax.WORDS else self.domain())
        if not parts:
            self.source.fail("there is nothing in this domain", start, cursor.at, _DOMAIN)
        return DomainSyntax(kind, tuple(parts), start, cursor.at)

    def _range_or_name(self, start: int) -> DomainSyntax:
        parser = ExpressionParser(GoalTokens(self.cursor))
        try:
            low = parser.sum()
        except DataMistake as problem:
            self.fail(problem)
        if not self.cursor.symbol("."):
            if isinstance(low, Name):
                return DomainSyntax(syntax.NAMED, (low,), start, self.cursor.at)
            self.cursor.fail("'..'", _DOMAIN)
        self.cursor.expect(".", _DOMAIN)
        high = ExpressionParser(GoalTokens(self.cursor)).sum()
        return DomainSyntax(syntax.RANGE, (low, high), start, self.cursor.at)


def parse_constant(cursor: Cursor) -> ConstantSyntax:
    """What follows the word `const`."""
    reader = _Reader(cursor)
    name = reader.new_name("a constant's name")
    cursor.expect("=", "write: const numbers = 3")
    return ConstantSyntax(name, reader.expression())


def parse_family(cursor: Cursor) -> tuple[Name, Expression]:
    """`[i: 1..n]` behind the name of a family."""
    reader, hint = _Reader(cursor), "write: role N[i: 1..3] { ... }"
    cursor.expect("[", hint)
    index = reader.name("what a member calls itself", hint)
    cursor.expect(":", hint)
    if cursor.keyword("1") is None:
        cursor.fail("1", f"members are numbered from 1: role N[{index.name}: 1..3]")
    cursor.expect(".", hint)
    cursor.expect(".", hint)
    size = reader.expression()
    cursor.expect("]", hint)
    return index, size


def parse_values(cursor: Cursor) -> tuple[tuple[Name, Expression], ...]:
    """`{x=1, y=2}` behind a state."""
    reader = _Reader(cursor)
    found: list[tuple[Name, Expression]] = []
    cursor.expect("{")
    while not cursor.symbol("}"):
        if found:
            cursor.expect(",")
        name = reader.name("a variable")
        cursor.expect("=", "write: A@waiting{bit=0}")
        found.append((name, reader.expression()))
    return tuple(found)


class DataRoleParser(_Reader):
    """Reads the body of one role, up to the closing brace; after a mistake it goes on with the next line."""

    #: What it reads the body of.
    what = "role"

    def __init__(self, cursor: Cursor, budget: SizeCount, mistakes: Mistakes, role: DataRole) -> None:
        super().__init__(cursor)
        self.text, self.budget, self.mistakes, self.role = cursor.text, budget, mistakes, role
        self.current: StateSyntax | None = None
        #: Behind recovery code a state begins.
        self.between = False

    def parse(self) -> DataRole:
        began = self.cursor.at
        while True:
            try:
                while not self.closed():
                    began = self.cursor.at
                    self.one()
                return self.role
            except InputError as problem:
                self.mistakes.add(problem)
                self.cursor.at = next_line(self.cursor, began)
                self.current = self.current or StateSyntax(Name("", 0, 0))

    def closed(self) -> bool:
        cursor, at = self.cursor, self.cursor.skip()
        if self.text.startswith("}", at):
            cursor.mark("close")
            cursor.symbol("}")
            if self.current is None:
                hint = f"one that does nothing: {self.what} A {{ idle: }}"
                said = f"{self.what} {shorten(self.role.name)} has no state"
                self.mistakes.fail(self.source, said, self.role.start, hint=hint)
            return True
        if at >= cursor.end or STATEMENT.match(self.text, at) or _CONST.match(self.text, at):
            if self._is_durable_variable():
                return False
            hint = f"it goes before line {self.source.place(at).line}"
            hint = "it ends with the file" if at >= cursor.end else hint
            said = f"the '}}' of {self.what} {shorten(self.role.name)} is missing"
            start = self.role.start
            self.mistakes.fail(self.source, said, start, start + len(self.role.name), hint)
            return True
        return False

    def _is_durable_variable(self) -> bool:
        return re.compile(r"durable[ \t]+var\b").match(self.text, self.cursor.at) is not None

    def one(self) -> None:
        """A line of variables, the head of a state, or one alternative."""
        cursor = self.cursor
        declares = cursor.peek_word() == "var" or self._is_durable_variable()
        if cursor.has_label():
            self.state()
        elif declares and self.current is None:
            self.variables()
        elif declares:
            cursor.fail("an alternative, a state or '}'", "variables come before the first state")
        elif begins_recovery(self.text, cursor.ahead()):
            self.role.recovery.append(parse_recovery(cursor))
            self.between = True
        else:
            self.alternative()

    def variables(self) -> None:
        """`var x, y: D = value`, or `durable var x: D = value`."""
        cursor = self.cursor
        cursor.mark("var")
        durable = cursor.keyword("durable") is not None
        cursor.keyword("var")
        names = [self.new_name("a variable")]
        while cursor.symbol(","):
            names.append(self.new_name("a variable"))
        cursor.expect(":", "write: var x: 0..3 = 0")
        domain = self.domain()
        initial = self.expression() if cursor.symbol("=") else None
        self.role.variables += [VariableSyntax(name, domain, initial, durable) for name in names]

    def state(self) -> None:
        cursor = self.cursor
        cursor.mark("state")
        name = self.name("a state")
        cursor.expect(":")
        self.current, self.between = StateSyntax(name), False
        known = self.role.states.get(name.name)
        if known is not None:
            line = self.source.place(known.name.start).line
            hint = f"first on line {line}; further alternatives follow there, without the name"
            said = f"state '{shorten(name.name)}' is listed twice"
            self.source.fail(said, name.start, name.end, hint, ModelError)
        self.role.states[name.name] = self.current
        self.budget.state(name.start)

    # ---- alternatives ----

    def alternative(self) -> None:
        cursor, start = self.cursor, self.cursor.skip()
        if self.current is None or self.between:
            cursor.fail("a variable or a state", "write  var x: 0..3  or  start: Peer!message -> next")
        cursor.mark("alternative")
        also = self._took_or()
        if _PEER.match(self.text, cursor.at):
            found = self.transfer(start, also)
        elif also:
            cursor.fail("a reception", "'or' comes before a reception that is a choice: or A?m -> next")
        elif cursor.keyword("if"):
            found = self.rest(GO, start, guard=self.expression())
        elif cursor.keyword("else"):
            found = self.rest(GO, start)
        elif _SAVE.match(self.text, cursor.skip()):
            found = self.save(start)
        else:
            found = self.internal(start)
        self.current.alternatives.append(found)
        self.budget.transition(start)

    def _took_or(self) -> bool:
        if self.cursor.peek_word() != "or" or _PEER.match(self.text, self.cursor.at):
            return False
        return self.cursor.keyword("or") is not None

    def save(self, start: int) -> AlternativeSyntax:
        """`save -> s` writes all durable variables, `save x, y -> s` these."""
        self.cursor.keyword("save")
        names: list[Name] = []
        while not self.text.startswith("->", self.cursor.ahead()) and self.cursor.peek_word() != "if":
            if names:
                self.cursor.expect(",", "write: save x, y -> next")
            names.append(self.name("a durable variable"))
        action = Internal(" ".join(["save", ", ".join(n.name for n in names)]).strip())
        durable = tuple(v.name for v in self.role.variables if v.durable)
        return replace(self.rest(ACT, start, action=action), saved=tuple(names) or durable)

    def internal(self, start: int) -> AlternativeSyntax:
        cursor = self.cursor
        kind = cursor.keyword("internal", TIMEOUT)
        if kind is None:
            word = cursor.peek_word()
            hint = after_word(self.text, start, start + len(word)) if word else None
            hint = hint or before_alternative(self.text, start)
            cursor.fail("an alternative, a state or '}'", hint or _EXAMPLE)
        if kind == TIMEOUT:
            return self.rest(ACT, start, action=parse_timer(cursor))
        name = cursor.name("an internal action's name", "write: internal name -> next")[0]
        return self.rest(ACT, start, action=Internal(name))

    def transfer(self, start: int, also: bool) -> AlternativeSyntax:
        cursor = self.cursor
        peer = self.peer()
        sends = cursor.symbol("!")
        if not sends and not cursor.symbol("?"):
            cursor.fail("'!' or '?'", _EXAMPLE)
        if also and sends:
            hint = "sends of one state are choices already"
            self.source.fail("'or' comes before a reception", start, cursor.at, hint)
        message, fields = self.message()
        return self.rest(SEND if sends else RECEIVE, start, peer, message, fields, also=also)

    def peer(self) -> PeerSyntax:
        cursor = self.cursor
        name = self.name("a role")
        if not cursor.symbol("["):
            return PeerSyntax(name)
        if cursor.symbol("*"):
            cursor.expect("]")
            return PeerSyntax(name, everybody=True)
        index = self.expression()
        cursor.expect("]", "write N[j], N[*] or N[_]")
        return PeerSyntax(name, index)

    def message(self) -> tuple[Message, tuple[Expression, ...]]:
        cursor, start = self.cursor, self.cursor.skip()
        quoted = self.text.startswith('"', start)
        name, _ = cursor.name("a message")
        if not name:
            self.source.fail("a message needs a name", start, cursor.at)
        message: Message = CRASH if name == "crash" and not quoted else name
        fields: list[Expression] = []
        if cursor.symbol("("):
            fields.append(self.expression())
            while cursor.symbol(","):
                fields.append(self.expression())
            cursor.expect(")", "to close the values of the message")
        if fields and message is CRASH:
            self.source.fail("the crash message has no values", start, cursor.at)
        return message, tuple(fields)

    def rest(
        self,
        kind: str,
        start: int,
        peer: PeerSyntax | None = None,
        message: Message = "",
        fields: tuple[Expression, ...] = (),
        action: Internal | None = None,
        guard: Expression | None = None,
        also: bool = False,
    ) -> AlternativeSyntax:
        """The guard, the target and the update."""
        cursor = self.cursor
        if kind != GO and cursor.keyword("if"):
            guard = self.expression()
        end = cursor.at
        cursor.expect("->", "an alternative ends with the state it goes to: -> next")
        target = self.name("the state that this goes to")
        updates = self.updates() if self.text.startswith("{", cursor.ahead()) else ()
        return AlternativeSyntax(
            kind, start, end, target, peer, message, fields, action, guard, updates, also
        )

    def updates(self) -> tuple[UpdateSyntax, ...]:
        cursor = self.cursor
        cursor.expect("{")
        self._note_brace()
        found: list[UpdateSyntax] = []
        while not cursor.symbol("}"):
            if found:
                cursor.expect(",", "updates are separated by commas: { x = 1, y = 2 }")
            name = self.name("a variable")
            key = None
            if cursor.symbol("["):
                key = self.expression()
                cursor.expect("]")
            if cursor.text.startswith(":=", cursor.ahead()):
                cursor.fail("'='", "':=' is written '='")
            cursor.expect("=", "write: { x = x + 1 }")
            found.append(UpdateSyntax(name, key, self.expression()))
        self._note_brace()
        return tuple(found)

    def _note_brace(self) -> None:
        trace = self.cursor.trace
        if trace is not None:
            trace.updates.add(len(trace.words) - 1)
