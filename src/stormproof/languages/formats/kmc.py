"""Session types of the kmc tool, read: one type per role, turned into an automaton as it is read.

    A: rec x . {B!a; x, B!b<int>; end}
    B: rec y . {A?a; y, A?b<int>; end}

`--` starts a comment, `/* */` encloses one. A payload is part of the message's name. A state is made for each
action's continuation; `rec` and variables make none, and `end` is one state per role.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from ...errors import ModelError
from ...kernel.model.actions import Message, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.system import System
from .annotations import Notes, read_notes
from .text import SizeCount, Source, Tokens, guess, shorten

_LEX = re.compile(
    r"(?P<skip>\s+)|(?P<comment>--[^\n]*|/\*.*?\*/)|(?P<word>[\w']+)"
    r"|(?P<payload><(?:[^<>\n]|<(?:[^<>\n]|<[^<>\n]*>)*>)*>)|(?P<punct>[:;,.{}!?])|(?P<wrong>.)",
    re.DOTALL,
)
_BLANK = r"(?:\s|--[^\n]*\n|/\*(?:[^*]|\*(?!/))*\*/)*"
_SNIFF = re.compile(rf"{_BLANK}[\w']+\s*:{_BLANK}(?:rec\b|end\b|\{{|[\w']+\s*[!?])")
_END = "end"


def sniff(text: str) -> bool:
    return _SNIFF.match(text) is not None


@dataclass
class _Automaton:
    """The automaton of a role while its type is read; `scope` maps variables to states, `undo`
    restores it."""

    role: str
    rows: list[Transition] = field(default_factory=list)
    states: int = 0
    scope: dict[str, str] = field(default_factory=dict)
    undo: list[tuple[str, str | None]] = field(default_factory=list)

    def fresh(self) -> str:
        self.states += 1
        return f"s{self.states - 1}"

    def bind(self, variable: str, state: str) -> None:
        self.undo.append((variable, self.scope.get(variable)))
        self.scope[variable] = state

    def leave(self, depth: int) -> None:
        """Forget the variables bound since."""
        while len(self.undo) > depth:
            variable, before = self.undo.pop()
            if before is None:
                del self.scope[variable]
            else:
                self.scope[variable] = before


def read(text: str, name: str = "<input>") -> System:
    source = Source(text, name)
    tokens = Tokens(source, _LEX)
    notes = read_notes(source, [(s, s + len(c)) for s, c in tokens.comments])
    roles = _roles(tokens)
    reader = _Reader(tokens, notes, {spelt: notes.role(spelt) for spelt in roles})
    processes = []
    for role, start in roles.items():
        tokens.at = start
        processes.append(reader.process(role))
    try:
        return notes.complete(System(tuple(processes)))
    except ModelError as problem:
        if problem.place is not None:
            raise
        source.fail(problem.message, 0, hint=problem.hint, kind=ModelError)


def _roles(tokens: Tokens) -> dict[str, int]:
    """Each role, and the token at which its type starts."""
    roles: dict[str, int] = {}
    for i, kind in enumerate(tokens.kinds):
        if kind != ":" or i == 0 or tokens.kinds[i - 1] != "word":
            continue
        role, start = tokens.texts[i - 1], tokens.starts[i - 1]
        if role in roles:
            tokens.source.fail(
                f"two roles are called '{shorten(role)}'", start, start + len(role), kind=ModelError
            )
        roles[role] = i + 1
    if not roles or tokens.kinds[1] != ":" or tokens.kinds[0] != "word":
        tokens.at = 0
        tokens.fail("a role and its type", "write  A: rec x . B!m; x")
    return roles


class _Reader:
    def __init__(self, tokens: Tokens, notes: Notes, roles: dict[str, str]) -> None:
        self.budget = SizeCount(tokens.source)
        self.tokens = tokens
        self.notes = notes
        self.roles = roles

    def process(self, role: str) -> Process:
        tokens, built = self.tokens, _Automaton(self.roles[role])
        head = tokens.start
        initial, more = self.continuation(built)
        groups: list[tuple[str, int]] = []
        if more:
            self.actions(built, initial, groups)
        while groups:
            state, depth = groups[-1]
            built.leave(depth)
            if tokens.take(","):
                self.actions(built, state, groups, alternative=True)
            else:
                tokens.expect("}", "',' or '}'")
                groups.pop()
        if tokens.kind != "end of file" and not (
            tokens.kind == "word" and tokens.kinds[tokens.at + 1] == ":"
        ):
            tokens.fail("the next role or the end of the file", "write  B: A?m; end  on a line of its own")
        try:
            return Process(built.role, initial, tuple(built.rows))
        except ModelError as problem:
            tokens.source.fail(problem.message, head, hint=problem.hint, kind=ModelError)

    def continuation(self, built: _Automaton) -> tuple[str, bool]:
        """The state in which a type starts, and whether actions follow; `rec`, `end` and variables are
        consumed."""
        tokens = self.tokens
        bound = []
        while tokens.kind == "word" and tokens.text == "rec" and tokens.kinds[tokens.at + 1] == "word":
            tokens.at += 1
            bound.append(tokens.expect("word"))
            tokens.expect(".", hint="write  rec x . T")
        if tokens.kind == "word" and tokens.kinds[tokens.at + 1] not in ("!", "?"):
            return self.leaf(built, bound), False
        state = built.fresh()
        self.budget.state(tokens.start)
        for variable in bound:
            built.bind(variable, state)
        return state, True

    def leaf(self, built: _Automaton, bound: list[str]) -> str:
        tokens = self.tokens
        word, start = tokens.text, tokens.start
        if word != "end" and word in bound:
            tokens.source.fail(f"rec {word} does nothing before it starts again", start, start + len(word))
        if word != "end" and word not in built.scope:
            hint = guess(word, {*built.scope, "end"}, "Variables")
            tokens.source.fail(f"unknown variable '{shorten(word)}'", start, start + len(word), hint)
        tokens.at += 1
        return _END if word == "end" else built.scope[word]

    def actions(
        self, built: _Automaton, state: str, groups: list[tuple[str, int]], alternative: bool = False
    ) -> None:
        """Actions one after the other up to a leaf; a group on the way is left for the caller to finish."""
        tokens, more = self.tokens, True
        while more:
            if not alternative and tokens.take("{"):
                groups.append((state, len(built.undo)))
            alternative = False
            peer, sign, message = self.action(built)
            tokens.expect(";", hint="an action is followed by ; and what comes then, if only end")
            target, more = self.continuation(built)
            self.budget.transition(tokens.start)
            built.rows.append(Transition(state, (Send if sign == "!" else Receive)(peer, message), target))
            state = target

    def action(self, built: _Automaton) -> tuple[str, str, Message]:
        tokens = self.tokens
        start = tokens.start
        spelt = tokens.expect("word", "an action", "write  B!message; T  or  B?message; T")
        sign = tokens.take("!") or tokens.take("?")
        if sign is None:
            tokens.fail("'!' or '?'", "every alternative of a choice starts with an action")
        if spelt not in self.roles:
            hint = guess(spelt, self.roles, "Roles")
            tokens.source.fail(
                f"unknown role '{shorten(spelt)}'", start, start + len(spelt), hint, ModelError
            )
        peer = self.roles[spelt]
        word = tokens.expect("word", "a message")
        message = word + (tokens.take("payload") or "")
        return peer, sign, self.notes.message(message)
