"""States that cannot be reached, roles that cannot rest, timers that lead astray."""

from __future__ import annotations

from collections.abc import Iterator

from ...errors import Place
from ...kernel.model.actions import CRASH, TIMEOUT, Internal, Transition
from ...kernel.model.clocks import due_after
from ...kernel.model.phrases import listed
from ...kernel.model.process import Process, StateKind
from ...kernel.model.rest import RestStates, default_rest_states
from ...languages.formats.storm_places import NoPlaces, Places
from .messages import quoted
from .warning import Warning


def state_warnings(process: Process, rest: RestStates, places: Places | NoPlaces) -> Iterator[Warning]:
    """Everything that one role's automaton shows."""
    name = process.name
    if process.transitions and all(isinstance(t.action, Internal) for t in process.transitions):
        yield Warning(f"{name} never sends or receives a message", places.role(name))
    elif not process.transitions:
        yield Warning(f"{name} does nothing", places.role(name))
    if places.written_as_automaton(name):
        yield from _unreachable(process, places)
    yield from _restless(process, rest, places)
    for transition in process.transitions:
        if isinstance(transition.action, Internal) and transition.action.timeout:
            yield from _timer(process, transition, rest, places)
        elif transition.action == Internal(TIMEOUT):
            said = f"the internal action 'timeout' of {name} is no timer: it takes no time"
            yield Warning(said, places.transition(name, transition), f"write: timeout -> {transition.target}")


def _unreachable(process: Process, places: Places | NoPlaces) -> Iterator[Warning]:
    reached = set(process.reachable())
    entered = {t.target for t in process.transitions if t.source != t.target}
    for state in process.states:
        if state in reached:
            continue
        said = f"the state '{state}' cannot be reached" if state in entered else f"nothing leads to '{state}'"
        yield Warning(f"{said} in {process.name}", places.state(process.name, state))


def _restless(process: Process, rest: RestStates, places: Places | NoPlaces) -> Iterator[Warning]:
    """The first state, if there is one, out of which no rest state can be reached."""
    resting = rest.rest[process.name]
    for state in process.reachable():
        if not resting.intersection(process.reachable(state)) and not places.is_error(process.name, state):
            once = "" if state == process.initial else f" once it is in '{state}'"
            where = places.rest_line(process.name, _where_to_rest(process, state))
            hint = f"say where it does: {where}"
            said, place = f"{process.name} can never rest{once}", places.state(process.name, state)
            yield Warning(said, place, hint, line=where)
            return


def _where_to_rest(process: Process, state: str) -> str:
    """The nearest state from here in which the role waits for messages."""
    later = process.reachable(state)
    return next((s for s in later if process.kind(s) is StateKind.RECEIVING), state)


def _timer(
    process: Process, transition: Transition, rest: RestStates, places: Places | NoPlaces
) -> Iterator[Warning]:
    source, _, target = transition
    place = places.transition(process.name, transition)
    yield from _never_due(process, transition, place)
    leads_back = source in process.reachable(target)
    if leads_back and process.rest is None and target in default_rest_states(process):
        said = f"the timer in '{source}' leads back to '{target}', which counts as rest by default"
        yield Warning(said, place, f"say where {process.name} rests: {places.rest_line(process.name, '...')}")
    missing = _not_awaited(process, transition, rest)
    if missing:
        said = f"after the timeout in '{source}', {process.name} never receives {listed(missing)} again"
        yield Warning(said, place, "a late message would block its channel")


def _never_due(process: Process, transition: Transition, place: Place) -> Iterator[Warning]:
    """Of several timers of one state only those with the least number are ever due (definitions 16.4)."""
    first, action = due_after(process, transition.source), transition.action
    assert isinstance(action, Internal)
    if action.is_timer and first is not None and action.after > first:
        said = f"in '{transition.source}' another timer of {process.name} is due after {first}, so that"
        yield Warning(f"{said} `{action}` never expires on time", place)


def _not_awaited(process: Process, transition: Transition, rest: RestStates) -> list[str]:
    """What the role waits for where the timer runs, and never receives afterwards; ended roles may."""
    later = process.reachable(transition.target)
    if rest.ended[process.name].issuperset(later):
        return []
    taken = {reception for state in later for reception in process.receives(state)}
    waiting = process.receives(transition.source)
    lost = dict.fromkeys(str(r.message) for r in waiting if r.message is not CRASH and r not in taken)
    return [quoted(message) for message in lost]
