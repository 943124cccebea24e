"""A small language: each line is a message, `Buyer -> Seller: order`, one after the other."""

from __future__ import annotations

import re

from stormproof.errors import ParseError, Place
from stormproof.kernel.model.actions import Receive, Send, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System
from stormproof.languages.formats import Format

LINE = re.compile(r"\s*(\w+)\s*->\s*(\w+)\s*:\s*(\w+)\s*")


def read(text: str, name: str) -> System:
    """Each role takes its part of the messages in the order of the lines."""
    rows: dict[str, list[Transition]] = {}
    for number, line in enumerate(text.splitlines(), 1):
        found = LINE.fullmatch(line)
        if found is None:
            raise ParseError("expected a message: Buyer -> Seller: order", place=Place(name, number, 1))
        sender, receiver, message = found.groups()
        for role, action in ((sender, Send(receiver, message)), (receiver, Receive(sender, message))):
            steps = rows.setdefault(role, [])
            steps.append(Transition(str(len(steps)), action, str(len(steps) + 1)))
    return System(tuple(Process(role, "0", tuple(steps)) for role, steps in rows.items()))


ARROWS = Format(
    "arrows",
    (".arrows",),
    sniff=lambda text: all(LINE.fullmatch(line) for line in text.splitlines()),
    read=read,
    write=None,
    about="messages one after the other",
)
