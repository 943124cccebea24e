"""Goals: expressions over local states and channel contents, and how they are written."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import field

from ...records import dataclass
from .actions import Channel, Crash, Message, Word


@dataclass(frozen=True)
class At:
    """The process is in one of these states; `group` is what the author calls them together. `recorded`: its
    disk holds one of them (definitions 14.5)."""

    process: str
    states: tuple[str, ...]
    group: str = field(default="", compare=False)
    written: str = field(default="", compare=False)
    recorded: bool = False


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
    """All of them; `written` is how its author says it, if in fewer words."""

    parts: tuple[Goal, ...]
    written: str = field(default="", compare=False)


@dataclass(frozen=True)
class Or:
    """At least one of them."""

    parts: tuple[Goal, ...]
    written: str = field(default="", compare=False)


@dataclass(frozen=True)
class Not:
    """The opposite."""

    part: Goal
    written: str = field(default="", compare=False)


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
_WORDS = frozenset(("contains", "and", "or", "not", "⚡", "crash"))


@dataclass(frozen=True)
class Spelling:
    """How a language spells names and messages, and whether groups of states by their name."""

    name: Callable[[str], str]
    message: Callable[[Message], str]
    groups: bool = False


def show(goal: Goal, spelling: Spelling | None = None) -> str:
    """The goal as one would write it."""
    spell = spelling or _PLAIN
    if spell.groups and isinstance(goal, At | And | Or | Not) and goal.written:
        return goal.written
    if isinstance(goal, Named):
        return goal.name
    if isinstance(goal, At):
        states = ", ".join(map(spell.name, goal.states))
        held = " recorded" if goal.recorded else ""
        if spell.groups and goal.group:
            return f"{spell.name(goal.process)}@{spell.name(goal.group)}{held}"
        return f"{spell.name(goal.process)}@{states if len(goal.states) == 1 else '{' + states + '}'}{held}"
    if isinstance(goal, Not):
        part = show(goal.part, spell)
        return f"!({part})" if isinstance(goal.part, And | Or) else f"!{part}"
    if isinstance(goal, And | Or):
        parts = (f"({show(p, spell)})" if isinstance(p, And | Or) else show(p, spell) for p in goal.parts)
        return (" & " if isinstance(goal, And) else " | ").join(parts)
    channel = "->".join(map(spell.name, goal.channel))
    if isinstance(goal, Holds):
        return f"{channel}=[{', '.join(map(spell.message, goal.word))}]"
    verb = "starts with" if isinstance(goal, Head) else "contains"
    return f"{channel} {verb} {spell.message(goal.message)}"


def _message(message: Message) -> str:
    return "⚡" if isinstance(message, Crash) else _quote(str(message))


def _quote(name: str) -> str:
    plain = BARE_NAME.fullmatch(name) is not None and name not in _WORDS
    if plain:
        return name
    import json

    return json.dumps(name, ensure_ascii=False)


_PLAIN = Spelling(_quote, _message)
#: For people: a group of states by its name, which other systems do not know.
READABLE = Spelling(_quote, _message, groups=True)


def mentioned(goal: Goal) -> tuple[str, ...]:
    """The processes that a goal names."""
    if isinstance(goal, At):
        return (goal.process,)
    if isinstance(goal, Not):
        return mentioned(goal.part)
    if isinstance(goal, And | Or):
        return tuple(dict.fromkeys(name for part in goal.parts for name in mentioned(part)))
    return () if isinstance(goal, Named) else tuple(goal.channel)


def rename(goal: Goal, roles: Mapping[str, str], messages: Mapping[str, str]) -> Goal:
    """The goal with other names of roles and messages; what is not mentioned keeps its own."""

    def new(message: Message) -> Message:
        return messages.get(message, message) if isinstance(message, str) else message

    def between(channel: Channel) -> Channel:
        return Channel(*(roles.get(end, end) for end in channel))

    if isinstance(goal, At):
        return At(roles.get(goal.process, goal.process), goal.states, goal.group, recorded=goal.recorded)
    if isinstance(goal, Holds):
        return Holds(between(goal.channel), tuple(map(new, goal.word)))
    if isinstance(goal, Contains | Head):
        return type(goal)(between(goal.channel), new(goal.message))
    if isinstance(goal, Not):
        return Not(rename(goal.part, roles, messages))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(rename(part, roles, messages) for part in goal.parts))
    return goal


def map_places(goal: Goal, change: Callable[[At], At]) -> Goal:
    """The goal with other conditions on local states."""
    if isinstance(goal, At):
        return change(goal)
    if isinstance(goal, Not):
        return Not(map_places(goal.part, change))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(map_places(p, change) for p in goal.parts))
    return goal


def recorded_in(goal: Goal) -> frozenset[str]:
    """The processes whose disk a goal asks about."""
    if isinstance(goal, Not):
        return recorded_in(goal.part)
    if isinstance(goal, And | Or):
        return frozenset[str]().union(*map(recorded_in, goal.parts))
    return frozenset((goal.process,)) if isinstance(goal, At) and goal.recorded else frozenset()


def sort_states(goal: Goal) -> Goal:
    """The goal with the states of `P@{...}` in alphabetical order."""
    if isinstance(goal, At):
        return At(goal.process, tuple(sorted(goal.states)), goal.group, recorded=goal.recorded)
    if isinstance(goal, Not):
        return Not(sort_states(goal.part))
    if isinstance(goal, And | Or):
        return type(goal)(tuple(sort_states(part) for part in goal.parts))
    return goal
