"""Which local types are well-formed (definitions 5.9), and where one is not.

Errors: recursion that no message guards, a variable that is unbound or bound twice, a duplicate label in a
choice, `crash` in a selection, a crash branch for a reliable role, no crash branch for one that may crash, a
role that is unknown or the role itself. Warnings, since real protocols have both: a crash branch alone (a
standby that waits for the main server to fail), and waiting for a process after its crash was announced.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...errors import ModelError, Place, did_you_mean, visible
from ...kernel.model.actions import CRASH
from ...kernel.semantics.explore import reached
from .graph import SEND, WAIT, LocalGraph, TypeState, graph_of
from .local import message_text
from .syntax import LocalType, Rec, Var, children


@dataclass(frozen=True)
class Flaw:
    """Something wrong, or (`warning`) something that the paper forbids and that is accepted."""

    message: str
    place: Place | None = None
    hint: str | None = None
    warning: bool = False

    def error(self) -> ModelError:
        return ModelError(self.message, place=self.place, hint=self.hint)

    def __str__(self) -> str:
        message = f"warning: {self.message}" if self.warning else self.message
        return str(ModelError(message, place=self.place, hint=self.hint))


#: Where readers put warnings; Python prints them on standard error unless a program says otherwise.
log = logging.getLogger("stormproof")


def report_warnings(warnings: Iterable[Flaw]) -> None:
    for problem in warnings:
        log.warning("%s", visible(str(problem)))


Advice = Callable[[str, TypeState], str]


def check_type(role: str, type_: LocalType) -> None:
    """Raise the first error of the binders; `check_graph` looks at the rest."""
    for problem in variable_problems(role, type_):
        raise problem.error()


def check_graph(
    role: str,
    graph: LocalGraph,
    roles: Sequence[str],
    unreliable: Collection[str],
    advise: Advice | None = None,
) -> None:
    """Raise the first error."""
    for problem in graph_problems(role, graph, roles, unreliable, advise):
        if not problem.warning:
            raise problem.error()


def problems(
    role: str, type_: LocalType, roles: Sequence[str], unreliable: Collection[str] = ()
) -> tuple[Flaw, ...]:
    """All errors and warnings of a role's type."""
    found = tuple(variable_problems(role, type_))
    return found or tuple(graph_problems(role, graph_of(type_), roles, unreliable))


def variable_problems(role: str, root: LocalType) -> Iterator[Flaw]:
    """Unbound, bound twice, not guarded. `guard` is how many binders were around the last message."""
    bound: set[str] = set()
    scope: dict[str, int] = {}
    stack: list[tuple[LocalType | str, int]] = [(root, 0)]
    while stack:
        node, guard = stack.pop()
        if isinstance(node, str):
            scope.pop(node, None)
        elif isinstance(node, Rec):
            if node.name in bound:
                text = f"{role} binds the variable '{node.name}' twice"
                yield Flaw(text, node.place, "give one of them another name")
            bound.add(node.name)
            scope[node.name] = len(scope)
            stack += [(node.name, 0), (node.body, guard)]
        elif isinstance(node, Var):
            yield from _variable(role, node, scope, guard)
        else:
            stack.extend((below, len(scope)) for below in reversed(children(node)))


def _variable(role: str, node: Var, scope: dict[str, int], guard: int) -> Iterator[Flaw]:
    if node.name not in scope:
        known = f"variables here: {', '.join(scope)}" if scope else "no recursion is around it"
        hint = did_you_mean(node.name, scope) or "a type is end, a variable, mu t. T, Role!m; T or Role?m; T"
        text = f"{role} uses the variable '{node.name}', which is not bound ({known})"
        yield Flaw(text, node.place, hint)
    elif scope[node.name] >= guard:
        yield Flaw(
            f"{role} repeats '{node.name}' before it has sent or received anything",
            node.place,
            f"put a message between 'mu {node.name}.' and '{node.name}'",
        )


def graph_problems(
    role: str,
    graph: LocalGraph,
    roles: Sequence[str],
    unreliable: Collection[str],
    advise: Advice | None = None,
) -> Iterator[Flaw]:
    """`advise` says, in the words of the language at hand, which crash branch to add or to drop."""
    for state in graph.states:
        if state.kind in (SEND, WAIT):
            yield from _peer(role, state, roles)
            yield from _labels(role, state)
            yield from _crash_label(role, state, unreliable, advise or advise_local)
    for peer in dict.fromkeys(s.peer for s in graph.states if s.kind == WAIT):
        yield from _waits_for_the_crashed(role, graph, peer)


def _peer(role: str, state: TypeState, roles: Sequence[str]) -> Iterator[Flaw]:
    verb = "sends to" if state.kind == SEND else "waits for"
    if state.peer == role:
        yield Flaw(f"{role} {verb} itself", state.place)
    elif state.peer not in roles:
        hint = did_you_mean(state.peer, roles) or ""
        here = f"roles here: {', '.join(roles)}"
        yield Flaw(f"{role} {verb} an unknown role '{state.peer}'", state.place, f"{hint} {here}".strip())


def _labels(role: str, state: TypeState) -> Iterator[Flaw]:
    seen = set()
    for edge in state.edges:
        if edge.message in seen:
            yield Flaw(
                f"{role} has two branches '{message_text(edge.message)}' in one choice",
                edge.place or state.place,
                "the labels of a choice are distinct",
            )
        seen.add(edge.message)


def _crash_label(role: str, state: TypeState, unreliable: Collection[str], advise: Advice) -> Iterator[Flaw]:
    peer = state.peer
    crash = next((e for e in state.edges if e.message is CRASH), None)
    if state.kind == SEND:
        if crash is not None:
            yield Flaw(
                f"{role} sends 'crash' to {peer}, but crash is not a message that one chooses to send",
                crash.place,
                "a crash branch stands where one waits; a role crashes by itself when it is unreliable",
            )
    elif crash is not None and peer not in unreliable:
        yield Flaw(
            f"{role} has a crash branch for {peer}, which is reliable", crash.place, advise(role, state)
        )
    elif crash is None and peer in unreliable:
        waited = ", ".join(f"'{message_text(e.message)}'" for e in state.edges)
        yield Flaw(
            f"role {peer} may crash, but {role} has no crash branch when it waits here for {waited} "
            f"from {peer}",
            (state.edges[0].place if state.edges else None) or state.place,
            advise(role, state),
        )
    elif crash is not None and len(state.edges) == 1:
        yield Flaw(f"{role} waits here for nothing but the crash of {peer}", crash.place, warning=True)


def _has_crash(state: TypeState) -> bool:
    return any(edge.message is CRASH for edge in state.edges)


def advise_local(role: str, state: TypeState) -> str:
    """The crash branch to add or to drop, as a .storm file has it."""
    if _has_crash(state):
        return f"drop the branch, or declare:  unreliable role {state.peer}"
    return f"add:  {_branch_to_add(state, '; ')}   or drop 'unreliable' before role {state.peer}"


def _branch_to_add(state: TypeState, then: str) -> str:
    if len(state.edges) > 1:
        return f"crash{then}end"
    return f"{{{message_text(state.edges[0].message)}{then}..., crash{then}end}}"


def advise_context(role: str, state: TypeState) -> str:
    """The same, as a typing context has it."""
    if _has_crash(state):
        return f"drop the branch, or put '!' before the entry of {state.peer}"
    return f"add:  {_branch_to_add(state, ' . ')}   or drop the '!' before the entry of {state.peer}"


def advise_global(role: str, state: TypeState) -> str:
    """The same, as a global protocol has it."""
    if _has_crash(state):
        return f"drop the branch, or the word 'reliable' before role {state.peer}"
    return f"add:  or {{ crash from {state.peer} to {role}; ... }}   or declare:  reliable role {state.peer}"


def _waits_for_the_crashed(role: str, graph: LocalGraph, peer: str) -> Iterator[Flaw]:
    """Receptions from a peer that can be reached from its crash branch."""
    starts = [
        edge.target
        for state in graph.states
        if state.kind == WAIT and state.peer == peer
        for edge in state.edges
        if edge.message is CRASH
    ]
    for number in reached(starts, lambda number: (edge.target for edge in graph.states[number].edges)):
        state = graph.states[number]
        if state.kind == WAIT and state.peer == peer:
            yield Flaw(
                f"{role} may wait here for {peer} after it learned that {peer} crashed",
                state.place,
                warning=True,
            )
