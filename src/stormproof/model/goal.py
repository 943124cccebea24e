"""Goals: expressions over local states and channel contents, and how they are written."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

from .actions import CRASH, Channel, Message, Word


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
    """`at rest`, `deadlock` or another of `NAMED`."""

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


AT_REST = Named("at rest")

NAMED = {
    "at rest": "every role is in a rest state, and messages wait for roles that have ended only",
    "deadlock": "no step is possible without a fault, and the configuration is not at rest",
    "deadlock-for-good": "nobody can send or act, somebody waits to receive, and no fault will ever help",
    "orphan": "a message whose receiver rests in a final state and will not take it",
    "orphan-up-to-crash": "the same, receivers that have crashed excused",
    "unspecified": "a process that waits to receive finds a message that it does not take",
}


#: A bare name: whatever is no sign and no blank.
BARE_NAME = re.compile(r'(?:(?!->)[^\s@&|()=\[\],{}"→!¬∧∨])+')

#: Words of the language of goals, which are quoted where they are names.
_WORDS = frozenset(("contains", "and", "or", "not", "⚡", CRASH.value))


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
        return f"!({show(goal.part)})" if isinstance(goal.part, And | Or) else f"!{show(goal.part)}"
    sign = " & " if isinstance(goal, And) else " | "
    return sign.join(f"({show(p)})" if isinstance(p, (And, Or)) else show(p) for p in goal.parts)


def _show_channel(channel: Channel) -> str:
    return f"{_quote(channel.sender)}->{_quote(channel.receiver)}"


def _show_message(message: Message) -> str:
    return "⚡" if message is CRASH else _quote(str(message))


def _quote(name: str) -> str:
    plain = BARE_NAME.fullmatch(name) is not None and name not in _WORDS
    return name if plain else json.dumps(name, ensure_ascii=False)


def rename(goal: Goal, roles: Mapping[str, str], messages: Mapping[str, str]) -> Goal:
    """The goal with other names of roles and messages; what is not mentioned keeps its own."""

    def new(message: Message) -> Message:
        return messages.get(message, message) if isinstance(message, str) else message

    def between(channel: Channel) -> Channel:
        return Channel(*(roles.get(end, end) for end in channel))

    if isinstance(goal, At):
        return At(roles.get(goal.process, goal.process), goal.states)
    if isinstance(goal, Holds):
        return Holds(between(goal.channel), tuple(map(new, goal.word)))
    if isinstance(goal, Contains | Head):
        return type(goal)(between(goal.channel), new(goal.message))
    if isinstance(goal, Not):
        return Not(rename(goal.part, roles, messages))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(rename(part, roles, messages) for part in goal.parts))
    return goal
