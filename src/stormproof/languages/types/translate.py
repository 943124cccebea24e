"""From local types to automata (definitions 5.11), with the corrections of slips 4 to 7.

The set of states includes `stop`. Clause 3(c), the crash, applies to unreliable roles only. The last step of
the broadcast is a send and not a second `crash`; with a single peer it leads from the sink to `stop`
directly. Clause 3(d), the loops that receive dangling crash messages, ranges over unreliable peers only;
otherwise no terminating protocol would have a final state.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

from ...kernel.model.actions import CRASH_ACTION, Internal, Receive, Send, Transition
from ...kernel.model.process import Process
from ...kernel.transform.crash_completion import broadcast, fresh, loops
from .graph import END, SEND, STOP, LocalGraph, graph_of, state_names
from .syntax import LocalType
from .wellformed import check_graph, check_type, graph_problems, report_warnings


def automaton(
    role: str,
    local_type: LocalType,
    roles: Sequence[str],
    unreliable: Collection[str] = (),
    warn: bool = False,
) -> Process:
    """The automaton of a role's local type.

    `roles` are all roles of the protocol, `unreliable` those of them that may crash. Raises an InputError
    with the place where the type is not well-formed; with `warn`, what is accepted with a warning is logged.
    """
    check_type(role, local_type)
    graph = graph_of(local_type)
    made = automaton_of_graph(role, graph, roles, unreliable)
    if warn:
        report_warnings(p for p in graph_problems(role, graph, roles, unreliable) if p.warning)
    return made


def automaton_of_graph(
    role: str, graph: LocalGraph, roles: Sequence[str], unreliable: Collection[str] = ()
) -> Process:
    """The same for a type that is a graph already."""
    check_graph(role, graph, roles, unreliable)
    names = state_names(graph)
    used = set(names)
    rows = [row for i, name in enumerate(names) for row in _ordinary(graph, i, name, names)]
    others = [r for r in roles if r != role]
    dangerous = [r for r in others if r in unreliable]
    working = [n for n, s in zip(names, graph.states, strict=True) if s.kind not in (END, STOP)]
    resting = [n for n, s in zip(names, graph.states, strict=True) if s.kind in (END, STOP)]
    if role in unreliable and working:
        crash_rows, stop = _crash(working, others, used, _stop_of(graph, names))
        rows += crash_rows
        resting += [stop] if stop not in resting else []
    for name in resting:
        rows += loops(name, dangerous)
    return Process(role, names[graph.initial], tuple(rows), tuple(names), reliable=role not in unreliable)


def _ordinary(graph: LocalGraph, number: int, name: str, names: list[str]) -> Iterable[Transition]:
    """Definitions 5.11, clauses 3(a) and 3(b)."""
    state = graph.states[number]
    kind = Send if state.kind == SEND else Receive
    for edge in state.edges:
        yield Transition(name, kind(state.peer, edge.message), names[edge.target])


def _stop_of(graph: LocalGraph, names: list[str]) -> str | None:
    return next((n for n, s in zip(names, graph.states, strict=True) if s.kind == STOP), None)


def _crash(
    working: list[str], others: list[str], used: set[str], stop: str | None
) -> tuple[list[Transition], str]:
    """Definitions 5.11, clause 3(c): `crash` from every working state, and one broadcast for all of them."""
    sink = fresh("crashing", used) if others else stop or fresh("stop", used)
    chain = list(broadcast(sink, others, used - {stop} if stop else used))
    behind = chain[-1].target if chain else sink
    return [*(Transition(s, Internal(CRASH_ACTION), sink) for s in working), *chain], behind
