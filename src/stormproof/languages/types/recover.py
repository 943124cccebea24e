"""From automata back to local types, where an automaton is one that the translation could have made."""

from __future__ import annotations

import re
from typing import NoReturn

from ...errors import FormatError, ModelError
from ...kernel.model.actions import CRASH, CRASH_ACTION, Action, Internal, Message, Receive, Send
from ...kernel.model.process import Process
from ...kernel.model.system import System
from ...kernel.transform.crash_handling import action_text, crash_handling
from .graph import END, SEND, WAIT, Edge, LocalGraph, TypeState
from .session import Session
from .translate import automaton_of_graph

_CRASH = Internal(CRASH_ACTION)
_VARIABLE = re.compile(r"[^\W\dμµ]\w{0,23}")


def session_of_system(system: System) -> tuple[Session, tuple[str, ...]]:
    """The system as local types, and the roles whose automata do not take dangling crash messages when
    they rest, as those of the types do. Raises FormatError where there are no such types."""
    handling = crash_handling(system)
    if not handling.holds:
        raise FormatError(
            f"session types handle every crash, but here {handling.sentences[0]}",
            hint="`stormproof crash FILE --complete` adds what is missing",
        )
    graphs = {p.name: _graph(p) for p in system}
    session = Session(system.name, graphs, system.unreliable)
    unclean = []
    for process in system:
        try:
            made = automaton_of_graph(process.name, graphs[process.name], system.names, system.unreliable)
        except ModelError as problem:
            raise FormatError(f"not a session type: {problem.message}") from None
        if _differs(process, made):
            unclean.append(process.name)
    return session, tuple(unclean)


def _graph(process: Process) -> LocalGraph:
    """The states that are reached without crashing."""
    graph = LocalGraph()
    index = {process.initial: 0}
    queue = [process.initial]

    def number(state: str) -> int:
        if state not in index:
            index[state] = len(queue)
            queue.append(state)
        return index[state]

    for state in queue:
        graph.states.append(_state(process, state, number))
    return graph


def _state(process: Process, state: str, number: object) -> TypeState:
    assert callable(number)
    leaving = [t for t in process.outgoing(state) if t.action != _CRASH]
    if all(t.target == state and t.action == Receive(_peer(t.action), CRASH) for t in leaving):
        return TypeState(END)
    peers = {_peer(t.action) for t in leaving}
    kinds = {type(t.action) for t in leaving}
    where = f"{process.name} in state {state}"
    if Internal in kinds:
        name = next(str(t.action) for t in leaving if isinstance(t.action, Internal))
        raise FormatError(f"session types have no internal actions, but {where} has '{name}'")
    if len(kinds) > 1:
        raise FormatError(f"session types do not mix sending and receiving, but {where} does both")
    if len(peers) > 1:
        raise FormatError(f"a choice of a session type has one peer, but {where} has {', '.join(peers)}")
    edges = tuple(Edge(_message(t.action), number(t.target)) for t in leaving)
    # A recursion is called after the state that it comes back to.
    name = state if _VARIABLE.fullmatch(state) else ""
    return TypeState(SEND if kinds == {Send} else WAIT, peers.pop(), edges, name)


def _peer(action: Action) -> str:
    return "" if isinstance(action, Internal) else action.peer


def _message(action: Action) -> Message:
    assert not isinstance(action, Internal)
    return action.message


def _differs(given: Process, made: Process) -> bool:
    """Walk both; False when they do the same, True when only the loops of resting states are missing."""
    queue = [(given.initial, made.initial)]
    seen = set(queue)
    unclean = False
    for state, twin in queue:
        mine = {t.action: t.target for t in given.outgoing(state)}
        other = {t.action: t.target for t in made.outgoing(twin)}
        if set(mine) != set(other):
            loops = {t.action for t in made.outgoing(twin) if t.target == twin}
            if not set(other) - set(mine) <= loops or set(mine) - set(other):
                _refuse(given, state, set(mine) ^ set(other))
            unclean = True
        for action in mine:
            pair = (mine[action], other[action])
            if pair not in seen:
                seen.add(pair)
                queue.append(pair)
    return unclean


def _refuse(process: Process, state: str, actions: set[Action]) -> NoReturn:
    shown = ", ".join(sorted(action_text(a) for a in actions))
    raise FormatError(
        f"{process.name} in state {state} crashes, or handles crashes, unlike a session type ({shown})",
        hint="json, storm and dot keep automata as they are",
    )
