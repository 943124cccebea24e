"""Systems that are equal up to the names of their states, or up to their traces."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace

from stormproof.kernel.equivalence.isomorphism import isomorphism, same_requirements
from stormproof.kernel.model.actions import Action, Transition
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.system import System


def rename_states(process: Process, names: Mapping[str, str]) -> Process:
    """With other state names; a state that is not in `names` keeps its own."""

    def new(state: str) -> str:
        return names.get(state, state)

    renamed = tuple(new(s) for s in process.states)
    assert len(set(renamed)) == len(renamed), f"renaming would merge two states of {process.name}"
    return replace(
        process,
        initial=new(process.initial),
        transitions=tuple(Transition(new(s), a, new(t)) for s, a, t in process.transitions),
        states=renamed,
        rest=None if process.rest is None else tuple(map(new, process.rest)),
        durable=tuple(map(new, process.durable)),
        atomic=tuple(map(new, process.atomic)),
        recovery=tuple((disk and new(disk), new(state)) for disk, state in process.recovery),
        saves=tuple((Transition(new(s), a, new(t)), held) for (s, a, t), held in process.saves),
        disks=tuple((held, new(state)) for held, state in process.disks),
    )


def same_up_to_states(first: System, second: System) -> bool:
    """Equal but for the names of local states; unreachable states and the system's name do not count."""
    if first.names != second.names or set(first.faults) != set(second.faults):
        return False
    pairs = zip(first.processes, second.processes, strict=True)
    states = {a.name: mapping for a, b in pairs if (mapping := isomorphism(a, b)) is not None}
    return len(states) == len(first.names) and same_requirements(first, second, states)


def same_traces(first: System, second: System) -> bool:
    """Equal but for the states, of which only the traces count (all states accept, so: the same prefixes)."""
    if first.names != second.names or set(first.faults) != set(second.faults):
        return False
    return all(
        a.reliable == b.reliable and _same(a, b)
        for a, b in zip(first.processes, second.processes, strict=True)
    )


def _same(a: Process, b: Process) -> bool:
    """Both determinised on the fly, pair by pair: the same actions must be possible in each."""
    start = (frozenset({a.initial}), frozenset({b.initial}))
    seen, todo = {start}, [start]
    while todo:
        left, right = todo.pop()
        after_left, after_right = _after(a, left), _after(b, right)
        if after_left.keys() != after_right.keys():
            return False
        for action, states in after_left.items():
            pair = (frozenset(states), frozenset(after_right[action]))
            if pair not in seen:
                seen.add(pair)
                todo.append(pair)
    return True


def _after(process: Process, states: frozenset[str]) -> dict[Action, set[str]]:
    found: dict[Action, set[str]] = defaultdict(set)
    for state in states:
        for transition in process.outgoing(state):
            found[transition.action].add(transition.target)
    return found
