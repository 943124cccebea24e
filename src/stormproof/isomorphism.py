"""Equality of processes and systems up to the names of their states."""

from __future__ import annotations

from collections import Counter, defaultdict

from .model import Process, System


def same_up_to_states(first: System, second: System) -> bool:
    """Equal but for the names of local states; unreachable states and the system's name do not count."""
    if first.names != second.names or set(first.faults) != set(second.faults):
        return False
    return all(isomorphism(a, b) is not None for a, b in zip(first.processes, second.processes, strict=True))


def isomorphism(first: Process, second: Process) -> dict[str, str] | None:
    """A renaming of the reachable states of one process into the other's, or None."""
    if first.name != second.name or first.reliable != second.reliable:
        return None
    a, b = first.trim(), second.trim()
    if len(a.states) != len(b.states) or len(a.transitions) != len(b.transitions):
        return None
    colours_a, colours_b = _refine(a, b)
    return _match(a, b, colours_a, colours_b)


def _refine(a: Process, b: Process) -> tuple[dict[str, int], dict[str, int]]:
    """Colour refinement of both automata together: states with different colours cannot match."""
    colour = [{s: int(s == p.initial) for s in p.states} for p in (a, b)]
    incoming = []
    for p in (a, b):
        table = defaultdict(list)
        for t in p.transitions:
            table[t.target].append(t)
        incoming.append(table)
    count = 0
    while True:
        numbers: dict[object, int] = {}
        new = []
        for index, p in enumerate((a, b)):
            shade = colour[index]
            fresh = {}
            for s in p.states:
                key = (
                    shade[s],
                    frozenset(Counter((t.action, shade[t.target]) for t in p.outgoing(s)).items()),
                    frozenset(Counter((t.action, shade[t.source]) for t in incoming[index][s]).items()),
                )
                fresh[s] = numbers.setdefault(key, len(numbers))
            new.append(fresh)
        colour = new
        if len(numbers) == count:
            return colour[0], colour[1]
        count = len(numbers)


def _match(
    a: Process, b: Process, colours_a: dict[str, int], colours_b: dict[str, int]
) -> dict[str, str] | None:
    """Walk both automata from their initial states; branch only where colours leave a choice."""
    classes: dict[int, list[str]] = defaultdict(list)
    for state, colour in colours_b.items():
        classes[colour].append(state)
    if Counter(colours_a.values()) != Counter(colours_b.values()):
        return None
    edges_b = set(b.transitions)
    order = a.reachable()
    edges_a: dict[str, list[tuple[str, object, str]]] = defaultdict(list)
    for t in a.transitions:
        edges_a[t.source].append(t)
        if t.target != t.source:
            edges_a[t.target].append(t)
    mapping: dict[str, str] = {}
    used: set[str] = set()
    choices: list[list[str]] = []
    while len(mapping) < len(order):
        if len(choices) == len(mapping):
            state = order[len(mapping)]
            choices.append([s for s in classes[colours_a[state]] if s not in used])
        if not choices[-1]:
            choices.pop()
            if not choices:
                return None
            used.discard(mapping.pop(order[len(choices) - 1]))
            continue
        state, image = order[len(mapping)], choices[-1].pop()
        mapping[state] = image
        fits = all(
            (mapping[s], act, mapping[t]) in edges_b
            for s, act, t in edges_a[state]
            if s in mapping and t in mapping
        )
        if fits:
            used.add(image)
        else:
            del mapping[state]
    return mapping
