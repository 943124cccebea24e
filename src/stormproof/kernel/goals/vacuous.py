"""What makes a requirement say nothing (definitions 10.6): no configuration satisfies its goal, or all do,
whatever the protocol does; or it speaks of states that nothing leads to."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ...errors import UsageError
from ..model.actions import CRASH, Channel, Message
from ..model.failures import FailureModel
from ..model.goal import And, At, Goal, Not, Or, show
from ..model.goal_forms import normal_form
from ..model.requirement import ALWAYS_POSSIBLE, NEVER, Claim
from ..model.rest import STOPPED
from ..model.system import System
from .cubes import Cube, Demand, first_cases, letters, taken
from .named import quiet_states

NOTHING_VIOLATES = "it says nothing: no combination of states satisfies its goal, whatever the channels hold"
NOTHING_PENDING = "it says nothing: no combination of states makes it pending, whatever the channels hold"
NEVER_PENDING = "vacuous: no run that was explored makes it pending"
ALL_SATISFY = "it says nothing: every configuration satisfies its goal"


def says_nothing(claim: Claim, system: System, failures: FailureModel) -> str:
    """Why a claim on the states of this system holds of every protocol that has them; "" if it does not, or
    if that is too much to find out."""
    if claim.goal is None:
        return ""
    if claim.what == NEVER and impossible(claim.goal, system, failures):
        return NOTHING_VIOLATES
    if claim.what == ALWAYS_POSSIBLE and impossible(Not(claim.goal), system, failures):
        return ALL_SATISFY
    if claim.after is not None and impossible(And((claim.after, Not(claim.goal))), system, failures):
        return NOTHING_PENDING
    return ""


def impossible(goal: Goal, system: System, failures: FailureModel) -> bool:
    """Does no combination of local states and of contents satisfy the goal? False where it has too many
    cases."""
    try:
        return not any(_is_possible(cube, system, failures) for cube in first_cases(goal, system, failures))
    except (UsageError, RecursionError):
        return False


def _is_possible(cube: Cube, system: System, failures: FailureModel) -> bool:
    for channel, demand in cube.channels.items():
        standing = {*letters(system, failures, channel), *(m for m in system.alphabet(channel) if m is CRASH)}
        if not _named(demand) <= standing:
            return False
    return all(_has_state(cube, system, name) for name in system.names)


def _named(demand: Demand) -> set[Message]:
    """The messages that must stand in the channel."""
    return {*(demand.word or ()), *demand.contains, *(() if demand.head is None else (demand.head,))}


def _has_state(cube: Cube, system: System, name: str) -> bool:
    """Is there a state of the process in which it may be, and, where nobody moves, does not move?"""
    process = system[name]
    states = cube.states.get(name, frozenset(process.states))
    if cube.deadlock or cube.stuck:
        states &= quiet_states(process)
    heads = {c: m for c, d in cube.channels.items() if c.receiver == name and (m := _head(d)) is not None}
    if not cube.stuck or not heads:
        return bool(states)
    return any(not _takes(system, name, state, heads) for state in states)


def _head(demand: Demand) -> Message | None:
    return demand.word[0] if demand.word else demand.head


def _takes(system: System, name: str, state: str, heads: dict[Channel, Message]) -> bool:
    here = taken(system, {p.name: state if p.name == name else p.initial for p in system})
    return any(message in here.get(channel, ()) for channel, message in heads.items())


def needed(claim: Claim, spell: Callable[[Goal], str] = show) -> dict[str, Goal]:
    """What some run must reach for the claim to say something, with what there is to say where none does:
    what leads to another goal must be pending; of a goal that must never happen, these are the parts `P@s`
    of its conjunctions. A goal that is such a part alone is what is required."""
    if claim.goal is None:
        return {}
    if claim.after is not None:
        return {NEVER_PENDING: And((claim.after, Not(claim.goal)))}
    parts = _joined(normal_form(claim.goal), joined=False) if claim.what == NEVER else ()
    return {f"no run reaches {spell(part)}, without which it cannot be violated": part for part in parts}


def _joined(goal: Goal, joined: bool) -> Iterator[At]:
    if isinstance(goal, And):
        several = joined or len(goal.parts) > 1
        for part in goal.parts:
            yield from _joined(part, several)
    elif isinstance(goal, Or):
        for part in goal.parts:
            yield from _joined(part, joined)
    elif isinstance(goal, At) and joined:
        yield goal


def out_of_reach(claim: Claim, system: System, failures: FailureModel) -> tuple[At, ...]:
    """The parts `P@s` of a claim to which no path of the role's automaton leads, nor a stop."""
    reached: dict[str, set[str]] = {}
    observers = {observer.name: observer for observer in system.observers}

    def unreached(part: At) -> bool:
        if part.process in failures.stop and STOPPED in part.states:
            return False
        if part.process not in reached:
            watching = observers.get(part.process)
            found = system[part.process].reachable() if watching is None else watching.reachable()
            reached[part.process] = set(found)
        return reached[part.process].isdisjoint(part.states)

    parts = (part for goal in claim.goals for part in _ats(goal))
    return tuple(dict.fromkeys(part for part in parts if unreached(part)))


def _ats(goal: Goal) -> Iterator[At]:
    if isinstance(goal, Not):
        yield from _ats(goal.part)
    elif isinstance(goal, And | Or):
        for part in goal.parts:
            yield from _ats(part)
    elif isinstance(goal, At):
        yield goal


def nothing_leads_to(part: At, spell: Callable[[Goal], str] = show) -> str:
    return f"it speaks of {spell(part)}, to which nothing leads"
