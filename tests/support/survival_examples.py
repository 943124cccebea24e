"""Systems by hand for the tests of survival."""

from __future__ import annotations

from stormproof.model.actions import Action, Transition
from stormproof.model.failures import ChannelFailure, FailureModel
from stormproof.model.process import Process
from stormproof.model.rest import rest_states
from stormproof.model.survival import Budget, SurvivalModel
from stormproof.model.system import System

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
    return SurvivalModel(system, failures, rest_states(system, rest, services), budget=budget or Budget())
