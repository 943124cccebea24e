"""Roles in Python as programs: what a point offers, and what a role does with a response."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ...errors import ModelError, Place, did_you_mean
from ...kernel.model.actions import TIMEOUT, Internal
from ...kernel.model.phrases import listed
from ..automata import explore as fixpoint
from ..automata.disks import Contents, HeldValue, ProgramDisk
from ..automata.program import ActOffer, Automaton, Offer, ReceiveOffer, Response, SendOffer, Variable
from .interpret import Frame, Interpreter, Raised, RolePoint, Waiting
from .program import HIDDEN
from .requests import Pattern, Received, ReceiveRequest, SaveRequest, SendRequest, spell_short
from .role import RoleCall
from .seconds import microseconds
from .values import LocalKeys, key, spell, spell_message

#: Exceptions that are mistakes of the author, rather than something that an assertion says.
_MISTAKES = frozenset(("AttributeError", "NameError", "TypeError", "UnboundLocalError"))

RoleAutomaton = Automaton[RolePoint]


@dataclass
class RoleProgram:
    """A role with its arguments."""

    name: str
    call: RoleCall
    interpreter: Interpreter

    @cached_property
    def start(self) -> RolePoint:
        return self.interpreter.start(self.call)

    def offers(self, point: RolePoint) -> Iterator[Offer]:
        if not isinstance(point, Waiting):
            return
        request = point.request
        if isinstance(request, SendRequest):
            yield SendOffer(request.peer, Received(self.name, request.name, request.fields))
        elif isinstance(request, ReceiveRequest):
            for peer in request.peers:
                yield ReceiveOffer(peer)
            if request.timed:
                yield ActOffer(Internal(TIMEOUT, timeout=True, after=microseconds(request.timeout)))
        elif isinstance(request, SaveRequest):
            self.check_saved(point, request)
            yield ActOffer(Internal("save"))
        else:
            for value in request.values:
                yield ActOffer(Internal(f"choose {spell(value)}"), value)

    def after(self, point: RolePoint, response: Response) -> Iterator[RolePoint]:
        assert isinstance(point, Waiting)
        request, value = point.request, response.value
        if not isinstance(value, Received) or (isinstance(request, ReceiveRequest) and request.takes(value)):
            yield self.interpreter.resume(point, value)

    # ---- restarts (definitions 14.6) ----

    @property
    def recovery(self) -> Mapping[str, RolePoint]:
        return {}

    @cached_property
    def disk(self) -> ProgramDisk[RolePoint] | None:
        names = self.call.role.durable
        if not names:
            return None
        first = {name: held_value(self.call.arguments[name]) for name in names}
        return ProgramDisk(first, self._again, self.refusal)

    def _again(self, held: Contents) -> RolePoint:
        return self.interpreter.start(self.call.again({name: on.value for name, on in held.items()}))

    def saved(self, point: RolePoint, response: Response) -> Contents:
        request = point.request if isinstance(point, Waiting) else None
        if not isinstance(request, SaveRequest):
            return {}
        return {name: held_value(value) for name, value in request.values}

    def check_saved(self, point: RolePoint, request: SaveRequest) -> None:
        """Only what the role gets again after a restart can be saved."""
        known = self.call.role.durable
        for name, _ in request.values:
            if name not in known:
                hint = (
                    did_you_mean(name, known) or f"write: def {self.call.role.name}({name}=sp.durable(...))"
                )
                raise self.refusal(f"'{name}' is no durable parameter of {self.name}", hint, point)

    def named(self) -> Iterable[Received]:
        return ()

    def variables(self, point: RolePoint) -> Iterator[Variable]:
        for frame in point.frames if isinstance(point, Waiting) else ():
            for name, value in frame.variables.items():
                if not name.startswith(HIDDEN):
                    yield Variable(
                        (id(frame.program), name), name, LocalKeys().key(value), spell_short(value)
                    )
                    self._frames[id(frame.program), name] = frame

    @cached_property
    def _frames(self) -> dict[Hashable, Frame]:
        """Where each variable was seen last."""
        return {}

    def refusal(
        self, problem: str, hint: str, point: RolePoint | None = None, variable: Hashable = None
    ) -> ModelError:
        place = None if point is None else point.place
        if isinstance(variable, tuple):
            program = self._frames[variable].program
            place = program.source.place(program.assigned.get(variable[1], program.source.tree.lineno))
        return ModelError(problem, place=place, hint=hint)


def held_value(value: Any) -> HeldValue:
    return HeldValue(key(value), value, spell(value))


def programs(roles: Mapping[str, RoleCall], interpreter: Interpreter) -> list[RoleProgram]:
    return [RoleProgram(name, call, interpreter) for name, call in roles.items()]


def explore(roles: Mapping[str, RoleCall], interpreter: Interpreter) -> dict[str, RoleAutomaton]:
    """The automata of all roles."""
    return fixpoint.explore(programs(roles, interpreter))


def call_of(automaton: RoleAutomaton) -> RoleCall:
    """The role that the automaton was made of."""
    assert isinstance(automaton.program, RoleProgram)
    return automaton.program.call


def mistakes(automata: Mapping[str, RoleAutomaton]) -> Iterator[tuple[Place, str]]:
    """Exceptions that nobody wants, each once: a name or an argument is wrong."""
    for name, automaton in automata.items():
        raised = [p for p in automaton.points.values() if isinstance(p, Raised) and p.kind in _MISTAKES]
        for point in raised:
            yield point.place, f"{name} may end here with {point.kind}: {point.text}"


def unmatched(automata: Mapping[str, RoleAutomaton]) -> Iterator[tuple[Place, str]]:
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


def _nobody_sends(automata: Mapping[str, RoleAutomaton], receiver: str, pattern: Pattern) -> str:
    requests = (p.request for p in automata[pattern.peer].points.values() if isinstance(p, Waiting))
    sent = dict.fromkeys(r.name for r in requests if isinstance(r, SendRequest) and r.peer == receiver)
    if not pattern.name:
        return f"{pattern.peer} sends nothing to {receiver}"
    wanted = spell_message(pattern.name, pattern.fields or ())
    instead = f"; {pattern.peer} sends {listed(repr(name) for name in sent)}" if sent else ""
    return f"nobody sends '{wanted}' to {receiver}{instead}"
