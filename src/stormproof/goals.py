"""What one may ask to be reached: a small language, and what it means (semantics, section 6).

    Sender@wait0 & Receiver@idle              control states; `Sender@{wait0, wait1}` is either of them
    Sender->Receiver=[d0, d1]                 exactly these messages, the head first; `[]` is an empty channel
    Sender->Receiver contains d0              d0 stands somewhere in the channel
    deadlock   orphan   orphan-up-to-crash   unspecified
    a & b, a | b, (a)                         `&` binds closer

A channel or process that is not mentioned is free. The crash message is written `⚡` (or `crash`, where no
message of the system has that name). Names with blanks or signs in them are put between double quotes, as in
JSON.

A goal is brought into a disjunction of cubes, each a set of allowed states a process and a demand a channel.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from .errors import ParseError, Place, did_you_mean
from .failures import ChannelFailure, FailureModel
from .model import CRASH, Channel, Message, Process, Receive, StateKind, System

Word = tuple[Message, ...]


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
class Named:
    """`deadlock`, `orphan`, `orphan-up-to-crash` or `unspecified`."""

    name: str


@dataclass(frozen=True)
class And:
    parts: tuple[Goal, ...]


@dataclass(frozen=True)
class Or:
    parts: tuple[Goal, ...]


Goal = At | Holds | Contains | Named | And | Or

NAMED = {
    "deadlock": "nobody can send or act, somebody waits to receive, and no fault will ever help",
    "orphan": "a message whose receiver rests in a final state and will not take it",
    "orphan-up-to-crash": "the same, receivers that have crashed excused",
    "unspecified": "a process that waits to receive finds a message that it does not take",
}


@dataclass(frozen=True)
class Demand:
    """What a cube asks of one channel: the whole word, or a head and messages contained."""

    word: Word | None = None
    head: str | None = None
    contains: frozenset[Message] = frozenset()

    def holds(self, word: Word) -> bool:
        if self.word is not None and word != self.word:
            return False
        if self.head is not None and word[:1] != (self.head,):
            return False
        return all(m in word for m in self.contains)

    def meet(self, other: Demand) -> Demand | None:
        """Both at once; None when they contradict each other."""
        words = {d.word for d in (self, other) if d.word is not None}
        heads = {d.head for d in (self, other) if d.head is not None}
        if len(words) > 1 or len(heads) > 1:
            return None
        word, head = next(iter(words), None), next(iter(heads), None)
        both = Demand(word, head, self.contains | other.contains)
        if word is None:
            return both
        return Demand(word) if both.holds(word) else None


@dataclass(frozen=True)
class Cube:
    """A conjunction: allowed states a process, a demand a channel, perhaps a deadlock."""

    states: Mapping[str, frozenset[str]] = field(default_factory=dict)
    channels: Mapping[Channel, Demand] = field(default_factory=dict)
    deadlock: bool = False

    def meet(self, other: Cube) -> Cube | None:
        states = dict(self.states)
        for process, allowed in other.states.items():
            states[process] = states.get(process, allowed) & allowed
            if not states[process]:
                return None
        channels = dict(self.channels)
        for channel, demand in other.channels.items():
            both = channels.get(channel, Demand()).meet(demand)
            if both is None:
                return None
            channels[channel] = both
        return Cube(states, channels, self.deadlock or other.deadlock)

    def holds(
        self,
        system: System,
        failures: FailureModel,
        states: Mapping[str, str],
        words: Mapping[Channel, Word],
    ) -> bool:
        """Is this configuration, as it stands, one that the cube asks for?"""
        if any(states[p] not in allowed for p, allowed in self.states.items()):
            return False
        if any(not demand.holds(words.get(c, ())) for c, demand in self.channels.items()):
            return False
        return not self.deadlock or is_deadlock(system, failures, states, words)


def holds(
    cubes: Iterable[Cube],
    system: System,
    failures: FailureModel,
    states: Mapping[str, str],
    words: Mapping[Channel, Word],
) -> bool:
    return any(cube.holds(system, failures, states, words) for cube in cubes)


def accepted(system: System, states: Mapping[str, str]) -> dict[Channel, frozenset[Message]] | None:
    """What each channel's receiver takes now; None when somebody can send or act, or nobody waits."""
    table: dict[Channel, set[Message]] = {}
    for process in system:
        for _, action, _ in process.outgoing(states[process.name]):
            if not isinstance(action, Receive):
                return None
            table.setdefault(Channel(action.peer, process.name), set()).add(action.message)
    return {c: frozenset(messages) for c, messages in table.items()} or None


def is_deadlock(
    system: System, failures: FailureModel, states: Mapping[str, str], words: Mapping[Channel, Word]
) -> bool:
    """Nobody can send or act internally, somebody waits, and whatever channels do, nobody ever receives."""
    taken = accepted(system, states)
    if taken is None:
        return False
    return all(not (heads(words.get(c, ()), failures.on(c)) & messages) for c, messages in taken.items())


def heads(word: Word, failure: ChannelFailure) -> frozenset[Message]:
    """What faults may bring to the head of the channel; the crash message is last and does not move."""
    first = word if failure.loss else word[:1]
    if failure.reorder and word and word[0] is not CRASH:
        first = word if failure.loss else tuple(m for m in word if m is not CRASH)
    found: set[Message] = set(first)
    for message in first:
        if isinstance(message, str):
            found |= failure.becomes.get(message, frozenset())
    return frozenset(found)


def letters(system: System, failures: FailureModel, channel: Channel) -> tuple[str, ...]:
    """Every message, the crash message aside, that can ever stand in the channel or is named on it."""
    pool = [*system.alphabet(channel), *failures.on(channel).pool]
    return tuple(dict.fromkeys(m for m in pool if isinstance(m, str)))


def cubes(goal: Goal, system: System, failures: FailureModel) -> tuple[Cube, ...]:
    """The goal as a disjunction of cubes; contradictory ones are left out."""
    return tuple(_cubes(goal, system, failures))


def _cubes(goal: Goal, system: System, failures: FailureModel) -> Iterator[Cube]:
    if isinstance(goal, At):
        yield Cube(states={goal.process: frozenset(goal.states)})
    elif isinstance(goal, Holds):
        yield Cube(channels={goal.channel: Demand(word=goal.word)})
    elif isinstance(goal, Contains):
        yield Cube(channels={goal.channel: Demand(contains=frozenset({goal.message}))})
    elif isinstance(goal, Named):
        yield from _named(goal.name, system, failures)
    elif isinstance(goal, Or):
        for part in goal.parts:
            yield from _cubes(part, system, failures)
    else:
        found = [Cube()]
        for part in goal.parts:
            options = cubes(part, system, failures)
            found = [both for a in found for b in options if (both := a.meet(b)) is not None]
        yield from found


def _named(name: str, system: System, failures: FailureModel) -> Iterator[Cube]:
    if name == "deadlock":
        yield Cube(deadlock=True)
        return
    for channel in system.channels:
        receiver = system[channel.receiver]
        for message in letters(system, failures, channel):
            if name == "unspecified":
                states = _surprised(receiver, channel, message)
            else:
                states = resting(receiver)
                if name == "orphan-up-to-crash":
                    states -= receiver.crashed_states
            if states:
                yield Cube({receiver.name: states}, {channel: Demand(head=message)})
        if name == "unspecified" and CRASH in system.alphabet(channel):
            states = _surprised(receiver, channel, CRASH)
            if states:
                yield Cube({receiver.name: states}, {channel: Demand(word=(CRASH,))})


def resting(process: Process) -> frozenset[str]:
    """Final for good: whatever it does from there, it sends nothing and takes at most crash messages."""

    def silent(state: str) -> bool:
        return not process.sends(state) and all(r.message is CRASH for r in process.receives(state))

    return frozenset(s for s in process.states if all(silent(t) for t in process.reachable(s)))


def _surprised(process: Process, channel: Channel, message: Message) -> frozenset[str]:
    """The receiving states that read this channel and do not take the message there."""
    found = set()
    for state in process.states:
        taken = {r.message for r in process.receives(state) if r.peer == channel.sender}
        if process.kind(state) is StateKind.RECEIVING and taken and message not in taken:
            found.add(state)
    return frozenset(found)


# ---------------------------------------------------------------------------------------------- the language


class _Token(NamedTuple):
    text: str
    column: int
    quoted: bool = False
    width: int = 1


#: How deep parentheses may be nested; nobody writes more, and the parser calls itself for each.
MAX_DEPTH = 100

_TOKEN = re.compile(
    r'\s*(?:(?P<quoted>"(?:[^"\\]|\\.)*")|(?P<sign>->|→|[@&|()=\[\],{}])|(?P<name>(?:(?!->)[^\s@&|()=\[\],{}"→])+))'
)


def parse_goal(text: str, system: System) -> Goal:
    """The goal that a text describes; every name in it is looked up in the system."""
    return _Parser(text, system).parse()


class _Parser:
    def __init__(self, text: str, system: System) -> None:
        self.text = text
        self.system = system
        self.tokens = list(self._tokens())
        self.at = 0
        self.depth = 0

    def _tokens(self) -> Iterator[_Token]:
        position, text = 0, self.text.rstrip()
        while position < len(text):
            match = _TOKEN.match(text, position)
            if match is None:
                column = position + len(text[position:]) - len(text[position:].lstrip()) + 1
                raise self._error("a quotation mark is not closed", _Token(text[column - 1], column))
            kind = str(match.lastgroup)
            word = match[kind]
            token = _Token(word, match.start(kind) + 1, kind == "quoted", len(word))
            yield token._replace(text=self._unquoted(token)) if token.quoted else token
            position = match.end()

    def _unquoted(self, token: _Token) -> str:
        try:
            return str(json.loads(token.text, strict=False))
        except json.JSONDecodeError:
            raise self._error("not a name between quotation marks as in JSON", token) from None

    def _error(self, message: str, token: _Token | None, hint: str | None = None) -> ParseError:
        offset = token.column - 1 if token else len(self.text.rstrip())
        line = self.text.count("\n", 0, offset) + 1
        start = self.text.rfind("\n", 0, offset) + 1
        shown = self.text.split("\n")[line - 1]
        place = Place("goal", line, offset - start + 1, shown, max(token.width if token else 1, 1))
        return ParseError(message, place=place, hint=hint)

    def _peek(self, ahead: int = 0) -> _Token | None:
        i = self.at + ahead
        return self.tokens[i] if i < len(self.tokens) else None

    def _is(self, *signs: str, ahead: int = 0) -> bool:
        token = self._peek(ahead)
        return token is not None and not token.quoted and token.text in signs

    def _take(self, *signs: str) -> bool:
        if self._is(*signs):
            self.at += 1
            return True
        return False

    def _expect(self, sign: str, where: str) -> None:
        if not self._take(sign):
            found = self._peek()
            raise self._error(f"'{sign}' is expected {where}{_instead(found)}", found)

    def _name(self, what: str) -> _Token:
        token = self._peek()
        if token is None or (not token.quoted and _TOKEN_SIGN.fullmatch(token.text)):
            raise self._error(f"{what} is expected{_instead(token)}", token)
        self.at += 1
        return token

    def parse(self) -> Goal:
        if not self.tokens:
            raise self._error("the goal is empty", None, "write it like Sender@wait0 & Sender->Receiver=[d0]")
        goal = self._or()
        rest = self._peek()
        if rest is not None:
            raise self._error(f"'{rest.text}' is one too many", rest, "join two goals with & or |")
        return goal

    def _or(self) -> Goal:
        parts = [self._and()]
        while self._take("|", "or", "∨"):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Goal:
        parts = [self._atom()]
        while self._take("&", "and", "∧"):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _atom(self) -> Goal:
        opening = self._peek()
        if self._take("("):
            self.depth += 1
            if self.depth > MAX_DEPTH:
                raise self._error(f"parentheses are nested more than {MAX_DEPTH} deep", opening)
            goal = self._or()
            self._expect(")", "to close the parenthesis")
            self.depth -= 1
            return goal
        first = self._name("a process, a channel or one of " + ", ".join(NAMED))
        if self._is("@"):
            return self._states(first)
        if self._is("->", "→"):
            return self._channel(first)
        if not first.quoted and first.text in NAMED:
            return Named(first.text)
        if first.text in self.system:
            raise self._error(
                f"what about '{first.text}'?", first, f"write {first.text}@state or {first.text}->Other=[...]"
            )
        known = [*self.system.names, *NAMED]
        raise self._error(
            f"unknown name '{first.text}'",
            first,
            did_you_mean(first.text, known) or "here: " + ", ".join(known),
        )

    def _role(self, token: _Token) -> str:
        if token.text not in self.system:
            names = self.system.names
            hint = did_you_mean(token.text, names) or "roles here: " + ", ".join(names)
            raise self._error(f"unknown role '{token.text}'", token, hint)
        return token.text

    def _states(self, process: _Token) -> Goal:
        name = self._role(process)
        self.at += 1
        known = self.system[name].states
        tokens = []
        if self._take("{"):
            tokens.append(self._name(f"a state of {name}"))
            while self._take(","):
                tokens.append(self._name(f"a state of {name}"))
            self._expect("}", "to close the set of states")
        else:
            tokens.append(self._name(f"a state of {name}"))
        for token in tokens:
            if token.text not in known:
                hint = did_you_mean(token.text, known) or f"states of {name}: {_some(known)}"
                raise self._error(f"{name} has no state '{token.text}'", token, hint)
        return At(name, tuple(dict.fromkeys(t.text for t in tokens)))

    def _channel(self, sender: _Token) -> Goal:
        source = self._role(sender)
        self.at += 1
        receiver = self._name("the receiving process")
        channel = Channel(source, self._role(receiver))
        if channel.sender == channel.receiver:
            raise self._error(f"there is no channel from {channel.sender} to itself", receiver)
        if self._take("="):
            return Holds(channel, self._word(channel))
        if self._take("contains"):
            return Contains(channel, self._message(channel))
        raise self._error(
            f"what about {channel}?{_instead(self._peek())}", self._peek(), "go on with =[m, n] or contains m"
        )

    def _word(self, channel: Channel) -> Word:
        self._expect("[", "before the channel's content")
        word: list[Message] = []
        while not self._is("]"):
            if word:
                self._expect(",", "between two messages")
            token = self._peek()
            if word and word[-1] is CRASH:
                raise self._error("the crash message is always the last of its channel", token)
            word.append(self._message(channel))
        self._expect("]", "after the channel's content")
        return tuple(word)

    def _message(self, channel: Channel) -> Message:
        token = self._name("a message")
        known = self.system.messages
        if token.text in known:
            return token.text
        if not token.quoted and token.text in ("⚡", "crash"):
            return CRASH
        here = [m for m in self.system.alphabet(channel) if isinstance(m, str)]
        hint = did_you_mean(token.text, known) or f"messages on {channel}: {_some(here) or 'none'}"
        raise self._error(f"unknown message '{token.text}'", token, hint)


_TOKEN_SIGN = re.compile(r"->|→|[@&|()=\[\],{}]")


def _instead(token: _Token | None) -> str:
    return ", but the goal ends here" if token is None else f", not '{token.text}'"


def _some(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


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
    if isinstance(goal, Named):
        return goal.name
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
