"""Goals within a .storm text: the same language as on the command line, with the names of this one."""

from __future__ import annotations

import re

from ...errors import InputError, ParseError
from ...kernel.data.tokens import GoalToken
from ...kernel.model.actions import Message
from .storm_scan import NAME, Cursor

_TOKEN = re.compile(rf"(?P<name>{NAME})|->|.")


class GoalTokens:
    """The tokens at a cursor, which moves as they are taken."""

    def __init__(self, cursor: Cursor) -> None:
        self.cursor = cursor

    def peek(self, ahead: int = 0) -> GoalToken | None:
        looking = Cursor(self.cursor.source, self.cursor.at, self.cursor.end)
        token = self._next(looking)
        for _ in range(ahead):
            if token is None:
                return None
            looking.at = token.end
            token = self._next(looking)
        return token

    def take(self) -> None:
        token = self._next(self.cursor)
        assert token is not None
        self.cursor.took(token.start, token.end)

    def message(self) -> tuple[Message, GoalToken]:
        message, start = self.cursor.message()
        return message, GoalToken(str(message), start, self.cursor.at)

    def error(self, message: str, token: GoalToken | None, hint: str | None = None) -> InputError:
        start = token.start if token else self.cursor.source.end()
        return self.cursor.source.error(message, start, token.end if token else None, hint, ParseError)

    def _next(self, cursor: Cursor) -> GoalToken | None:
        start = cursor.skip()
        match = _TOKEN.match(cursor.text, start, cursor.end)
        if match is None:
            return None
        spelt, quoted = match.group(), match.group()[:1] == '"' and match.lastgroup == "name"
        name = cursor.unquote(spelt, start) if quoted else spelt
        return GoalToken(name, start, match.end(), sign=match.lastgroup != "name", quoted=quoted)
