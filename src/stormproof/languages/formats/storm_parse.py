"""The .storm language, parsed: text to what stands where (docs/language.md has the grammar)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ...errors import InputError, ModelError
from ...kernel.model.actions import Action
from ...kernel.model.system import COMMUNICATIONS
from .storm_automaton import AutomatonParser
from .storm_faults import parse_faults
from .storm_hints import instead_of_statement
from .storm_recovery import Mistakes, TooMany, next_statement
from .storm_requirements import CLAIM_HINT, parse_statement
from .storm_scan import Cursor, Trace
from .storm_syntax import File, ObserverSyntax, Rest, RoleBody, RoleSyntax
from .storm_timers import parse_mode
from .text import SizeCount, Source, near, shorten

if TYPE_CHECKING:
    from ...kernel.data.syntax import Expression, Name
    from ...programs.data.syntax import DataRole
    from ..types.text import TypeSource
    from .storm_types import TypeBody

STATEMENTS = (
    *("role", "observer", "communication", "timers", "faults", "rest", "durable", "require", "expect"),
)
MODIFIERS = ("reliable", "unreliable", "service")
#: What begins with these words has no role in it.
_NO_ROLE = frozenset(("protocol", *STATEMENTS)) - {"role"}
_TOP = "'role', 'observer', 'communication', 'timers', 'faults', 'rest', 'durable', 'require' or 'expect'"


def parse(source: Source, trace: Trace | None = None) -> File:
    """Read the text; with a trace, remember where every word stands. Mistakes are in `errors`."""
    return _Parser(Cursor(source, trace=trace)).file()


def parse_rest(cursor: Cursor, word: str = "rest") -> list[Rest]:
    """What follows the word `rest` or `durable`: `A@idle, B@{idle, done}`."""
    found = [_rest(cursor, word)]
    while cursor.symbol(","):
        found.append(_rest(cursor, word))
    return found


def _rest(cursor: Cursor, word: str) -> Rest:
    hint = f"write: {word} A@idle, B@done"
    role, start = cursor.role("a role", hint)
    cursor.expect("@", hint)
    if not cursor.symbol("{"):
        state = cursor.name("a state")
        return Rest(role, start, (state,), _values(cursor), _atomically(cursor, word))
    states: list[tuple[str, int]] = []
    while not cursor.symbol("}"):
        if states:
            cursor.expect(",")
        states.append(cursor.name("a state"))
    return Rest(role, start, tuple(states), atomically=_atomically(cursor, word))


def _atomically(cursor: Cursor, word: str) -> bool:
    return word == "durable" and cursor.keyword("atomically") is not None


def _values(cursor: Cursor) -> tuple[tuple[Name, Expression], ...]:
    """`{x=1, y=2}` behind a state, in a file with data."""
    if not cursor.data or not cursor.text.startswith("{", cursor.at):
        return ()
    from .storm_data import parse_values

    return parse_values(cursor)


def _may_have_data(text: str) -> bool:
    """Without loading what reads such files where nothing in the text looks like it."""
    if "const" not in text and "var" not in text and "[" not in text:
        return False
    from .storm_data import has_data

    return has_data(text)


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.source = cursor.source
        self.actions: dict[tuple[str, str, str], Action] = {}
        self.types: TypeSource | None = None
        self.budget = SizeCount(self.source)
        self.mistakes = Mistakes()

    def file(self) -> File:
        file = File(errors=self.mistakes.errors)
        try:
            self.statements(file)
            if not file.roles and not file.errors:
                hint = "write: role A { start: B!hello -> end }"
                self.mistakes.fail(self.source, "there is no role here", self.source.end(), hint=hint)
        except TooMany:
            file.roles_unread = True
        return file

    def statements(self, file: File) -> None:
        cursor = self.cursor
        file.data = cursor.data = _may_have_data(self.source.text)
        if cursor.trace is not None:
            cursor.trace.data = file.data
        first = True
        while not cursor.done():
            start, word = cursor.at, cursor.peek_word()
            try:
                self.statement(file, first)
            except InputError as problem:
                file.roles_unread |= word not in _NO_ROLE
                self.mistakes.add(problem)
                cursor.at = next_statement(cursor, start)
            first = False

    def statement(self, file: File, first: bool) -> None:
        cursor = self.cursor
        word, start = cursor.peek_word(), cursor.skip()
        if word in ("role", *MODIFIERS):
            cursor.mark("role")
            self.role(file)
        elif word == "const" and file.data:
            self.constant(file)
        elif word == "observer":
            self.observer(file)
        elif word == "communication":
            cursor.mark("communication")
            file.communication = self.communication()
        elif word == "timers":
            cursor.mark("timers")
            cursor.keyword("timers")
            file.timers = parse_mode(cursor)
        elif word == "faults":
            cursor.mark("faults")
            cursor.keyword("faults")
            file.faults.append(parse_faults(cursor))
        elif word == "rest":
            cursor.mark("rest")
            cursor.keyword("rest")
            file.rest += parse_rest(cursor)
        elif word == "durable":
            cursor.mark("durable")
            cursor.keyword("durable")
            file.durable += parse_rest(cursor, "durable")
        elif word in ("require", "expect"):
            cursor.mark("require")
            file.requirements.append(parse_statement(cursor))
        elif word == "protocol" and first:
            cursor.mark("protocol")
            cursor.keyword("protocol")
            file.name = cursor.name("the protocol's name")[0]
        elif word == "protocol":
            self.source.fail("the protocol's name comes once, and first", start, start + len(word))
        else:
            cursor.fail(f"'protocol', {_TOP}" if first else _TOP, self.instead(start, word))

    def instead(self, start: int, word: str | None) -> str | None:
        """What is probably meant where no statement begins."""
        text = self.source.text
        if text.startswith("}", start):
            return "no role is open here"
        head = text[text.rfind("\n", 0, start) + 1 : start].split(maxsplit=1)
        if head and head[0] in ("require", "expect"):
            return CLAIM_HINT
        if head and head[0] in ("rest", "durable"):
            return f"states are separated by commas: {head[0]} A@idle, B@done"
        known = ["protocol", *STATEMENTS, *MODIFIERS]
        return instead_of_statement(text, start, word) or (near(word, known) if word else None)

    def communication(self) -> str:
        """`communication mailbox`, or `communication peer-to-peer`, which is the default."""
        self.cursor.keyword("communication")
        found, start = self.cursor.name("'mailbox' or 'peer-to-peer'")
        if found not in COMMUNICATIONS:
            problem = f"communication is 'mailbox' or 'peer-to-peer', not '{shorten(found)}'"
            self.source.fail(problem, start, self.cursor.at, near(found, COMMUNICATIONS))
        return found

    def role(self, file: File) -> None:
        cursor = self.cursor
        reliable, service = self.modifiers()
        if cursor.keyword("role") is None:
            cursor.fail("'role'")
        name, start = cursor.name("the role's name")
        if not name:
            self.source.fail("a role needs a name", start, cursor.at)
        end = cursor.at
        before = len(self.mistakes.errors)
        body = self.body_or_none(name, start, file.data)
        if name in file.roles:
            problem = f"two roles are called '{shorten(name)}'"
            hint = f"the first is on line {self.source.place(file.roles[name].start).line}"
            self.mistakes.fail(self.source, problem, start, end, hint, ModelError)
            file.roles[name].broken = True
            return
        broken = len(self.mistakes.errors) > before
        file.roles[name] = RoleSyntax(name, start, reliable, service, body or RoleBody(), broken)

    def constant(self, file: File) -> None:
        from .storm_data import parse_constant

        self.cursor.mark("const")
        self.cursor.keyword("const")
        file.constants.append(parse_constant(self.cursor))

    def observer(self, file: File) -> None:
        from .storm_observers import parse_observer

        self.cursor.mark("observer")
        self.cursor.keyword("observer")
        before = len(self.mistakes.errors)
        found = parse_observer(self.cursor, self.budget, self.mistakes)
        file.observers.append(ObserverSyntax(found, len(self.mistakes.errors) > before))

    def body_or_none(self, name: str, start: int, data: bool) -> RoleBody | TypeBody | DataRole | None:
        """What follows the name; None if it cannot be read, and then the next statement is next."""
        try:
            return self.data_body(name, start) if data else self.body(name, start)
        except InputError as problem:
            self.mistakes.add(problem)
            self.cursor.at = next_statement(self.cursor, start)
            return None

    def modifiers(self) -> tuple[bool, bool]:
        """`reliable` or `unreliable`, and `service`, in either order, each at most once."""
        found: dict[str, None] = {}
        while True:
            start = self.cursor.skip()
            word = self.cursor.keyword(*MODIFIERS)
            if word is None:
                return "unreliable" not in found, "service" in found
            if word in found or (word != "service" and found.keys() - {"service"}):
                self.source.fail(f"unexpected '{word}'", start, self.cursor.at)
            found[word] = None

    def data_body(self, name: str, start: int) -> DataRole:
        """A role in a file with data, or the roles of a family."""
        from ...programs.data.syntax import DataRole
        from .storm_data import DataRoleParser, parse_family

        cursor = self.cursor
        made = DataRole(name, start)
        if cursor.text.startswith("[", cursor.ahead()):
            made.index, made.size = parse_family(cursor)
        if cursor.text.startswith("=", cursor.ahead()):
            hint = "write its states: role A { start: B!message -> end }"
            cursor.fail("'{', since a file with const, var or an index has no session types", hint)
        cursor.expect("{", "a role is  role A { ... }  or  role N[i: 1..n] { ... }")
        return DataRoleParser(cursor, self.budget, self.mistakes, made).parse()

    def body(self, name: str, start: int) -> RoleBody | TypeBody:
        cursor = self.cursor
        if cursor.symbol("{"):
            parser = AutomatonParser(cursor, self.budget, self.mistakes, self.actions, name, start)
            return parser.parse()
        if cursor.symbol("="):
            from ..types.text import TypeSource
            from .storm_types import parse_type

            self.types = self.types or TypeSource(self.source.text, self.source.file)
            return parse_type(cursor, self.types, self.budget)
        cursor.fail("'{' or '='", "a role is  role A { ... }  or  role A = type")
