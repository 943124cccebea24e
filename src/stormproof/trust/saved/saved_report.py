"""Saved results: what `check --json` prints, read back so that somebody else can replay it."""

from __future__ import annotations

import builtins
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from ...errors import InputError
from ...kernel.data.system import DataSource
from ...kernel.model.failures import FailureModel, Failures
from ...kernel.model.failures_json import failures_from_json, model_from_json
from ...kernel.model.requirement import Requirement
from ...kernel.model.run import Witness, witness_from_json
from ...kernel.model.system import System
from ...kernel.transform.mailboxes import run_with_senders
from ...languages.formats import system_from_json
from ...languages.formats.json_requirements import requirement_from_json
from ...languages.formats.json_values import KeyTwice, load_json, same_json
from ...languages.formats.read_data import understood

_SAVE = "save a result with `stormproof check FILE --certificate --json > RESULT.json`"

#: The keys of a result, of a verdict in it and of another culprit; json.md says what they mean.
RESULT_KEYS = (
    *(
        "stormproof",
        "system",
        "given",
        "roles",
        "source",
        "failures",
        "assumed",
        "semantics",
        "asked",
        "notes",
    ),
    *("seconds", "verdicts", "examples", "reproducer", "file", "unbounded", "answer", "without_effect"),
)
VERDICT_KEYS = (
    *("property", "k", "holds", "reason", "states", "transitions", "seconds", "witness", "up_to", "faults"),
    *("fewest", "tolerated", "others", "counts", "requirement", "tried", "notes", "certificate"),
    *("fewest_certificate", "replayed", "witness_k", "conflict", "status", "vacuous", "in_a_row", "on_time"),
)
_OTHER_KEYS = ("culprit", "reason", "witness")
_WRAPPERS = {"reports": {"stormproof", "reports"}, "models": {"stormproof", "models", "output", "text"}}
_CLASSES = ("csa", "deterministic", "directed")


@dataclass(frozen=True)
class SavedVerdict:
    """A verdict of a saved result. `k`: the bound that its run respects, or else the one that it speaks of.
    `requirement`: what it says to be about. The certificates are as they were saved. `others`: who else is to
    blame. `row` is all of it; `unknown`: what nobody can judge."""

    property: str
    holds: bool | None
    k: int | None
    witness: Witness | None
    requirement: Requirement | None = None
    up_to: int | None = None
    faults: int | None = None
    certificate: Any = None
    fewest_certificate: Any = None
    fewest: bool = False
    others: tuple[tuple[str, Witness], ...] = ()
    row: Mapping[str, Any] = field(default_factory=dict, repr=False)
    unknown: tuple[str, ...] = ()

    @builtins.property
    def required(self) -> bool:
        return self.requirement is not None


@dataclass(frozen=True)
class SavedResult:
    """The system and the failure model that a result speaks of, and its verdicts.

    `given` is the system before crash handling was completed or an encoding applied, `failures` what was
    asked for, and `asked` the properties and requirements that were asked for by name, None where nothing
    was. `unasked`: it does not say. `python`: its automata were made of roles in Python. `source`: the
    text that they were made of, where its roles have variables. `head` is what was
    saved beside the verdicts; `unknown`: what nobody can judge.
    """

    system: System
    model: FailureModel
    verdicts: tuple[SavedVerdict, ...]
    given: System
    failures: Failures
    semantics: str = "definition"
    asked: tuple[str, ...] | None = None
    unasked: bool = False
    python: bool = False
    source: DataSource | None = None
    head: Mapping[str, Any] = field(default_factory=dict, repr=False)
    unknown: tuple[str, ...] = ()

    @builtins.property
    def unbounded(self) -> bool:
        """Was the question for channels of any length?"""
        return self.head.get("unbounded") is True


@dataclass(frozen=True)
class SavedPart:
    """One result among several: of which file, or under which failures. Without a result, `problem` says why
    there is nothing to replay."""

    name: str
    result: SavedResult | None
    problem: str = ""


def result_from_json(text: str, name: str = "<input>") -> SavedResult:
    """Read a saved result; whatever is wrong with it is an InputError."""
    return _result(load_json(text, name, _SAVE), name)


def results_from_json(text: str, name: str = "<input>") -> tuple[SavedPart, ...]:
    """Read what `check` prints for one file or for several, or `report` for several failure models."""
    try:
        data = load_json(text, name, _SAVE)
    except KeyTwice as problem:
        return (SavedPart("", None, problem.message),)
    several = next((key for key in _WRAPPERS if isinstance(data, Mapping) and key in data), None)
    if several is None:
        return (SavedPart("", _result(data, name)),)
    _version(data, name)
    return (*_parts(data[several], name), *_unknown_parts(data, several))


def _parts(rows: Any, name: str) -> tuple[SavedPart, ...]:
    if not rows and isinstance(rows, Mapping | list):
        return (SavedPart("", None, "there is no result in it"),)
    if isinstance(rows, Mapping):
        return tuple(SavedPart(str(key), _result(row, f"{name}, {key}")) for key, row in rows.items())
    if not isinstance(rows, list):
        raise InputError(f"{name}: the reports of the result are not a list")
    return tuple(_part(row, f"{name}, report {i}") for i, row in enumerate(rows, 1))


def _unknown_parts(data: Mapping[str, Any], several: str) -> Iterator[SavedPart]:
    for key in data:
        if key not in _WRAPPERS[several]:
            yield SavedPart("", None, f"'{key}' beside '{several}' is a key that this version does not know")


def _part(row: Any, name: str) -> SavedPart:
    file = str(_object(row).get("file", name))
    if "error" in _object(row):
        return SavedPart(file, None, "the file could not be read, so there is nothing to replay")
    return SavedPart(file, _result(row, name))


def _version(data: Mapping[str, Any], name: str) -> None:
    version = data.get("stormproof")
    if version != 1 or type(version) is not int:
        raise InputError(f"{name}: version {version!r:.20} of saved results is not known; this is version 1")


def _result(data: Any, name: str) -> SavedResult:
    with understood(name, "a saved result"):
        return _understood(data, name)


def _understood(data: Any, name: str) -> SavedResult:
    if not isinstance(data, Mapping) or not {"system", "failures", "verdicts"} <= set(data):
        raise InputError(f"{name} is not a saved result", hint=_SAVE)
    _version(data, name)
    system = _system(data, "system", name)
    given = _system(data, "given", name) if "given" in data else system
    saved = _object(data["failures"])
    if not isinstance(data["verdicts"], list):
        raise InputError(f"{name}: the verdicts of the result are not a list")
    if data.get("roles") not in (None, "python"):
        raise InputError(f"{name}: 'roles' of the result is 'python', or it is left out")
    if data.get("unbounded", False) not in (True, False):
        raise InputError(f"{name}: 'unbounded' of the result is true, or it is left out")
    failures, unknown = failures_from_json(saved)
    return SavedResult(
        system,
        model_from_json(saved),
        tuple(_verdict(row, name, system, given) for row in data["verdicts"]),
        given,
        failures,
        str(data.get("semantics", "definition")),
        _asked(data.get("asked"), name),
        "asked" not in data,
        data.get("roles") == "python",
        _source(data, name),
        {key: value for key, value in data.items() if key != "verdicts"},
        tuple(sorted({*data}.difference(RESULT_KEYS))) + unknown,
    )


def _source(data: Mapping[str, Any], name: str) -> DataSource | None:
    if "source" not in data:
        return None
    found = _object(data["source"])
    constants = found.get("constants")
    known = isinstance(constants, Mapping) and all(isinstance(v, str) for v in constants.values())
    if set(found) != {"text", "constants"} or not isinstance(found["text"], str) or not known:
        raise InputError(f"{name}: 'source' of the result has a text and constants, which are texts")
    return DataSource(found["text"], dict(found["constants"]))


def _asked(names: Any, name: str) -> tuple[str, ...] | None:
    if names is None:
        return None
    if not isinstance(names, list) or not all(isinstance(n, str) for n in names):
        raise InputError(f"{name}: 'asked' of the result is null or a list of names")
    return tuple(names)


def _object(data: Any) -> Mapping[str, Any]:
    return data if isinstance(data, Mapping) else {}


def _system(data: Mapping[str, Any], key: str, name: str) -> System:
    described = data[key]
    if not isinstance(described, Mapping):
        raise InputError(f"{name}: '{key}' of the result is not an object")
    whole = {"stormproof": 1, **described}
    system = system_from_json({k: v for k, v in whole.items() if k not in _CLASSES}, name)
    for word in _CLASSES:
        if word in described and described[word] is not getattr(system, word):
            raise InputError(f"{name}: '{key}' of the result is not {word} as it says")
    return system


def _verdict(row: Any, name: str, system: System, given: System) -> SavedVerdict:
    if not isinstance(row, Mapping) or not isinstance(row.get("property"), str) or "holds" not in row:
        raise InputError(f"{name}: a verdict of the result lacks its property or its answer")
    title = row["property"]
    bounds = {key: row.get(key) for key in ("witness_k", "k", "up_to")}
    numbers = {key: row.get(key) for key in ("faults", "tolerated")}
    for key, number in (*bounds.items(), *numbers.items()):
        least = 1 if key in bounds else 0
        if number is not None and (type(number) is not int or number < least):
            raise InputError(f"{name}: '{key}' of {title} is {number!r}, not a number of at least {least}")
    for key, flags in (("holds", (True, False, None)), ("fewest", (True, False)), ("replayed", (True, None))):
        if not any(row.get(key, flags[-1]) is flag for flag in flags):
            raise InputError(f"{name}: '{key}' of {title} is {row[key]!r:.40}")
    unknown: list[str] = sorted({*row}.difference(VERDICT_KEYS))
    others = tuple(_others(row.get("others", ()), name, system, unknown))
    return SavedVerdict(
        title,
        row["holds"],
        bounds["witness_k"] or bounds["k"],
        _witness(row.get("witness"), system, unknown),
        requirement_from_json(row["requirement"], given) if "requirement" in row else None,
        bounds["up_to"],
        numbers["faults"],
        row.get("certificate"),
        row.get("fewest_certificate"),
        row.get("fewest") is True,
        others,
        row,
        tuple(unknown),
    )


def _others(rows: Any, name: str, system: System, unknown: list[str]) -> Iterator[tuple[str, Witness]]:
    if not isinstance(rows, list | tuple):
        raise InputError(f"{name}: the other culprits of a verdict are not a list")
    for row in rows:
        witness = _witness(_object(row).get("witness"), system, unknown)
        if witness is None or not isinstance(row.get("culprit"), str):
            raise InputError(f"{name}: another culprit of a verdict lacks its name or its run")
        unknown += sorted({*row}.difference(_OTHER_KEYS))
        yield row["culprit"], witness


def _witness(data: Any, system: System, unknown: list[str]) -> Witness | None:
    """A run, which says nothing else than what was read of it."""
    if data is None:
        return None
    witness = witness_from_json(data)
    if not same_json(witness.to_json(), data):
        unknown.append("witness")
    return run_with_senders(system, witness)
