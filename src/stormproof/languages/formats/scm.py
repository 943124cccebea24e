"""Systems of communicating machines as McScM and ReSCu have them, read.

    scm NAME :
    nb_channels = 2 ;
    lossy : 0
    parameters :
    real a ;
    automaton p :
    initial : 0
    state 0 :
    to 1 : when true , 0 ! a ;
    state 1 :

Channels are numbers; who sends and who receives is read off the automata. A note names the ends of a
channel where no transition does (`/* stormproof: channel 3: A -> B */`). A channel that several automata send
into is the mailbox of its receiver, and so are all where a note says it (`/* stormproof: communication
mailbox */`); a reception from it does not name the sender, and takes the message from whoever sends it.
Several receivers of one channel are refused, and so are two channels for one pair.
A transition without action is the internal action `tau`, or another that a note in it names. Comments are
`// line` and `/* block */`, which nest. `threshold` and `bad_states`, at the end, are questions to those
tools and no part of the system; they are skipped, and so are variables, on which nothing depends where
every guard is `true`. `/*# lossy: 0 #*/` says the same as `lossy : 0` and is a comment to ReSCu.
"""

from __future__ import annotations

import re

from ...errors import ModelError
from ...kernel.model.actions import Action, Channel, Internal, Receive, Send, Transition
from ...kernel.model.faults import ChannelFaults
from ...kernel.model.process import Process
from ...kernel.model.system import MAILBOX, PEER_TO_PEER, System
from .annotations import Notes, read_notes
from .scm_channels import ChannelEnds, ScmAutomaton, ScmRow
from .storm_faults import Declared
from .text import SizeCount, Source, Tokens, guess, shorten

_LEX = re.compile(
    r"(?P<skip>\s+)|(?P<comment>/\*.*?\*/|//[^\n]*"
    r"|(?<!state )(?<!to )(?<!automaton )\b(?:bad_states|threshold)\s*:.*)|(?P<word>[\w']+)"
    r"|(?P<punct>[:;,=!?(){}<>&|+*%.-]|/(?!\*))|(?P<wrong>.)",
    re.DOTALL,
)
_COMMENT_MARK = re.compile(r"/\*|\*/|//[^\n]*")
_AUTOMATON = re.compile(r"\bautomaton\s+[\w']+\s*:\s*(?:initial|real|int)\b")
#: A line comment takes the end of its line with it, so that no text can be divided in two ways.
_SNIFF = re.compile(r"(?:\s|//[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*scm\s+[\w']+\s*:")
_LOSSY = re.compile(r"/\*#\s*lossy\s*:(?P<numbers>[\d\s,]*)#?\*/")
_NUMBER = re.compile(r"[0-9]{1,9}", re.ASCII)
TAU = "tau"


def sniff(text: str) -> bool:
    return _SNIFF.match(_flat(text) if text.lstrip().startswith("/") else text) is not None


def _flat(text: str) -> str:
    """The text with the comments inside comments unmarked, which keeps every place. A `//` in a comment
    hides nothing."""
    depth, parts, behind, at = 0, [], 0, 0
    while match := _COMMENT_MARK.search(text, at):
        mark, before, at = match[0], depth, match.end()
        if mark.startswith("//"):
            at = match.start() + 2 if depth else at
            continue
        depth = depth + 1 if mark == "/*" else max(0, depth - 1)
        if before > 0 and depth > 0:
            parts += [text[behind : match.start()], "  "]
            behind = at
    return text if depth else "".join([*parts, text[behind:]])


def read(text: str, name: str = "<input>") -> System:
    source = Source(_flat(text), name)
    tokens = Tokens(source, _LEX)
    notes = read_notes(source, [(s, s + len(c)) for s, c in tokens.comments])
    for start, comment in tokens.comments:
        match = None if comment.startswith("/") else _AUTOMATON.search(comment)
        if match:
            word, hint = re.split(r"\W", comment)[0], "move it to the end of the file"
            source.fail(f"'{word}' stands before an automaton", start, start + len(word), hint)
    reader = _Reader(tokens, notes)
    reader.file()
    return reader.system()


class _Reader:
    def __init__(self, tokens: Tokens, notes: Notes) -> None:
        self.tokens = tokens
        self.source = tokens.source
        self.notes = notes
        self.budget = SizeCount(tokens.source)
        self.name = ""
        self.count = 0
        self.parameters: set[str] | None = None
        self.lossy_channels: list[tuple[int, int]] = []
        self.automata: dict[str, ScmAutomaton] = {}

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
        if self.ahead("lossy"):
            self.lossy_list()
        if self.ahead("parameters"):
            tokens.at += 1
            tokens.expect(":")
            self.parameters = self.declarations("a message")
        while self.ahead("automaton"):
            self.automaton()
        if tokens.kind != "end of file" or not self.automata:
            tokens.fail("'automaton'")

    def lossy_list(self) -> None:
        """`lossy : 0, 1`"""
        tokens = self.tokens
        tokens.at += 1
        tokens.expect(":")
        while True:
            start = tokens.start
            self.lossy_channels.append((start, self.number("a channel's number")))
            if not tokens.take(","):
                return

    def declarations(self, what: str) -> set[str]:
        """`real a ; int b = 0 ;`"""
        tokens, found = self.tokens, set()
        while self.ahead("real") or self.ahead("int"):
            tokens.at += 1
            found.add(tokens.expect("word", what))
            if tokens.take("="):
                self.pass_over()
            tokens.expect(";")
        return found

    def pass_over(self) -> None:
        """An expression, or the assignments of a transition: up to the semicolon."""
        while self.tokens.kind not in (";", "end of file"):
            self.tokens.at += 1

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
        made = self.automata[name] = ScmAutomaton(name, start)
        tokens.expect(":")
        self.declarations("a variable")
        self.keyword("initial", "write  initial : 0")
        tokens.expect(":")
        made.initial_at = tokens.start
        made.initial = tokens.expect("word", "the initial state")
        if tokens.kind == ",":
            self.source.fail("an automaton has one initial state here", made.initial_at)
        while self.ahead("state"):
            self.state(made)

    def state(self, automaton: ScmAutomaton) -> None:
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

    def row(self, state: str) -> ScmRow:
        tokens = self.tokens
        start = tokens.start
        tokens.at += 1
        row = ScmRow(state, "", tokens.start, start=start)
        row.target = tokens.expect("word", "a state")
        tokens.expect(":")
        self.keyword("when")
        if not self.ahead("true"):
            tokens.fail("'true'", "guards other than true are not supported")
        tokens.at += 1
        if tokens.kind not in (",", ";") and not self.ahead("with"):
            tokens.fail("',' or ';'", "guards other than true are not supported")
        if tokens.take(","):
            self.action(row)
        if self.ahead("with"):
            self.pass_over()
        row.end = tokens.start
        tokens.expect(";", hint="one action per transition:  to 1 : when true , 0 ! a ;")
        return row

    def action(self, row: ScmRow) -> None:
        tokens, start = self.tokens, self.tokens.start
        row.channel = self.number("a channel's number")
        if row.channel >= self.count:
            hint = f"there are {self.count} channels, numbered from 0"
            self.source.fail(f"there is no channel {row.channel}", start, tokens.start, hint, ModelError)
        sign = tokens.take("!") or tokens.take("?")
        if sign is None:
            tokens.fail("'!' or '?'", "an action is a channel's number, ! or ?, and a message:  0 ! a")
        row.sign, start = sign, tokens.start
        row.message = tokens.expect("word", "a message")
        if self.parameters is not None and row.message not in self.parameters:
            hint = guess(row.message, self.parameters, "Parameters")
            self.source.fail(
                f"unknown message '{shorten(row.message)}'", start, start + len(row.message), hint
            )

    def system(self) -> System:
        self.channels = ChannelEnds(self.source, self.notes, self.automata)
        ends = self.channels.find()
        processes = tuple(self.process(a, ends) for a in self.automata.values())
        try:
            system = System(processes, name=self.name)
        except ModelError as problem:
            self.source.fail(problem.message, 0, hint=problem.hint, kind=ModelError)
        self.notes.faults += self.lossy(ends)
        self.notes.name = self.notes.name or ("" if self.name == "not_named" else self.name)
        communication = MAILBOX if self.channels.mailboxes else PEER_TO_PEER
        return self.notes.complete(System(system.processes, communication=communication))

    def process(self, automaton: ScmAutomaton, ends: dict[int, tuple[Channel, ...]]) -> Process:
        known = automaton.states
        if automaton.initial not in known:
            self.unknown_state(automaton, automaton.initial, automaton.initial_at)
        rows = []
        for row in automaton.rows:
            if row.target not in known:
                self.unknown_state(automaton, row.target, row.target_at)
            rows += [Transition(row.source, action, row.target) for action in self.meanings(row, ends)]
        try:
            return Process(automaton.name, automaton.initial, tuple(rows), tuple(known))
        except ModelError as problem:
            self.source.fail(problem.message, automaton.start, hint=problem.hint, kind=ModelError)

    def unknown_state(self, automaton: ScmAutomaton, state: str, start: int) -> None:
        hint = guess(state, automaton.states, "States") + f"; list it, if only as  state {shorten(state)} :"
        self.source.fail(f"unknown state '{shorten(state)}'", start, start + len(state), hint, ModelError)

    def meanings(self, row: ScmRow, ends: dict[int, tuple[Channel, ...]]) -> list[Action]:
        """The action of a row; a reception from a mailbox is one per sender of the message."""
        if row.channel < 0:
            return [Internal(self.notes.internal(row.start, row.end) or TAU)]
        channels, message = ends[row.channel], self.notes.message(row.message)
        if row.sign == "!":
            return [Send(channels[0].receiver, message)]
        senders = [c.sender for c in channels]
        send = [name for name in senders if self.sends(name, row.channel, row.message)]
        return [Receive(sender, message) for sender in send or senders]

    def sends(self, name: str, channel: int, message: str) -> bool:
        rows = self.automata[name].rows
        return any((r.channel, r.sign, r.message) == (channel, "!", message) for r in rows)

    def lossy(self, ends: dict[int, tuple[Channel, ...]]) -> list[Declared]:
        """`lossy : 0, 1`, and `/*# lossy: 0, 1 #*/`; a channel whose ends are unknown is used by nobody."""
        listed = list(self.lossy_channels)
        for start, comment in self.tokens.comments:
            match = _LOSSY.fullmatch(comment)
            numbers = re.findall(r"\d+", match.group("numbers")) if match else ()
            listed += [(start, int(n[:9])) for n in numbers]
        found = []
        for start, number in listed:
            if number >= self.count:
                self.source.fail(f"there is no channel {number} to be lossy", start, kind=ModelError)
            if number in ends:
                pairs = tuple(((sender, start), (receiver, start)) for sender, receiver in ends[number])
                found.append(Declared(pairs, ChannelFaults("", "", loss=True)))
        return found
