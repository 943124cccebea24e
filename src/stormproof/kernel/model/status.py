"""What an answer amounts to. Whatever prints an answer, or draws one, takes its sign from here."""

from __future__ import annotations

from enum import Enum


class Status(Enum):
    """*Proved*: it holds, for channels of any length where lengths matter. *Bounded*: no run with at most so
    many messages per channel violates it. *Known limit*: violated, as the file expects."""

    PROVED = "proved"
    BOUNDED = "bounded"
    VIOLATED = "violated"
    KNOWN_LIMIT = "known limit"
    UNDECIDED = "undecided"

    @property
    def sign(self) -> str:
        return _SIGNS[self]

    @property
    def passed(self) -> bool | None:
        """Is it as it should be? None: not known."""
        return None if self is Status.UNDECIDED else self is not Status.VIOLATED


_SIGNS = {
    Status.PROVED: "✔",
    Status.BOUNDED: "◐",
    Status.VIOLATED: "✘",
    Status.KNOWN_LIMIT: "◇",
    Status.UNDECIDED: "?",
}

#: What is said of a run that the replay kernel has accepted.
REPLAYED = f"replayed {Status.PROVED.sign}"


def status_of(
    holds: bool | None, up_to: int | None = None, expected: bool = True, unbounded: bool = False
) -> Status:
    """`up_to`: it holds for channels of this length at most, None for any. `expected`: is it expected to
    hold? `unbounded`: what holds up to some length only is not an answer."""
    if holds is None or (holds and up_to is not None and unbounded):
        return Status.UNDECIDED
    if holds is not expected:
        return Status.VIOLATED
    if not holds:
        return Status.KNOWN_LIMIT
    return Status.PROVED if up_to is None else Status.BOUNDED
