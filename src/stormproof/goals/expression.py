"""Goals: expressions over local states and channel contents, and how they are written."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from ..model.actions import CRASH, Channel, Message, Word


@dataclass(frozen=True)
class At:
    """The process is in one of these states."""

    process: str
    states: tuple[str, ...]


@dataclass(frozen=True)
class Holds:
    """The channel holds exactly this word."""

    channel: Channel
    word: Word


@dataclass(frozen=True)
class Contains:
    """The message stands somewhere in the channel."""

    channel: Channel
    message: Message


@dataclass(frozen=True)
class Head:
    """The message stands at the head of the channel."""

    channel: Channel
    message: Message


@dataclass(frozen=True)
class Named:
    """`at rest`, `deadlock`, `orphan`, `orphan-up-to-crash` or `unspecified`."""

    name: str


@dataclass(frozen=True)
class And:
    parts: tuple[Goal, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Goal, ...]


@dataclass(frozen=True)
class Not:
    part: Goal


Goal = At | Holds | Contains | Head | Named | And | Or | Not


NAMED = {
    "deadlock": "nobody can send or act, somebody waits to receive, and no fault will ever help",
    "orphan": "a message whose receiver rests in a final state and will not take it",
    "orphan-up-to-crash": "the same, receivers that have crashed excused",
    "unspecified": "a process that waits to receive finds a message that it does not take",
}


_TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>->|→|[@&|()=\[\],{}])|(?P<name>(?:(?!->)[^\s@&|()=\[\],{}"→])+))'
)


def show(goal: Goal) -> str:
    """The goal as one would write it."""
    if isinstance(goal, At):
        one = len(goal.states) == 1
        states = _quote(goal.states[0]) if one else "{" + ", ".join(map(_quote, goal.states)) + "}"
        return f"{_quote(goal.process)}@{states}"
    if isinstance(goal, Holds):
        return f"{_show_channel(goal.channel)}=[{', '.join(_show_message(m) for m in goal.word)}]"
    if isinstance(goal, Contains):
        return f"{_show_channel(goal.channel)} contains {_show_message(goal.message)}"
    if isinstance(goal, Head):
        return f"{_show_channel(goal.channel)} starts with {_show_message(goal.message)}"
    if isinstance(goal, Named):
        return goal.name
    if isinstance(goal, Not):
        return f"!({show(goal.part)})"
    sign = " & " if isinstance(goal, And) else " | "
    return sign.join(f"({show(p)})" if isinstance(p, (And, Or)) else show(p) for p in goal.parts)


def _show_channel(channel: Channel) -> str:
    return f"{_quote(channel.sender)}->{_quote(channel.receiver)}"


def _show_message(message: Message) -> str:
    return "⚡" if message is CRASH else _quote(str(message))


def _quote(name: str) -> str:
    match = _TOKEN.fullmatch(name)
    plain = (
        match is not None
        and match.lastgroup == "name"
        and name not in ("contains", "and", "or", "⚡", "∧", "∨")
    )
    return name if plain else json.dumps(name, ensure_ascii=False)
