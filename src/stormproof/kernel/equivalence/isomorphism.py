"""Equality of processes and systems up to the names of their states, and of their roles."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from ..model.actions import Action, Internal, Transition
from ..model.goal import At, Goal, map_places, sort_states
from ..model.process import Process
from ..model.requirement import Requirement
from ..model.system import System
from .payload_aliases import meaning


def same_requirements(first: System, second: System, states: Mapping[str, Mapping[str, str]]) -> bool:
    """The same in some order, where `states` says which state of the first is which of the second."""

    def moved(requirement: Requirement) -> Requirement:
        def at(goal: At) -> At:
            there = states.get(goal.process, {})
            return replace(goal, states=tuple(there.get(s, s) for s in goal.states), written="")

        def there(goal: Goal) -> Goal:
            return map_places(goal, at)

        return replace(requirement, claim=requirement.claim.map_goals(there))

    return {_in_order(moved(r)) for r in first.requirements} == {_in_order(r) for r in second.requirements}


def _in_order(requirement: Requirement) -> Requirement:
    """States of one role in one order, so that a renaming does not change the requirement."""
    return replace(requirement, claim=requirement.claim.map_goals(sort_states))


def isomorphism(first: Process, second: Process) -> dict[str, str] | None:
    """A renaming of the reachable states of one process into the other's, or None."""
    if _declared(first) != _declared(second):
        return None
    a, b = first.trim(), second.trim()
    if len(a.states) != len(b.states) or len(a.transitions) != len(b.transitions):
        return None
    if not a.nondeterministic_states and not b.nondeterministic_states:
        return _walk(a, b)
    return _search(a, b)


def _declared(process: Process) -> object:
    """What a file says of a process beside its automaton; which states rest is a matter of the automaton."""
    flags = (process.reliable, process.service, process.stop, process.restart)
    return process.name, *flags, process.rest is None


def _walk(a: Process, b: Process) -> dict[str, str] | None:
    """Deterministic automata leave no choice: walk both at once. Of as many states and transitions, they are
    equal when each state meets just one of the other's."""
    mapping, used, queue = {a.initial: b.initial}, {b.initial}, [a.initial]
    for state in queue:
        there = dict(_leaving(b, mapping[state]))
        for label, target in _leaving(a, state):
            image = there.get(label)
            if image is None or (target in mapping) != (image in used):
                return None
            if target not in mapping:
                mapping[target] = image
                used.add(image)
                queue.append(target)
            elif mapping[target] != image:
                return None
    rests = frozenset(mapping[s] for s in a.rest or ()) == frozenset(b.rest or ())
    kept = all(
        frozenset(mapping[s] for s in ours) == frozenset(theirs)
        for ours, theirs in ((a.durable, b.durable), (a.atomic, b.atomic))
    )
    return mapping if rests and kept and _disks(a) == _disks(b) else None


_Label = tuple[object, ...]


def _leaving(process: Process, state: str) -> list[tuple[_Label, str]]:
    """Where actions lead, what they save, and where a restart begins."""
    saved = dict(process.saves)
    found: list[tuple[_Label, str]] = [
        ((t.action, frozenset(saved.get(t, ()))), t.target) for t in process.outgoing(state)
    ]
    found += [(("on restart",), to) for disk, to in process.recovery if disk == state]
    if state == process.initial:
        found += [(("on any restart",), to) for disk, to in process.recovery if not disk]
        found += [(("on restart", frozenset(held)), to) for held, to in process.disks]
    return found


def _disks(process: Process) -> tuple[object, ...]:
    first = frozenset(process.disks[0][0]) if process.disks else None
    return len(process.recovery), len(process.saves), len(process.disks), first


def role_matchings(first: System, second: System) -> Iterator[dict[str, str]]:
    """Every way to take the second system's roles for the first's (second -> first), likely ones only.

    Roles that look different from within, and pairs of roles that speak differently to each other, are never
    matched; what is left has to be compared whole.
    """
    if len(first.names) != len(second.names):
        return
    ours, theirs = _looks(first), _looks(second)
    choices = {r: [o for o in first.names if ours[o, o] == theirs[r, r]] for r in second.names}
    order = sorted(second.names, key=lambda r: len(choices[r]))
    chosen: dict[str, str] = {}
    pending = [iter(choices[order[0]])]
    while pending:
        role = order[len(pending) - 1]
        chosen.pop(role, None)
        taken = set(chosen.values())
        image = next(
            (o for o in pending[-1] if o not in taken and _fits(role, o, chosen, ours, theirs)), None
        )
        if image is None:
            pending.pop()
            continue
        chosen[role] = image
        if len(pending) == len(order):
            yield dict(chosen)
        else:
            pending.append(iter(choices[order[len(pending)]]))


_Looks = Mapping[tuple[str, str], object]


def _looks(system: System) -> dict[tuple[str, str], object]:
    """For a role (given twice) what it looks like without names; for two roles, what the first says to and
    hears from the second."""
    looks: dict[tuple[str, str], object] = {(p, q): frozenset() for p in system.names for q in system.names}
    for process in (p.trim() for p in system):
        by_peer: dict[str, Counter[object]] = defaultdict(Counter)
        for transition in process.transitions:
            peer = "" if isinstance(transition.action, Internal) else transition.action.peer
            by_peer[peer][_kind(transition)] += 1
        for peer, kinds in by_peer.items():
            if peer:
                looks[process.name, peer] = frozenset(kinds.items())
        whole = Counter(frozenset(kinds.items()) for kinds in by_peer.values())
        looks[process.name, process.name] = (
            process.reliable,
            process.service,
            None if process.rest is None else len(process.rest),
            len(process.states),
            frozenset(whole.items()),
        )
    return looks


def _kind(transition: Transition) -> object:
    action = transition.action
    if isinstance(action, Internal):
        return Internal, action
    return type(action), meaning(action.message) if isinstance(action.message, str) else None


def _fits(role: str, image: str, chosen: Mapping[str, str], ours: _Looks, theirs: _Looks) -> bool:
    return all(
        theirs[role, other] == ours[image, o] and theirs[other, role] == ours[o, image]
        for other, o in chosen.items()
    )


_Node = tuple[int, str]
_Link = tuple[_Node, bool, Action]
_Colours = dict[_Node, int]


def _search(a: Process, b: Process) -> dict[str, str] | None:
    """Individualisation and refinement: where colours leave a choice, a state is matched with each candidate
    in turn, and what follows from that is worked out before the next choice."""
    links = _links(a, b)
    start = {node: _first_colour((a, b)[node[0]], node[1]) for node in links}
    choices = [iter([_refine(links, start, [0, 1, 2, 3])])]
    while choices:
        colour = next(choices[-1], None)
        if colour is None:
            choices.pop()
            continue
        classes: dict[int, tuple[list[str], list[str]]] = defaultdict(lambda: ([], []))
        for (side, state), shade in colour.items():
            classes[shade][side].append(state)
        if any(len(ours) != len(theirs) for ours, theirs in classes.values()):
            continue
        open_ = [c for c in classes.values() if len(c[0]) > 1]
        if not open_:
            return {ours[0]: theirs[0] for ours, theirs in classes.values()}
        ours, theirs = min(open_, key=lambda c: len(c[0]))
        choices.append(_matched(links, colour, ours[0], theirs))
    return None


def _first_colour(process: Process, state: str) -> int:
    declared = (
        2 * (state in (process.rest or ())) + 4 * (state in process.durable) + 8 * (state in process.atomic)
    )
    return int(state == process.initial) + declared


def _matched(
    links: Mapping[_Node, list[_Link]], colour: _Colours, state: str, candidates: Iterable[str]
) -> Iterator[_Colours]:
    """The colours when a state is matched with each candidate."""
    fresh = max(colour.values()) + 1
    for image in candidates:
        yield _refine(links, {**colour, (0, state): fresh, (1, image): fresh}, [fresh])


def _refine(links: Mapping[_Node, list[_Link]], colour: _Colours, queue: list[int]) -> _Colours:
    """Colour refinement of both automata together: states with different colours cannot match.

    Each colour in turn splits the others by how many transitions of each action lead there and back; of what
    a colour falls into, the largest part keeps it and is not looked at again (Hopcroft's trick). Once every
    colour has one state of each automaton, matching them is an isomorphism.
    """
    members: dict[int, set[_Node]] = {shade: set() for shade in range(max(colour.values()) + 1)}
    for node, shade in colour.items():
        members[shade].add(node)
    for splitter in queue:
        for shade, parts in _split(links, colour, members.get(splitter, ())).items():
            _recolour(shade, parts, colour, members, queue)
    return colour


def _links(a: Process, b: Process) -> dict[_Node, list[_Link]]:
    """For each state its neighbours: by a transition that comes from there (True) or leads there."""
    links: dict[_Node, list[_Link]] = {(i, s): [] for i, p in enumerate((a, b)) for s in p.states}
    for i, process in enumerate((a, b)):
        for source, action, target in process.transitions:
            links[i, source].append(((i, target), True, action))
            links[i, target].append(((i, source), False, action))
    return links


def _split(
    links: Mapping[_Node, list[_Link]], colour: Mapping[_Node, int], splitter: Iterable[_Node]
) -> dict[int, list[list[_Node]]]:
    """For each colour with neighbours in the splitter, those neighbours, by how they are joined to it."""
    joined: dict[_Node, Counter[tuple[bool, Action]]] = defaultdict(Counter)
    for node in splitter:
        for neighbour, comes, action in links[node]:
            joined[neighbour][comes, action] += 1
    parts: dict[int, dict[object, list[_Node]]] = defaultdict(lambda: defaultdict(list))
    for node, ways in joined.items():
        parts[colour[node]][frozenset(ways.items())].append(node)
    return {shade: list(found.values()) for shade, found in parts.items()}


def _recolour(
    shade: int,
    parts: list[list[_Node]],
    colour: _Colours,
    members: dict[int, set[_Node]],
    queue: list[int],
) -> None:
    """Give the parts colours of their own, all but the largest; what is in none of them is a part as well."""
    rest = len(members[shade]) - sum(map(len, parts))
    largest = max(parts, key=len)
    moved = parts if rest >= len(largest) else [p for p in parts if p is not largest]
    if rest and rest < len(largest):
        inside = {node for part in parts for node in part}
        moved = [*moved, [node for node in members[shade] if node not in inside]]
    for part in moved:
        fresh = len(members)
        members[fresh] = set(part)
        members[shade] -= members[fresh]
        colour.update(dict.fromkeys(part, fresh))
        queue.append(fresh)
