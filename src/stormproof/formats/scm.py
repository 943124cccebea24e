"""Systems of communicating machines as McScM and ReSCu have them, read.

    scm NAME :
    nb_channels = 2 ;
    /*# lossy: 0 #*/
    parameters :
    real a ;
    automaton p :
    initial : 0
    state 0 :
    to 1 : when true , 0 ! a ;
    state 1 :

Channels are numbers; who sends and who receives is read off the automata. A note names the ends of a
channel that
no transition tells (`/* stormproof: channel 3: A -> B */`). What is not peer to peer is refused. A transition
without action is the internal action `tau`, or another that a note in it names. `bad_states` is a question to
those tools and no part of the system; it is passed over.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ..errors import ModelError
from ..model.actions import Action, Channel, Internal, Receive, Send, Transition
from ..model.faults import ChannelFaults
from ..model.process import Process
from ..model.system import System
from .annotations import Notes, read_notes
from .storm_faults import Declared
from .text import Budget, Source, Tokens, guess, shorten

_LEX = re.compile(
    r"(?P<skip>\s+)|(?P<comment>/\*.*?\*/)|(?P<word>[\w']+)|(?P<punct>[:;,=!?(){}<>&|+*/.-])", re.DOTALL
)
_SNIFF = re.compile(r"(?:\s|/\*(?:[^*]|\*(?!/))*\*/)*scm\s+[\w']+\s*:")
_LOSSY = re.compile(r"/\*#\s*lossy\s*:(?P<numbers>[\d\s,]*)#?\*/")
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
TAU = "tau"


def sniff(text: str) -> bool:
    return _SNIFF.match(text) is not None


@dataclass
class _Row:
    source: str
    target: str
    target_at: int
    channel: int = -1
    sign: str = ""
    message: str = ""
    start: int = 0
    end: int = 0


@dataclass
class _Automaton:
    name: str
    start: int
    initial: str = ""
    initial_at: int = 0
    states: dict[str, int] = field(default_factory=dict)
    rows: list[_Row] = field(default_factory=list)


def read(text: str, name: str = "<input>") -> System:
    source = Source(text, name)
    tokens = Tokens(source, _LEX)
    notes = read_notes(source, [(s, s + len(c)) for s, c in tokens.comments])
    reader = _Reader(tokens, notes)
    reader.file()
    return reader.system()


class _Reader:
    def __init__(self, tokens: Tokens, notes: Notes) -> None:
        self.tokens = tokens
        self.source = tokens.source
        self.notes = notes
        self.budget = Budget(tokens.source)
        self.name = ""
        self.count = 0
        self.parameters: set[str] | None = None
        self.automata: dict[str, _Automaton] = {}

    def keyword(self, word: str, hint: str | None = None) -> None:
        if self.tokens.kind != "word" or self.tokens.text != word:
            self.tokens.fail(f"'{word}'", hint)
        self.tokens.at += 1

    def ahead(self, word: str) -> bool:
        return self.tokens.kind == "word" and self.tokens.text == word

    def number(self, what: str) -> int:
        tokens = self.tokens
        if tokens.kind != "word" or not _NUMBER.fullmatch(tokens.text):
            tokens.fail(what)
        return int(tokens.expect("word"))

    def file(self) -> None:
        tokens = self.tokens
        self.keyword("scm")
        self.name = tokens.expect("word", "the system's name")
        tokens.expect(":")
        self.keyword("nb_channels", "write  nb_channels = 2 ;")
        tokens.expect("=")
        self.count = self.number("how many channels there are")
        tokens.expect(";")
        if self.ahead("parameters"):
            self.parameter_list()
        while self.ahead("automaton"):
            self.automaton()
        if self.ahead("bad_states"):
            return
        if tokens.kind != "end of file" or not self.automata:
            tokens.fail("'automaton'")

    def parameter_list(self) -> None:
        tokens, found = self.tokens, set()
        tokens.at += 1
        tokens.expect(":")
        while tokens.kind == "word" and not self.ahead("automaton"):
            tokens.at += 1
            found.add(tokens.expect("word", "a message"))
            tokens.expect(";")
        self.parameters = found

    def automaton(self) -> None:
        tokens = self.tokens
        tokens.at += 1
        start = tokens.start
        spelt = tokens.expect("word", "the automaton's name")
        name = self.notes.role(spelt)
        if name in self.automata:
            self.source.fail(
                f"two automata are called '{shorten(name)}'", start, start + len(spelt), kind=ModelError
            )
        made = self.automata[name] = _Automaton(name, start)
        tokens.expect(":")
        self.keyword("initial", "write  initial : 0")
        tokens.expect(":")
        made.initial_at = tokens.start
        made.initial = tokens.expect("word", "the initial state")
        if tokens.kind == ",":
            self.source.fail("an automaton has one initial state here", made.initial_at)
        while self.ahead("state"):
            self.state(made)

    def state(self, automaton: _Automaton) -> None:
        tokens = self.tokens
        tokens.at += 1
        start = tokens.start
        state = tokens.expect("word", "a state")
        if state in automaton.states:
            self.source.fail(
                f"state {shorten(state)} is listed twice", start, start + len(state), kind=ModelError
            )
        automaton.states[state] = start
        self.budget.state(start)
        tokens.expect(":")
        while self.ahead("to"):
            automaton.rows.append(self.row(state))
            self.budget.transition(automaton.rows[-1].start)

    def row(self, state: str) -> _Row:
        tokens = self.tokens
        start = tokens.start
        tokens.at += 1
        row = _Row(state, "", tokens.start, start=start)
        row.target = tokens.expect("word", "a state")
        tokens.expect(":")
        self.keyword("when")
        if not self.ahead("true"):
            tokens.fail("'true'", "guards other than true are not supported")
        tokens.at += 1
        if tokens.take(","):
            self.action(row)
        row.end = tokens.start
        tokens.expect(";", hint="one action a transition:  to 1 : when true , 0 ! a ;")
        return row

    def action(self, row: _Row) -> None:
        tokens, start = self.tokens, self.tokens.start
        row.channel = self.number("a channel's number")
        if row.channel >= self.count:
            hint = f"there are {self.count} channels, numbered from 0"
            self.source.fail(f"there is no channel {row.channel}", start, tokens.start, hint, ModelError)
        sign = tokens.take("!") or tokens.take("?")
        if sign is None:
            tokens.fail("'!' or '?'")
        row.sign, start = sign, tokens.start
        row.message = tokens.expect("word", "a message")
        if self.parameters is not None and row.message not in self.parameters:
            hint = guess(row.message, self.parameters, "Parameters")
            self.source.fail(
                f"unknown message '{shorten(row.message)}'", start, start + len(row.message), hint
            )

    def system(self) -> System:
        ends = _Ends(self).find()
        processes = tuple(self.process(a, ends) for a in self.automata.values())
        try:
            system = System(processes, name=self.name)
        except ModelError as problem:
            self.source.fail(problem.message, 0, hint=problem.hint, kind=ModelError)
        self.notes.faults += self.lossy(ends)
        self.notes.name = self.notes.name or ("" if self.name == "not_named" else self.name)
        return self.notes.complete(System(system.processes))

    def process(self, automaton: _Automaton, ends: dict[int, Channel]) -> Process:
        known = automaton.states
        if automaton.initial not in known:
            self.unknown_state(automaton, automaton.initial, automaton.initial_at)
        rows = []
        for row in automaton.rows:
            if row.target not in known:
                self.unknown_state(automaton, row.target, row.target_at)
            rows.append(Transition(row.source, self.meaning(row, ends), row.target))
        try:
            return Process(automaton.name, automaton.initial, tuple(rows), tuple(known))
        except ModelError as problem:
            self.source.fail(problem.message, automaton.start, hint=problem.hint, kind=ModelError)

    def unknown_state(self, automaton: _Automaton, state: str, start: int) -> None:
        hint = guess(state, automaton.states, "States") + f"; list it, if only as  state {shorten(state)} :"
        self.source.fail(f"unknown state '{shorten(state)}'", start, start + len(state), hint, ModelError)

    def meaning(self, row: _Row, ends: dict[int, Channel]) -> Action:
        if row.channel < 0:
            return Internal(self.notes.internal(row.start, row.end) or TAU)
        channel, message = ends[row.channel], self.notes.message(row.message)
        return Send(channel.receiver, message) if row.sign == "!" else Receive(channel.sender, message)

    def lossy(self, ends: dict[int, Channel]) -> list[Declared]:
        """`/*# lossy: 0, 1 #*/`; a number whose ends nobody tells is the number of a channel that
        nobody uses."""
        found = []
        for start, comment in self.tokens.comments:
            match = _LOSSY.fullmatch(comment)
            for number in re.findall(r"\d+", match.group("numbers")) if match else ():
                if int(number) >= self.count:
                    self.source.fail(
                        f"there is no channel {shorten(number)} to be lossy", start, kind=ModelError
                    )
                if int(number) in ends:
                    sender, receiver = ends[int(number)]
                    lossy = ChannelFaults("", "", loss=True)
                    found.append(Declared((((sender, start), (receiver, start)),), lossy))
        return found


class _Ends:
    """Who sends and who receives on each numbered channel."""

    def __init__(self, reader: _Reader) -> None:
        self.reader = reader
        self.source = reader.source
        self.senders: dict[int, dict[str, int]] = {}
        self.receivers: dict[int, dict[str, int]] = {}
        for automaton in reader.automata.values():
            for row in automaton.rows:
                if row.channel >= 0:
                    table = self.senders if row.sign == "!" else self.receivers
                    table.setdefault(row.channel, {}).setdefault(automaton.name, row.start)

    def find(self) -> dict[int, Channel]:
        ends: dict[int, Channel] = {}
        taken: dict[Channel, int] = {}
        for number in sorted({*self.senders, *self.receivers, *self.reader.notes.channels}):
            channel = self.ends(number)
            if channel in taken:
                self.refuse(
                    f"channels {taken[channel]} and {number} both lead from {channel}", self.place(number)
                )
            taken[channel] = number
            ends[number] = channel
        return ends

    def ends(self, number: int) -> Channel:
        note = self.reader.notes.channels.get(number)
        sender = self.end(number, self.senders, "send on", note[0] if note else None)
        receiver = self.end(number, self.receivers, "receive from", note[1] if note else None)
        if sender is None or receiver is None:
            sender, receiver = self.guess(number, sender, receiver)
        if sender == receiver:
            self.refuse(f"{sender} sends to itself on channel {number}", self.place(number))
        return Channel(sender, receiver)

    def end(self, number: int, table: dict[int, dict[str, int]], verb: str, noted: str | None) -> str | None:
        users = table.get(number, {})
        if len(users) > 1:
            names = " and ".join(shorten(u) for u in list(users)[:3])
            self.refuse(f"{names} both {verb} channel {number}", list(users.values())[1])
        user = next(iter(users), None)
        if noted is not None and noted not in self.reader.automata:
            hint = guess(noted, self.reader.automata, "Automata")
            self.source.fail(
                f"unknown automaton '{shorten(noted)}' at channel {number}", 0, None, hint, ModelError
            )
        if noted is not None and user not in (None, noted):
            self.refuse(f"a note says that {noted} is the one to {verb} channel {number}", users[user or ""])
        return user or noted

    def guess(self, number: int, sender: str | None, receiver: str | None) -> tuple[str, str]:
        """Of two automata, the other one is meant; of more, nobody can tell."""
        names = list(self.reader.automata)
        known = sender or receiver
        if known is not None and len(names) == 2:
            other = names[1 - names.index(known)]
            return (known, other) if sender else (other, known)
        missing = "receives from" if sender else "sends on"
        self.source.fail(
            f"nobody {missing} channel {number}, so its ends are unknown",
            self.place(number),
            hint=f"name them in a comment: /* stormproof: channel {number}: {known} -> ... */",
            kind=ModelError,
        )

    def place(self, number: int) -> int:
        users = {**self.receivers.get(number, {}), **self.senders.get(number, {})}
        return min(users.values(), default=0)

    def refuse(self, reason: str, start: int) -> None:
        hint = "in a peer-to-peer system each ordered pair has one channel, with one sender and one receiver"
        self.source.fail(f"not peer to peer: {reason}", start, start + 2, hint, ModelError)
