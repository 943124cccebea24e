"""Systems by hand for the tests of survival."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from stormproof.kernel.model.actions import Action, Transition
from stormproof.kernel.model.budget import Budget
from stormproof.kernel.model.failures import ChannelFailure, FailureModel
from stormproof.kernel.model.process import Process
from stormproof.kernel.model.rest import rest_states
from stormproof.kernel.model.survival import SurvivalModel
from stormproof.kernel.model.system import System

Row = tuple[str, Action, str]


def role(name: str, *rows: Row, states: tuple[str, ...] = ()) -> Process:
    return Process(name, rows[0][0], tuple(Transition(*row) for row in rows), states)


def model(
    system: System,
    rest: dict[str, list[str]] | None = None,
    services: tuple[str, ...] = (),
    budget: Budget | None = None,
    **faults: bool,
) -> SurvivalModel:
    """The same faults on every channel; nobody crashes."""
    failures = FailureModel({c: ChannelFailure(**faults) for c in system.channels})  # type: ignore[arg-type]
    rested = rest_states(declare(system, rest or {}, services))
    return SurvivalModel(system, failures, rested, budget=budget or Budget())


def declare(system: System, rest: Mapping[str, Sequence[str]], services: Collection[str]) -> System:
    """The system with these rest states and services."""
    processes = (
        replace(p, rest=tuple(rest[p.name]) if p.name in rest else None, service=p.name in services)
        for p in system
    )
    return replace(system, processes=tuple(processes))
