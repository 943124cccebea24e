"""Saved results: what `check --json` prints, read back so that somebody else can replay it."""

from __future__ import annotations

import builtins
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, UsageError
from ..formats import system_from_json
from ..formats.read_data import read_json, understood
from ..model.budget import NO_BUDGET, Budget, budget_of
from ..model.failures import FailureModel
from ..model.failures_json import model_from_json
from ..model.run import Witness, witness_from_json
from ..model.system import System
from ..transform.mailboxes import run_with_senders

_SAVE = "save a result with `stormproof check FILE --json > RESULT.json`"


@dataclass(frozen=True)
class SavedVerdict:
    """A verdict of a saved result, as far as replaying it goes. `requirement`: the one of the system that it
    is about, as it was saved, like `certificate`."""

    property: str
    holds: bool | None
    k: int | None
    witness: Witness | None
    requirement: Any = None
    up_to: int | None = None
    faults: int | None = None
    certificate: Any = None
    fewest_certificate: Any = None

    @builtins.property
    def required(self) -> bool:
        return self.requirement is not None


@dataclass(frozen=True)
class SavedResult:
    """The system and the failure model that a result speaks of, and its verdicts.

    `given` is the system before crash handling was completed or an encoding applied; `as_written`: crash
    handling is not completed.
    """

    system: System
    model: FailureModel
    verdicts: tuple[SavedVerdict, ...]
    given: System
    semantics: str = "definition"
    budget: Budget = NO_BUDGET
    as_written: bool = False


@dataclass(frozen=True)
class SavedPart:
    """One result among several: of which file, or under which failures; None where the file was not read."""

    name: str
    result: SavedResult | None


def result_from_json(text: str, name: str = "<input>") -> SavedResult:
    """Read a saved result; whatever is wrong with it is an InputError."""
    return _result(_loaded(text, name), name)


def results_from_json(text: str, name: str = "<input>") -> tuple[SavedPart, ...]:
    """Read what `check` prints for one file or for several, or `report` for several failure models."""
    data = _loaded(text, name)
    if not isinstance(data, Mapping) or not {"reports", "models"} & set(data):
        return (SavedPart("", _result(data, name)),)
    rows = data["reports"] if "reports" in data else data["models"]
    if isinstance(rows, Mapping):
        return tuple(SavedPart(str(key), _result(row, f"{name}, {key}")) for key, row in rows.items())
    if not isinstance(rows, list):
        raise InputError(f"{name}: the reports of the result are not a list")
    return tuple(_part(row, f"{name}, report {i}") for i, row in enumerate(rows, 1))


def _part(row: Any, name: str) -> SavedPart:
    file = str(_object(row).get("file", name))
    return SavedPart(file, None if "error" in _object(row) else _result(row, name))


def _loaded(text: str, name: str) -> Any:
    return read_json(text, name, _SAVE)


def _result(data: Any, name: str) -> SavedResult:
    with understood(name, "a saved result"):
        return _understood(data, name)


def _understood(data: Any, name: str) -> SavedResult:
    if not isinstance(data, Mapping) or not {"system", "failures", "verdicts"} <= set(data):
        raise InputError(f"{name} is not a saved result", hint=_SAVE)
    system = _system(data, "system", name)
    given = _system(data, "given", name) if "given" in data else system
    model = model_from_json(_object(data["failures"]))
    verdicts = data["verdicts"]
    if not isinstance(verdicts, list):
        raise InputError(f"{name}: the verdicts of the result are not a list")
    found = tuple(_verdict(row, name, system) for row in verdicts)
    asked = _object(data["failures"])
    semantics, as_written = str(data.get("semantics", "definition")), asked.get("as_written") is True
    return SavedResult(system, model, found, given, semantics, _budget(asked), as_written)


def _budget(asked: Mapping[str, Any]) -> Budget:
    try:
        return budget_of(_object(asked.get("budget", {})))
    except UsageError as problem:
        raise InputError(str(problem)) from None


def _object(data: Any) -> Mapping[str, Any]:
    return data if isinstance(data, Mapping) else {}


def _system(data: Mapping[str, Any], key: str, name: str) -> System:
    described = data[key]
    if not isinstance(described, Mapping):
        raise InputError(f"{name}: '{key}' of the result is not an object")
    extra = {"csa", "deterministic", "directed"}
    whole = {"stormproof": data.get("stormproof", 1), **described}
    return system_from_json({k: v for k, v in whole.items() if k not in extra}, name)


def _verdict(row: Any, name: str, system: System) -> SavedVerdict:
    if not isinstance(row, Mapping) or not isinstance(row.get("property"), str) or "holds" not in row:
        raise InputError(f"{name}: a verdict of the result lacks its property or its answer")
    bounds = {"k": row.get("witness_k") or row.get("k"), "up_to": row.get("up_to")}
    for bound in bounds.values():
        if bound is not None and (type(bound) is not int or bound < 1):
            raise InputError(f"{name}: the bound of {row['property']} is {bound!r}, not a positive number")
    witness = row.get("witness")
    return SavedVerdict(
        row["property"],
        row["holds"],
        bounds["k"],
        None if witness is None else run_with_senders(system, witness_from_json(witness)),
        row.get("requirement"),
        bounds["up_to"],
        row.get("faults"),
        row.get("certificate"),
        row.get("fewest_certificate"),
    )
