"""A word as the formatter prints it."""

from __future__ import annotations

from dataclasses import dataclass

CONTINUED = 4


@dataclass
class PrintedToken:
    """A word and what stands before it: a line break with an indent (`line`), a blank (`space`), or nothing.

    `under` is the indent for when a comment forces a line break; `block` says what begins here at the
    top level.
    """

    text: str
    start: int
    end: int
    line: int | None = None
    space: bool = True
    under: int = CONTINUED
    block: str = ""
    dropped: bool = False

    @property
    def width(self) -> int:
        return 0 if self.dropped else len(self.text) + self.space
