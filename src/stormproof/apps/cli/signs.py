"""The sign of an answer on a terminal, in its colour."""

from __future__ import annotations

from rich.text import Text

from ...kernel.model.status import Status

COLOURS = {
    Status.PROVED: "green",
    Status.BOUNDED: "cyan",
    Status.VIOLATED: "red",
    Status.KNOWN_LIMIT: "blue",
    Status.UNDECIDED: "yellow",
}


def signed(status: Status, words: str = "") -> Text:
    """`✔`, or with words right behind it."""
    return Text(status.sign + words, style=COLOURS[status])
