"""From roles with variables to the automata of their roles and members, as far as they are made."""

from __future__ import annotations

from collections.abc import Callable, Container, Hashable, Iterator, Mapping
from dataclasses import field, replace

from ...errors import Place
from ...kernel.data.system import LocalState
from ...kernel.data.values import Member, spell
from ...kernel.model.actions import Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.requirement import Requirement
from ...kernel.model.rest import default_rest_states
from ...records import dataclass
from ..automata import build
from ..automata.names import with_values
from ..automata.program import Automaton, SendOffer
from .alternatives import CompiledRole
from .program import DataLetter, DataPoint, DataProgram
from .syntax import ACT, GO, SEND

DataAutomaton = Automaton[DataPoint]

#: So many steps of all roles together are made before anybody asks for more.
HORIZON = 20_000


@dataclass(frozen=True)
class BuiltRole:
    """One process: what it is made of, and what its states stand for."""

    role: CompiledRole
    process: Process
    local: Mapping[str, LocalState]
    required: tuple[Requirement, ...]
    steps: Mapping[Transition, Place]
    recovery: Mapping[str, str]
    letters: Mapping[Transition, DataLetter] = field(default_factory=dict)


def data_programs(
    roles: Mapping[str, CompiledRole],
    families: Mapping[str, int],
    kept: Mapping[str, frozenset[str]],
    place_of: Callable[[int], Place],
) -> list[DataProgram]:
    """The roles of a file as programs. `kept` are the variables that goals read, by role."""
    return [
        DataProgram(role, families, place_of, member, kept.get(role.name, frozenset()))
        for role in roles.values()
        for member in _members(role)
    ]


def _members(role: CompiledRole) -> list[Member | None]:
    if not role.members:
        return [None]
    return [Member(role.name, number) for number in range(1, role.members + 1)]


def built_role(
    automaton: DataAutomaton, services: Container[str], names: Mapping[Hashable, str]
) -> BuiltRole:
    """The process of a role that is a service if it is one of these."""
    program = automaton.program
    assert isinstance(program, DataProgram)
    service = program.role.name in services
    resting = default_rest(program.role, service)
    points = automaton.points
    rest = tuple(
        names[key] for key, p in points.items() if p.state in resting and p.sending is None and not p.failure
    )
    process = build.build_process(automaton, names, lambda made: rest)
    local = {
        names[key]: LocalState(p.state, p.env, p.sending is not None, bool(p.failure))
        for key, p in points.items()
    }
    places = [(names[key], p.place or program.place_of(_start(program, p))) for key, p in points.items()]
    required = build.failures(automaton, names, "value out of its domain")
    steps = {
        Transition(names[source], action, names[to]): program.place_of(start)
        for (source, action, to), start in program.origins.items()
        if source in names and to in names
    }
    recovery = {disk: names[point.key] for disk, point in program.recovery.items()}
    made = replace(process, places=tuple(places))
    letters = _letters(program, automaton, names)
    return BuiltRole(program.role, made, local, tuple(required), steps, recovery, letters)


def _letters(
    program: DataProgram, automaton: DataAutomaton, names: Mapping[Hashable, str]
) -> dict[Transition, DataLetter]:
    """The message of each transition with its values."""
    found = {}
    for key, leaving in automaton.steps.items():
        offers = program.offers(automaton.points[key])
        sent = {(o.peer, str(o.message.message)): o.message for o in offers if isinstance(o, SendOffer)}
        for response, to in leaving:
            letter = response.value
            if isinstance(response.action, Send):
                letter = sent[response.action.peer, str(response.action.message)]
            if isinstance(letter, DataLetter):
                found[Transition(names[key], response.action, names[to])] = letter
    return found


def _start(program: DataProgram, point: DataPoint) -> int:
    return program.role.names[point.state].start


def state_name(point: DataPoint) -> str:
    """The named state with the values that it keeps."""
    if point.failure:
        return point.failure
    named = with_values(point.state, [f"{name}={spell(value)}" for name, value in point.values])
    if point.sending is None:
        return named
    left = sorted(point.sending[1], key=lambda m: m.number)
    return f"{named} to {', '.join(map(str, left))}"


def default_rest(role: CompiledRole, service: bool = False) -> frozenset[str]:
    """The named states that rest by default, guards left out: read off the source, so that no verdict changes
    as more of an automaton is made."""
    rows = [row for state in role.states for row in _rows(role, state)]
    return default_rest_states(Process(role.name, role.initial, rows, [*role.states], service=service))


def _rows(role: CompiledRole, state: str) -> Iterator[Transition]:
    for alternative in role.states[state]:
        written = alternative.written
        for target in _entered(role, alternative.target):
            if alternative.kind == ACT:
                assert written.action is not None
                yield Transition(state, written.action, target)
            elif alternative.kind != GO:
                assert alternative.peers is not None
                kind = Send if alternative.kind == SEND else Receive
                # Which peer it is does not matter here; a role's messages to itself are no exception.
                yield Transition(state, kind(f"{alternative.peers.role} ", written.message), target)


def _entered(role: CompiledRole, state: str) -> list[str]:
    """Where a step to this state may lead at once."""
    seen = {state: True}
    queue = [state]
    for at in queue:
        for alternative in role.states[at]:
            if alternative.kind == GO:
                seen[at] = seen[at] and alternative.guard is not None
                if alternative.target not in seen:
                    seen[alternative.target] = True
                    queue.append(alternative.target)
    return [at for at, entered in seen.items() if entered]
