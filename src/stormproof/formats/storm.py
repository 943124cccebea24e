"""The .storm language, read: text to System (docs/language.md has the grammar).

Names are checked where they are written, so that an unknown role or state is shown with its place and
with the name
that was probably meant.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import NoReturn

from ..errors import ModelError, ParseError
from ..model.actions import CRASH, Action, Internal, Message, Receive, Send, Transition
from ..model.process import Process
from ..model.system import System
from ..types.text import Source as TypeSource
from .storm_faults import Declared, parse_faults, resolve
from .storm_scan import BLANK, NAME, Cursor, Trace
from .storm_types import TypeBody, parse_type
from .text import Budget, Source, guess, near, shorten

_B = BLANK
#: The usual alternative and the usual head of a state, in one step each; what they do not match is
#: read word by word.
_ALTERNATIVE = re.compile(rf"{_B}({NAME}){_B}([!?]){_B}({NAME}){_B}(->){_B}({NAME})")
_STATE = re.compile(rf"{_B}({NAME}){_B}(:)")
_TOP = "'faults' or 'role'"


@dataclass
class Automaton:
    """A role's body as read: transitions, and where each state and peer is first named."""

    rows: list[Transition] = field(default_factory=list)
    states: dict[str, int] = field(default_factory=dict)
    targets: dict[str, int] = field(default_factory=dict)
    peers: dict[str, int] = field(default_factory=dict)


@dataclass
class Role:
    """A role as read."""

    name: str
    start: int
    reliable: bool
    body: Automaton | TypeBody


@dataclass
class File:
    """A whole text as read, before its names are looked up."""

    name: str = ""
    roles: dict[str, Role] = field(default_factory=dict)
    faults: list[Declared] = field(default_factory=list)


def read(text: str, name: str = "<input>") -> System:
    """The system that a .storm text describes."""
    source = Source(text, name)
    return build(source, parse(source))


def parse(source: Source, trace: Trace | None = None) -> File:
    """Read the text; with a trace, remember where every word stands."""
    return _Parser(Cursor(source, trace=trace)).file()


class _Parser:
    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor
        self.source = cursor.source
        self.actions: dict[tuple[str, str, str], Action] = {}
        self.types: TypeSource | None = None
        self.budget = Budget(self.source)

    def mark(self, what: str) -> None:
        if self.cursor.trace is not None:
            self.cursor.trace.mark(what)

    def file(self) -> File:
        cursor, file = self.cursor, File()
        if cursor.peek_word() == "protocol":
            self.mark("protocol")
            cursor.keyword("protocol")
            file.name = cursor.name("the protocol's name")[0]
        while not cursor.done():
            self.statement(file)
        if not file.roles:
            self.source.fail(
                "there is no role here", self.source.end(), hint="write: role A { start: B!hello -> end }"
            )
        return file

    def statement(self, file: File) -> None:
        cursor = self.cursor
        word, start = cursor.peek_word(), cursor.skip()
        if word == "faults":
            self.mark("faults")
            cursor.keyword("faults")
            file.faults.append(parse_faults(cursor))
        elif word in ("role", "reliable", "unreliable"):
            self.mark("role")
            self.role(file)
        elif word == "protocol":
            self.source.fail("the protocol's name comes once, and first", start, start + len(word))
        else:
            cursor.fail(
                _TOP if file.roles or file.faults or file.name else f"'protocol', {_TOP}", _near(word)
            )

    def role(self, file: File) -> None:
        cursor = self.cursor
        reliable = cursor.keyword("reliable", "unreliable") != "unreliable"
        if cursor.keyword("role") is None:
            cursor.fail("'role'")
        name, start = cursor.name("the role's name")
        if name in file.roles:
            self.source.fail(f"two roles are called '{shorten(name)}'", start, cursor.at, kind=ModelError)
        if not name:
            self.source.fail("a role needs a name", start, cursor.at)
        body: Automaton | TypeBody
        if cursor.symbol("{"):
            body = self.automaton(name, start)
        elif cursor.symbol("="):
            self.types = self.types or TypeSource(self.source.text, self.source.file)
            body = parse_type(cursor, self.types, self.budget)
        else:
            cursor.fail("'{' or '='", "a role is  role A { ... }  or  role A = type")
        file.roles[name] = Role(name, start, reliable, body)

    def automaton(self, role: str, start: int) -> Automaton:
        """States and their alternatives, up to the closing brace."""
        body, state = Automaton(), None
        text, cursor, source = self.source.text, self.cursor, self.source
        while True:
            cursor.skip()
            match = _ALTERNATIVE.match(text, cursor.at)
            if match is not None and state is not None:
                self.alternative(role, state, body, match)
                continue
            match = _STATE.match(text, cursor.at)
            if match is not None:
                state = self.state(body, match)
                continue
            if text.startswith("}", cursor.at):
                self.mark("close")
                cursor.symbol("}")
                if state is None:
                    source.fail(
                        f"role {shorten(role)} has no state",
                        start,
                        hint="a role that does nothing: role A { idle: }",
                    )
                return body
            self.unusual(role, state, body)

    def alternative(self, role: str, state: str, body: Automaton, match: re.Match[str]) -> None:
        """`Peer!message -> next`, matched in one step."""
        cursor = self.cursor
        raw_peer, sign, raw_message, _, raw_target = match.groups()
        peer = cursor.unquote(raw_peer, match.start(1))
        if cursor.trace is not None:
            self.mark("alternative")
            cursor.trace.words.extend(match.span(i) for i in range(1, 6))
        if raw_message[0] == '"':
            message: Message = cursor.unquote(raw_message, match.start(3))
            if not message:
                self.source.fail("a message needs a name", match.start(3), match.end(3))
        else:
            message = CRASH if raw_message == "crash" else raw_message
        target = cursor.unquote(raw_target, match.start(5))
        self.add(role, body, state, sign, (peer, match.start(1)), message, (target, match.start(5)))
        cursor.at = match.end()

    def add(
        self,
        role: str,
        body: Automaton,
        state: str,
        sign: str,
        peer: tuple[str, int],
        message: Message,
        target: tuple[str, int],
    ) -> None:
        name, start = peer
        if name == role:
            verb = "sends to" if sign == "!" else "receives from"
            self.source.fail(f"{role} {verb} itself", start, start + len(name), kind=ModelError)
        if name not in body.peers:
            body.peers[name] = start
        if target[0] not in body.targets:
            body.targets[target[0]] = target[1]
        key = (sign, name, "" if message is CRASH else str(message))
        action = self.actions.get(key)
        if action is None:
            action = self.actions[key] = (Send if sign == "!" else Receive)(name, message)
        body.rows.append(Transition(state, action, target[0]))
        self.budget.transition(start)

    def state(self, body: Automaton, match: re.Match[str]) -> str:
        cursor, start = self.cursor, match.start(1)
        state = cursor.unquote(match.group(1), start)
        if state in body.states:
            first = self.source.place(body.states[state])
            self.source.fail(
                f"state '{shorten(state)}' is listed twice",
                start,
                match.end(1),
                f"first on line {first.line}; further alternatives follow there, without the name",
                ModelError,
            )
        body.states[state] = start
        self.budget.state(start)
        self.mark("state")
        cursor.took(*match.span(1))
        cursor.took(*match.span(2))
        return state

    def unusual(self, role: str, state: str | None, body: Automaton) -> None:
        """Word by word: an internal action, a message with a payload, or a mistake."""
        cursor = self.cursor
        start = cursor.skip()
        if state is None:
            cursor.fail("a state, as in  start: Peer!message -> next,")
        self.mark("alternative")
        first, _ = cursor.name("an alternative, a state or '}'", _alternative_hint(self.source.text, start))
        if cursor.symbol("!"):
            sign = "!"
        elif cursor.symbol("?"):
            sign = "?"
        elif first == "internal":
            self.internal(state, body)
            return
        else:
            cursor.fail("'!', '?' or ':'", "write  Peer!message -> next  or  Peer?message -> next")
        message, _ = cursor.message()
        target = self.target()
        self.add(role, body, state, sign, (first, start), message, target)

    def internal(self, state: str, body: Automaton) -> None:
        action, _ = self.cursor.name("the name of the internal action", "write  internal work -> next")
        name, start = self.target()
        body.targets.setdefault(name, start)
        body.rows.append(Transition(state, Internal(action), name))
        self.budget.transition(start)

    def target(self) -> tuple[str, int]:
        self.cursor.expect("->", "an alternative ends with the state it goes to: -> next")
        return self.cursor.name("the state that this goes to")


def _near(word: str | None) -> str | None:
    return near(word, ["protocol", "faults", "role", "unreliable", "reliable"]) if word else None


def _alternative_hint(text: str, start: int) -> str | None:
    if text.startswith(":", start):
        return "the alternative before it does not say where it goes: Peer!message -> next"
    if start >= len(text):
        return "the role's '}' is missing"
    return None


def build(source: Source, file: File) -> System:
    """Look up the names, make the automata, and put the system together."""
    processes = []
    for role in file.roles.values():
        if isinstance(role.body, Automaton):
            processes.append(_process(source, file, role, role.body))
        else:
            processes.append(role.body.process(source, file, role))
    try:
        system = System(tuple(processes), name=file.name)
    except ModelError as problem:
        _relocate(source, problem, 0)
    return replace(system, faults=resolve(source, file.faults, system)) if file.faults else system


def _process(source: Source, file: File, role: Role, body: Automaton) -> Process:
    check_peers(source, file.roles, body.peers.items())
    for target, start in body.targets.items():
        if target not in body.states and target != "end":
            source.fail(
                f"unknown state '{shorten(target)}'",
                start,
                start + len(target),
                guess(target, body.states, "States") + f"; a final state is listed too: {shorten(target)}:",
                ModelError,
            )
    initial = next(iter(body.states))
    try:
        return Process(role.name, initial, tuple(body.rows), tuple(body.states), role.reliable)
    except ModelError as problem:
        _relocate(source, problem, role.start)


def check_peers(source: Source, roles: Mapping[str, object], peers: Iterable[tuple[str, int]]) -> None:
    """Every peer is a role of the file."""
    for peer, start in peers:
        if peer not in roles:
            source.fail(
                f"unknown role '{shorten(peer)}'",
                start,
                start + len(peer),
                guess(peer, roles, "Roles"),
                ModelError,
            )


def _relocate(source: Source, problem: ModelError | ParseError, start: int) -> NoReturn:
    """Give an error of the model the place that it lacks."""
    if problem.place is not None:
        raise problem
    raise type(problem)(problem.message, place=source.place(start), hint=problem.hint) from None
