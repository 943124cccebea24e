"""Role bodies that are automata: states and their alternatives, up to the closing brace.

After a mistake reading goes on with the next line, so that all mistakes of a file are reported at once.
"""

from __future__ import annotations

import re

from ...errors import InputError, ModelError
from ...kernel.model.actions import CRASH, TIMEOUT, Action, Internal, Message, Receive, Send, Transition
from .storm_hints import ALTERNATIVE, ONE_MESSAGE, STATE, after_word, before_alternative
from .storm_recovery import STATEMENT, Mistakes, begins_role, next_line
from .storm_scan import BLANK, NAME, Cursor
from .storm_syntax import RoleBody
from .storm_timers import parse_timer
from .text import SizeCount, shorten

_B = BLANK
#: The usual alternative and the usual head of a state, in one step each; what they do not match is
#: read word by word.
_ALTERNATIVE = re.compile(rf"{_B}({NAME}){_B}([!?]){_B}({NAME}){_B}(->){_B}({NAME})")
_STATE = re.compile(rf"{_B}({NAME}){_B}(:)")
#: The state of alternatives that follow a mistake before any state was read.
_NO_STATE = ""
_ROLE_WORDS = frozenset(("role", "reliable", "unreliable", "service"))


class AutomatonParser:
    """Reads the body of one role; actions are shared by all roles of a text."""

    def __init__(
        self,
        cursor: Cursor,
        budget: SizeCount,
        mistakes: Mistakes,
        actions: dict[tuple[str, str, str], Action],
        role: str,
        start: int,
    ) -> None:
        self.cursor, self.source, self.text = cursor, cursor.source, cursor.source.text
        self.budget, self.mistakes, self.actions = budget, mistakes, actions
        self.role, self.start = role, start
        self.body = RoleBody()
        self.current: str | None = None
        self.began = cursor.at

    def parse(self) -> RoleBody:
        """Everything up to the closing brace."""
        while True:
            try:
                while not self.closed():
                    self.began = self.cursor.at
                    self.one()
                return self.body
            except InputError as problem:
                self.mistakes.add(problem)
                self.cursor.at = next_line(self.cursor, self.began)
                self.current = _NO_STATE if self.current is None else self.current

    def closed(self) -> bool:
        self.cursor.skip()
        if self.text.startswith("}", self.cursor.at):
            self.cursor.mark("close")
            self.cursor.symbol("}")
            if self.current is None and not self.body.states:
                self.mistakes.fail(
                    self.source,
                    f"role {shorten(self.role)} has no state",
                    self.start,
                    hint="a role that does nothing: role A { idle: }",
                )
            return True
        if self.cursor.at >= self.cursor.end or STATEMENT.match(self.text, self.cursor.at):
            self.left_open()
            return True
        return False

    def left_open(self) -> None:
        """The text ends, or the next statement begins, within this role."""
        hint = "it ends with the file"
        if self.cursor.at < self.cursor.end:
            hint = f"it goes before line {self.source.place(self.cursor.at).line}"
        self.mistakes.fail(
            self.source,
            f"the '}}' of role {shorten(self.role)} is missing",
            self.start,
            self.start + len(self.role),
            hint,
        )

    def one(self) -> None:
        """One alternative, or the head of a state."""
        match = _ALTERNATIVE.match(self.text, self.cursor.at)
        if match is not None and self.current is not None and not self.swallows_role(match):
            self.alternative(match)
            return
        match = _STATE.match(self.text, self.cursor.at)
        if match is not None:
            self.state(match)
        elif self.begins_recovery():
            self.recovery()
        else:
            self.unusual()

    def begins_recovery(self) -> bool:
        """Without loading what reads it where nothing looks like it."""
        if not self.text.startswith("on", self.cursor.ahead()):
            return False
        from .storm_disks import begins_recovery

        return begins_recovery(self.text, self.cursor.ahead())

    def recovery(self) -> None:
        """`on restart -> s`; what comes behind it begins with a state."""
        from .storm_disks import parse_recovery

        self.body.recovery.append(parse_recovery(self.cursor))
        self.current = None if self.current != _NO_STATE else _NO_STATE

    def swallows_role(self, match: re.Match[str]) -> bool:
        """Is what looks like the next state the head of a role, since the state is missing?"""
        return match.group(5) in _ROLE_WORDS and begins_role(self.text, match.start(5))

    def alternative(self, match: re.Match[str]) -> None:
        """`Peer!message -> next`, matched in one step."""
        cursor = self.cursor
        raw_peer, sign, raw_message, _, raw_target = match.groups()
        peer = cursor.unquote(raw_peer, match.start(1))
        if cursor.trace is not None:
            cursor.mark("alternative")
            cursor.trace.words.extend(match.span(i) for i in range(1, 6))
        if raw_message[0] == '"':
            message: Message = cursor.unquote(raw_message, match.start(3))
            if not message:
                self.source.fail("a message needs a name", match.start(3), match.end(3))
        else:
            message = CRASH if raw_message == "crash" else raw_message
        target = cursor.unquote(raw_target, match.start(5))
        self.add(sign, (peer, match.start(1)), message, (target, match.start(5)))
        cursor.at = match.end()

    def add(self, sign: str, peer: tuple[str, int], message: Message, target: tuple[str, int]) -> None:
        name, start = peer
        self.body.peers.setdefault(name, start)
        key = (sign, name, "" if message is CRASH else str(message))
        action = self.actions.get(key)
        if action is None:
            action = self.actions[key] = (Send if sign == "!" else Receive)(name, message)
        self.row(action, start, target)

    def row(self, action: Action, start: int, target: tuple[str, int]) -> None:
        assert self.current is not None
        self.body.targets.setdefault(*target)
        self.body.rows.append(Transition(self.current, action, target[0]))
        self.body.starts.append(start)
        self.budget.transition(start)

    def state(self, match: re.Match[str]) -> None:
        cursor, start = self.cursor, match.start(1)
        state = cursor.unquote(match.group(1), start)
        cursor.mark("state")
        cursor.took(*match.span(1))
        cursor.took(*match.span(2))
        self.current = state
        if state in self.body.states:
            first = self.source.place(self.body.states[state])
            self.source.fail(
                f"state '{shorten(state)}' is listed twice",
                start,
                match.end(1),
                f"first on line {first.line}; further alternatives follow there, without the name",
                ModelError,
            )
        self.body.states[state] = start
        self.budget.state(start)

    def unusual(self) -> None:
        """Word by word: an internal action, a timer, a message with a payload, or a mistake."""
        cursor = self.cursor
        start = cursor.skip()
        spelt = cursor.peek_word()
        if self.current is None:
            way_out = after_word(self.text, start, start + len(spelt)) if spelt else None
            cursor.fail("a state", way_out or STATE)
        cursor.mark("alternative")
        first, _ = cursor.name("an alternative, a state or '}'", before_alternative(self.text, start))
        if cursor.symbol("!"):
            sign = "!"
        elif cursor.symbol("?"):
            sign = "?"
        elif spelt in ("internal", TIMEOUT):
            self.internal(spelt, start)
            return
        else:
            cursor.fail("'!', '?' or ':'", after_word(self.text, start, cursor.at) or ALTERNATIVE)
        several = self.text.startswith("{", cursor.ahead())
        message, _ = cursor.message(ONE_MESSAGE if several else None)
        self.add(sign, (first, start), message, self.target())

    def internal(self, kind: str, start: int) -> None:
        """`internal name -> next`, or a timer."""
        if kind == TIMEOUT:
            action = parse_timer(self.cursor)
        else:
            hint = "write  internal work -> next"
            action = Internal(self.cursor.name("the name of the internal action", hint)[0])
        self.row(action, start, self.target())

    def target(self) -> tuple[str, int]:
        self.cursor.expect("->", "an alternative ends with the state it goes to: -> next")
        if begins_role(self.text, self.cursor.skip()):
            self.cursor.fail("the state that this goes to")
        return self.cursor.name("the state that this goes to")
