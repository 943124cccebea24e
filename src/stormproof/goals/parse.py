"""The language of goals: text to expressions, with located errors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..errors import ParseError, Place, did_you_mean
from ..model.actions import CRASH, Channel, Message, Word
from ..model.system import System
from .expression import _TOKEN, NAMED, And, At, Contains, Goal, Holds, Named, Or


class _Token(NamedTuple):
    text: str
    column: int
    quoted: bool = False
    width: int = 1


_TOKEN_SIGN = re.compile(r"->|→|[@&|()=\[\],{}]")
#: How deep parentheses may be nested; nobody writes more, and the parser calls itself for each.
MAX_DEPTH = 100


def parse_goal(text: str, system: System) -> Goal:
    """The goal that a text describes; every name in it is looked up in the system."""
    return _Parser(text, system).parse()


class _Parser:
    def __init__(self, text: str, system: System) -> None:
        self.text = text
        self.system = system
        self.tokens = list(self._tokens())
        self.at = 0
        self.depth = 0

    def _tokens(self) -> Iterator[_Token]:
        position, text = 0, self.text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                column = position + len(text[position:]) - len(text[position:].lstrip()) + 1
                raise self._error("a quotation mark is not closed", _Token(text[column - 1], column))
            kind = str(match.lastgroup)
            word = match[kind]
            token = _Token(word, match.start(kind) + 1, kind == "quoted", len(word))
            yield token._replace(text=self._unquoted(token)) if token.quoted else token
            position = match.end()

    def _unquoted(self, token: _Token) -> str:
        try:
            return str(json.loads(token.text, strict=False))
        except json.JSONDecodeError:
            raise self._error("not a name between quotation marks as in JSON", token) from None

    def _error(self, message: str, token: _Token | None, hint: str | None = None) -> ParseError:
        offset = token.column - 1 if token else len(self.text.rstrip())
        line = self.text.count("\n", 0, offset) + 1
        start = self.text.rfind("\n", 0, offset) + 1
        shown = self.text.split("\n")[line - 1]
        place = Place("goal", line, offset - start + 1, shown, max(token.width if token else 1, 1))
        return ParseError(message, place=place, hint=hint)

    def _peek(self, ahead: int = 0) -> _Token | None:
        i = self.at + ahead
        return self.tokens[i] if i < len(self.tokens) else None

    def _is(self, *signs: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token is not None and not token.quoted and token.text in signs

    def _take(self, *signs: str) -> bool:
        if self._is(*signs):
            self.at += 1
            return True
        return False

    def _expect(self, sign: str, where: str) -> None:
        if not self._take(sign):
            found = self._peek()
            raise self._error(f"'{sign}' is expected {where}{_instead(found)}", found)

    def _name(self, what: str) -> _Token:
        token = self._peek()
        if token is None or (not token.quoted and _TOKEN_SIGN.fullmatch(token.text)):
            raise self._error(f"{what} is expected{_instead(token)}", token)
        self.at += 1
        return token

    def parse(self) -> Goal:
        if not self.tokens:
            raise self._error("the goal is empty", None, "write it like Sender@wait0 & Sender->Receiver=[d0]")
        goal = self._or()
        rest = self._peek()
        if rest is not None:
            raise self._error(f"'{rest.text}' is one too many", rest, "join two goals with & or |")
        return goal

    def _or(self) -> Goal:
        parts = [self._and()]
        while self._take("|", "or", "∨"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Goal:
        parts = [self._atom()]
        while self._take("&", "and", "∧"):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _atom(self) -> Goal:
        opening = self._peek()
        if self._take("("):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self._error(f"parentheses are nested more than {MAX_DEPTH} deep", opening)
            goal = self._or()
            self._expect(")", "to close the parenthesis")
            self.depth -= 1
            return goal
        first = self._name("a process, a channel or one of " + ", ".join(NAMED))
        if self._is("@"):
            return self._states(first)
        if self._is("->", "→"):
            return self._channel(first)
        if not first.quoted and first.text in NAMED:
            return Named(first.text)
        if first.text in self.system:
            raise self._error(
                f"what about '{first.text}'?", first, f"write {first.text}@state or {first.text}->Other=[...]"
            )
        known = [*self.system.names, *NAMED]
        raise self._error(
            f"unknown name '{first.text}'",
            first,
            did_you_mean(first.text, known) or "here: " + ", ".join(known),
        )

    def _role(self, token: _Token) -> str:
        if token.text not in self.system:
            names = self.system.names
            hint = did_you_mean(token.text, names) or "roles here: " + ", ".join(names)
            raise self._error(f"unknown role '{token.text}'", token, hint)
        return token.text

    def _states(self, process: _Token) -> Goal:
        name = self._role(process)
        self.at += 1
        known = self.system[name].states
        tokens = []
        if self._take("{"):
            tokens.append(self._name(f"a state of {name}"))
            while self._take(","):
                tokens.append(self._name(f"a state of {name}"))
            self._expect("}", "to close the set of states")
        else:
            tokens.append(self._name(f"a state of {name}"))
        for token in tokens:
            if token.text not in known:
                hint = did_you_mean(token.text, known) or f"states of {name}: {_some(known)}"
                raise self._error(f"{name} has no state '{token.text}'", token, hint)
        return At(name, tuple(dict.fromkeys(t.text for t in tokens)))

    def _channel(self, sender: _Token) -> Goal:
        source = self._role(sender)
        self.at += 1
        receiver = self._name("the receiving process")
        channel = Channel(source, self._role(receiver))
        if channel.sender == channel.receiver:
            raise self._error(f"there is no channel from {channel.sender} to itself", receiver)
        if self._take("="):
            return Holds(channel, self._word(channel))
        if self._take("contains"):
            return Contains(channel, self._message(channel))
        raise self._error(
            f"what about {channel}?{_instead(self._peek())}", self._peek(), "go on with =[m, n] or contains m"
        )

    def _word(self, channel: Channel) -> Word:
        self._expect("[", "before the channel's content")
        word: list[Message] = []
        while not self._is("]"):
            if word:
                self._expect(",", "between two messages")
            token = self._peek()
            if word and word[-1] is CRASH:
                raise self._error("the crash message is always the last of its channel", token)
            word.append(self._message(channel))
        self._expect("]", "after the channel's content")
        return tuple(word)

    def _message(self, channel: Channel) -> Message:
        token = self._name("a message")
        known = self.system.messages
        if token.text in known:
            return token.text
        if not token.quoted and token.text in ("⚡", "crash"):
            return CRASH
        here = [m for m in self.system.alphabet(channel) if isinstance(m, str)]
        hint = did_you_mean(token.text, known) or f"messages on {channel}: {_some(here) or 'none'}"
        raise self._error(f"unknown message '{token.text}'", token, hint)


def _instead(token: _Token | None) -> str:
    return ", but the goal ends here" if token is None else f", not '{token.text}'"


def _some(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
