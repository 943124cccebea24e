"""Names and signs of the language of goals, in a text of their own or within a longer one."""

from __future__ import annotations

import json
import re
from typing import NamedTuple, Protocol

from ...errors import InputError, ParseError, Place
from ..model.actions import CRASH, CRASH_ACTION, Message
from ..model.goal import BARE_NAME

#: A name where signs compute: `a - b` and `A.x` are three words each.
WORD = re.compile(r"\w+(?:-\w+)*")
_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')


class GoalToken(NamedTuple):
    """A name or a sign, and where it stands."""

    text: str
    start: int
    end: int
    sign: bool = False
    quoted: bool = False

    @property
    def name(self) -> bool:
        return not self.sign


class TokenSource(Protocol):
    """Where the parser reads from."""

    def peek(self, ahead: int = 0) -> GoalToken | None:
        """The token that comes next, or one behind it."""

    def take(self) -> None:
        """Pass over the next token."""

    def message(self) -> tuple[Message, GoalToken]:
        """Pass over a message."""

    def error(self, message: str, token: GoalToken | None, hint: str | None = None) -> InputError:
        """What is wrong with a token, or with the end of the text."""


class Text:
    """The tokens of a goal that is a text of its own."""

    def __init__(self, text: str, name: re.Pattern[str] = BARE_NAME) -> None:
        self.text = text.rstrip()
        self.at = 0
        self.bare = name

    def peek(self, ahead: int = 0) -> GoalToken | None:
        at = self.at
        for _ in range(ahead):
            token = self._next(at)
            if token is None:
                return None
            at = token.end
        return self._next(at)

    def take(self) -> None:
        token = self._next(self.at)
        assert token is not None
        self.at = token.end

    def message(self) -> tuple[Message, GoalToken]:
        token = self._next(self.at)
        assert token is not None
        self.at = token.end
        crash = not token.quoted and token.text in ("⚡", CRASH_ACTION)
        return (CRASH if crash else token.text), token

    def _next(self, at: int) -> GoalToken | None:
        while at < len(self.text) and self.text[at].isspace():
            at += 1
        if at >= len(self.text):
            return None
        if self.text[at] == '"':
            return self._quoted(at)
        name = self.bare.match(self.text, at)
        if name is not None:
            return GoalToken(name.group(), at, name.end())
        end = at + (2 if self.text.startswith("->", at) else 1)
        return GoalToken(self.text[at:end], at, end, sign=True)

    def _quoted(self, at: int) -> GoalToken:
        match = _QUOTED.match(self.text, at)
        if match is None:
            raise self.error("a quotation mark is not closed", GoalToken('"', at, at + 1))
        whole = GoalToken(match.group(), at, match.end(), quoted=True)
        try:
            return whole._replace(text=str(json.loads(whole.text, strict=False)))
        except json.JSONDecodeError:
            raise self.error("not a name between quotation marks as in JSON", whole) from None

    def error(self, message: str, token: GoalToken | None, hint: str | None = None) -> InputError:
        offset = token.start if token else len(self.text)
        line = self.text.count("\n", 0, offset) + 1
        start = self.text.rfind("\n", 0, offset) + 1
        shown = self.text.split("\n")[line - 1]
        width = max(token.end - token.start if token else 1, 1)
        return ParseError(message, place=Place("goal", line, offset - start + 1, shown, width), hint=hint)
