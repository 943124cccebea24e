"""A warning, with its place."""

from __future__ import annotations

from typing import Any

from ...errors import Place, clipped, visible
from ...records import dataclass


@dataclass(frozen=True)
class Warning:
    """What is hardly meant, where it is, and how it could be written: with another message `instead` of the
    one at the place, or with a further `line`, if one of them would do."""

    message: str
    place: Place
    hint: str | None = None
    instead: str | None = None
    line: str | None = None

    def __str__(self) -> str:
        behind = f" ({self.hint})" if self.hint else ""
        return visible(f"{self.place}: warning: {clipped(self.message + behind)}")

    def to_json(self) -> dict[str, Any]:
        place = self.place
        return {
            "file": place.file,
            "line": place.line,
            "column": place.column,
            "severity": "warning",
            "message": self.message,
            "hint": self.hint,
        }
