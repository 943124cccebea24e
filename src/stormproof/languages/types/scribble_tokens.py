"""The tokens of Scribble and nuScr.

Comments: `// line`, `/* block */`, `(* nested *)`, `(*) line`, and pragmas `(*# ... #*)`, which are skipped.
Annotations, `@"..."` and `//@ ...`, and conditions on values are skipped too, and remembered for a warning.
"""

from __future__ import annotations

import re
from typing import NoReturn

from ...errors import did_you_mean
from .text import TextToken, TypeSource

#: Names may start with a digit: `1() from A to B;`, `4a() from A to B;`.
_TOKEN = re.compile(r"""\w[\w']*|"(?:[^"\n])*"|.""", re.DOTALL)
_BLANK = re.compile(r"(?:\s+|//(?!@)[^\n]*|\(\*\)[^\n]*)+")
_ANNOTATION = re.compile(r'//@[^\n]*|@\s*"[^"]*"')
_NESTING = re.compile(r"\(\*\)[^\n]*|\(\*|\*\)")
_NAME = re.compile(r"\w[\w']*")


def is_name(token: str) -> bool:
    return _NAME.fullmatch(token) is not None


class ScribbleTokens:
    """A text read token by token; `peek` looks at the next one, `next` takes it."""

    def __init__(self, source: TypeSource) -> None:
        self.source = source
        self.position = 0
        self._ahead: TextToken | None = None
        #: Where annotations and conditions stand, and the first few characters of each.
        self.unchecked: dict[int, int] = {}

    def _skip(self) -> None:
        text = self.source.text
        while True:
            if match := _BLANK.match(text, self.position):
                self.position = match.end()
            elif match := _ANNOTATION.match(text, self.position):
                self.unchecked[match.start()] = match.end()
                self.position = match.end()
            elif text.startswith("/*", self.position):
                self.position = self._block(self.position)
            elif text.startswith("(*", self.position):
                self.position = self._nested(self.position)
            else:
                return

    def _block(self, start: int) -> int:
        end = self.source.text.find("*/", start + 2)
        if end < 0:
            self.source.fail("this comment is never closed", start, start + 2)
        return end + 2

    def _nested(self, start: int) -> int:
        """Behind a `(* ... *)` comment; a `(*)` inside hides the rest of its line."""
        depth = 0
        for match in _NESTING.finditer(self.source.text, start):
            if match[0] in ("(*", "*)"):
                depth += 1 if match[0] == "(*" else -1
                if depth == 0:
                    return match.end()
        self.source.fail("this comment is never closed", start, start + 2)

    def peek(self) -> TextToken:
        if self._ahead is None or self._ahead.start != self.position:
            self._skip()
            match = _TOKEN.match(self.source.text, self.position)
            end = match.end() if match else self.position
            self._ahead = TextToken(match[0] if match else "", self.position, end)
        return self._ahead

    def next(self) -> TextToken:
        token = self.peek()
        self.position = token.end
        return token

    def wrong(self, token: TextToken, wanted: str, hint: str | None = None) -> NoReturn:
        found = f"'{token}' stands here" if token else "the file ends here"
        self.source.fail(f"expected {wanted}, but {found}", token.start, token.end, hint)

    def expect(self, *wanted: str) -> TextToken:
        token = self.next()
        if token not in wanted:
            quoted = " or ".join(f"'{w}'" for w in wanted)
            self.wrong(token, quoted, did_you_mean(token, wanted) if is_name(token) else None)
        return token

    def name(self, what: str) -> TextToken:
        token = self.next()
        if not is_name(token):
            self.wrong(token, what)
        return token

    def brackets(self, opening: TextToken) -> str:
        """The text from an opening bracket, which was just read, to the one that closes it, without comments
        and without conditions on values (`x: int{x > 0}`)."""
        parts, last, depth = [str(opening)], opening, 1
        closing = {"(": ")", "<": ">", "[": "]"}[opening]
        while depth:
            token = self.next()
            if not token:
                self.source.fail(f"this '{opening}' is never closed", opening.start, opening.end)
            if token == "{" and is_name(last):
                self.condition(token)
                continue
            parts += [" ", token] if token.start > last.end else [token]
            depth += (token == opening) - (token == closing)
            last = token
        return "".join(parts)

    def condition(self, opening: TextToken) -> None:
        """Skip a condition in braces."""
        depth = 1
        while depth:
            token = self.next()
            if not token:
                self.source.fail("this '{' is never closed", opening.start, opening.end)
            depth += (token == "{") - (token == "}")
        self.unchecked[opening.start] = self.position

    def variables(self) -> None:
        """Skip `[count<B>: int = 0]` behind the name of a recursion."""
        self._pass_over("[")

    def values(self) -> None:
        """Skip `(x: int)` behind the roles of a protocol."""
        self._pass_over("(")

    def _pass_over(self, bracket: str) -> None:
        if self.peek() == bracket:
            opening = self.next()
            self.brackets(opening)
            self.unchecked[opening.start] = self.position
