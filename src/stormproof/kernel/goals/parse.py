"""The language of goals: text to expressions, with located errors.

    goal = part { "|" part }        part = atom { "&" atom }        atom = "!" atom | "(" goal ")" | literal

A goal may stand alone (`parse_goal`) or within a longer text: the parser reads tokens one by one, takes no
more of them than belong to the goal, and looks names up only on request.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from ...errors import InputError, did_you_mean, raise_all
from ..data.system import DataSystem
from ..data.tokens import GoalToken, Text, TokenSource
from ..model.actions import CRASH, Channel, Message, Word
from ..model.goal import AT_REST, NAMED, And, At, Contains, Goal, Holds, Named, Not, Or
from ..model.process import Process
from ..model.rest import STOPPED
from ..model.system import System
from .groups import expand_groups
from .temporal import TEMPORAL

JOIN = "join two goals with & or |"

#: How deep parentheses may be nested; nobody writes more, and the parser calls itself for each.
MAX_DEPTH = 100

_OR, _AND, _NOT = ("|", "or", "∨"), ("&", "and", "∧"), ("!", "not", "¬")
_ARROW = ("->", "→")

#: Words that people write between a role and its state.
_WORDS = ("in", "at", "is")


def parse_goal(text: str, system: System) -> Goal:
    """The goal that a text describes; every name in it is looked up in the system."""
    if isinstance(system, DataSystem):
        from .data_goals import parse_data_goal

        return parse_data_goal(text, system)
    tokens = Text(text)
    if tokens.peek() is None:
        raise tokens.error("the goal is empty", None, "write it like Sender@wait0 & Sender->Receiver=[d0]")
    parser = GoalParser(tokens)
    goal = parser.parse()
    rest = tokens.peek()
    if rest is not None:
        raise_all([*parser.unknown_names(system), tokens.error(f"unexpected '{rest.text}'", rest, JOIN)])
    raise_all([*parser.unknown_names(system)])
    return parser.with_groups(goal, system)


class GoalParser:
    """Reads one goal; `unknown_names` then looks at its names."""

    def __init__(self, tokens: TokenSource) -> None:
        self.tokens = tokens
        self.depth = 0
        self._lookups: list[tuple[str, str, Callable[[System], None]]] = []
        self._quoted: set[tuple[str, str]] = set()

    def parse(self) -> Goal:
        """The goal that the next tokens are."""
        goal = self._or()
        if self._is(","):
            raise self.tokens.error("a goal has no ','", self.tokens.peek(), JOIN)
        return goal

    def unknown_names(
        self, system: System, excused: Callable[[str, str], bool] = lambda what, role: False
    ) -> Iterator[InputError]:
        """What is wrong with names that the system does not have: a role, a state of a role or a message,
        unless it is excused."""
        system = system.observed
        for what, role, check in self._lookups:
            if excused(what, role) or (what == "state" and role not in system):
                continue
            try:
                check(system)
            except InputError as problem:
                yield problem

    def with_groups(self, goal: Goal, system: System) -> Goal:
        """The goal, with a group's states for its bare name."""
        return expand_groups(goal, system.observed, self._quoted)

    # ---- tokens ----

    def _is(self, *signs: str, ahead: int = 0) -> bool:
        token = self.tokens.peek(ahead)
        return token is not None and not token.quoted and token.text in signs

    def _take(self, *signs: str) -> bool:
        if not self._is(*signs):
            return False
        self.tokens.take()
        return True

    def _expect(self, sign: str, where: str) -> None:
        if not self._take(sign):
            found = self.tokens.peek()
            raise self.tokens.error(f"'{sign}' is expected {where}{_instead(found)}", found)

    def _name(self, what: str, hint: str | None = None) -> GoalToken:
        token = self.tokens.peek()
        if token is None or token.sign:
            raise self.tokens.error(f"{what} is expected{_instead(token)}", token, hint)
        self.tokens.take()
        return token

    # ---- expressions ----

    def _or(self) -> Goal:
        parts = [self._and()]
        while self._operator("|", _OR):
            parts.append(self._and())
        return parts[0] if len(parts) == 1 else Or(tuple(parts))

    def _and(self) -> Goal:
        parts = [self._atom()]
        while self._operator("&", _AND):
            parts.append(self._atom())
        return parts[0] if len(parts) == 1 else And(tuple(parts))

    def _operator(self, sign: str, spellings: tuple[str, ...]) -> bool:
        if not self._take(*spellings):
            return False
        again = self.tokens.peek()
        if again is not None and again.sign and again.text == sign:
            raise self.tokens.error(f"'{sign}{sign}' is written '{sign}'", again, f"leave out one '{sign}'")
        return True

    def _atom(self) -> Goal:
        opening = self.tokens.peek()
        negates = self._negates()
        if not negates and not self._take("("):
            return self._literal()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise self.tokens.error(f"the goal is nested more than {MAX_DEPTH} deep", opening)
        if negates:
            goal: Goal = Not(self._atom())
        else:
            goal = self._or()
            self._expect(")", "to close the parenthesis")
        self.depth -= 1
        return goal

    def _negates(self) -> bool:
        """`!`, or `not` where it is no role: what follows a role is `@` or an arrow."""
        if self._is("not") and self._is("@", *_ARROW, ahead=1):
            return False
        return self._take(*_NOT)

    def _literal(self) -> Goal:
        if self._is("at") and self._is("rest", ahead=1):
            self.tokens.take()
            self.tokens.take()
            return AT_REST
        first = self._name("a role, a channel or one of " + ", ".join(NAMED), _negation(self.tokens.peek()))
        if self._is("@"):
            return self._states(first)
        if self._is(*_ARROW):
            return self._channel(first)
        self._refuse_other_notations(first)
        self._refuse_temporal(first)
        self._lookups.append(("role", first.text, lambda system: self._check_named(first, system)))
        return Named(first.text)

    def _refuse_temporal(self, first: GoalToken) -> None:
        """`eventually A@done`: goals are about one moment."""
        after = self.tokens.peek()
        if (
            first.text in TEMPORAL
            and not first.quoted
            and after is not None
            and (not after.sign or self._is("("))
        ):
            raise self.tokens.error(f"a goal has no '{first.text}'", first, TEMPORAL[first.text])

    def _refuse_other_notations(self, first: GoalToken) -> None:
        """`Buyer.done`, `Buyer != done`, `Buyer in done`: say how it is written, with the same meaning."""
        signs, ahead = "", 0
        if self._is(*_WORDS) and not self._is("rest", ahead=1):
            signs, ahead = f" {self._text(0)} ", 1
        while self._is(".", "=", "!", ":", ahead=ahead) and ahead < 2:
            signs += str(self._text(ahead))
            ahead += 1
        state = self.tokens.peek(ahead)
        known = signs.strip() in (".", "=", "==", ":", "!=", *_WORDS)
        if not known or state is None or state.sign:
            return
        token = self.tokens.peek()
        meant = f"{'!' if signs == '!=' else ''}{first.text}@{state.text}"
        raise self.tokens.error(f"'{first.text}{signs}{state.text}' is not a goal", token, f"write {meant}")

    def _text(self, ahead: int) -> str | None:
        token = self.tokens.peek(ahead)
        return None if token is None else token.text

    def _check_named(self, token: GoalToken, system: System) -> None:
        if token.text in NAMED and not token.quoted:
            return
        text = token.text
        if text in system:
            raise self.tokens.error(
                f"the role {text} alone is no goal", token, f"write {text}@state or {text}->Other=[...]"
            )
        raise self.tokens.error(f"unknown name '{text}'", token, _negation(token) or _meant(text, system))

    # ---- literals ----

    def _role(self, token: GoalToken) -> str:
        def check(system: System) -> None:
            if token.text not in system:
                names = system.names
                hint = _negation(token) or did_you_mean(token.text, names)
                hint = hint or "roles here: " + ", ".join(names)
                raise self.tokens.error(f"unknown role '{token.text}'", token, hint)

        self._lookups.append(("role", token.text, check))
        return token.text

    def _states(self, process: GoalToken) -> Goal:
        name = self._role(process)
        self.tokens.take()
        if self._is("!"):
            raise self.tokens.error(
                f"a state of {name} is expected, not '!'", self.tokens.peek(), f"write !{name}@state"
            )
        tokens = []
        if self._take("{"):
            tokens.append(self._name(f"a state of {name}"))
            while self._take(","):
                tokens.append(self._name(f"a state of {name}"))
            self._expect("}", "to close the set of states")
        else:
            several = f"several states: {name}@{{a, b}}" if self._is("(") else None
            tokens.append(self._name(f"a state of {name}", several))
        self._lookups.extend(("state", name, self._known_state(name, token)) for token in tokens)
        self._quoted |= {(name, token.text) for token in tokens if token.quoted}
        recorded = self._take("recorded")
        if recorded:
            self._lookups.extend(("state", name, self._recorded_state(name, token)) for token in tokens)
        return At(name, tuple(dict.fromkeys(t.text for t in tokens)), recorded=recorded)

    def _recorded_state(self, role: str, token: GoalToken) -> Callable[[System], None]:
        def check(system: System) -> None:
            process = system[role]
            states = (() if token.quoted else process.group(token.text)) or (token.text,)
            if token.text in (*process.states, *dict(process.groups)):
                problem = unrecorded(process, states)
                if problem:
                    raise self.tokens.error(problem[0], token, problem[1])

        return check

    def _known_state(self, role: str, token: GoalToken) -> Callable[[System], None]:
        def check(system: System) -> None:
            process = system[role]
            groups = () if token.quoted else tuple(name for name, _ in process.groups)
            known = (*groups, *process.states)
            if token.text not in known and token.text != STOPPED:
                hint = did_you_mean(token.text, known) or f"states of {role}: {_some(known)}"
                raise self.tokens.error(f"{role} has no state '{token.text}'", token, hint)

        return check

    def _channel(self, sender: GoalToken) -> Goal:
        source = self._role(sender)
        self.tokens.take()
        receiver = self._name("the receiving role")
        channel = Channel(source, self._role(receiver))
        if self._take("="):
            return Holds(channel, self._word(channel))
        if self._take("contains"):
            return Contains(channel, self._message(channel))
        found = self.tokens.peek()
        raise self.tokens.error(
            f"a condition on {channel} is expected{_instead(found)}",
            found,
            "go on with =[m, n], =[] or contains m",
        )

    def _word(self, channel: Channel) -> Word:
        self._expect("[", "before the channel's content")
        word: list[Message] = []
        while not self._is("]"):
            if word:
                self._expect(",", "between two messages")
            token = self.tokens.peek()
            if word and word[-1] is CRASH:
                raise self.tokens.error("the crash message is always the last of its channel", token)
            word.append(self._message(channel))
        self._expect("]", "after the channel's content")
        return tuple(word)

    def _message(self, channel: Channel) -> Message:
        found = self.tokens.peek()
        if found is None or found.sign:
            raise self.tokens.error(f"a message is expected{_instead(found)}", found)
        message, token = self.tokens.message()

        def check(system: System) -> None:
            if message is CRASH or message in system.messages:
                return
            here = [m for m in system.alphabet(channel) if isinstance(m, str)]
            hint = did_you_mean(str(message), system.messages)
            hint = hint or f"messages on {channel}: {_some(here) or 'none'}"
            raise self.tokens.error(f"unknown message '{message}'", token, hint)

        self._lookups.append(("message", "", check))
        return message


def unrecorded(process: Process, states: Sequence[str]) -> tuple[str, str] | None:
    """What is wrong with asking whether the disk holds one of these states, and the way out."""
    if process.disks:
        problem = f"{process.name} has durable variables, and no state of it is recorded"
        return problem, "ask for the state that follows `save`"
    if not set(states) & set(process.recordable):
        problem = f"the disk of {process.name} never holds '{states[0]}'"
        return problem, f"declare it: durable {process.name}@{states[0]}"
    return None


def _negation(token: GoalToken | None) -> str | None:
    """A nearby name without the sign would mean the opposite."""
    return "negation is written '!'" if token is not None and token.text[:1] in ("~", "-") else None


def _meant(text: str, system: System) -> str:
    """The hint for a word that is not a goal; `Buyer.done` is a role and one of its states."""
    for sign in (".", ":"):
        role, found, state = text.partition(sign)
        if found and role in system:
            return f"write {role}@{state}"
    roles = [p.name for p in system if text in p.states]
    if roles:
        return "a state stands behind its role: " + " or ".join(f"{role}@{text}" for role in roles[:3])
    known = [*system.names, *NAMED]
    return did_you_mean(text, known) or "here: " + ", ".join(known)


def _instead(token: GoalToken | None) -> str:
    return ", but the goal ends here" if token is None else f", not '{token.text}'"


def _some(names: Sequence[str], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")
