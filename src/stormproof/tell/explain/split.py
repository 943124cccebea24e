"""Roles that know what to repeat: a state that several ways lead to, after different sends, becomes several.

A role that waits can send again only what it knows it has sent. Where that depends on the way there, the
state is split, and those before it lead to one of its copies.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from ...kernel.model.actions import Send, Transition
from ...kernel.model.process import Process
from ...kernel.model.rest import default_rest_states, rest_states
from ...kernel.model.system import System
from ...kernel.semantics.explore import explore
from .addition import Addition, Redirect
from .retransmission import MOST_WAYS, Sent, sent_after

#: A role with more ways through it is left as it is.
_Node = tuple[str, Sent]


@dataclass(frozen=True)
class SplitProtocol:
    """What lines are added to: a system, and what has been added and redirected for it already. `originals`:
    of each role's copies, the state that each is a copy of."""

    system: System
    additions: tuple[Addition, ...] = ()
    redirects: tuple[Redirect, ...] = ()
    originals: dict[tuple[str, str], str] = field(default_factory=dict)


def split(system: System, roles: tuple[str, ...]) -> SplitProtocol:
    """The system with copies of the states of these roles; itself, where there is nothing to split."""
    rest = rest_states(system).rest
    base = SplitProtocol(system)
    for process in (system[name] for name in roles):
        names = _names(process)
        if names is not None:
            base = _with(base, process, _renamed(process, names, rest[process.name]), names)
    return base


def _with(base: SplitProtocol, before: Process, after: Process, names: Mapping[_Node, str]) -> SplitProtocol:
    role = before.name
    copies = {new: old for (old, _), new in names.items() if new != old}
    lines = tuple(Addition(role, state, tuple(after.outgoing(state))) for state in copies)
    old = {(t.source, t.action, copies.get(t.target, t.target)): t for t in before.transitions}
    moved = (t for t in after.transitions if t.source not in copies and t not in before.transitions)
    redirects = (Redirect(role, old[t.source, t.action, copies[t.target]], t.target) for t in moved)
    if after.rest is not None:
        new = tuple(s for s in after.rest if s not in (before.rest or ()))
        lines += (Addition(role, new[0], rest=new),) if new else ()
    processes = tuple(after if p.name == role else p for p in base.system)
    return SplitProtocol(
        replace(base.system, processes=processes),
        (*base.additions, *lines),
        (*base.redirects, *redirects),
        base.originals | {(role, copy): state for copy, state in copies.items()},
    )


def _names(process: Process) -> dict[_Node, str] | None:
    """The state of the split role for each way through it; None where nothing has to be split."""
    start: _Node = (process.initial, ())

    def leaving(node: _Node) -> Iterator[tuple[Transition, _Node]]:
        for t in process.outgoing(node[0]):
            yield t, (t.target, sent_after(node[1], t))

    found = explore([start], leaving, goes_on=lambda seen: seen < MOST_WAYS)
    if not found.complete:
        return None
    nodes = list(found.came)
    known: dict[str, tuple[Send, ...]] = {}
    for node in nodes:
        known[node[0]] = known.get(node[0]) or _to_repeat(process, node)
    block = {node: (node[0], _to_repeat(process, node) or known[node[0]]) for node in nodes}
    number = _numbered(block, nodes)
    while True:
        refined = {n: (number[n], *(number[after] for _, after in leaving(n))) for n in nodes}
        finer = _numbered(refined, nodes)
        if len(set(finer.values())) == len(set(number.values())):
            break
        number = finer
    return _named(process, nodes, number)


def _to_repeat(process: Process, node: _Node) -> tuple[Send, ...]:
    """What the role would send again where it waits."""
    state, sent = node
    if process.sends(state):
        return ()
    unheard = tuple(t.action for t, heard in sent if not heard)
    peers = {r.peer for r in process.receives(state)}
    asked = tuple(t.action for t, _ in sent if isinstance(t.action, Send) and t.action.peer in peers)
    return tuple(a for a in unheard or asked if isinstance(a, Send))


def _numbered(key: Mapping[_Node, object], nodes: list[_Node]) -> dict[_Node, int]:
    numbers: dict[object, int] = {}
    return {node: numbers.setdefault(key[node], len(numbers)) for node in nodes}


def _named(process: Process, nodes: list[_Node], number: Mapping[_Node, int]) -> dict[_Node, str] | None:
    """The first copy of a state keeps its name."""
    name: dict[int, str] = {}
    taken = set(process.states)
    for node in nodes:
        if number[node] not in name:
            state = node[0]
            first = state not in name.values()
            free = (f"{state}_{i}" for i in range(2, len(nodes) + len(taken) + 3))
            name[number[node]] = state if first else next(n for n in free if n not in taken)
            taken.add(name[number[node]])
    if len(name) == len({node[0] for node in nodes}):
        return None
    return {node: name[number[node]] for node in nodes}


def _renamed(process: Process, names: Mapping[_Node, str], resting: frozenset[str]) -> Process:
    """The role with the copies; states that cannot be reached stay as they are."""
    rows: dict[Transition, None] = {}
    for node, new in names.items():
        for t in process.outgoing(node[0]):
            rows[Transition(new, t.action, names[t.target, sent_after(node[1], t)])] = None
    reached = {node[0] for node in names}
    rows |= dict.fromkeys(t for t in process.transitions if t.source not in reached)
    order = {state: i for i, state in enumerate(process.states)}
    copies = dict.fromkeys(new for new in names.values() if new not in order)
    ordered = sorted(rows, key=lambda t: order.get(t.source, len(order)))
    rest = dict.fromkeys(new for (old, _), new in names.items() if old in resting)
    resting_after = dict.fromkeys((*(s for s in process.states if s in resting), *rest))
    made = replace(process, transitions=tuple(ordered), states=(*process.states, *copies), rest=None)
    crashed = process.crashed_states
    if process.rest is None and default_rest_states(made) == frozenset(resting_after):
        return made
    return replace(made, rest=tuple(s for s in resting_after if s not in crashed))
