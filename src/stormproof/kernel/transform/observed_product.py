"""Observers as parts of the roles that they watch, for methods that know of no components (definitions 17.4).

Where each observer watches one role, the product of that role with its observers has the same runs: a
transition decides what they see. No component is left.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...records import dataclass
from ..model.actions import Transition
from ..model.extras import Extras
from ..model.goal import At, Goal, map_places
from ..model.process import Process
from ..model.rest import RestStates
from ..model.run import Act, Witness
from ..model.survival import SurvivalModel
from ..semantics.observing import moves_of

#: A state of the role, and one of each of its observers.
_Point = tuple[str, ...]


@dataclass(frozen=True)
class ObservedProduct:
    """The model of the product; `points` says for each role what its states are, and `watched` which place of
    them belongs to an observer."""

    model: SurvivalModel
    points: Mapping[str, Mapping[str, _Point]]
    watched: Mapping[str, tuple[str, int]]

    def goal(self, goal: Goal) -> Goal:
        """A goal on roles and observers as one on the product."""

        def at(part: At) -> At:
            role, place = self.watched.get(part.process, (part.process, 0))
            points = self.points.get(role)
            if points is None:
                return part
            found = tuple(name for name, point in points.items() if point[place] in part.states)
            return replace(part, process=role, states=found)

        return map_places(goal, at)

    def run(self, witness: Witness) -> Witness:
        """A run of the product as one of the roles."""

        def own(role: str, state: str) -> str:
            return self.points[role][state][0] if role in self.points else state

        steps = (
            replace(s, state=own(s.process, s.state)) if isinstance(s, Act) else s for s in witness.steps
        )
        states = {role: own(role, state) for role, state in witness.states.items()}
        return replace(witness, steps=tuple(steps), states=states)


def observed_product(model: SurvivalModel) -> ObservedProduct | None:
    """None where some observer watches several roles, or there are other components."""
    observers = model.extras.observers
    watching: dict[str, list[str]] = {}
    for observer in observers:
        if len(observer.roles) > 1:
            return None
        for role in observer.roles or model.system.names[:1]:
            watching.setdefault(role, []).append(observer.name)
    if model.extras.names != tuple(o.name for o in observers):
        return None
    made = {role: _product(model, role, names) for role, names in watching.items()}
    dropped = set(model.extras.names)
    system = replace(
        model.system,
        requirements=(),
        processes=tuple(
            made[p.name][0] if p.name in made else p for p in model.system if p.name not in dropped
        ),
    )
    points = {role: found for role, (_, found) in made.items()}
    watched = {name: (role, i) for role, names in watching.items() for i, name in enumerate(names, 1)}
    tables = (model.rest.rest, model.rest.ended, model.rest.crashed)
    rest = RestStates(*(_mapped(table, model, points, watching) for table in tables))
    return ObservedProduct(replace(model, system=system, rest=rest, extras=Extras()), points, watched)


def _mapped(
    table: Mapping[str, frozenset[str]],
    model: SurvivalModel,
    points: Mapping[str, Mapping[str, _Point]],
    watching: Mapping[str, list[str]],
) -> dict[str, frozenset[str]]:
    """Where the role is in one of the states; and, for rest, its observers are where they rest."""
    found = dict(table)
    for role, states in points.items():
        everywhere = (frozenset(model.system[name].states) for name in watching[role])
        resting = (table[name] for name in watching[role])
        parts = (table[role], *(resting if table is model.rest.rest else everywhere))
        found[role] = frozenset(
            name
            for name, point in states.items()
            if all(s in part for s, part in zip(point, parts, strict=True))
        )
    for name in model.extras.names:
        del found[name]
    return found


def _product(model: SurvivalModel, role: str, observers: list[str]) -> tuple[Process, dict[str, _Point]]:
    """States that the role does not reach stay, too: alphabets are read off the system as given."""
    process = model.system[role]
    begin = tuple(model.system[name].initial for name in observers)
    seen: dict[_Point, str] = {}
    taken: set[str] = set()

    def named(point: _Point) -> str:
        if point not in seen:
            name = "/".join(point)
            while name in taken:
                name += "'"
            taken.add(name)
            seen[point] = name
            queue.append(point)
        return seen[point]

    queue: list[_Point] = []
    for state in process.states:
        named((state, *begin))
    rows = []
    for point in queue:
        for transition in process.outgoing(point[0]):
            moves = dict(moves_of(model, role, transition))
            after = (moves.get(name, {}).get(s, s) for name, s in zip(observers, point[1:], strict=True))
            rows.append(Transition(seen[point], transition.action, named((transition.target, *after))))
    first = (process.initial, *begin)
    made = Process(role, seen[first], rows, seen.values(), process.reliable)
    return made, {name: point for point, name in seen.items()}
