"""All points that roles can reach together: a fixpoint over the messages that may come on each channel."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import ModelError, Place, did_you_mean
from ...kernel.model.actions import TIMEOUT, Action, Internal, Receive, Send
from ...kernel.model.phrases import listed
from .interpret import Frame, Interpreter, Raised, RolePoint, Waiting
from .lower import LOOP, SUBJECT
from .requests import Pattern, Received, ReceiveRequest, SendRequest, spell_short
from .role import RoleCall
from .values import ValueKey, key, spell, spell_message

#: Values of one variable, messages of one name, points of one role: more are refused.
MOST_VALUES = 1_000
MOST_POINTS = 50_000
#: Exceptions that are mistakes of the author, rather than something that an assertion says.
_MISTAKES = frozenset(("AttributeError", "NameError", "TypeError", "UnboundLocalError"))
_LAST = 3


@dataclass(frozen=True)
class Response:
    """What a request may give: the action that it is in the automaton, and the value that the role gets."""

    action: Action
    value: Any


@dataclass
class Automaton:
    """The points of a role, by key, and where each answer leads."""

    name: str
    call: RoleCall
    start: RolePoint
    points: dict[ValueKey, RolePoint] = field(default_factory=dict)
    steps: dict[ValueKey, list[tuple[Response, ValueKey]]] = field(default_factory=dict)


def explore(roles: Mapping[str, RoleCall], interpreter: Interpreter) -> dict[str, Automaton]:
    """The automata of all roles, each from its start, breadth first."""
    return _Exploration(roles, interpreter).run()


def explore_alone(name: str, call: RoleCall, came: Iterable[Received], interpreter: Interpreter) -> Automaton:
    """The automaton of one role among peers that may send it just these messages, at any time."""
    alone = _Exploration({name: call}, interpreter)
    for message in came:
        alone.messages[name][message.message, key((message.peer, message.name, *message.fields))] = message
        alone.messages.setdefault(message.peer, {})
    return alone.automaton(name)


class _Exploration:
    def __init__(self, roles: Mapping[str, RoleCall], interpreter: Interpreter) -> None:
        self.roles = roles
        self.interpreter = interpreter
        self.messages: dict[str, dict[tuple[str, ValueKey], Received]] = {name: {} for name in roles}
        self.resumed: dict[ValueKey, RolePoint] = {}
        self.starts = {name: interpreter.start(call) for name, call in roles.items()}

    def run(self) -> dict[str, Automaton]:
        while True:
            before = self._count()
            found = {name: self.automaton(name) for name in self.roles}
            if self._count() == before:
                return found

    def _count(self) -> int:
        return sum(map(len, self.messages.values()))

    def automaton(self, name: str) -> Automaton:
        start = self.starts[name]
        found = Automaton(name, self.roles[name], start, {start.key: start})
        values = _Values(name)
        queue = [start]
        for point in queue:
            values.see(point)
            found.steps[point.key] = []
            for answer in self._answers(name, point):
                after = self._resume(name, point, answer)
                found.steps[point.key].append((answer, after.key))
                if after.key not in found.points:
                    found.points[after.key] = after
                    queue.append(after)
            if len(queue) > MOST_POINTS:
                raise values.too_many_points()
        return found

    def _resume(self, name: str, point: RolePoint, answer: Response) -> RolePoint:
        assert isinstance(point, Waiting)
        known = (name, point.key, answer.action, key(answer.value))
        if known not in self.resumed:
            self.resumed[known] = self.interpreter.resume(point, answer.value)
        return self.resumed[known]

    def _answers(self, name: str, point: RolePoint) -> Iterator[Response]:
        if not isinstance(point, Waiting):
            return
        request = point.request
        if isinstance(request, SendRequest):
            self._check_peer(name, request.peer, point)
            self._sent(name, request, point)
            yield Response(Send(request.peer, request.message), None)
        elif isinstance(request, ReceiveRequest):
            for peer in request.peers:
                self._check_peer(name, peer, point)
            yield from self._received(name, request)
        else:
            for value in request.values:
                yield Response(Internal(f"choose {spell(value)}"), value)

    def _received(self, name: str, request: ReceiveRequest) -> Iterator[Response]:
        for peer in request.peers:
            for message in self.messages[name].values():
                if message.peer == peer and request.takes(message):
                    yield Response(Receive(peer, message.message), message)
        if request.timed:
            yield Response(Internal(TIMEOUT, timeout=True), None)

    def _check_peer(self, name: str, peer: str, point: Waiting) -> None:
        if peer not in self.messages:
            hint = did_you_mean(peer, self.messages) or f"roles here: {', '.join(self.messages)}"
            raise ModelError(f"{name} names an unknown role '{peer}'", place=point.place, hint=hint)

    def _sent(self, name: str, request: SendRequest, point: Waiting) -> None:
        message = Received(name, request.name, request.fields)
        known = self.messages[request.peer]
        at = (request.message, key((name, request.name, *request.fields)))
        if at in known:
            return
        if any(m.peer == name and m.message == message.message for m in known.values()):
            problem = f"two different messages are spelt {message.message}"
            raise ModelError(problem, place=point.place, hint="rename one of their enums")
        known[at] = message
        alike = [m.message for m in known.values() if m.peer == name and m.name == request.name]
        if len(alike) > MOST_VALUES:
            problem = f"{name} sends more than {MOST_VALUES:,} different messages '{request.name}'"
            last = f"the last ones are {', '.join(alike[-_LAST:])}"
            raise ModelError(problem, place=point.place, hint=f"{last}; count modulo something")


class _Values:
    """The values that each variable of one role has taken at its points."""

    def __init__(self, role: str) -> None:
        self.role = role
        self.seen: dict[tuple[int, str], dict[ValueKey, str]] = {}
        self.frames: dict[tuple[int, str], Frame] = {}

    def see(self, point: RolePoint) -> None:
        if not isinstance(point, Waiting):
            return
        for frame in point.frames:
            for name, value in frame.variables.items():
                if not name.startswith((LOOP, SUBJECT)):
                    self._see(frame, name, value)

    def _see(self, frame: Frame, name: str, value: Any) -> None:
        variable = (id(frame.program), name)
        taken = self.seen.setdefault(variable, {})
        self.frames[variable] = frame
        if key(value) not in taken:
            taken[key(value)] = spell_short(value)
            if len(taken) > MOST_VALUES:
                problem = f"'{name}' of {self.role} takes more than {MOST_VALUES:,} values"
                raise self._refusal(variable, problem)

    def too_many_points(self) -> ModelError:
        """The role has too many points; the variable with the most values is named."""
        variable = max(self.seen, key=lambda v: len(self.seen[v]))
        problem = f"{self.role} can wait at more than {MOST_POINTS:,} points, where '{variable[1]}'"
        return self._refusal(variable, f"{problem} takes {len(self.seen[variable]):,} values")

    def _refusal(self, variable: tuple[int, str], problem: str) -> ModelError:
        program = self.frames[variable].program
        line = program.assigned.get(variable[1], program.source.tree.lineno)
        last = ", ".join(list(self.seen[variable].values())[-_LAST:])
        hint = f"the last ones are {last}; keep it small, for example modulo something"
        return ModelError(problem, place=program.source.place(line), hint=hint)


def mistakes(automata: Mapping[str, Automaton]) -> Iterator[tuple[Place, str]]:
    """Exceptions that nobody wants, each once: a name or an argument is wrong."""
    for name, automaton in automata.items():
        raised = [p for p in automaton.points.values() if isinstance(p, Raised) and p.kind in _MISTAKES]
        for point in raised:
            yield point.place, f"{name} may end here with {point.kind}: {point.text}"


def unmatched(automata: Mapping[str, Automaton]) -> Iterator[tuple[Place, str]]:
    """Patterns that no message ever matches, each once, with what is sent instead."""
    for name, automaton in automata.items():
        said: set[tuple[Place, str]] = set()
        for point, leaving in zip(automaton.points.values(), automaton.steps.values(), strict=True):
            if not isinstance(point, Waiting) or not isinstance(point.request, ReceiveRequest):
                continue
            came = [answer.value for answer, _ in leaving if isinstance(answer.value, Received)]
            for pattern in point.request.patterns:
                if not any(pattern.matches(message) for message in came):
                    said.add((point.place, _nobody_sends(automata, name, pattern)))
        yield from sorted(said, key=lambda row: (row[0].line or 0, row[1]))


def _nobody_sends(automata: Mapping[str, Automaton], receiver: str, pattern: Pattern) -> str:
    requests = (p.request for p in automata[pattern.peer].points.values() if isinstance(p, Waiting))
    sent = dict.fromkeys(r.name for r in requests if isinstance(r, SendRequest) and r.peer == receiver)
    if not pattern.name:
        return f"{pattern.peer} sends nothing to {receiver}"
    wanted = spell_message(pattern.name, pattern.fields or ())
    instead = f"; {pattern.peer} sends {listed(repr(name) for name in sent)}" if sent else ""
    return f"nobody sends '{wanted}' to {receiver}{instead}"
