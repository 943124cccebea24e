"""The lines between `testgen --serve` and a driver: words with tabs between them, for any language.
In a word `\\t`, `\\n` and `\\\\` are a tab, the end of a line and a backslash.

| to the driver | the driver answers |
| --- | --- |
| start, restart, expire | sent, and a peer and a message for each message that is sent |
| receive PEER MESSAGE | the same; refused where it is not taken, or no timer runs; raised TEXT |
| passed TEXT, failed TEXT, undecided TEXT | nothing: this was the last line |
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import IO

from ...errors import InputError, visible

_PLAIN = {"\\t": "\t", "\\n": "\n", "\\\\": "\\"}
_ESCAPES = {plain: escape for escape, plain in _PLAIN.items()}
#: A line of a driver may be so long.
LONGEST_LINE = 1 << 20


def written(words: Iterable[str]) -> str:
    shown = ("".join(_ESCAPES.get(letter, letter) for letter in word) for word in words)
    return "\t".join(shown) + "\n"


def read(line: str) -> list[str]:
    words = line.rstrip("\r\n").split("\t")
    return [re.sub(r"\\[tn\\]", lambda found: _PLAIN[found[0]], word) for word in words]


class Driver:
    """What drives the implementation, at the other end."""

    def __init__(self, to: IO[str], answers: IO[str]) -> None:
        self._to, self._answers = to, answers

    def say(self, *words: str) -> None:
        self._to.write(written(words))
        self._to.flush()

    def ask(self, *words: str) -> list[str]:
        """A call, and what it gave: `sent` with pairs, `refused` or `raised` with a text."""
        self.say(*words)
        line = self._answers.readline(LONGEST_LINE)
        if not line.endswith("\n"):
            raise InputError("the driver ended, or its answer is too long")
        kind, *given = read(line)
        fits = {"sent": len(given) % 2 == 0, "refused": not given, "raised": len(given) == 1}
        if not fits.get(kind, False):
            hint = (
                "an answer is sent with peers and messages, refused, or raised with a text, with tabs between"
            )
            raise InputError(f"the driver answers {visible(line[:80].rstrip())!r}", hint=hint)
        return [kind, *given]


class RaisedElsewhere(Exception):
    """What the implementation raised; the text is the driver's."""
