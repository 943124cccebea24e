"""The components of configurations beside roles and channels, added to a model (definitions 17.2).

A component is a process without transitions behind the roles. None of them ever sends or receives, so that it
has ended everywhere and never keeps anybody from resting, unless its author says where it rests.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from ..model.ask import Ask
from ..model.budget import Budget
from ..model.clocks import TIME, Clocks, clock_of, has_timers, new_name, time_process
from ..model.extras import Extras
from ..model.failures import FailureModel
from ..model.goal import mentioned
from ..model.observer import Observer
from ..model.process import Process
from ..model.rest import RestStates, rest_states
from ..model.survival import SurvivalModel
from ..model.system import System


def survival_model(
    system: System,
    failures: FailureModel,
    budget: Budget | None = None,
    rest: RestStates | None = None,
    process_faults: Mapping[tuple[str, str], str] | None = None,
) -> SurvivalModel:
    """A system that is searched, with every component that its questions are about."""
    rested = rest_states(system) if rest is None else rest
    model = SurvivalModel(system, failures, rested, dict(process_faults or {}), budget or Budget())
    model = with_observers(model, model.system.observers)
    model = with_clocks(model) if failures.on_time else model
    if not failures.cuts:
        return model
    from .links import with_links

    return with_links(model)


def with_components(
    model: SurvivalModel, added: Iterable[Process], rest: Mapping[str, frozenset[str]] | None = None
) -> SurvivalModel:
    """The model with more processes, the last, which the steps of others move; they rest everywhere, unless
    `rest` says where."""
    components = tuple(added)
    everywhere = {p.name: frozenset(p.states) for p in components}
    resting = RestStates(
        rest={**model.rest.rest, **everywhere, **(rest or {})},
        ended={**model.rest.ended, **everywhere},
        crashed={**model.rest.crashed, **dict.fromkeys(everywhere, frozenset())},
    )
    system = replace(model.system, processes=(*model.system.processes, *components), observers=())
    return replace(model, system=system, rest=resting)


def with_observers(model: SurvivalModel, observers: tuple[Observer, ...]) -> SurvivalModel:
    """The model with a component for each observer."""
    if not observers:
        return model
    added = [Process(o.name, o.initial, states=o.states) for o in observers]
    rest = {o.name: frozenset(o.rest) for o in observers if o.rest is not None}
    return replace(with_components(model, added, rest), extras=Extras(observers))


def looking_at(model: SurvivalModel, ask: Ask) -> SurvivalModel:
    """The model without the observers that neither the ask nor rest looks at, which hinder nobody."""
    seen = {name for goal in ask.goals for name in mentioned(goal)}
    kept = tuple(o for o in model.extras.observers if o.name in seen or o.rest is not None)
    return model if kept == model.extras.observers else _without(model, kept)


def of_roles_alone(model: SurvivalModel) -> SurvivalModel:
    """The model without observers, which are no part of the system for classes."""
    return _without(model, ()) if model.extras.observers else model


def _without(model: SurvivalModel, kept: tuple[Observer, ...]) -> SurvivalModel:
    dropped = {o.name for o in model.extras.observers if o not in kept}
    requirements = tuple(r for r in model.system.requirements if dropped.isdisjoint(r.processes))
    processes = tuple(p for p in model.system if p.name not in dropped)
    system = replace(model.system, processes=processes, requirements=requirements)
    return replace(model, system=system, extras=replace(model.extras, observers=kept, tables={}))


def with_clocks(model: SurvivalModel) -> SurvivalModel:
    """The model with a clock for each role that has timers, and the process by whose step time passes
    (definitions 16.2, 16.4)."""
    waiting = [p for p in model.system if has_timers(p)]
    if not waiting:
        return model
    taken = set(model.system.names)
    clocks = []
    for process in waiting:
        clocks.append(clock_of(process, new_name(f"clock of {process.name}", taken)))
        taken.add(clocks[-1].name)
    time = time_process(new_name(TIME, taken))
    pairs = zip((p.name for p in waiting), (c.name for c in clocks), strict=True)
    extras = replace(model.extras, clocks=Clocks(time.name, tuple(pairs)))
    return replace(with_components(model, [*clocks, time]), extras=extras)
